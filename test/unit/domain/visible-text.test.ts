import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { assert, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { html, escapeInvisible, escapeLine } from '../../../src/domain/text.ts';
import { moveWithReason } from '../../../src/ops/durable-files.ts';
import { safeFileName } from '../../../src/ops/safe-file-name.ts';
import { openRunLog } from '../../../src/ops/log.ts';
import { legalText } from '../../../src/results/workbook.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { anyCharacter } from '../../support/characters.ts';

/** Everything that must never be shown as it is, by code point. */
const UNSEEN: readonly number[] = [
  ...range(0x00, 0x08),
  ...range(0x0b, 0x1f),
  ...range(0x7f, 0x9f),
  0xad,
  0x34f,
  0x61c,
  0x115f,
  0x1160,
  0x180e,
  ...range(0x200b, 0x200f),
  0x2028,
  0x2029,
  ...range(0x202a, 0x202e),
  ...range(0x2060, 0x206f),
  0x3164,
  0xfeff,
  0xffa0,
  ...range(0xfff9, 0xfffb),
  0xfffe,
  0xffff,
  0xd800,
  0xdfff,
  ...range(0xe0020, 0xe007f),
];

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

const HOSTILE = UNSEEN.map((point) => String.fromCodePoint(point)).join('x');

/** Those of the unseen that a text still has. */
function left(text: string): string[] {
  const unseen = new Set(UNSEEN);
  return Array.from(text, (character) => character.codePointAt(0) ?? 0)
    .filter((point) => unseen.has(point) && point !== 0x0d)
    .map((point) => point.toString(16));
}

// Accents, emoji, right-to-left letters, line feeds, and tabs stay.
test('escapeInvisible escapes only invisible characters', () => {
  expect(escapeInvisible('orders\u202Exslx.csv\u001B[2J\u009B1m\u200B')).toBe(
    String.raw`orders\u202exslx.csv\u001b[2J\u009b1m\u200b`,
  );
  expect(escapeInvisible('\u{E0041}')).toBe(String.raw`\udb40\udc41`);
  for (const text of ['', 'März', 'אורן', 'العربية', '物件 ❤️ 👍🏽', 'a\n\tb', 'C:\\u0041', 'e\u0301'])
    expect(escapeInvisible(text)).toBe(text);
  expect(escapeLine('line\nbreak\t.csv')).toBe(String.raw`line\u000abreak\u0009.csv`);
  for (const point of UNSEEN)
    expect([point.toString(16), left(escapeInvisible(`a${String.fromCodePoint(point)}b`))]).toEqual([
      point.toString(16),
      [],
    ]);
});

test('escapeInvisible keeps JSON the same document and escapes nothing twice', () => {
  assert(
    property(string({ unit: anyCharacter }), (text) => {
      const json = JSON.stringify({ [text]: [text, { text }] }, null, 2);
      expect(JSON.parse(escapeInvisible(json))).toEqual(JSON.parse(json));
      expect(left(escapeInvisible(json))).toEqual([]);
      expect(escapeInvisible(escapeInvisible(text))).toBe(escapeInvisible(text));
    }),
    { seed: 4, numRuns: 3000 },
  );
  expect(JSON.parse(escapeInvisible(JSON.stringify(HOSTILE)))).toBe(
    HOSTILE.toWellFormed() === HOSTILE ? HOSTILE : JSON.parse(JSON.stringify(HOSTILE)),
  );
});

test('no output or file name of ours holds an invisible character', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'dropped');
  await writeFile(path, 'x');
  const moved = await moveWithReason(
    path,
    folder.path,
    `${HOSTILE}.csv`.replaceAll('\0', ''),
    () => `${HOSTILE} could not be read.\n`,
  );
  {
    await using log = openRunLog(folder.path, 'run', { now: () => 0 });
    log.warn(HOSTILE, { [HOSTILE]: HOSTILE });
  }
  const shown = {
    log: await readFile(join(folder.path, 'run.jsonl'), 'utf8'),
    page: await readFile(`${moved}.txt`, 'utf8'),
    fileName: moved,
    safe: safeFileName(HOSTILE),
    cell: legalText(HOSTILE),
    report: html(HOSTILE),
  };
  for (const [where, text] of Object.entries(shown)) expect([where, left(text)]).toEqual([where, []]);
  expect(shown.log.trim().split('\n')).toHaveLength(1);
});
