import { expect, test } from 'vitest';
import type { RowRemark } from '../../../src/domain/row.ts';
import { type CellLike, collected, inMemorySource } from '../../support/in-memory-source.ts';
import { readSource } from '../../../src/intake/read-orders.ts';
import type { RowSource } from '../../../src/intake/readers/row-source.ts';

const HEADERS = [
  'Address',
  'City',
  'ST',
  'Zip',
  'Service',
  'Policy Type',
  'House Type',
  'Named Insured',
  'Insured Phone #',
  'Insured E-Mail',
  'Eff Date',
  'Policy #',
  'Agent name',
  'Inspection number',
];
const ROW: readonly CellLike[] = [
  '118 Oak Ridge Ln',
  'Tampa',
  'FL',
  '33609',
  '4-Point',
  'Homeowners Insurance',
  'Residential Condo',
  'Marisol Vega',
  '813-555-0142',
  'm@example.com',
  '2026-11-01',
  'HO-1',
  'Dana',
  'I-1',
];
const [CITY, DATE, POLICY, AGENT, INSPECTION] = [1, 10, 11, 12, 13];

/** What a row below a title and the header comes to when its reader says this of it, and some of its cells are empty. */
async function outcomeWith(remarks: readonly RowRemark[], empty: readonly number[] = []) {
  const memory = inMemorySource({
    Orders: [['Orders'], HEADERS, ROW.map((held, index) => (empty.includes(index) ? undefined : held))],
  });
  const source: RowSource = {
    sheets: memory.sheets,
    notes: [],
    async *rows(sheetIndex) {
      for await (const row of memory.rows(sheetIndex)) yield row.rowNumber === 3 ? { ...row, remarks } : row;
    },
    [Symbol.asyncDispose]: () => memory[Symbol.asyncDispose](),
  };
  const [outcome] = await collected(
    (await readSource(source, 'orders.xlsx', { headers: {}, today: '2026-10-15' })).rows(),
  );
  if (outcome === undefined) throw new Error('there is no row');
  return outcome;
}

function merged(column: number, text: string, firstRow: number): RowRemark {
  return { kind: 'merged', column, firstColumn: column, firstRow, shows: { kind: 'text', text } };
}

test('gives a merged cell the shown value and records a repair', async () => {
  const outcome = await outcomeWith([merged(AGENT, 'Lee', 3), merged(DATE, 'Nov 2, 2026', 3)], [AGENT, DATE]);
  expect(outcome).toMatchObject({
    kind: 'order',
    payload: { agentName: 'Lee', policyEffectiveDate: '2026-11-02' },
    repairs: [
      {
        column: 'Eff Date',
        cell: 'K3',
        held: '',
        sent: '2026-11-02',
        why: expect.stringMatching(/\bK3\b/),
      },
      { column: 'Agent name', cell: 'M3', held: '', sent: 'Lee', why: 'merged with M3' },
    ],
  });
  expect(outcome.record.cells[AGENT]).toEqual({ kind: 'text', text: 'Lee' });
});

test('ignores a header or title merged down into a row', async () => {
  expect(
    await outcomeWith([merged(AGENT, 'Agent name', 2), merged(POLICY, 'Orders', 1)], [AGENT, POLICY]),
  ).toMatchObject({ kind: 'order', repairs: [] });
});

test('asks a person to write a merged inspection number into each row', async () => {
  const outcome = await outcomeWith([merged(INSPECTION, 'I-7', 3)], [INSPECTION]);
  expect(outcome).toMatchObject({
    kind: 'rejection',
    problems: [
      {
        rule: 'merged-number',
        cell: 'N3',
        message: expect.stringMatching(/^Inspection number \(N3\): N3 .*N3/),
      },
    ],
  });
  expect(outcome.record.cells[INSPECTION]).toBeUndefined();
});

test('gives each house of a policy its merged number', async () => {
  const outcome = await outcomeWith([merged(POLICY, 'HO-7', 3)], [POLICY]);
  expect(outcome).toMatchObject({ kind: 'order', payload: { policyNumber: 'HO-7' } });
});

test('does not send a value hidden by a merged cell', async () => {
  expect(await outcomeWith([merged(CITY, 'Miami', 3)])).toMatchObject({
    kind: 'rejection',
    problems: [{ rule: 'merged-cell-hides-value', cell: 'B3' }],
  });
  expect(await outcomeWith([merged(CITY, 'Tampa', 3)])).toMatchObject({ kind: 'order', repairs: [] });
});

test('records a removal as repair, a doubt as warning or error', async () => {
  const repair: RowRemark = { kind: 'repair', column: CITY, held: 'Tam\u2400pa', why: 'left out' };
  const warning: RowRemark = { kind: 'warning', column: AGENT, rule: 'letters-doubtful', message: 'look.' };
  expect(await outcomeWith([repair, warning])).toMatchObject({
    kind: 'order',
    repairs: [{ cell: 'B3', held: 'Tam\u2400pa', sent: 'Tampa', why: 'left out' }],
    warnings: [{ rule: 'letters-doubtful', cell: 'M3', message: 'Agent name (M3): look.' }],
  });
  expect(
    await outcomeWith([{ kind: 'doubt', column: AGENT, rule: 'perhaps-two-rows', message: 'two rows.' }]),
  ).toMatchObject({ kind: 'rejection', problems: [{ cell: 'M3', message: 'Row 3 (M3): two rows.' }] });
});

// An optional one is left out with a warning.
test('sends nothing from a struck cell and rejects a required one', async () => {
  const whole = (column: number): RowRemark => ({ kind: 'struck', column, text: 'x', whole: true });
  const agent = await outcomeWith([whole(AGENT)]);
  expect(agent).toMatchObject({
    kind: 'order',
    warnings: [
      {
        rule: 'cell-struck-out',
        message: expect.stringMatching(/^Agent name \(M3\): "x" /),
      },
    ],
  });
  expect(agent.kind === 'order' ? agent.payload : {}).not.toHaveProperty('agentName');
  expect(agent.record.cells[AGENT]).toEqual({ kind: 'text', text: 'Dana' });
  for (const column of [CITY, DATE, POLICY])
    expect(await outcomeWith([whole(column)])).toMatchObject({
      kind: 'rejection',
      problems: [{ severity: 'error', rule: 'cell-struck-out' }],
    });
});

test('reads the rest of a partly struck cell with a warning', async () => {
  expect(await outcomeWith([{ kind: 'struck', column: AGENT, text: 'Luis', whole: false }])).toMatchObject({
    kind: 'order',
    payload: { agentName: 'Dana' },
    warnings: [
      {
        rule: 'cell-struck-out-in-part',
        message: expect.stringMatching(/^Agent name \(M3\): "Luis" .*"Dana" /),
      },
    ],
  });
});

test.each(['Maria', 'Maria Lopez', 'none'])('gives back the name %s under Email', async (held) => {
  const source = inMemorySource({ Orders: [HEADERS, ROW.map((cell, index) => (index === 9 ? held : cell))] });
  const reading = await readSource(source, 'orders.xlsx', { headers: {}, today: '2026-10-15' });
  const [outcome] = await collected(reading.rows());
  expect(outcome).toMatchObject({ kind: 'rejection', problems: [{ rule: 'required-placeholder' }] });
});

test('rejects an equal value hidden by a cell merged from the left', async () => {
  const shows = { kind: 'text', text: 'Tampa' } as const;
  const outcome = await outcomeWith([{ kind: 'merged', column: CITY, firstColumn: 0, firstRow: 3, shows }]);
  expect(outcome).toMatchObject({ kind: 'rejection', problems: [{ rule: 'merged-cell-hides-value' }] });
});

test('fills no empty cell from the cell to its left', async () => {
  const shows = { kind: 'text', text: 'Tampa' } as const;
  const remark = { kind: 'merged', column: AGENT, firstColumn: CITY, firstRow: 3, shows } as const;
  const outcome = await outcomeWith([remark], [AGENT]);
  expect(outcome.kind === 'order' && outcome.payload.agentName).toBeUndefined();
});
