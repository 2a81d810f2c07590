import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { corpusFiles, expectations, expectedRows, readCorpusFile } from './expectations.ts';

const all = await expectations();

test('the corpus has at least 200 files, each with its expectation', async () => {
  // At least five programs wrote them.
  expect(all.map(({ file }) => file)).toEqual(await corpusFiles());
  expect(all.length).toBeGreaterThanOrEqual(200);
  const writers = ['LibreOffice', 'openpyxl', 'XlsxWriter', 'SheetJS', 'pandas', 'exceljs', 'Gnumeric'];
  expect(writers.filter((writer) => !all.some(({ made }) => made.startsWith(writer)))).toEqual([]);
});

test('README.md lists how each file was made', async () => {
  const readme = await readFile(join(import.meta.dirname, 'README.md'), 'utf8');
  expect(all.filter(({ file }) => !readme.includes(`| \`${file}\` |`))).toEqual([]);
});

test.each(all.filter(({ unreadable }) => unreadable === undefined))('$file: $what', async (expectation) => {
  const reading = await readCorpusFile(expectation.file);
  if (reading.kind === 'unreadable') throw new Error(reading.sentence);
  expect(reading.rows).toEqual(expectedRows(expectation));
  const { notes = [] } = expectation;
  expect(notes.filter((words) => !reading.notes.some((note) => note.includes(words)))).toEqual([]);
});

test.each(all.flatMap(({ file, what, unreadable }) => (unreadable === undefined ? [] : [{ file, what, unreadable }])))(
  '$file, $what: $unreadable',
  async ({ file, unreadable }) => {
    const reading = await readCorpusFile(file);
    if (reading.kind === 'read') throw new Error(`it was read: ${String(reading.rows.length)} rows`);
    expect(reading.sentence).toContain(unreadable);
    expect(reading.sentence).toMatch(/^"[^"]+" .+\.$/s);
  },
);
