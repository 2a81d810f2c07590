/** No row may hide in a cell: the file or the row goes back if one may. */

import type { Cell } from '../../../domain/cells.ts';
import type { RowRemark, SheetRow } from '../../../domain/row.ts';
import { withoutTextFormula } from '../../values/plain-text.ts';
import { type Reading, tooLarge, unreadable } from '../row-source.ts';
import type { CsvRecordShape } from './records.ts';
import { ANY_MARK, MARKS } from './text.ts';
import { ruleAndMessage } from '../../../domain/sentences.ts';

export type CsvRowShape = CsvRecordShape &
  Readonly<{
    /** The number of delimiters in most records. */
    usual: number;
    /** The first one with spaces before a quotation mark. */
    spacedRecord: number | undefined;
  }>;

/** Only quotation marks keep line ends in a cell. */
export function hasSpecialCharacters(text: string) {
  return /["\0\uFDD0-\uFDD5\uFFFD]/.test(text);
}

const SPECIAL = /["\0\r\n\uFDD0-\uFDD5\uFFFD]/;

export function csvRowBuilder(shape: CsvRowShape, reading: Reading) {
  let currentRow = 0;

  function rowOf(record: readonly string[], remarks: RowRemark[], isSpecial: boolean) {
    const { rows, columns, cellCharacters } = reading.limits;
    const rowNumber = currentRow;
    if (rowNumber > rows) throw tooLarge(reading, 'too-many-rows', { rows });
    if (record.length > columns) throw tooLarge(reading, 'too-many-columns', { rowNumber, columns });
    const cells = record.map((field, column): Cell | undefined => {
      const text = isSpecial ? textOf(field, column, record, remarks) : field;
      if (text.length > cellCharacters) throw tooLarge(reading, 'cell-too-long/row', { rowNumber });
      return text === '' ? undefined : { kind: 'text', text };
    });
    while (cells.length > 0 && cells.at(-1) === undefined) cells.pop();
    const row = { sheet: reading.fileName, rowNumber, cells };
    return remarks.length === 0 ? row : { ...row, remarks: remarks.toSorted((a, b) => a.column - b.column) };
  }

  function textOf(field: string, column: number, record: readonly string[], remarks: RowRemark[]) {
    if (!SPECIAL.test(field)) return field;
    const marked = unwrapped(field, shape);
    const whole = marked.replaceAll(ANY_MARK, '');
    const plain = whole.replaceAll('\0', '');
    const { text, why } = withoutTextFormula(plain);
    refuseUnclear(marked, column, record);
    if (plain !== whole)
      remarks.push({
        kind: 'repair',
        column,
        held: whole.replaceAll('\0', '\u2400'),
        why: 'NUL characters, shown as \u2400, were left out',
      });
    remarks.push(...letterRemarks(marked, plain, column));
    if (isBadlyQuoted(marked, shape)) remarks.push(quoteRemark(plain, column, record));
    if (why !== undefined) remarks.push({ kind: 'repair', column, held: plain, why });
    return text;
  }

  /** Throws if a cell may hold rows, or if its quotation marks have two meanings. */
  function refuseUnclear(marked: string, column: number, record: readonly string[]) {
    const { delimiter, usual, spacedRecord } = shape;
    const rowNumber = currentRow;
    if (marked.startsWith(MARKS.space)) throw unreadable(reading, 'space-before-quote', { rowNumber });
    if (spacedRecord !== undefined && marked.includes(MARKS.quote))
      throw unreadable(reading, 'quotes-in-two-ways', { spacedRecord, rowNumber });
    const lines = marked.replaceAll(ANY_MARK, '').split(LINE_END);
    if (lines.length === 1) return;
    if (isBadlyQuoted(marked, shape)) throw unclosed(rowNumber);
    // Outside quotation marks, only the row is in doubt.
    if (marked.includes(MARKS.return)) return;
    const swallowed = swallowedRow(lines, column, record.length - 1, { delimiter, usual });
    if (swallowed !== undefined)
      throw unreadable(reading, 'quote-closed-late', {
        rowNumber,
        lines: lines.length === 2 ? 'a line' : `${lines.length - 1} lines`,
        swallowed,
      });
  }

  function unclosed(rowNumber: number) {
    return unreadable(reading, 'quote-not-closed', { rowNumber });
  }

  function quoteRemark(text: string, column: number, record: readonly string[]): RowRemark {
    const marksInNext = (record[column + 1] ?? '').split('"').length - 1;
    return record.length > shape.usual + 1 || marksInNext % 2 === 1
      ? { kind: 'doubt', column, ...ruleAndMessage('quotes-in-doubt') }
      : { kind: 'warning', column, ...ruleAndMessage('quotes-in-doubt/text', { text }) };
  }

  /** A lone carriage return may end a row if the record is too wide, or a whole row seems to follow. */
  function returnRemarks(record: readonly string[]): RowRemark[] {
    const { usual, delimiter } = shape;
    const column = record.findIndex((field) => field.includes(MARKS.return));
    if (column === -1 || usual === 0) return [];
    const [before = '', ...after] = (record[column] ?? '').split(`${MARKS.return}\r`);
    const next = [after.join('\r'), ...record.slice(column + 1)];
    const isEdge = (column === 0 && before.trim() === '') || (next.length === 1 && next[0]?.trim() === '');
    const isInCell = record.length - 1 <= usual && (isEdge || next.length - 1 < usual * NEARLY_WHOLE);
    if (isInCell) return [];
    const line = next.join(delimiter).replaceAll(ANY_MARK, '').split(LINE_END)[0] ?? '';
    return [{ kind: 'doubt', column, ...ruleAndMessage('perhaps-two-rows', { line }) }];
  }

  return {
    get nextRow() {
      return currentRow + 1;
    },
    rows(records: readonly (readonly string[])[], areSpecial: boolean): SheetRow[] {
      const rows: SheetRow[] = [];
      for (const record of records) {
        currentRow += 1;
        const row = rowOf(record, areSpecial ? returnRemarks(record) : [], areSpecial);
        if (row.cells.length > 0) rows.push(row);
      }
      return rows;
    },
    unclosed,
  };
}

const NEARLY_WHOLE = 0.75;

const LINE_END = /\r?\n|\r/;

function letterRemarks(marked: string, plain: string, column: number) {
  const remarks: RowRemark[] = [];
  if (marked.includes(MARKS.stray))
    remarks.push({ kind: 'warning', column, ...ruleAndMessage('letters-doubtful/stray', { plain }) });
  if (marked.includes(MARKS.utf8))
    remarks.push({ kind: 'warning', column, ...ruleAndMessage('letters-doubtful', { plain }) });
  if (marked.includes(MARKS.unknown))
    remarks.push({ kind: 'doubt', column, ...ruleAndMessage('letters-unknown', { plain }) });
  return remarks;
}

function isBadlyQuoted(marked: string, { delimiter, returnsEndRecords }: CsvRecordShape) {
  if (!marked.startsWith('"')) return false;
  const edges = [delimiter, '\n', ...(returnsEndRecords ? ['\r'] : [])];
  const edge = Math.max(...edges.map((letter) => marked.lastIndexOf(letter)));
  const end = edge < 0 ? `\n${marked.slice(1)}` : marked.slice(edge);
  return end.includes(MARKS.quote) || /^[^][\uFDD5 ]*=?"+[^"]/.test(end);
}

/** A field without its quotation marks, if spaces or NULs follow them: csv-parse leaves those as they are. */
function unwrapped(field: string, shape: CsvRecordShape) {
  const trimmed = field.replace(/(?<![ \0])[ \0]+$/, '');
  const isQuoted = trimmed.length > 1 && trimmed.length < field.length && /^"[^]*"$/.test(trimmed);
  if (!isQuoted || isBadlyQuoted(trimmed, shape)) return field;
  return trimmed.slice(1, -1) + field.slice(trimmed.length).replaceAll(' ', '');
}

/** Notes often have fewer delimiters. */
const SURE_DELIMITERS_MIN = 3;

/** The first line of a quoted field that looks like a row, if the field would be whole records without its quotes. */
function swallowedRow(
  lines: readonly string[],
  column: number,
  recordDelimiters: number,
  { delimiter, usual }: Pick<CsvRowShape, 'delimiter' | 'usual'>,
) {
  if (usual < SURE_DELIMITERS_MIN) return undefined;
  const counted = lines.map((line) => ({ line, delimiters: line.split(delimiter).length - 1 }));
  const others = counted.slice(1);
  const isWhole = ({ delimiters }: { readonly delimiters: number }) => delimiters >= usual;
  const areAllWhole =
    column + (counted[0]?.delimiters ?? 0) >= usual &&
    (others.at(-1)?.delimiters ?? 0) + recordDelimiters - column >= usual &&
    others.slice(0, -1).every(isWhole);
  return (others.find(isWhole) ?? (areAllWhole ? others[0] : undefined))?.line;
}
