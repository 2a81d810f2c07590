import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Note, RowOutcome } from '../../../src/domain/row.ts';
import { readOrderFile, readSource } from '../../../src/intake/read-orders.ts';
import { type CellLike, collected, inMemorySource } from '../../support/in-memory-source.ts';
import { relationshipsXml, sheetXml, workbookBytes, workbookXml } from '../../support/made-files.ts';
import { codeAndFacts } from '../../support/code-and-facts.ts';

const OPTIONS = { headers: {}, today: '2026-10-15' };

const ORDER = {
  'Policy #': 'HO-1',
  Service: '4-Point',
  'Policy type': 'Homeowners Insurance',
  'House type': 'Residential Condo',
  Insured: 'Marisol Vega',
  'Insured phone': '813-555-0142',
  'Insured email': 'm@example.com',
  Address: '118 Oak Ridge Ln',
  City: 'Tampa',
  State: 'FL',
  Zip: '33609',
};

interface ReadSheet {
  readonly outcomes: readonly RowOutcome[];
  readonly notes: readonly Note[];
}

async function readSheets(sheets: Readonly<Record<string, readonly (readonly CellLike[])[]>>): Promise<ReadSheet> {
  const reading = await readSource(inMemorySource(sheets), 'orders.xlsx', OPTIONS);
  const outcomes = await collected(reading.rows());
  return { outcomes, notes: reading.notes };
}

/** One row of an order with these columns besides, or instead; a null column is left out. */
function readRowWith(columns: Readonly<Record<string, CellLike | null>>): Promise<ReadSheet> {
  const all = Object.entries({ ...ORDER, ...columns }).filter(([, held]) => held !== null);
  return readSheets({ Orders: [all.map(([header]) => header), all.map(([, held]) => held ?? undefined)] });
}

/** What is sent; the rules that a rejected row breaks. */
function sent({ outcomes }: ReadSheet): Record<string, unknown> | readonly string[] {
  const [outcome] = outcomes;
  if (outcome === undefined) throw new Error('there is no row');
  return outcome.kind === 'order' ? outcome.payload : outcome.problems.map(({ rule }) => rule);
}

test.each([
  'Cov B %',
  'Cov B (%)',
  '% Cov B',
  'Cov B pct',
  'Cov B (€)',
  '£ Cov B',
  'Other structures (CAD)',
  'Cov B (000s, CAD)',
])('does not read numbers under %s as dollars', async (header) => {
  const read = await readRowWith({ [header]: 10 });
  expect(sent(read)).not.toHaveProperty('otherStructureCoverage');
  expect(read.notes).toContainEqual({ code: 'column-unknown', text: expect.stringContaining(`"${header}"`) });
});

test.each(['Cov B (000s)', "Cov B ('000)", 'Cov B in thousands', 'Cov B (K)', 'Other structures limit (in 1,000s)'])(
  'reads numbers under %s as thousands of dollars',
  async (header) => {
    expect(sent(await readRowWith({ [header]: 10 }))).toMatchObject({ otherStructureCoverage: 10_000 });
  },
);

test.each([25_000, '250k', '250,000', 'ten'])('rejects a row with %s under Cov A (000s)', async (held) => {
  expect(sent(await readRowWith({ 'Cov A (000s)': held }))).toEqual([expect.stringMatching(/^amount-/)]);
});

test.each(['Cov B', 'Cov B ($)', 'Cov. B*', '$ Cov B', 'Cov B (USD)'])(
  'reads numbers under %s as dollars',
  async (header) => {
    expect(sent(await readRowWith({ [header]: 10_000 }))).toMatchObject({ otherStructureCoverage: 10_000 });
  },
);

test("applies a group's unit to all its columns", async () => {
  const read = await readSheets({
    S: [
      [...Object.keys(ORDER).map(() => undefined), 'Limits in thousands', undefined],
      [...Object.keys(ORDER), 'Cov A', 'Cov C'],
      [...Object.values(ORDER), 325, 160],
    ],
  });
  expect(sent(read)).not.toHaveProperty('dwellingCoverage');
});

test('accepts a blank or equal value in a second column', async () => {
  expect(
    sent(
      await readRowWith({
        'Risk city': undefined,
        'Home phone': null,
        'Policyholder phone': '(813) 555-0142',
        'Risk zip': 'N/A',
      }),
    ),
  ).toMatchObject({ city: 'Tampa', zipcode: '33609' });
  expect(sent(await readRowWith({ City: undefined, 'Risk city': 'Tampa' }))).toMatchObject({ city: 'Tampa' });
  expect(sent(await readRowWith({ 'Risk city': 'Orlando' }))).toEqual(['columns-disagree']);
});

/** A header of two rows: the groups stand over the columns named with them. */
function readGroups(groups: Readonly<Record<string, Readonly<Record<string, CellLike>>>>): Promise<ReadSheet> {
  const columns = Object.entries(groups).flatMap(([group, under]) =>
    Object.entries(under).map(([header, held], at) => ({ above: at === 0 ? group : undefined, header, held })),
  );
  return readSheets({
    Orders: [columns.map(({ above }) => above), columns.map(({ header }) => header), columns.map(({ held }) => held)],
  });
}

const PROPERTY = {
  Address: '118 Oak Ridge Ln',
  City: 'Tampa',
  State: 'FL',
  Zip: '33609',
  Type: 'Homeowners Insurance',
  'House type': 'Residential Condo',
};

test.each([
  'Insured',
  'Primary Named Insured',
  'First Named Insured',
  'Insured Information',
  'Policyholder Details',
  'Applicant Info',
])("takes group %s as the insured's", async (group) => {
  const insured = {
    First: 'Marisol',
    MI: 'R',
    Last: 'Vega',
    Suffix: 'Jr',
    Phone: '813-555-0142',
    Email: 'm@example.com',
  };
  const read = await readGroups({
    Policy: { Number: 'HO-1', Service: '4-Point' },
    [group]: insured,
    Agent: { First: 'Dana', Last: 'Whitlock', Phone: '813-555-0170' },
    Property: { ...PROPERTY, Type: undefined, 'Policy type': 'Homeowners Insurance' },
  });
  expect(sent(read)).toMatchObject({
    insuredName: 'Marisol R Vega Jr',
    insuredPhone: '813-555-0142',
    insuredEmail: 'm@example.com',
    agentName: 'Dana Whitlock',
    agentPhone: '813-555-0170',
  });
});

test('reads columns under Policy as without it', async () => {
  const { 'Policy #': number, 'Policy type': type, ...rest } = ORDER;
  const groups = { Policy: { 'Certificate No': number, Form: type }, 'Insured & property': rest };
  expect(sent(await readGroups(groups))).toMatchObject({ policyNumber: 'HO-1', policyType: 'Homeowners Insurance' });
});

test.each(['Mortgagee', 'Prior policy', 'Reinsurance'])('reads no columns under %s as without it', async (group) => {
  const { 'Policy #': number, ...rest } = ORDER;
  const groups = { [group]: { 'Certificate No': number, Form: 'HO3' }, 'Insured & property': rest };
  expect(sent(await readGroups(groups))).not.toHaveProperty('policyNumber');
});

test("reads no phone or name under Policy as the insured's", async () => {
  const { Insured: name, 'Insured phone': phone, ...rest } = ORDER;
  const groups = { Policy: { Name: name, Phone: phone }, 'Insured & property': rest };
  expect(sent(await readGroups(groups))).toEqual(['required-column-missing', 'required-column-missing']);
});

test("ignores columns under another person's group", async () => {
  const read = await readGroups({
    Policy: { Number: 'HO-1', Service: '4-Point', Type: 'Homeowners Insurance' },
    Spouse: { First: 'Ann', Last: 'Lee', Phone: '813-555-0199' },
    'Named insured': { Name: 'Marisol Vega', Phone: '813-555-0142', Email: 'm@example.com' },
    Property: { ...PROPERTY, Type: undefined },
  });
  expect(sent(read)).toMatchObject({ insuredName: 'Marisol Vega', insuredPhone: '813-555-0142' });
});

test('joins first and last name under one header', async () => {
  const read = await readSheets({
    S: [
      ['Insured', undefined, ...Object.keys(ORDER).filter((header) => header !== 'Insured')],
      ['Marisol', 'Vega', ...Object.entries(ORDER).flatMap(([header, held]) => (header === 'Insured' ? [] : [held]))],
    ],
  });
  expect(sent(read)).toMatchObject({ insuredName: 'Marisol Vega' });
  expect(read.outcomes[0]?.repairs).toMatchObject([{ field: 'insuredName', held: 'Marisol', sent: 'Marisol Vega' }]);
});

// The value has no header.
test('rejects a row with a value next to a name or address', async () => {
  const headers = Object.keys(ORDER).flatMap((header) =>
    header === 'Address' || header === 'Insured' ? [header, undefined] : [header],
  );
  const rowWith = (beside: Readonly<Record<string, string>>): CellLike[] =>
    Object.entries(ORDER).flatMap(([header, held]) =>
      header === 'Address' || header === 'Insured' ? [held, beside[header]] : [held],
    );
  const { outcomes } = await readSheets({
    S: [headers, rowWith({ Address: 'Apt 4' }), rowWith({ Insured: 'and 2 others' }), rowWith({})],
  });
  expect(
    outcomes.map((outcome) =>
      outcome.kind === 'order' ? 'order' : outcome.problems.map(({ rule, cell }) => `${rule} ${cell ?? ''}`).join(),
    ),
  ).toEqual(['no-header-above J2', 'no-header-above F3', 'order']);
});

/** A workbook of one sheet, its cells by address, with merged ranges. */
async function readMerged(cells: Readonly<Record<string, string>>, merged: readonly string[]): Promise<ReadSheet> {
  const rows = Map.groupBy(Object.entries(cells), ([address]) => Number(address.replace(/\D/g, '')));
  const xml = [...rows]
    .map(
      ([number, list]) =>
        `<row r="${String(number)}">${list.map(([address, held]) => `<c r="${address}" t="str"><v>${held}</v></c>`).join('')}</row>`,
    )
    .join('');
  const sheet = sheetXml(xml).replace(
    '</sheetData>',
    `</sheetData><mergeCells>${merged.map((range) => `<mergeCell ref="${range}"/>`).join('')}</mergeCells>`,
  );
  return readBytes(workbookBytes({ sheet }));
}

async function readBytes(bytes: Uint8Array): Promise<ReadSheet> {
  const folder = await mkdtemp(join(tmpdir(), 'headers-'));
  try {
    const path = join(folder, 'orders.xlsx');
    await writeFile(path, bytes);
    await using reading = await readOrderFile(path, 'orders.xlsx', OPTIONS);
    const outcomes = await collected(reading.rows());
    return { outcomes, notes: reading.notes };
  } finally {
    await rm(folder, { recursive: true });
  }
}

function cellsOf(rows: readonly Readonly<Record<string, string | undefined>>[]): Record<string, string> {
  const headers = Object.keys(rows[0] ?? {});
  const lines = [headers, ...rows.map((row) => headers.map((header) => row[header]))];
  return Object.fromEntries(
    lines.flatMap((line, at) =>
      line.flatMap((held, column) =>
        held === undefined ? [] : [[`${String.fromCharCode(65 + column)}${String(at + 1)}`, held] as const],
      ),
    ),
  );
}

test('does not send a value hidden by a merged cell', async () => {
  const rows = cellsOf([
    { ...ORDER, 'Cov A': '325000', 'Cov B': '999' },
    { ...ORDER, 'Policy #': 'HO-2', 'Cov A': '325000', 'Cov B': '32500' },
  ]);
  const across = await readMerged(rows, ['L2:M2']);
  expect(across.outcomes.map(({ kind }) => kind)).toEqual(['rejection', 'order']);
  expect(across.outcomes[0]).toMatchObject({ problems: [{ rule: 'merged-cell-hides-value', cell: 'M2' }] });
  const block = await readMerged({ ...rows, L3: '' }, ['L2:M3']);
  expect(
    block.outcomes.map((outcome) => (outcome.kind === 'order' ? [] : outcome.problems.map(({ cell }) => cell))),
  ).toEqual([['M2'], ['M3']]);
  const same = await readMerged({ ...rows, M2: '325000' }, ['L2:M2']);
  expect(same.outcomes[0]?.kind).toBe('rejection');
  const underBlank = await readMerged({ ...rows, L2: '' }, ['L2:L3']);
  expect(underBlank.outcomes.map(({ kind }) => kind)).toEqual(['order', 'rejection']);
});

test('ends a group at the end of its merged cell', async () => {
  const cells = cellsOf([
    {
      ...Object.fromEntries(Object.entries(ORDER).filter(([header]) => !header.startsWith('Insured'))),
      Name: 'Marisol Vega',
      Phone: '813-555-0142',
      Email: 'm@example.com',
      Reference: 'x',
    },
  ]);
  const down = Object.fromEntries(
    Object.entries(cells).map(([address, held]) => [address.replace(/\d+/, (row) => String(Number(row) + 1)), held]),
  );
  expect(sent(await readMerged({ I1: 'Primary named insured', ...down }, ['I1:K1']))).toMatchObject({
    insuredName: 'Marisol Vega',
    insuredPhone: '813-555-0142',
    insuredEmail: 'm@example.com',
  });
});

test('skips a hidden sheet without a part, such as an old module', async () => {
  const rows = sheetXml(
    Object.entries(Object.groupBy(Object.entries(cellsOf([ORDER])), ([address]) => address.replace(/\D/g, '')))
      .map(
        ([number, list = []]) =>
          `<row r="${number}">${list.map(([address, held]) => `<c r="${address}" t="str"><v>${held}</v></c>`).join('')}</row>`,
      )
      .join(''),
  );
  const withSheets = (sheets: string): Buffer =>
    workbookBytes({
      sheet: rows,
      parts: {
        'xl/workbook.xml': workbookXml(sheets),
        'xl/_rels/workbook.xml.rels': relationshipsXml([['rId1', 'worksheet', 'worksheets/sheet1.xml']]),
      },
    });
  const orders = '<sheet name="Orders" sheetId="1" r:id="rId1"/>';
  expect(
    (
      await readBytes(
        withSheets(
          `<sheet name="Module1" sheetId="2" state="veryHidden" r:id=""/>${orders}<sheet name="Module2" sheetId="3" state="hidden" r:id=""/>`,
        ),
      )
    ).outcomes,
  ).toHaveLength(1);
  await expect(readBytes(withSheets(`${orders}<sheet name="More" sheetId="2" r:id=""/>`))).rejects.toThrow(
    'its sheet "More" is missing',
  );
  await expect(
    readBytes(withSheets(`${orders}<sheet name="More" sheetId="2" state="hidden" r:id="rId7"/>`)),
  ).rejects.toThrow('is missing');
});

test('rejects rows of a sheet without a header if they resemble orders', async () => {
  const orders = [Object.keys(ORDER), Object.values(ORDER)];
  const headless = await readSheets({
    Orders: orders,
    More: [
      ['Vega', '118 Oak Ridge Ln', 'Tampa', 'FL', '33609'],
      ['Lee', '9 Elm St', 'Tampa', 'FL', '33610'],
    ],
  });
  expect(headless.outcomes.map((outcome) => (outcome.kind === 'order' ? 'order' : outcome.problems[0]?.rule))).toEqual([
    'order',
    'no-header-row',
    'no-header-row',
  ]);
  expect(
    (
      await readSheets({
        Orders: orders,
        Places: [
          ['Tampa', 'FL', '33609'],
          ['Orlando', 'FL', '32801'],
        ],
      })
    ).outcomes,
  ).toHaveLength(1);
});

test.each<[string, Readonly<Record<string, CellLike>>, string]>([
  ['text under unknown headers only', { Remark2: '118 Oak Ridge Ln, Tampa' }, 'rejection'],
  ['a figure under an unknown header only', { Remark2: 17 }, 'note'],
  ['an insured called Count', { Insured: 'Count', 'Policy #': 'HO-77' }, 'rejection'],
  ['an insured called Sum whose policy number is a number', { Insured: 'Sum', 'Policy #': 712_345 }, 'rejection'],
  ['an insured called Total with a phone', { Insured: 'Total', 'Insured phone': '813-555-0142' }, 'rejection'],
  ['an insured called Total with a city', { Insured: 'Total', City: 'Tampa' }, 'rejection'],
  ['a total', { 'Policy #': 'Total', Service: 2, 'Cov A': 650_000 }, 'note'],
  ['a total of a text table', { 'Policy #': 'Grand total:', Service: '2', 'Cov A': '$650,000.00' }, 'note'],
  ['an average and a count', { 'Policy #': 'Count', Service: 12, 'House type': 'Average', 'Cov A': 325_000 }, 'note'],
])('%s: turns %o into a %s', async (_, held, becomes) => {
  const headers = [...Object.keys(ORDER), 'Cov A', 'Remark2'];
  const { outcomes, notes } = await readSheets({
    S: [headers, Object.values(ORDER), headers.map((header) => held[header])],
  });
  expect(
    outcomes[1]?.kind ?? (notes.some((one) => /^rows-\S+ "S" 3\b/.test(codeAndFacts(one))) ? 'note' : 'lost'),
  ).toBe(becomes);
});
