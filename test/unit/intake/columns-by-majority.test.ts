import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import exceljs from 'exceljs';
import {
  type Arbitrary,
  array,
  assert,
  asyncProperty,
  constantFrom,
  integer,
  record,
  shuffledSubarray,
} from 'fast-check';
import { expect, test } from 'vitest';
import type { RowOutcome } from '../../../src/domain/row.ts';
import { readOrderFile } from '../../../src/intake/read-orders.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { inProof } from '../../support/proof-size.ts';

/** The rule as DESIGN.md has it, said once more: nine in ten of the cells that can be read one way only, and at least three. */
function majorityOf<Reading>(cells: readonly { readonly only?: Reading }[]): Reading | undefined {
  const only = cells.flatMap((cell) => (cell.only === undefined ? [] : [cell.only]));
  return [...new Set(only)].find((reading) => {
    const votes = only.filter((one) => one === reading).length;
    return votes >= 3 && 10 * votes >= 9 * only.length;
  });
}

const HEADERS = [
  'Policy #',
  'Address',
  'City',
  'ST',
  'Zip',
  'Service',
  'Policy Type',
  'House Type',
  'Named Insured',
  'Insured Phone',
  'Insured Email',
];
const VALUES = [
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
];

/** Each run writes and reads whole files, which takes long on a busy machine. */
const WHOLE_FILES_MS = 300_000;

type Format = 'csv' | 'xlsx';

/** What each row of a file comes to whose last column holds these texts. */
async function outcomes(format: Format, header: string, texts: readonly string[]): Promise<RowOutcome[]> {
  await using folder = await temporaryFolder();
  const path = join(folder.path, `orders.${format}`);
  const rows = [[...HEADERS, header], ...texts.map((text, place) => [`HO-${String(1000 + place)}`, ...VALUES, text])];
  if (format === 'csv')
    await writeFile(path, rows.map((row) => `${row.map((value) => `"${value}"`).join(',')}\r\n`).join(''));
  else {
    const book = new exceljs.Workbook();
    book.addWorksheet('Orders').addRows(rows);
    await book.xlsx.writeFile(path, { zip: { compression: 'STORE' } });
  }
  await using reading = await readOrderFile(path, `orders.${format}`, { headers: {}, today: '2026-10-15' });
  return await Array.fromAsync(reading.rows());
}

/** What is sent of a row under its last column: nothing where it goes back. */
function sentOf(outcome: RowOutcome, field: 'policyEffectiveDate' | 'dwellingCoverage') {
  const told =
    outcome.kind === 'order'
      ? [...outcome.repairs.map((repair) => repair.field), ...outcome.warnings.map((warning) => warning.field)]
      : [];
  return {
    sent: outcome.kind === 'order' ? outcome.payload[field] : undefined,
    isTold: told.includes(field),
    isWarned: outcome.kind === 'order' && outcome.warnings.some((warning) => warning.field === field),
  };
}

type Order = 'month first' | 'day first';
interface DateCell {
  readonly text: string;
  readonly only?: Order;
  readonly readings: Partial<Record<Order, string>>;
}

const two = (part: number): string => String(part).padStart(2, '0');
const mark = constantFrom('/', '-');

function dateCell(first: number, second: number, separator: string): DateCell {
  const text = [two(first), two(second), '2026'].join(separator);
  const monthFirst = first > 12 ? {} : { 'month first': `2026-${two(first)}-${two(second)}` };
  const dayFirst = second > 12 ? {} : { 'day first': `2026-${two(second)}-${two(first)}` };
  const only: { only?: Order } = first > 12 ? { only: 'day first' } : second > 12 ? { only: 'month first' } : {};
  return { text, ...only, readings: { ...monthFirst, ...dayFirst } };
}

const ambiguousDate = record({ first: integer({ min: 1, max: 6 }), second: integer({ min: 7, max: 12 }), mark }).map(
  (one) => dateCell(one.first, one.second, one.mark),
);
const monthFirstDate = record({ month: integer({ min: 1, max: 12 }), day: integer({ min: 13, max: 28 }), mark }).map(
  (one) => dateCell(one.month, one.day, one.mark),
);
const dayFirstDate = record({ month: integer({ min: 1, max: 12 }), day: integer({ min: 13, max: 28 }), mark }).map(
  (one) => dateCell(one.day, one.month, one.mark),
);

/** Any mix of so many cells of each kind, in any order. */
function mixed<Cell>(...kinds: readonly [Arbitrary<Cell>, number][]): Arbitrary<readonly Cell[]> {
  const cells = kinds.map(([kind, max]) => array(kind, { maxLength: max }));
  return record(Object.fromEntries(cells.map((list, place) => [place, list])))
    .chain((lists) => {
      const all = Object.values(lists).flat();
      return shuffledSubarray(all, { minLength: all.length });
    })
    .filter((all) => all.length > 0);
}

const dateColumns = mixed<DateCell>([ambiguousDate, 12], [monthFirstDate, 14], [dayFirstDate, 14]);
const format: Arbitrary<Format> = constantFrom('csv', 'csv', 'csv', 'xlsx');

test(
  'sends no date against the clear majority without repair or warning',
  async () => {
    await assert(
      asyncProperty(dateColumns, format, async (cells, kind) => {
        const majority = majorityOf(cells);
        const came = await outcomes(
          kind,
          'Effective date',
          cells.map(({ text }) => text),
        );
        expect(came).toHaveLength(cells.length);
        const isContradicted = cells.some(({ only }) => only === 'day first');
        const wrong = cells.filter((cell, place) => {
          const { sent, isTold, isWarned } = sentOf(came[place] as RowOutcome, 'policyEffectiveDate');
          // With a clear majority nothing goes back but what contradicts it.
          if (sent === undefined) return majority !== undefined && (cell.only === undefined || cell.only === majority);
          if (!isTold || Object.values(cell.readings).every((reading) => reading !== sent)) return true;
          if (majority !== undefined) return sent !== cell.readings[majority];
          // Without one, what could be two dates is read as is usual, and warned of where a cell speaks against that.
          return cell.only === undefined && (sent !== cell.readings['month first'] || isWarned !== isContradicted);
        });
        expect(wrong).toEqual([]);
      }),
      { numRuns: inProof({ share: 6, whole: 60 }) },
    );
  },
  WHOLE_FILES_MS,
);

test(
  'rejects only the date that contradicts its column',
  async () => {
    const american = mixed<DateCell>([ambiguousDate, 10], [monthFirstDate, 12]).filter(
      (cells) => cells.length >= 9 || cells.filter(({ only }) => only !== undefined).length >= 3,
    );
    const european = mixed<DateCell>([ambiguousDate, 10], [dayFirstDate, 16]).filter(
      (cells) => cells.filter(({ only }) => only !== undefined).length >= 9,
    );
    await assert(
      asyncProperty(
        record({ cells: american, odd: dayFirstDate }),
        record({ cells: european, odd: monthFirstDate }),
        integer({ min: 0, max: 100 }),
        format,
        async (us, other, at, kind) => {
          for (const { cells, odd } of [us, other]) {
            const place = at % (cells.length + 1);
            const came = await outcomes(
              kind,
              'Effective date',
              cells.toSpliced(place, 0, odd).map(({ text }) => text),
            );
            expect(came.flatMap((outcome, row) => (outcome.kind === 'order' ? [] : [row]))).toEqual([place]);
          }
        },
      ),
      { numRuns: inProof({ share: 4, whole: 30 }) },
    );
  },
  WHOLE_FILES_MS,
);

type Mark = 'point' | 'comma';
interface AmountCell {
  readonly text: string;
  readonly only?: Mark;
  readonly readings: Partial<Record<Mark, number>>;
  /** Too few digits before its decimals for its column: one may be missing. */
  readonly isShort?: boolean;
}

const hundreds = integer({ min: 100, max: 999 });
const dollars = constantFrom('', '$');
const thousandsByComma: Arbitrary<AmountCell> = record({ hundreds, dollars }).map((one) => ({
  text: `${one.dollars}${String(one.hundreds)},000`,
  readings: { point: one.hundreds * 1000, comma: one.hundreds },
}));
const thousandsByPoint: Arbitrary<AmountCell> = record({ hundreds, dollars }).map((one) => ({
  text: `${one.dollars}${String(one.hundreds)}.000`,
  readings: { comma: one.hundreds * 1000, point: one.hundreds },
}));
const surelyPoint: Arbitrary<AmountCell> = record({ hundreds, dollars }).map((one) => ({
  text: `${one.dollars}${String(one.hundreds)},500.00`,
  only: 'point',
  readings: { point: one.hundreds * 1000 + 500 },
}));
const surelyComma: Arbitrary<AmountCell> = record({ hundreds, dollars }).map((one) => ({
  text: `${one.dollars}${String(one.hundreds)}.500,00`,
  only: 'comma',
  readings: { comma: one.hundreds * 1000 + 500 },
}));
const shortComma: Arbitrary<AmountCell> = record({ hundreds, dollars }).map((one) => ({
  text: `${one.dollars}${String(one.hundreds)},00`,
  only: 'comma',
  isShort: true,
  readings: { comma: one.hundreds },
}));

test(
  'sends no amount against the clear majority without repair or warning',
  async () => {
    const columns = mixed<AmountCell>(
      [thousandsByComma, 10],
      [thousandsByPoint, 4],
      [surelyPoint, 12],
      [surelyComma, 12],
      [shortComma, 2],
    );
    await assert(
      asyncProperty(columns, format, async (cells, kind) => {
        const majority = majorityOf(cells);
        const came = await outcomes(
          kind,
          'Coverage A',
          cells.map(({ text }) => text),
        );
        const wrong = cells.filter((cell, place) => {
          const { sent, isTold } = sentOf(came[place] as RowOutcome, 'dwellingCoverage');
          // What can be read one way only, and is plausible in itself, is read in any column.
          if (sent === undefined) return cell.only !== undefined && cell.isShort !== true;
          if (!isTold || Object.values(cell.readings).every((reading) => reading !== sent)) return true;
          if (cell.isShort === true) return majority !== 'comma';
          return cell.only === undefined && sent !== cell.readings[majority ?? 'point'];
        });
        expect(wrong).toEqual([]);
      }),
      { numRuns: inProof({ share: 6, whole: 60 }) },
    );
  },
  WHOLE_FILES_MS,
);

test(
  'rejects only the amount that contradicts its column',
  async () => {
    const american = mixed<AmountCell>([thousandsByComma, 20], [surelyPoint, 8]);
    const european = mixed<AmountCell>([surelyComma, 24]).filter(
      (cells) => cells.filter(({ only }) => only !== undefined).length >= 9,
    );
    const oddOne: Arbitrary<AmountCell> = constantFrom(
      { text: '350.000,00', only: 'comma', readings: { comma: 350_000 } },
      { text: '$250,00', only: 'comma', isShort: true, readings: { comma: 250 } },
    );
    const oddOther: Arbitrary<AmountCell> = constantFrom(
      { text: '350,000.00', only: 'point', readings: { point: 350_000 } },
      { text: '250.00', only: 'point', isShort: true, readings: { point: 250 } },
    );
    await assert(
      asyncProperty(
        record({ cells: american, odd: oddOne }),
        record({ cells: european, odd: oddOther }),
        integer({ min: 0, max: 100 }),
        format,
        async (us, other, at, kind) => {
          for (const { cells, odd } of [us, other]) {
            const place = at % (cells.length + 1);
            const came = await outcomes(
              kind,
              'Coverage A',
              cells.toSpliced(place, 0, odd).map(({ text }) => text),
            );
            expect(came.flatMap((outcome, row) => (outcome.kind === 'order' ? [] : [row]))).toEqual(
              odd.isShort === true ? [place] : [],
            );
          }
        },
      ),
      { numRuns: inProof({ share: 4, whole: 30 }) },
    );
  },
  WHOLE_FILES_MS,
);
