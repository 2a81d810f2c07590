import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worksheet } from 'exceljs';
import { expect, test } from 'vitest';
import { openPromise } from 'yauzl';
import { HOUSE_TYPES_BY_POLICY_TYPE, POLICY_TYPES, SERVICE_NAMES } from '../../../src/contract/document.ts';
import { columnLetters } from '../../../src/domain/cells.ts';
import type { FieldName } from '../../../src/intake/fields.ts';
import { collected } from '../../support/in-memory-source.ts';
import { intakeTemplate, TEMPLATE_FIELDS, writeIntakeTemplate } from '../../../scripts/samples/intake-template.ts';
import { readOrderFile } from '../../../src/intake/read-orders.ts';
import { codeAndFacts } from '../../support/code-and-facts.ts';

const COMMITTED = join(import.meta.dirname, '../../../templates/inspection-orders.xlsx');
const VERSION_1 = join(import.meta.dirname, '../../fixtures/intake-template-v1.xlsx');
const OPTIONS = { headers: {}, today: '2026-10-15' };

/** The template as somebody fills it in. */
async function filled(fill: (sheet: Worksheet, columnOf: (name: FieldName) => number) => void) {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'template-'));
  const path = join(folder.path, 'filled.xlsx');
  const workbook = intakeTemplate();
  const sheet = workbook.getWorksheet('Orders');
  if (sheet !== undefined) fill(sheet, (name) => TEMPLATE_FIELDS.findIndex((field) => field.name === name) + 1);
  await workbook.xlsx.writeFile(path, { zip: { compression: 'STORE' } });
  return await read(path);
}

async function read(path: string) {
  await using reading = await readOrderFile(path, 'orders.xlsx', OPTIONS);
  const outcomes = await collected(reading.rows());
  return { outcomes, notes: reading.notes, layouts: reading.layouts };
}

/** Fills a row with the examples of the guide. */
function writeGuideExamples(sheet: Worksheet, rowNumber: number): void {
  for (const [index, { example, kind }] of TEMPLATE_FIELDS.entries()) {
    sheet.getCell(rowNumber, index + 1).value = kind === 'date' ? new Date(`${example}T00:00:00Z`) : example;
  }
}

test('has only known columns and an example that is never ordered', async () => {
  const { layouts, outcomes, notes } = await read(COMMITTED);
  expect(layouts.map(({ sheet, columns }) => ({ sheet, fields: columns.map(({ field }) => field) }))).toEqual([
    { sheet: 'Orders', fields: TEMPLATE_FIELDS.map(({ name }) => name) },
  ]);
  expect(outcomes).toEqual([]);
  expect(notes.map(codeAndFacts)).toEqual(['rows-example "Orders" 2']);
});

test('begins with the ten required columns and folds the others', () => {
  const sheet = intakeTemplate().getWorksheet('Orders');
  const levels = TEMPLATE_FIELDS.map((_, index) => sheet?.getColumn(index + 1).outlineLevel ?? 0);
  expect(TEMPLATE_FIELDS.filter(({ required }) => required)).toEqual(TEMPLATE_FIELDS.slice(0, 10));
  expect(levels).toEqual(TEMPLATE_FIELDS.map(({ required }) => (required ? 0 : 1)));
});

test("orders a row with the guide's examples without repairs", async () => {
  const order = { kind: 'order', repairs: [], warnings: [], allowDuplication: false };
  expect(await filled((sheet) => writeGuideExamples(sheet, 3))).toMatchObject({
    outcomes: [order],
    notes: [{ code: 'rows-example', text: expect.stringContaining('row 2 ') }],
  });
  expect(await filled((sheet) => writeGuideExamples(sheet, 2))).toMatchObject({ outcomes: [order], notes: [] });
});

test('ignores a partly emptied example and rejects a partly overwritten one', async () => {
  const emptied = await filled((sheet, columnOf) => {
    for (const name of ['inspectionNumber', 'note', 'city'] as const) sheet.getCell(2, columnOf(name)).value = null;
  });
  expect(emptied.outcomes).toEqual([]);
  const overwritten = await filled((sheet, columnOf) => {
    sheet.getCell(2, columnOf('streetAddress')).value = '9 Elm St';
    sheet.getCell(2, columnOf('insuredName')).value = 'Ann Lee';
    sheet.getCell(2, columnOf('zipcode')).value = 'none';
  });
  expect(overwritten.outcomes).toMatchObject([
    {
      kind: 'rejection',
      problems: [
        { rule: 'example-left-over', field: 'inspectionNumber', cell: 'K2', value: 'EXAMPLE-1' },
        { field: 'zipcode' },
        { rule: 'example-left-over', field: 'note' },
      ],
    },
  ]);
});

test("lists the contract's values, house types by policy type", async () => {
  const workbook = intakeTemplate();
  const lists = workbook.getWorksheet('Lists');
  const listed = (name: string): unknown[] => {
    const [range = ''] = workbook.definedNames.getRanges(name).ranges;
    const [, letters = '', from = '', to = from] = /\$([A-Z]+)\$(\d+)(?::\$[A-Z]+\$(\d+))?$/.exec(range) ?? [];
    return Array.from(
      { length: Number(to) - Number(from) + 1 },
      (_, index) => lists?.getCell(`${letters}${String(Number(from) + index)}`).value,
    );
  };
  expect(listed('Services')).toEqual(SERVICE_NAMES);
  expect(listed('PolicyTypes')).toEqual(POLICY_TYPES);
  for (const [index, policyType] of POLICY_TYPES.entries())
    expect(listed(`HouseTypes_${String(index + 1)}`)).toEqual(HOUSE_TYPES_BY_POLICY_TYPE[policyType]);
  const letters = (name: FieldName): string => columnLetters(TEMPLATE_FIELDS.findIndex((field) => field.name === name));
  const { model } = (
    workbook.getWorksheet('Orders') as unknown as {
      dataValidations: { model: Record<string, { formulae: unknown[] }> };
    }
  ).dataValidations;
  const formulaOf = (name: FieldName): unknown => model[`${letters(name)}2:${letters(name)}2000`]?.formulae[0];
  expect(formulaOf('serviceName')).toBe('Services');
  expect(formulaOf('houseType')).toBe(`INDIRECT("HouseTypes_"&MATCH($${letters('policyType')}2,PolicyTypes,0))`);
});

test('formats columns in which zeros matter as text', async () => {
  const sheet = intakeTemplate().getWorksheet('Orders');
  const texts = TEMPLATE_FIELDS.filter((_, index) => sheet?.getColumn(index + 1).numFmt === '@').map(
    ({ name }) => name,
  );
  expect(texts).toEqual(
    expect.arrayContaining(['inspectionNumber', 'policyNumber', 'zipcode', 'insuredPhone', 'agentPhone']),
  );
});

test('reads version 1 as before and mentions the newer version', async () => {
  const { outcomes, notes } = await read(VERSION_1);
  expect(outcomes).toMatchObject([
    {
      kind: 'order',
      repairs: [],
      payload: {
        inspectionNumber: '0020417',
        policyNumber: '00482130',
        zipcode: '02139',
        policyEffectiveDate: '2026-11-01',
        yearBuilt: 1987,
        isRenewal: true,
        supplementalServices: ['RC Report', 'Wildfire'],
      },
    },
    { kind: 'rejection', problems: [{ field: 'houseType' }] },
  ]);
  expect(notes.map(codeAndFacts)).toEqual(['template-older 1 2 "inspection-batch template"']);
});

test('matches the committed template byte by byte', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'template-'));
  const path = join(folder.path, 'template.xlsx');
  await writeIntakeTemplate(path);
  expect((await readFile(path)).equals(await readFile(COMMITTED))).toBe(true);
  expect(new Set((await openZip(path)).map(({ lastModified }) => lastModified))).toEqual(
    new Set(['1980-01-01T00:00:00.000Z']),
  );
});

async function openZip(path: string): Promise<{ name: string; lastModified: string }[]> {
  const zip = await openPromise(path);
  const entries = [];
  for await (const entry of zip.eachEntry())
    entries.push({ name: entry.fileName, lastModified: entry.getLastModDate({ timezone: 'UTC' }).toISOString() });
  return entries;
}
