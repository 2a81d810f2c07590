import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import yauzl from 'yauzl';
import { fullSummary, projectWith, sampleInput } from './full-summary.fixture.ts';
import { writeResultsWorkbook } from './results-workbook.ts';

/** The parts of a ZIP file as text, by name. */
function partsOf(path: string): Promise<Map<string, string>> {
  return new Promise((resolve, reject) => {
    yauzl.open(path, (fault, zip) => {
      if (fault !== null) return reject(fault);
      const reading: Promise<[string, string]>[] = [];
      zip.on('error', reject);
      zip.on('entry', (entry: yauzl.Entry) => {
        reading.push(
          new Promise((read, fail) => {
            zip.openReadStream(entry, (fault, stream) => {
              if (fault !== null) return fail(fault);
              void text(stream).then((held) => read([entry.fileName, held]), fail);
            });
          }),
        );
      });
      zip.on('end', () => {
        void Promise.all(reading).then((parts) => resolve(new Map(parts)), reject);
      });
    });
  });
}

/** ECMA-376 Part 1, 18.3.1.99: the order of a worksheet's elements. Excel offers to repair a file that breaks it. */
const ORDER = [
  'sheetPr', 'dimension', 'sheetViews', 'sheetFormatPr', 'cols', 'sheetData', 'sheetProtection', 'autoFilter', 'mergeCells', 'conditionalFormatting',
  'dataValidations', 'hyperlinks', 'printOptions', 'pageMargins', 'pageSetup', 'headerFooter', 'rowBreaks', 'drawing', 'legacyDrawing', 'tableParts',
];

test('the elements of each sheet stand in the order that Excel asks for', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'results-'));
  try {
    const path = join(folder, 'book.xlsx');
    await writeResultsWorkbook(path, sampleInput([projectWith(fullSummary())]));
    const sheets = [...(await partsOf(path))].filter(([name]) => /worksheets\/sheet\d+\.xml$/.test(name));
    expect(sheets).toHaveLength(16);
    for (const [name, xml] of sheets) {
      const found = ORDER.map((tag) => ({ tag, at: xml.search(new RegExp(`<${tag}[ />]`)) })).filter(({ at }) => at >= 0);
      expect([name, ...found.toSorted((a, b) => a.at - b.at).map(({ tag }) => tag)]).toEqual([name, ...found.map(({ tag }) => tag)]);
      expect(found.map(({ tag }) => tag)).toContain('sheetData');
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});
