import { type Cell, cellText, columnLabel } from '../domain/cells.ts';
import type { SheetRow } from '../domain/row.ts';
import { noteFor } from '../domain/sentences.ts';
import { fieldNamed } from './fields.ts';
import { partOfCell } from './header/columns.ts';
import type { OrderTable } from './header/header-row.ts';
import { type AmountUnit, decimalMark, dependsOnColumn } from './values/amount.ts';
import {
  type ColumnEvidence,
  type DateOrder,
  NO_EVIDENCE,
  type DateReading,
  type ProofCell,
} from './values/coercion.ts';
import { dateEvidence, isAmbiguousDate, isSwappableDate } from './values/date.ts';
import { inPlainCharacters, cleanText } from './values/plain-text.ts';

export type AskedDateOrder = 'auto' | 'mdy' | 'dmy';

const PREVIEW_ROWS = 5000;

const SURVEYED = new Map<string, 'date' | AmountUnit>([
  ['date', 'date'],
  ['money', 'dollars'],
  ['area', 'square feet'],
]);

function columnsToSurvey({ columns }: OrderTable) {
  return [...columns].flatMap(([name, some]) => {
    const field = fieldNamed(name);
    const kind = SURVEYED.get(field.kind);
    if (kind === undefined) return [];
    return some.map((column) => ({
      index: column.index,
      kind,
      held: ({ cells }: SheetRow) => partOfCell(cells[column.index], column, field),
    }));
  });
}

const TEXT_LENGTH_MAX = 1000;
const SURE = /^\d{1,6}$|^\d{9,}$|^\d{4}-\d{2}-\d{2}$/;
const DIGITS_OF_A_DATE = /^\d{7,8}$/;

function evidenceText(cell: Cell | undefined, kind: 'date' | AmountUnit = 'date') {
  if (cell?.kind === 'number') return kind === 'date' && DIGITS_OF_A_DATE.test(cell.raw) ? cell.raw : undefined;
  if (cell?.kind !== 'text' || cell.text.length > TEXT_LENGTH_MAX || SURE.test(cell.text)) return undefined;
  return inPlainCharacters(cleanText(cell.text).text).text;
}

class Tally {
  readonly #counts = new Map<DateOrder, number>();
  readonly witnesses: Partial<Record<DateOrder, ProofCell>> = {};
  either = 0;

  add(reading: DateOrder, cell: Cell | undefined, rowNumber: number) {
    this.#counts.set(reading, this.of(reading) + 1);
    this.witnesses[reading] ??= { text: cellText(cell), rowNumber };
  }

  of(reading: DateOrder) {
    return this.#counts.get(reading) ?? 0;
  }
}

/** A clear majority: at least this many unambiguous cells, and nine in ten of them. */
const CELLS_MIN = 3;

function isClear(votes: number, against: number) {
  return votes >= CELLS_MIN && votes >= 9 * against;
}

function isNegligible(against: number, votes: number, all: number) {
  return against === 0 || (against === 1 && (votes >= CELLS_MIN || all >= 10));
}

class DatesSeen {
  readonly texts = new Tally();
  swappable = 0;
  surelyTyped = 0;

  see(cell: Cell | undefined, rowNumber: number, today: string) {
    if (cell?.kind === 'date') {
      if (isSwappableDate(cell)) this.swappable += 1;
      else if (Number(cell.iso.slice(8, 10)) > 12) this.surelyTyped += 1;
      return;
    }
    const text = evidenceText(cell);
    if (text === undefined) return;
    const shown = dateEvidence(text, today);
    if (shown !== undefined) this.texts.add(shown, cell, rowNumber);
    else if (isAmbiguousDate(text, today) && !text.includes('.')) this.texts.either += 1;
  }

  get isClearlyDayFirst() {
    return isClear(this.texts.of('day first'), this.texts.of('month first'));
  }

  settled(
    asked: Readonly<{ header: DateOrder | undefined; config: DateOrder | undefined }>,
    monthFirstIsUsual: boolean,
  ): DateReading {
    const { texts } = this;
    const { witnesses } = texts;
    const [monthFirst, dayFirst] = [texts.of('month first'), texts.of('day first')];
    const majority = isClear(monthFirst, dayFirst)
      ? 'month first'
      : isClear(dayFirst, monthFirst)
        ? 'day first'
        : undefined;
    if (majority !== undefined)
      return {
        reading: majority,
        by: 'column',
        contradicted: asked.header !== undefined && asked.header !== majority,
        witnesses,
      };
    const reading = asked.header ?? asked.config;
    if (reading !== undefined)
      return {
        reading,
        by: asked.header === undefined ? 'config' : 'header',
        contradicted: (reading === 'month first' ? dayFirst : monthFirst) > 0,
        witnesses,
      };
    const all = monthFirst + dayFirst + texts.either + this.swappable + this.surelyTyped;
    const usual = monthFirstIsUsual && isNegligible(dayFirst, monthFirst, all);
    return { reading: usual ? 'month first' : undefined, by: 'usage', contradicted: usual && dayFirst > 0, witnesses };
  }

  realDates(): ColumnEvidence['realDates'] {
    const { texts, swappable, surelyTyped } = this;
    const dayFirst = texts.of('day first');
    const typed = surelyTyped + texts.of('month first');
    if (dayFirst === 0 || isClear(typed, dayFirst)) return 'sure';
    if (isClear(dayFirst, typed)) return 'doubtful';
    return surelyTyped > 0 || isNegligible(dayFirst, typed, typed + dayFirst + texts.either + swappable)
      ? 'perhaps swapped'
      : 'doubtful';
  }
}

class AmountsSeen {
  readonly #counts = { point: 0, comma: 0 };

  see(cell: Cell | undefined, unit: AmountUnit) {
    const mark = decimalMark(evidenceText(cell, unit) ?? '', unit);
    if (mark !== undefined) this.#counts[mark] += 1;
  }

  get hasCommas() {
    const { point, comma } = this.#counts;
    return comma > 1 && point < 9 * comma;
  }
}

const ORDERS = { auto: undefined, mdy: 'month first', dmy: 'day first' } as const;

async function surveyColumns(
  rows: AsyncIterable<SheetRow>,
  table: OrderTable,
  asked: AskedDateOrder,
  today: string,
  rowsMax = Infinity,
) {
  const columns = columnsToSurvey(table);
  const dates = new Map<number, DatesSeen>();
  const amounts = new Map<number, AmountsSeen>();
  for (const { index, kind } of columns)
    if (kind === 'date') dates.set(index, new DatesSeen());
    else amounts.set(index, new AmountsSeen());
  let left = rowsMax;
  for await (const row of rows) {
    if (row.rowNumber <= table.layout.headerRow) continue;
    if (left === 0) break;
    left -= 1;
    for (const { index, kind, held } of columns)
      if (kind === 'date') dates.get(index)?.see(held(row), row.rowNumber, today);
      else amounts.get(index)?.see(held(row), kind);
  }
  // In a corrections workbook, clear dates are real dates; a text is still doubtful.
  const isUsual =
    table.columns.has('streetAddress') &&
    table.keyColumn === undefined &&
    ![...amounts.values()].some(({ hasCommas }) => hasCommas);
  const survey = new Map<number, ColumnEvidence>();
  for (const [index, { hasCommas }] of amounts) survey.set(index, { ...NO_EVIDENCE, hasCommas });
  for (const [index, seen] of dates) {
    const elsewhere = [...dates].some(([other, { isClearlyDayFirst }]) => other !== index && isClearlyDayFirst);
    const settled = seen.settled({ header: table.dateOrders.get(index), config: ORDERS[asked] }, isUsual && !elsewhere);
    survey.set(index, { ...NO_EVIDENCE, dates: settled, realDates: seen.realDates() });
  }
  const { sheet } = table.layout;
  const notes = [...dates].flatMap(
    ([
      index,
      {
        texts: { either },
      },
    ]) => {
      const settled = survey.get(index)?.dates;
      if (settled?.reading === undefined || settled.by !== 'usage' || either === 0) return [];
      const column = columnLabel({ index, header: table.columnAt[index]?.header ?? '' });
      const count = either === 1 ? '1 ambiguous date was' : `${either} ambiguous dates were`;
      return noteFor('dates-month-first', { sheet, column, dates: count });
    },
  );
  return { columns: survey, raisesDoubt: [...survey.values()].some(({ realDates }) => realDates !== 'sure'), notes };
}

function cellNeed(cell: Cell | undefined, kind: 'date' | AmountUnit, today: string) {
  if (cell?.kind === 'date') return kind === 'date' && isSwappableDate(cell) ? 'may' : 'none';
  const text = evidenceText(cell, kind);
  if (text === undefined) return 'none';
  if (kind !== 'date') return dependsOnColumn(text, kind) ? 'must' : 'none';
  return isAmbiguousDate(text, today) || dateEvidence(text, today) !== undefined ? 'must' : 'none';
}

/**
 * Reads the whole sheet for an ambiguous text, and the first rows for a doubtful real date: if a spreadsheet
 * swapped dates, more than half of them are still texts.
 */
export function lazyColumnEvidence(
  table: OrderTable,
  { today, dateOrder = 'auto' }: Readonly<{ today: string; dateOrder?: AskedDateOrder | undefined }>,
  rows: () => AsyncIterable<SheetRow>,
) {
  const columns = columnsToSurvey(table);
  const look = (rowsMax?: number) => surveyColumns(rows(), table, dateOrder, today, rowsMax);
  const needOf = (row: SheetRow) => {
    const needs = new Set(columns.map(({ kind, held }) => cellNeed(held(row), kind, today)));
    return (['must', 'may'] as const).find((need) => needs.has(need));
  };
  let isPreviewed = false;
  let survey: Awaited<ReturnType<typeof surveyColumns>> | undefined;
  return {
    of: (columnIndex: number) => survey?.columns.get(columnIndex) ?? NO_EVIDENCE,
    get notes() {
      return survey?.notes ?? [];
    },
    /** Then await `lookFor` before reading the row. */
    need(row: SheetRow) {
      const need = survey === undefined ? needOf(row) : undefined;
      return need === 'must' || (need === 'may' && !isPreviewed);
    },
    async lookFor(row: SheetRow) {
      const isDoubtful = needOf(row) === 'must' || (await look(PREVIEW_ROWS)).raisesDoubt;
      isPreviewed = true;
      if (isDoubtful) survey = await look();
    },
  };
}
