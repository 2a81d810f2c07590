import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { ExplainedError } from '../domain/errors.ts';
import { writeIntakeTemplate } from '../intake/intake-template.ts';
import { type CommandResult, EXIT } from './result.ts';

/** Writes the empty intake workbook. Never over a file that is there: it may be somebody's filled one. */
export async function templateCommand(file: string): Promise<CommandResult> {
  const path = resolve(file);
  if (existsSync(path)) {
    throw new ExplainedError(`${file} exists already.`, { exitCode: 2, hint: 'Name another file, or move that one away.' });
  }
  await writeIntakeTemplate(path);
  return { exitCode: EXIT.done, text: `Wrote ${file}`, json: { file: path, exitCode: EXIT.done } };
}
