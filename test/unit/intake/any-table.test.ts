import { headersOf } from '../../../src/intake/header/header-words.ts';
import { isDeepStrictEqual } from 'node:util';
import {
  type Arbitrary,
  array,
  assert,
  asyncProperty,
  boolean,
  constant,
  constantFrom,
  date,
  double,
  integer,
  oneof,
  property,
  record,
  string,
  tuple,
  uint16Array,
} from 'fast-check';
import { expect, test } from 'vitest';
import { type Cell, cellText, isBlank } from '../../../src/domain/cells.ts';
import type { Problem, RowOutcome } from '../../../src/domain/row.ts';
import { fieldNamed, ORDER_FIELDS, type OrderField } from '../../../src/intake/fields.ts';
import { type CellLike, collected, inMemorySource } from '../../support/in-memory-source.ts';
import { readSource } from '../../../src/intake/read-orders.ts';
import { UnreadableFileError } from '../../../src/intake/readers/row-source.ts';
import { coerce } from '../../../src/intake/values/coerce.ts';
import { type ColumnEvidence, type FieldValue, sentText } from '../../../src/intake/values/coercion.ts';
import { shownText } from '../../../src/intake/values/shown.ts';
import { inProof } from '../../support/proof-size.ts';
import { anyCharacter } from '../../support/characters.ts';

const OPTIONS = { headers: {}, today: '2026-10-15' };

/** What people and programs really write, good and bad. */
const WORDS = [
  '118 Oak Ridge Ln',
  'Tampa',
  'FL',
  'Florida',
  'mass.',
  '33609',
  '2139',
  '02139-0001',
  ' 33609 ',
  '33609.0',
  '４－Ｐｏｉｎｔ',
  '4–point',
  '4-Point',
  'Roof cert',
  'Homeowners Insurance',
  'homeowners  insurance',
  'Residential Condo',
  'Gas Station',
  'HO-1',
  '0048213',
  '48213.0',
  '1.23457E+11',
  '="0048213"',
  "'0048213",
  '“HO-7”',
  'TBD',
  'N/A',
  '-',
  'none',
  'null',
  'nan',
  '"',
  'same',
  '#REF!',
  '####',
  '2026-11-01',
  '2026-11-01T00:00:00',
  '03/05/2026',
  '25/05/2026',
  '05/25/2026',
  '25.05.2026',
  '1 Nov 2026',
  '46327',
  '20261101.0',
  '11/31/2026',
  '$1,250.00',
  '1.250,00',
  '250.000',
  '250,000',
  '250k',
  '2,400 sq ft',
  '180 m²',
  '10%',
  '-5',
  'Yes',
  'yes',
  'N',
  'x',
  '1.0',
  'New',
  'RC Report\nWildfire',
  'wildfire & sinkhole',
  '813-555-0142',
  '8.13555E+09',
  '8135550142.0',
  'a@b.c',
  'mailto:a@b.c',
  'Marisol\u00a0Vega',
  'O’Brien',
  '\u200b',
  '\ufeffx',
  'dog\r\nyard',
  'Total',
  'Total orders: 2',
  '__proto__',
  'constructor',
  '1987',
  '1987.0',
  'US',
  'U.S.A.',
  'Canada',
];
const FORMATS = [
  '0',
  '00000',
  '00000-0000',
  '"HO-"0000000',
  '#,##0',
  '$#,##0.00',
  '0%',
  '0.00E+00',
  '#,##0,"K"',
  '0",000"',
  '[$€-407] #,##0',
  '@',
  'General',
  '# ?/?',
  '(000) 000-0000',
  '[<=9999999]###-####;(###) ###-####',
  ';;;',
  '_($* #,##0_);_($* (#,##0);_($* "-"_);_(@_)',
];

const anyText: Arbitrary<string> = oneof(
  { weight: 5, arbitrary: constantFrom(...WORDS) },
  { weight: 2, arbitrary: string({ unit: anyCharacter, maxLength: 14 }) },
  { weight: 1, arbitrary: uint16Array({ maxLength: 8 }).map((units) => String.fromCharCode(...units)) },
  {
    weight: 2,
    arbitrary: string({
      unit: constantFrom(...'0 1 2 3 4 5 6 7 8 9 . , / - e E + $ % \u00a0 k'.split(' '), ' '),
      maxLength: 12,
    }),
  },
);

const anyFormat: Arbitrary<string> = oneof(
  { weight: 3, arbitrary: constantFrom(...FORMATS) },
  {
    weight: 1,
    arbitrary: string({
      unit: constantFrom(...'0 # ? . , % ; " \\ [ ] E + - $ @ _ * a x'.split(' '), ' '),
      maxLength: 12,
    }),
  },
);

const anyNumber: Arbitrary<Cell> = tuple(
  oneof(
    integer().map(String),
    integer({ min: 0, max: 99_999 }).map(String),
    double({ noNaN: true, noDefaultInfinity: true }).map(String),
    constantFrom('1.2345678E7', '1E+15', '1234567890123456', '48213.0', '0', '02139', '46327', '250000.00000000003'),
  ),
  oneof({ weight: 2, arbitrary: constant(undefined) }, { weight: 3, arbitrary: anyFormat }),
).map(([raw, format]) => ({ kind: 'number', value: Number(raw), raw, ...(format === undefined ? {} : { format }) }));

const anyDate: Arbitrary<Cell> = record({
  at: date({ min: new Date('1900-03-01'), max: new Date('2199-12-31'), noInvalidDate: true }),
  midnight: boolean(),
  format: constantFrom('m/d/yyyy', 'd-mmm', 'yyyy', 'h:mm AM/PM', '"'),
}).map(({ at, midnight, format }) => ({
  kind: 'date',
  iso: at.toISOString().slice(0, midnight ? 10 : 19),
  raw: '46086',
  format,
}));

const anyCell: Arbitrary<CellLike> = oneof(
  { weight: 6, arbitrary: anyText },
  { weight: 3, arbitrary: anyNumber },
  { weight: 2, arbitrary: anyDate },
  {
    weight: 1,
    arbitrary: constantFrom<CellLike[]>(
      undefined,
      { kind: 'error', code: '#REF!' },
      { kind: 'formula', formula: 'A1' },
      { kind: 'boolean', value: true },
      { kind: 'boolean', value: false },
    ),
  },
);

const GOOD: Readonly<Record<string, CellLike>> = {
  inspectionNumber: 'INS-1',
  policyNumber: 'HO-1',
  policyEffectiveDate: '2026-11-01',
  serviceName: '4-Point',
  policyType: 'Homeowners Insurance',
  houseType: 'Residential Condo',
  streetAddress: '118 Oak Ridge Ln',
  city: 'Tampa',
  state: 'FL',
  zipcode: '33609',
  insuredName: 'Marisol Vega',
  insuredPhone: '813-555-0142',
  insuredEmail: 'm@example.com',
  dwellingCoverage: 250_000,
  isRenewal: 'Yes',
  supplementalServices: 'RC Report',
};

const anyHeader: Arbitrary<string> = oneof(
  {
    weight: 8,
    arbitrary: constantFrom(...ORDER_FIELDS).chain(({ name }) => constantFrom(...headersOf(name).names.slice(0, 22))),
  },
  {
    weight: 1,
    arbitrary: constantFrom(
      'Phone',
      'Email',
      'Name',
      'Rank',
      'Address 2',
      'Mailing City',
      '_row',
      '__proto__',
      'Eff Date (DD/MM/YYYY)',
      'Cov A ($)',
      '',
    ),
  },
  { weight: 1, arbitrary: string({ unit: anyCharacter, maxLength: 10 }) },
);

type Table = readonly (readonly CellLike[])[];

/** Any headers over any cells, with or without lines above. */
const anyTable: Arbitrary<Table> = tuple(
  array(array(anyCell, { maxLength: 6 }), { maxLength: 2 }),
  array(anyHeader, { minLength: 3, maxLength: 24 }),
  array(array(anyCell, { maxLength: 26 }), { maxLength: 10 }),
).map(([titles, header, rows]) => [...titles, header, ...rows]);

/** A good table in which some cells hold anything, so that orders come of it as well. */
const nearlyGoodTable: Arbitrary<Table> = array(
  tuple(
    ...ORDER_FIELDS.map(({ name }) =>
      oneof({ weight: 12, arbitrary: constant(GOOD[name]) }, { weight: 1, arbitrary: anyCell }),
    ),
  ),
  { minLength: 1, maxLength: 6 },
).map((rows) => [ORDER_FIELDS.map(({ title }) => title), ...rows]);

interface Read {
  readonly outcomes: readonly RowOutcome[];
  readonly notes: readonly string[];
  readonly headerRow: number;
}

/** A table as it is read; one that cannot be read has no rows, and a sentence instead. */
async function read(table: Table): Promise<Read> {
  try {
    const reading = await readSource(inMemorySource({ Orders: table }), 'orders.xlsx', OPTIONS);
    return {
      outcomes: await collected(reading.rows()),
      notes: reading.notes.map(({ text }) => text),
      headerRow: reading.layouts[0]?.headerRow ?? 0,
    };
  } catch (thrown) {
    if (thrown instanceof UnreadableFileError) return { outcomes: [], notes: [thrown.message], headerRow: Infinity };
    throw thrown;
  }
}

/** The rows that the notes tell of as left out. */
function rowsToldOf(notes: readonly string[]): number[] {
  return notes.flatMap((note) =>
    (/^Sheet "Orders": rows? ([\d, and]+) (?:is|are|repeats?|holds?) /.exec(note)?.[1] ?? '')
      .split(/\D+/)
      .filter((digits) => digits !== '')
      .map(Number),
  );
}

function isFilled(row: readonly CellLike[]): boolean {
  return row.some(
    (held) => !(held === undefined || (typeof held === 'string' && isBlank({ kind: 'text', text: held }))),
  );
}

function problemsOf(outcome: RowOutcome): readonly Problem[] {
  return outcome.kind === 'order' ? outcome.warnings : outcome.problems;
}

test('orders, rejects, or notes each row of any table', async () => {
  await assert(
    asyncProperty(oneof(anyTable, nearlyGoodTable), async (table) => {
      const { outcomes, notes, headerRow } = await read(table);
      const filled = table.flatMap((row, index) => (index + 1 > headerRow && isFilled(row) ? [index + 1] : []));
      const out = outcomes.map(({ record: { place } }) => place.rowNumber);
      expect([...out, ...rowsToldOf(notes)].toSorted((a, b) => a - b)).toEqual(filled);
      expect(headerRow === Infinity ? notes[0] : '"orders.xlsx"').toContain('"orders.xlsx"');
      const withErrors = outcomes.map((outcome) => problemsOf(outcome).some(({ severity }) => severity === 'error'));
      expect(outcomes.map(({ kind }) => kind === 'rejection')).toEqual(withErrors);
    }),
    { numRuns: inProof({ share: 20, whole: 600 }) },
  );
});

/** What a payload's value reads like, when nothing was repaired. */
function sentAsShown(cell: Cell, sent: FieldValue): boolean {
  const shown = shownText(cell);
  if (typeof sent === 'boolean') return (sent ? /^(?:yes|true)$/i : /^(?:no|false)$/i).test(shown);
  if (typeof sent === 'number') return cell.kind === 'number' ? cell.value === sent : shown === String(sent);
  // A real date is what it is, whatever its format shows.
  if (cell.kind === 'date') return cell.iso === sent || cell.iso === `${String(sent)}T00:00:00`;
  return sentText(sent) === shown;
}

/** The fields of an order that were sent otherwise than as their cell shows and as no repair says, or whose repair says something else. */
function misreported(outcome: Extract<RowOutcome, { kind: 'order' }>): string[] {
  const payload = new Map<string, FieldValue | undefined>(
    Object.entries({ ...outcome.payload, allowDuplication: outcome.allowDuplication }),
  );
  const fields: readonly OrderField[] = ORDER_FIELDS;
  return fields.flatMap((field, index) => {
    const cell = outcome.record.cells[index];
    const sent = payload.get(field.name);
    const [repair, ...more] = outcome.repairs.filter((one) => one.field === field.name);
    // A column of codes or initials is left out with a note on the column.
    if (field.name === 'agentName' && sent === undefined && /^\p{Lu}*\d*$/u.test(cellText(cell))) return [];
    const reported =
      repair === undefined
        ? cell === undefined || sent === undefined
          ? isBlank(cell) && sent === undefined
          : sentAsShown(cell, sent)
        : repair.held === cellText(cell) &&
          repair.shown === shownText(cell) &&
          repair.sent === (sent === undefined ? '' : sentText(sent)) &&
          repair.column === field.title &&
          repair.why !== '';
    return reported && more.length === 0
      ? []
      : [`${field.name}: ${JSON.stringify(cell)} → ${JSON.stringify(sent)}, ${JSON.stringify(repair)}`];
  });
}

test('sends each value of an order as shown or as repaired', async () => {
  let [orders, repaired] = [0, 0];
  await assert(
    asyncProperty(nearlyGoodTable, async (table) => {
      const { outcomes } = await read(table);
      const accepted = outcomes.flatMap((outcome) => (outcome.kind === 'order' ? [outcome] : []));
      orders += accepted.length;
      repaired += accepted.flatMap(({ repairs }) => repairs).length;
      expect(accepted.flatMap(misreported)).toEqual([]);
    }),
    { numRuns: inProof({ share: 20, whole: 600 }) },
  );
  // About 65 and 15 in a share: drawn anew each time, so that nothing but the absence of them is a fault.
  expect(orders).toBeGreaterThan(20);
  expect(repaired).toBeGreaterThan(0);
});

/** Whether a problem says what it is about: the title of its field, and a sentence. */
function saysSomething({ rule, field, message }: Problem): boolean {
  return (
    /^[a-z-]+$/.test(rule) &&
    /: .{10,}/s.test(message) &&
    (field === null || message.startsWith(fieldNamed(field)?.title ?? '?'))
  );
}

test('explains every problem and reads a table the same way twice', async () => {
  await assert(
    asyncProperty(oneof(anyTable, nearlyGoodTable), async (table) => {
      const first = await read(table);
      expect(await read(table)).toEqual(first);
      expect(first.outcomes.flatMap(problemsOf).filter((problem) => !saysSomething(problem))).toEqual([]);
    }),
    { numRuns: inProof({ share: 10, whole: 200 }) },
  );
});

const witness = constantFrom(undefined, { text: '25/05/2026', rowNumber: 9 });
const by = constantFrom('column' as const, 'header' as const, 'config' as const, 'usage' as const);
const anyEvidence: Arbitrary<ColumnEvidence> = record({
  dates: record({
    reading: constantFrom('month first', 'day first', undefined),
    by,
    contradicted: boolean(),
    witnesses: record({ 'month first': witness, 'day first': witness }),
  }),
  realDates: constantFrom('sure', 'perhaps swapped', 'doubtful'),
  hasCommas: boolean(),
});

// Never an exception, nor a number that JSON does not have.
test('coerce returns a value, nothing, or a sentence for any cell', () => {
  assert(
    property(
      constantFrom(...ORDER_FIELDS),
      anyCell,
      anyEvidence,
      constantFrom(undefined, 'FL', 'MA'),
      boolean(),
      (field, held, evidence, state, corrected) => {
        const cell: Cell | undefined =
          typeof held === 'string'
            ? { kind: 'text', text: held }
            : typeof held === 'number'
              ? { kind: 'number', value: held, raw: String(held) }
              : held;
        const read = coerce(cell, { field, evidence, state, corrected, today: OPTIONS.today });
        const sound =
          read.kind === 'wrong'
            ? read.message.length > 20
            : read.kind !== 'value' || isDeepStrictEqual(JSON.parse(JSON.stringify(read.value)), read.value);
        const text = read.kind === 'value' ? sentText(read.value) : 'nothing';
        expect(sound && text !== '' && text.isWellFormed()).toBe(true);
      },
    ),
    { numRuns: inProof({ share: 500, whole: 10_000 }) },
  );
});
