import { copyFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import exceljs from 'exceljs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cellText } from '../../../src/domain/cells.ts';
import { writeCorrectionsWorkbook } from '../../../src/intake/corrections/corrections.ts';
import { intakeTemplate, TEMPLATE_FIELDS, writeIntakeTemplate } from '../../../scripts/samples/intake-template.ts';
import { readOrderFile } from '../../../src/intake/read-orders.ts';
import { SAMPLES } from '../../support/command-line.ts';
import { OPEN_XML_NOTE, openXmlProblems, withoutOpenXmlValidator } from '../../support/open-xml-validator.ts';
import { inTurn } from '../../support/proof-size.ts';
import { temporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { neededProgram } from '../../end-to-end/needed-program.ts';
import { savedByLibreOffice } from './convert.ts';

const soffice = neededProgram('soffice');
const OPTIONS = { headers: {}, today: '2026-10-15' };

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(async () => {
  await folder[Symbol.asyncDispose]();
});

async function read(path: string) {
  await using reading = await readOrderFile(path, basename(path), OPTIONS);
  const outcomes = await Array.fromAsync(reading.rows());
  return { outcomes, layouts: reading.layouts, notes: reading.notes };
}

/** What a person sees of a file's rows, and the keys that nobody sees. */
async function seen(path: string) {
  const { outcomes, layouts } = await read(path);
  const rows = outcomes.map(({ kind, record, repairs, ...rest }) => ({
    kind,
    key: record.correctsRow,
    cells: record.cells.map(cellText),
    problems: 'problems' in rest ? rest.problems.map(({ rule, cell }) => [rule, cell]) : [],
    repairs: repairs.map(({ field, sent }) => [field, sent]),
  }));
  return {
    rows,
    layouts: layouts.map(({ sheet, headerRow, keyColumn, columns }) => ({ sheet, headerRow, keyColumn, columns })),
  };
}

async function correctionsOf(path: string): Promise<string> {
  const { outcomes, layouts } = await read(path);
  const written = join(folder.path, `${basename(path)} - to fix.xlsx`);
  const rejected = outcomes.flatMap((outcome) => (outcome.kind === 'rejection' ? [outcome] : []));
  await writeCorrectionsWorkbook(written, {
    file: { name: basename(path), hash: 'ab'.repeat(32) },
    layouts,
    rows: async function* rows() {
      yield* rejected;
    },
  });
  return written;
}

/** The template with its example as the first order. */
async function filledTemplate(path: string): Promise<void> {
  const workbook = intakeTemplate();
  for (const [index, { example, kind }] of TEMPLATE_FIELDS.entries()) {
    const cell = workbook.getWorksheet('Orders')?.getCell(3, index + 1);
    if (cell !== undefined) cell.value = kind === 'date' ? new Date(`${example}T00:00:00Z`) : example;
  }
  await workbook.xlsx.writeFile(path);
}

const AWKWARD = [
  'Rank;Inspection #;Address;City;State;Zip;Service;Policy type;House type;Insured;Insured phone;Insured email;Eff date;Remarks',
  '=1+1;007;1 Élm St;Cambridge;MA;02139;Roof cert;Homeowners Insurance;Restaurant;@Ann <&> Lee;+1 617 555 0142;a@b.example;2026-11-01;"-key under mat\nring twice"',
  '-2;1E5;2 Oak St;;Massachusetts;2139;4-point;Homeowners Insurance;Other;物件 😀;617-555-0143;a@b.example;03/04/2026;  spaces  ',
].join('\r\n');

describe.skipIf(soffice.mayBeSkipped)(`${soffice.note}LibreOffice, saving a workbook`, () => {
  const template = (): string => join(folder.path, 'template.xlsx');
  const original = (): string => join(folder.path, 'original.xlsx');
  const corrections: string[] = [];
  let colored = '';
  let saved: ReadonlyMap<string, string>;
  // Each start of LibreOffice takes seconds: one for all that is saved as a workbook.
  beforeAll(async () => {
    const csv = join(folder.path, 'awkward.csv');
    await writeFile(csv, AWKWARD);
    const samples = ['01-filled-template.xlsx', '03-european-export.csv', '04-corrections.xlsx'];
    for (const source of [csv, ...samples.map((name) => join(SAMPLES, name))])
      corrections.push(await correctionsOf(source));
    colored = await correctionsOf(join(SAMPLES, '02-agency-workbook.xlsx'));
    await copyFile(join(SAMPLES, '01-filled-template.xlsx'), original());
    await filledTemplate(template());
    const paths = [...corrections, colored, original(), template()];
    const copies = await savedByLibreOffice(soffice.path, paths, folder.path);
    saved = new Map(paths.map((path, index) => [path, copies[index] ?? '']));
  }, 600_000);

  test('keeps the rows, keys and layout of a corrections workbook', async () => {
    for (const path of corrections) {
      const before = await seen(path);
      expect(before.rows.length).toBeGreaterThan(1);
      expect(new Set(before.rows.map(({ key }) => key)).size).toBe(before.rows.length);
      expect(await seen(saved.get(path) ?? '')).toEqual(before);
    }
  });

  test('keeps colored cells, comments, drop-downs and links', async () => {
    const workbook = new exceljs.Workbook();
    await workbook.xlsx.readFile(saved.get(colored) ?? '');
    const [orders, words, problems, lists] = workbook.worksheets;
    const cell = orders?.getCell('M5');
    expect([orders?.name, words?.name, problems?.name, lists?.state, orders?.getColumn('AA').hidden]).toEqual([
      'Oct-Nov orders',
      'Words',
      'Problems',
      'hidden',
      true,
    ]);
    expect([cell?.value, cell?.fill, cell?.dataValidation]).toMatchObject([
      'Roof cert',
      { fgColor: { argb: 'FFFFC9C9' } },
      { type: 'list', formulae: expect.arrayContaining(['Choices_1']) },
    ]);
    expect(JSON.stringify(cell?.note)).toContain('Did you mean');
    expect(problems?.getCell('C2').value).toMatchObject({
      formula: `HYPERLINK("#'Oct-Nov orders'!M5","M5")`,
      result: 'M5',
    });
  });

  test("keeps the rows of a sender's original", async () => {
    expect(await seen(saved.get(original()) ?? '')).toEqual(await seen(original()));
  });

  test('keeps the orders of a filled-in template', { timeout: 600_000 }, async () => {
    const paths = [saved.get(template()) ?? ''];
    // Another start of LibreOffice.
    for (const format of inTurn(['csv'], 2))
      paths.push(...(await savedByLibreOffice(soffice.path, [template()], folder.path, format)));
    for (const path of paths) {
      const { outcomes, notes } = await read(path);
      expect(outcomes).toMatchObject([
        {
          kind: 'order',
          repairs: [],
          warnings: [],
          payload: { zipcode: '33609', policyNumber: 'HO-0048213', dwellingCoverage: 325_000 },
        },
      ]);
      expect(notes).toContainEqual({ code: 'rows-example', text: expect.stringContaining('row 2 ') });
    }
  });
});

describe.skipIf(withoutOpenXmlValidator)(`${OPEN_XML_NOTE}Open XML SDK`, () => {
  test("accepts the template and corrections, except for exceljs's font order", async () => {
    // Every program accepts the order in which exceljs writes a font.
    const template = join(folder.path, 'empty.xlsx');
    await writeIntakeTemplate(template);
    for (const path of [template, await correctionsOf(join(SAMPLES, '02-agency-workbook.xlsx'))]) {
      const problems = await openXmlProblems(path);
      expect(
        problems.filter(
          (problem) => !/^\/xl\/styles\.xml \/x:styleSheet\[1\]\/x:fonts\[1\]\/x:font\[\d+\]: .*:sz/.test(problem),
        ),
      ).toEqual([]);
    }
  });
});
