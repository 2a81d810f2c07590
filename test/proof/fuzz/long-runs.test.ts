import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ORDER_FIELDS } from '../../../src/intake/fields.ts';
import { workbookBytes } from '../../support/made-files.ts';
import { inProof, inTurn } from '../../support/proof-size.ts';
import { judge, type Verdict } from './judge.ts';

/** Runs that a careless pattern looks at again from each of their characters, or divides in countless ways: for hours, where it does. */
const RUNS = [
  ' ',
  '\t',
  '\u00a0',
  '\u200b',
  '(',
  ')',
  '-',
  ',',
  "'",
  '1',
  '9.',
  '1,',
  ' :',
  'a ',
  '. ',
  'Ã',
  '$',
  ' 1:2',
  '()',
  '#',
  '<!---->',
  '/',
];

/** In a share every other one. */
const OF_TODAY = inTurn(RUNS, 2);

async function judged(bytes: Uint8Array, name: string): Promise<Verdict> {
  const folder = await mkdtemp(join(tmpdir(), 'fuzz-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'dropped'), bytes);
  return judge(join(folder, 'dropped'), name);
}

function workbook(rows: readonly (readonly string[])[]): Buffer {
  const cell = (text: string): string =>
    `<c t="inlineStr"><is><t xml:space="preserve">${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</t></is></c>`;
  return workbookBytes({ rows: rows.map((texts) => `<row>${texts.map(cell).join('')}</row>`).join('') });
}

const ROWS = inProof({ share: 1, whole: 5 });
const RUN = inProof({ share: 200_000, whole: 900_000 });

const titles = ORDER_FIELDS.map(({ title }) => title);

test.each(OF_TODAY)('reads long runs of %j in every kind of column', async (run) => {
  const text = `1${run.repeat(32_700 / run.length)}x`;
  const rows = Array.from({ length: ROWS }, () => titles.map(() => text));
  expect(await judged(workbook([titles, ...rows]), 'orders.xlsx')).toEqual({
    kind: 'rows',
    orders: 0,
    rejections: ROWS,
  });
});

test.each(OF_TODAY)('reads long runs of %j in header, title and whole file', async (run) => {
  const text = `x${run.repeat(RUN / run.length)}x`;
  const below = titles.map((title) => `${title} x`);
  expect(await judged(workbook([[text], [...titles, text, `(${text}`], below]), 'orders.xlsx')).toMatchObject({
    kind: 'rows',
    rejections: 1,
  });
  expect((await judged(Buffer.from(run.repeat(RUN / run.length)), 'orders.csv')).kind).not.toBe('broken');
});
