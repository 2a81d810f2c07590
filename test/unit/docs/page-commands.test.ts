import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pages } from '../../../scripts/banned-marks.ts';
import { buildProgram } from '../../../src/cli/commands.ts';
import { callsIn, shellBlocksOf, wordsOf } from '../../support/page-commands.ts';

const ROOT = join(import.meta.dirname, '../../..');
const texts = pages().map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }));

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
        : shellBlocksOf(text)
            .filter(({ isMarked, lines }) => !isMarked && lines.some((line) => !ours.test(line.trim())))
            .map(({ lines }) => `${file}: ${lines[0] ?? ''}`),
    );
    expect(unmarked).toEqual([]);
  });
});
