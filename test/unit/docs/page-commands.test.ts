import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pages } from '../../../scripts/banned-marks.ts';
import { buildProgram } from '../../../src/cli/commands.ts';

const ROOT = join(import.meta.dirname, '../../..');
const texts = pages().map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }));

/** The words of a command line as a shell makes them, up to a comment, a pipe or a redirection. */
function wordsOf(line: string): readonly string[] {
  const words: string[] = [];
  for (const [word] of line.matchAll(/(?:"[^"]*"|'[^']*'|<[^>]*>|[^\s"'])+/g)) {
    if (/^(?:#|[|>;]|&&|2>)/.test(word)) break;
    words.push(word.replaceAll(/["']/g, ''));
  }
  return words;
}

/** Each call of the program in blocks and code spans, without those that leave something out. */
function callsIn(text: string): readonly string[] {
  const blocks = [...text.matchAll(/^ *```(?:sh|text)\n([\s\S]*?)^ *```$/gm)].flatMap(([, block = '']) =>
    block.replaceAll(/\\\n\s*/g, ' ').split('\n'),
  );
  const spans = [...text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '').matchAll(/`([^`\n]+)`/g)].map(
    ([, span = '']) => span,
  );
  return [...blocks, ...spans]
    .flatMap((line) => line.split(' && '))
    .flatMap((line) => [
      ...(/(?:^|\s)(?:npx )?(?:[\w./]*\/)?inspection-batch (?<args>[a-z][^:]*)$/.exec(line.trim())?.slice(1) ?? []),
    ])
    .filter((call) => !/<command>|…|^(?:batch|&&)/.test(call));
}

/** The complaint of the command line, or undefined if it is taken. */
async function complaintOf(call: string): Promise<string | undefined> {
  const program = buildProgram(async () => {}, '0.0.0');
  for (const command of [program, ...program.commands, ...program.commands.flatMap(({ commands }) => commands)])
    command.exitOverride().configureOutput({ writeErr: () => {}, writeOut: () => {} });
  try {
    await program.parseAsync([...wordsOf(call)], { from: 'user' });
    return undefined;
  } catch (thrown) {
    return thrown instanceof Error && !/outputHelp|helpDisplayed/.test(thrown.message) ? thrown.message : undefined;
  }
}

describe('commands in pages', () => {
  test('are taken by the command line, with their flags', async () => {
    const calls = texts.flatMap(({ file, text }) => callsIn(text).map((call) => ({ file, call })));
    expect(calls.length).toBeGreaterThan(80);
    const refused: string[] = [];
    for (const { file, call } of calls) {
      const complaint = await complaintOf(call);
      if (complaint !== undefined) refused.push(`${file}: ${call}: ${complaint}`);
    }
    expect(refused).toEqual([]);
  });

  test('of other programs are replayed by a test, or say why not', () => {
    const ours = /^(?:#|npm |cd |git |bin\/|npx |export |inspection-batch|node |$)/;
    const unmarked = texts.flatMap(({ file, text }) =>
      text.includes('<!-- Replayed by ')
        ? []
        : [...text.matchAll(/(<!-- not run: [^>]+-->\n\n)?^ *```sh\n([\s\S]*?)^ *```$/gm)]
            .filter(
              ([, mark, block = '']) => mark === undefined && block.split('\n').some((line) => !ours.test(line.trim())),
            )
            .map(([, , block = '']) => `${file}: ${block.split('\n')[0] ?? ''}`),
    );
    expect(unmarked).toEqual([]);
  });
});
