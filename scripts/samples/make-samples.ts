/** Makes the spreadsheets in samples/, and the committed intake template: `npx node scripts/samples/make-samples.ts`. docs/samples.md describes them. */
import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import exceljs, { type CellValue, type Workbook, type Worksheet } from 'exceljs';
import type { RowOutcome } from '../../src/domain/row.ts';
import { writeCorrectionsWorkbook } from '../../src/intake/corrections/corrections.ts';
import { type FieldName, ORDER_FIELDS } from '../../src/intake/fields.ts';
import { rowKey } from '../../src/intake/own-workbooks.ts';
import { readOrderFile } from '../../src/intake/read-orders.ts';
import { evenZipDates, intakeTemplate, writeIntakeTemplate } from './intake-template.ts';
import { inventOrders, PLACES, type SampleOrder, type SampleValue, ZERO_PLACES } from './invented-orders.ts';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'samples');
const FIXED_DAY = new Date(Date.UTC(2026, 9, 1));

/** The order at a place, changed. */
function changed(orders: readonly SampleOrder[], index: number, changes: SampleOrder): SampleOrder {
  return { ...orders[index], ...changes };
}

function utcDay(iso: string): Date {
  return new Date(`${iso}T00:00:00Z`);
}

async function save(workbook: Workbook, name: string): Promise<void> {
  workbook.creator = 'inspection-batch samples';
  workbook.created = FIXED_DAY;
  workbook.modified = FIXED_DAY;
  const bytes = Buffer.from(await workbook.xlsx.writeBuffer());
  evenZipDates(bytes);
  await writeFile(join(folder, name), bytes);
}

/** The orders of the filled template: good ones, wrong ones, and duplicates by the service's rules. */
function templateOrders(): SampleOrder[] {
  const good = inventOrders(62, {
    seed: 1,
    places: [...PLACES, ...ZERO_PLACES],
    inspectionPrefix: 'INS-',
    policyNumber: (count) => `HO-00${String(48_200 + count * 7)}`,
  });
  // Some have no inspection number, and a few no number at all: the service has no key for those.
  const orders = good.slice(0, 56).map((_, index) => {
    const noInspection = index % 9 === 4 || index % 17 === 8;
    const noPolicy = index % 17 === 8 && index % 9 !== 4;
    return changed(good, index, {
      ...(noInspection ? { inspectionNumber: undefined } : {}),
      ...(noPolicy ? { policyNumber: undefined } : {}),
    });
  });
  orders[30] = { ...orders[30], insuredEmail: 'insured@mailbox.example; agent@mailbox.example' };
  return [
    ...orders,
    // Wrong rows.
    changed(good, 56, { inspectionNumber: 'INS-20501', policyNumber: 'HO-0090001', city: undefined }),
    changed(good, 57, {
      inspectionNumber: 'INS-20502',
      policyNumber: 'HO-0090002',
      houseType: 'Garage',
      policyType: 'Homeowners Insurance',
    }),
    changed(good, 58, { inspectionNumber: 'INS-20503', policyNumber: 'HO-0090003', policyEffectiveDate: '2026-11-31' }),
    changed(good, 59, {
      inspectionNumber: 'INS-20504',
      policyNumber: 'HO-0090004',
      city: 'Tampa',
      state: 'FL',
      zipcode: '3360',
    }),
    changed(good, 60, {
      inspectionNumber: 'INS-20505',
      policyNumber: 'HO-0090005',
      yearBuilt: 87,
      supplementalServices: 'RC Report, Plumbing',
    }),
    changed(good, 61, {
      inspectionNumber: 'TBD',
      policyNumber: 'HO-0090006',
      houseType: 'Residential',
      policyType: 'Homeowners Insurance',
      insuredPhone: undefined,
    }),
    // The same inspection number twice; a commercial address twice; the same policy and date under another inspection number.
    changed(good, 11, { note: 'Sent again by the agent.' }),
    changed(good, 2, { inspectionNumber: 'INS-20510', policyNumber: 'CP-0090010' }),
    changed(good, 19, { inspectionNumber: 'INS-20511' }),
  ];
}

function templateCell(field: FieldName, held: SampleValue): CellValue {
  if (held === undefined) return null;
  if (typeof held === 'boolean') return held ? 'Yes' : 'No';
  const kind = ORDER_FIELDS.find(({ name }) => name === field)?.kind;
  return kind === 'date' && typeof held === 'string' && held !== '2026-11-31' ? utcDay(held) : held;
}

async function makeFilledTemplate(): Promise<readonly SampleOrder[]> {
  const orders = templateOrders();
  // Like many a sender's copy, it has the columns of an earlier template.
  const workbook = intakeTemplate(ORDER_FIELDS);
  const sheet = workbook.getWorksheet('Orders');
  if (sheet === undefined) throw new Error('the template has no sheet "Orders"');
  for (const [row, order] of orders.entries()) {
    for (const [column, { name }] of ORDER_FIELDS.entries()) {
      const cell = sheet.getCell(row + 2, column + 1);
      cell.value = templateCell(name, order[name]);
      // The first order is written over the example.
      cell.style = { numFmt: sheet.getColumn(column + 1).numFmt ?? 'General' };
    }
  }
  await save(workbook, '01-filled-template.xlsx');
  return orders;
}

const AGENCY_COLUMNS: readonly (readonly [header: string, field: FieldName | 'rep', width: number])[] = [
  ['Order #', 'inspectionNumber', 12],
  ['Policy #', 'policyNumber', 14],
  ['Eff Date', 'policyEffectiveDate', 16],
  ['Carrier', 'insuredBy', 26],
  ['Named Insured', 'insuredName', 24],
  ['Insured Phone #', 'insuredPhone', 16],
  ['Insured E-mail', 'insuredEmail', 30],
  ['Property Address', 'streetAddress', 26],
  ['Town', 'city', 14],
  ['State', 'state', 16],
  ['Zip', 'zipcode', 9],
  ['Inspection Type', 'serviceName', 27],
  ['Line of Business', 'policyType', 28],
  ['Property Type', 'houseType', 24],
  ['Yr Built', 'yearBuilt', 9],
  ['Sq. Ft.', 'carrierProvidedLivingArea', 12],
  ['Cov A', 'dwellingCoverage', 12],
  ['Cov B', 'otherStructureCoverage', 12],
  ['Cov C', 'contentCoverage', 12],
  ['New/Renewal', 'isRenewal', 12],
  ['Needed By', 'dueDate', 14],
  ['Producer', 'agentName', 16],
  ['Add-ons', 'supplementalServices', 20],
  ['Special Instructions', 'note', 36],
  ['Acct Rep', 'rep', 10],
];

const STATE_NAMES: Readonly<Record<string, string>> = {
  MA: 'Massachusetts',
  CT: 'Connecticut',
  NJ: 'New Jersey',
  ME: 'Maine',
};
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** Three spellings of a date, in turn: a date cell, month/day/year, and the month by its name. */
function agencyDate(iso: string, row: number): CellValue {
  const [year = '', month = '', day = ''] = iso.split('-');
  if (row % 3 === 0) return utcDay(iso);
  return row % 3 === 1
    ? `${String(Number(month))}/${String(Number(day))}/${year}`
    : `${MONTHS[Number(month) - 1] ?? ''} ${String(Number(day))}, ${year}`;
}

/** How the agency writes what it writes in a manner of its own. */
const AGENCY_MANNER: Readonly<Partial<Record<FieldName, (held: SampleValue, row: number) => CellValue>>> = {
  policyEffectiveDate: (held, row) => agencyDate(String(held), row),
  dueDate: (held) => utcDay(String(held)),
  zipcode: Number,
  state: (held, row) => (row % 2 === 0 ? (STATE_NAMES[String(held)] ?? String(held)) : String(held).toLowerCase()),
  isRenewal: (held) => (held === true ? 'Renewal' : 'New'),
  serviceName: (held, row) => (row % 4 === 1 ? String(held).toLowerCase().replaceAll('-', ' ') : String(held)),
  contentCoverage: (held, row) => (row % 2 === 0 ? `$${Number(held).toLocaleString('en-US')}` : Number(held)),
  carrierProvidedLivingArea: (held, row) =>
    row % 5 === 0 ? `${Number(held).toLocaleString('en-US')} sq ft` : Number(held),
};

function agencyValue(field: FieldName, held: SampleValue, row: number): CellValue {
  return held === undefined ? null : (AGENCY_MANNER[field]?.(held, row) ?? held);
}

function agencyOrders(): { readonly right: SampleOrder[]; readonly wrong: SampleOrder[] } {
  const good = inventOrders(45, {
    seed: 2,
    places: ZERO_PLACES,
    inspectionPrefix: 'A',
    policyNumber: (count) => 4_410_000 + count * 13,
  });
  const orders = good
    .slice(0, 37)
    .map((_, index) => changed(good, index, index % 6 === 5 ? { inspectionNumber: undefined } : {}));
  const right = [
    ...orders,
    // The same policy and effective date, without an inspection number; and a commercial address for the second time.
    changed(orders, 5, { note: 'Second request, same policy.' }),
    changed(orders, 3, { inspectionNumber: 'A20490', policyNumber: 4_419_999 }),
  ];
  return { right, wrong: good.slice(37) };
}

/** Wrong rows in the agency's manner: what the cells hold instead. */
const AGENCY_WRONG: readonly Readonly<Partial<Record<FieldName, CellValue>>>[] = [
  { inspectionNumber: 'A20501', serviceName: 'Roof cert' },
  { inspectionNumber: 'A20502', policyNumber: 1_234_567_890_123_456 },
  { inspectionNumber: 'A20503', state: 'Vermontt', zipcode: 5401 },
  { inspectionNumber: 'A20504', insuredPhone: { error: '#N/A' } },
  { inspectionNumber: 'A20505', streetAddress: { formula: 'VLOOKUP(B20,Codes!A:B,2,FALSE)' } },
  { inspectionNumber: 'A20506', dueDate: '12.01.2026' },
  { inspectionNumber: 'A20507', dwellingCoverage: 'see file' },
  { inspectionNumber: 'A20508', insuredEmail: null, houseType: null, zipcode: 21_395, state: 'Connecticut' },
];

function agencyRow(
  sheet: Worksheet,
  rowNumber: number,
  order: SampleOrder,
  instead: Readonly<Partial<Record<FieldName, CellValue>>> = {},
): void {
  for (const [column, [, field]] of AGENCY_COLUMNS.entries()) {
    const cell = sheet.getCell(rowNumber, column + 2);
    const held =
      field === 'rep'
        ? 'JP'
        : (instead[field] ?? (field in instead ? null : agencyValue(field, order[field], rowNumber)));
    cell.value = held;
    if (held instanceof Date) cell.numFmt = 'm/d/yyyy';
    if (field === 'policyNumber') cell.numFmt = '0000000000';
  }
}

async function makeAgencyWorkbook(): Promise<void> {
  const workbook = new exceljs.Workbook();
  const sheet = workbook.addWorksheet('Oct-Nov orders');
  sheet.getCell('B1').value = 'Pettibone & Daughters Insurance Agency';
  sheet.getCell('B1').font = { name: 'Calibri', bold: true, size: 16 };
  sheet.getCell('B2').value = 'Inspection orders for October and November 2026';
  sheet.getCell('F2').value = 'questions: 617-555-0188';
  for (const [column, [header, , width]] of AGENCY_COLUMNS.entries()) {
    sheet.getColumn(column + 2).width = width;
    const cell = sheet.getCell(4, column + 2);
    cell.value = header;
    cell.font = { name: 'Calibri', bold: true };
  }
  const { right, wrong } = agencyOrders();
  let rowNumber = 5;
  for (const [index, order] of right.entries()) {
    // The agency leaves a blank row between its batches.
    if (index % 12 === 11) rowNumber += 1;
    agencyRow(sheet, rowNumber, order);
    rowNumber += 1;
  }
  for (const [index, instead] of AGENCY_WRONG.entries()) {
    agencyRow(sheet, rowNumber, changed(wrong, index, {}), instead);
    rowNumber += 1;
  }
  sheet.getCell(rowNumber + 1, 2).value = `Total orders: ${String(right.length + wrong.length)}`;
  const codes = workbook.addWorksheet('Codes', { state: 'hidden' });
  codes.addRows([
    ['Code', 'Street'],
    ['A20505', 'unknown'],
  ]);
  const contacts = workbook.addWorksheet('Contacts');
  contacts.addRows([
    ['Who', 'For what'],
    ['Joan Pettibone', 'everything'],
    ['Luis Carrera', 'Commercial lines'],
  ]);
  await save(workbook, '02-agency-workbook.xlsx');
}

function germanDate(iso: string): string {
  return iso.split('-').toReversed().join('.');
}

function euroAmount(amount: number): string {
  return new Intl.NumberFormat('de-DE', { minimumFractionDigits: 2 }).format(amount);
}

function europeanValue(field: FieldName, held: SampleValue): string {
  if (held === undefined) return '';
  if (typeof held === 'boolean') return held ? 'Y' : 'N';
  if ((field === 'policyEffectiveDate' || field === 'dueDate') && typeof held === 'string' && held.includes('-'))
    return germanDate(held);
  if (typeof held === 'number' && field.endsWith('Coverage')) return euroAmount(held);
  return String(held);
}

async function makeEuropeanExport(templateRows: readonly SampleOrder[]): Promise<void> {
  const good = inventOrders(42, {
    seed: 3,
    places: PLACES,
    inspectionPrefix: 'EU-',
    policyNumber: (count) => `MUC/${String(7000 + count)}`,
  });
  const orders: SampleOrder[] = [
    ...good
      .slice(0, 38)
      .map((_, index) =>
        changed(good, index, index % 8 === 3 ? { inspectionNumber: undefined, policyNumber: undefined } : {}),
      ),
    changed(good, 38, { inspectionNumber: 'EU-20501', dwellingCoverage: 'ca. 250.000' }),
    changed(good, 39, { inspectionNumber: 'EU-20502', country: 'Canada' }),
    changed(good, 40, { inspectionNumber: 'EU-20503', policyEffectiveDate: '31.11.2026' }),
    changed(good, 41, { inspectionNumber: 'EU-20504', dwellingCoverage: '-1.000,00', isRenewal: 'perhaps' }),
    // Two rows that stand in the filled template as well.
    { ...templateRows[3] },
    { ...templateRows[4] },
  ];
  const fields = ORDER_FIELDS.map(({ name }) => name).filter((name) => name !== 'allowDuplication');
  const quotedCell = (text: string): string => (/[";\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = [
    fields.join(';'),
    ...orders.map((order) => fields.map((field) => quotedCell(europeanValue(field, order[field]))).join(';')),
  ];
  await writeFile(join(folder, '03-european-export.csv'), `\ufeff${lines.join('\r\n')}\r\n`);
}

/** Houses of the filled template that are ordered once more, soon after: repairs were promised. Each had an inspection number: a new one makes it another order. */
async function makeSecondLook(templateRows: readonly SampleOrder[]): Promise<void> {
  const residential = templateRows
    .slice(0, 56)
    .filter(
      ({ policyType, serviceName, inspectionNumber }) =>
        policyType === 'Homeowners Insurance' &&
        inspectionNumber !== undefined &&
        /point|exterior/i.test(String(serviceName)),
    );
  const orders = residential.slice(0, 12).map((order, index) => ({
    ...order,
    inspectionNumber: `INS-${String(20_601 + index)}`,
    isRenewal: true,
    dueDate: index % 2 === 0 ? '2026-11-14' : '2026-11-27',
    note: 'Second look: the insured says the repairs are done.',
  }));
  const fields = ORDER_FIELDS.map(({ name }) => name).filter((name) =>
    orders.some((order) => order[name] !== undefined),
  );
  const cell = (held: SampleValue): string =>
    /[",]/.test(String(held)) ? `"${String(held).replaceAll('"', '""')}"` : String(held ?? '');
  const lines = [
    fields.join(','),
    ...orders.map((order: SampleOrder) => fields.map((field) => cell(order[field])).join(',')),
  ];
  await writeFile(join(folder, '05-second-look.csv'), `${lines.join('\n')}\n`);
}

/** What the analyst wrote into the corrections workbook, by inspection number. One row she fixed only in part, and one not at all. */
const FIXES: Readonly<Record<string, Readonly<Record<string, CellValue>>>> = {
  'INS-20501': { City: 'Austin' },
  'INS-20502': { 'House type': 'Residential Townhouse' },
  'INS-20503': { 'Policy effective date': utcDay('2026-11-30') },
  'INS-20504': { 'ZIP code': '33609' },
  'INS-20505': { 'Year built': 1987, 'Supplemental services': 'RC Report' },
  TBD: { 'Inspection number': 'INS-20506', 'House type': 'Residential Condo' },
  A20501: { 'Inspection Type': 'Roof Only' },
  A20502: { 'Policy #': '1234567890123456' },
  A20503: { State: 'VT' },
  A20504: { 'Insured Phone #': '617-555-0119' },
  A20505: { 'Property Address': '41 Chestnut St' },
  A20506: { 'Needed By': '2026-12-01' },
  A20508: {
    'Insured E-mail': 'lakeview@example.com',
    'Property Type': 'Habitational',
    'Line of Business': 'Commercial Property Insurance',
    Zip: '06105',
  },
};

async function rejectionsOf(name: string) {
  const hash = createHash('sha256')
    .update(await readFile(join(folder, name)))
    .digest('hex');
  await using reading = await readOrderFile(join(folder, name), name, { headers: {}, today: '2026-10-15' });
  const rejections: Extract<RowOutcome, { kind: 'rejection' }>[] = [];
  for await (const outcome of reading.rows()) if (outcome.kind === 'rejection') rejections.push(outcome);
  const keyed = rejections.map(({ record, problems, repairs }) => ({
    repairs,
    record: { ...record, correctsRow: rowKey(hash, record.place) },
    problems,
  }));
  return { layouts: reading.layouts, keyed };
}

async function makeCorrections(): Promise<void> {
  const first = await rejectionsOf('01-filled-template.xlsx');
  const second = await rejectionsOf('02-agency-workbook.xlsx');
  const path = join(folder, '04-unfixed.xlsx');
  async function* rows() {
    yield* [...first.keyed, ...second.keyed];
  }
  await writeCorrectionsWorkbook(path, {
    file: { name: '', hash: '' },
    layouts: [...first.layouts, ...second.layouts],
    rows,
  });
  const workbook = new exceljs.Workbook();
  await workbook.xlsx.readFile(path);
  await rm(path);
  for (const sheet of workbook.worksheets) fixRows(sheet);
  await save(workbook, '04-corrections.xlsx');
}

function fixRows(sheet: Worksheet): void {
  const columns = new Map<string, number>();
  const headerRow = [1, 2, 3, 4].find((rowNumber) => sheet.getRow(rowNumber).actualCellCount > 10);
  if (headerRow === undefined) return;
  sheet.getRow(headerRow).eachCell((cell, column) => columns.set(cell.text, column));
  const key = columns.get('Inspection number') ?? columns.get('Order #');
  if (key === undefined) return;
  for (let rowNumber = headerRow + 1; rowNumber <= sheet.rowCount; rowNumber += 1) {
    for (const [header, held] of Object.entries(FIXES[sheet.getCell(rowNumber, key).text] ?? {})) {
      const cell = sheet.getCell(rowNumber, columns.get(header) ?? 0);
      cell.value = held;
      if (held instanceof Date) cell.numFmt = 'yyyy-mm-dd';
      else if (typeof held === 'string') cell.numFmt = '@';
    }
  }
}

await writeIntakeTemplate(join(folder, '..', 'templates', 'inspection-orders.xlsx'));
const templateRows = await makeFilledTemplate();
await makeAgencyWorkbook();
await makeEuropeanExport(templateRows);
await makeCorrections();
await makeSecondLook(templateRows);
