import type { Cell, SheetRow } from '../domain/row.ts';
import { cellText } from './cells.ts';
import { fieldNamed } from './fields.ts';
import type { OrderTable } from './header-row.ts';
import { amountEvidence, amountNeedsColumn } from './values/amount.ts';
import type { AmountUnit } from './values/amount.ts';
import { NO_EVIDENCE } from './values/coercion.ts';
import type { ColumnEvidence, DateOrder } from './values/coercion.ts';
import { dateEvidence, isAmbiguousDate, isSwappableDate } from './values/date.ts';
import { inPlainCharacters, oneLine } from './values/plain-text.ts';

/** How the rest of a column bears on a row: `must` where a cell cannot be read without it, `may` where it could put a cell in doubt. */
type SurveyNeed = 'none' | 'may' | 'must';

/** Rows read to see whether a column puts its cells in doubt. What begins further down is read as it comes. */
const PREVIEW_ROWS = 5000;

type SurveyedKind = 'date' | AmountUnit;

interface SurveyedColumn {
  readonly index: number;
  readonly kind: SurveyedKind;
}

function columnsToSurvey({ layout }: OrderTable): readonly SurveyedColumn[] {
  return layout.columns.flatMap(({ index, field }) => {
    const kind = surveyedKind(field);
    return kind === undefined ? [] : [{ index, kind }];
  });
}

const SURVEYED: ReadonlyMap<string, SurveyedKind> = new Map([['date', 'date'], ['money', 'dollars'], ['area', 'square feet']]);

function surveyedKind(field: string | null): SurveyedKind | undefined {
  return SURVEYED.get((field === null ? undefined : fieldNamed(field)?.kind) ?? '');
}

/** What is longer is neither a date nor an amount. */
const TEXT_LENGTH_MAX = 1000;

function textOf(cell: Cell | undefined): string | undefined {
  return cell?.kind === 'text' && cell.text.length <= TEXT_LENGTH_MAX ? inPlainCharacters(oneLine(cell.text).text).text : undefined;
}

/** Whether a row holds a date or an amount that only the rest of its column can decide. */
function surveyNeed(row: SheetRow, columns: readonly SurveyedColumn[], today: string): SurveyNeed {
  let need: SurveyNeed = 'none';
  for (const { index, kind } of columns) {
    const of = cellNeed(row.cells[index], kind, today);
    if (of === 'must') return of;
    if (of === 'may') need = of;
  }
  return need;
}

/** Plain digits, and dates that begin with the year. */
const SURE = /^\d+$|^\d{4}-\d{2}-\d{2}$/;

function cellNeed(cell: Cell | undefined, kind: SurveyedKind, today: string): SurveyNeed {
  if (cell?.kind === 'date') return kind === 'date' && isSwappableDate(cell) ? 'may' : 'none';
  if (cell?.kind !== 'text' || SURE.test(cell.text)) return 'none';
  const text = textOf(cell);
  if (text === undefined) return 'none';
  if (kind === 'date') return isAmbiguousDate(text, today) ? 'must' : 'none';
  return amountNeedsColumn(text, kind) ?? 'none';
}

/** What the columns of a table show, by column index. */
type Survey = ReadonlyMap<number, ColumnEvidence>;

/**
 * Reads the rows of a sheet for what its columns show: which part of a date such as 13/05/2026 is the day, whether real dates stand beside
 * such texts, which sign stands before decimals. `rowsMax` rows at most.
 */
async function surveyColumns(rows: AsyncIterable<SheetRow>, table: OrderTable, today: string, rowsMax = Infinity): Promise<Survey> {
  const columns = columnsToSurvey(table);
  const survey = new Map<number, ColumnEvidence>(columns.map(({ index }) => [index, { ...NO_EVIDENCE, dateOrder: table.dateOrders.get(index) ?? 'no evidence' }]));
  let left = rowsMax;
  for await (const row of rows) {
    if (row.rowNumber <= table.layout.headerRow) continue;
    if (left === 0) break;
    left -= 1;
    for (const { index, kind } of columns) {
      const evidence = survey.get(index) ?? NO_EVIDENCE;
      const seen = kind === 'date' ? withDate(evidence, row.cells[index], row.rowNumber, today) : withAmount(evidence, row.cells[index], kind);
      if (seen !== evidence) survey.set(index, seen);
    }
  }
  return survey;
}

/** True where a survey puts a cell in doubt that looks sure by itself. */
function raisesDoubt(survey: Survey): boolean {
  return [...survey.values()].some(({ dayFirstText, decimalMark }) => dayFirstText !== undefined || decimalMark === 'comma' || decimalMark === 'contradictory');
}

function withDate(evidence: ColumnEvidence, cell: Cell | undefined, rowNumber: number, today: string): ColumnEvidence {
  if (cell?.kind === 'date') return evidence.surelyTypedDate || Number(cell.iso.slice(8, 10)) <= 12 ? evidence : { ...evidence, surelyTypedDate: true };
  const text = textOf(cell);
  const shown = text === undefined ? undefined : dateEvidence(text, today);
  if (shown === undefined) return evidence;
  const dateOrder = together<DateOrder>(evidence.dateOrder, shown);
  const dayFirstText = evidence.dayFirstText ?? (shown === 'day first' ? { text: cellText(cell), rowNumber } : undefined);
  return dateOrder === evidence.dateOrder && dayFirstText === evidence.dayFirstText ? evidence : { ...evidence, dateOrder, dayFirstText };
}

function withAmount(evidence: ColumnEvidence, cell: Cell | undefined, unit: AmountUnit): ColumnEvidence {
  const text = textOf(cell);
  const shown = text === undefined ? undefined : amountEvidence(text, unit);
  return shown === undefined ? evidence : { ...evidence, decimalMark: together(evidence.decimalMark, shown) };
}

/** What was known of a column, and one more cell. */
function together<Held extends string>(known: Held | 'no evidence' | 'contradictory', shown: Held): Held | 'contradictory' {
  return known === 'no evidence' || known === shown ? shown : 'contradictory';
}

/**
 * What the columns of a table show, looked up once a row needs it: the whole sheet where a cell cannot be read otherwise, its first rows
 * where one could be in doubt.
 */
export class ColumnEvidenceAsNeeded {
  readonly #table: OrderTable;
  readonly #columns: readonly SurveyedColumn[];
  readonly #today: string;
  readonly #rows: () => AsyncIterable<SheetRow>;
  #previewed = false;
  #survey: Survey | undefined;

  constructor(table: OrderTable, today: string, rows: () => AsyncIterable<SheetRow>) {
    this.#table = table;
    this.#columns = columnsToSurvey(table);
    this.#today = today;
    this.#rows = rows;
  }

  /** What is known of a column, by its index. */
  of(columnIndex: number): ColumnEvidence {
    return this.#survey?.get(columnIndex) ?? NO_EVIDENCE;
  }

  /** True where `lookFor` should be awaited before the row is read. */
  need(row: SheetRow): boolean {
    if (this.#survey !== undefined) return false;
    const need = surveyNeed(row, this.#columns, this.#today);
    return need === 'must' || (need === 'may' && !this.#previewed);
  }

  async lookFor(row: SheetRow): Promise<void> {
    const must = surveyNeed(row, this.#columns, this.#today) === 'must';
    const doubtful = must || raisesDoubt(await surveyColumns(this.#rows(), this.#table, this.#today, PREVIEW_ROWS));
    this.#previewed = true;
    if (doubtful) this.#survey = await surveyColumns(this.#rows(), this.#table, this.#today);
  }
}
