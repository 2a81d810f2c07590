import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { maskJson } from './mask-json.ts';
import type { Pseudonyms } from './pseudonyms.ts';

const LOGS_MAX = 10;

/** The latest logs, line for line, masked once more. A line that is no JSON is left out, and said so. */
export async function logPages(logsDir: string, pseudonyms: Pseudonyms): Promise<readonly { readonly name: string; readonly text: string }[]> {
  const names = (await readdir(logsDir).catch(() => [])).filter((name) => /^[\w-]+\.jsonl$/.test(name)).toSorted().slice(-LOGS_MAX);
  return Promise.all(names.map(async (name) => ({ name, text: (await readFile(join(logsDir, name), 'utf8')).split('\n').flatMap((line) => maskedLine(line, pseudonyms)).join('\n') })));
}

function maskedLine(line: string, pseudonyms: Pseudonyms): readonly string[] {
  if (line.trim() === '') return [];
  try {
    return [JSON.stringify(maskJson(JSON.parse(line), pseudonyms))];
  } catch {
    return ['{"event":"a line that could not be read"}'];
  }
}
