import { isBlank, type Cell } from '../../../domain/cells.ts';
import type { RowRemark, SheetRow } from '../../../domain/row.ts';
import { type Parts, ruleAndMessage } from '../../../domain/sentences.ts';
import { type Reading, tooLarge } from '../row-source.ts';
import { type CellContext, cellOf, type RawCell, runsOf } from './cell-values.ts';
import { type StruckRemark, type TextRun, withoutStruckText } from './text-runs.ts';

const KEPT_CELLS_MAX = 1024;

/** A stray cell in the last column makes a row very wide. */
const GAPS_FREE = 4_000_000;
const SPAN_PER_CELL = 12;

/** Takes cells in any order; fills in missing references and keeps gaps. */
export function rowAssembler(sheet: string, reading: Reading) {
  const { limits } = reading;
  let waiting: SheetRow[] = [];
  let lastRowNumber = 0;
  let currentRow = 0;
  let hidden = false;
  let lastColumn = -1;
  /** Reused for every row: cells beyond `width` belong to earlier rows. */
  let rowCells: (Cell | undefined)[] = [];
  let width = 0;
  let remarks: StruckRemark[] = [];
  let fills: string[] | undefined;
  /** In rows not yet taken: all, and in finished rows. */
  let [rowCharacters, finishedCharacters, allCharacters] = [0, 0, 0];
  /** Filled cells; and all cells up to the last one of each row. */
  let [held, span] = [0, 0];

  function put(cell: Cell | undefined) {
    if (cell === undefined) return;
    if (cell.kind === 'text') count(cell.text.length);
    held += 1;
    for (; width < lastColumn; width += 1) rowCells[width] = undefined;
    rowCells[lastColumn] = cell;
    if (lastColumn === width) width += 1;
  }

  function strike(runs: readonly TextRun[] | undefined, isStruck: boolean) {
    const cell = rowCells[lastColumn];
    const struck = cell && lastColumn < width ? withoutStruckText(cell, lastColumn, runs, isStruck) : undefined;
    if (struck === undefined) return;
    remarks.push(struck.remark);
    rowCells[lastColumn] = struck.cell;
  }

  function count(characters: number) {
    rowCharacters += characters;
    allCharacters += characters;
    if (characters > limits.cellCharacters) throw tooMuch('cell-too-long/sheet');
    if (allCharacters > limits.sheetCharacters) throw tooMuch('too-much-text/sheet');
    if (rowCharacters > limits.rowCharacters) throw tooMuch('row-too-long/sheet');
  }

  function tooMuch(code: string, parts?: Parts) {
    return tooLarge(reading, code, { sheet, rowNumber: currentRow, ...parts });
  }

  return {
    /** Without a number it follows the row before. */
    startRow(rowNumber: number | undefined, isHidden: boolean) {
      hidden = isHidden;
      currentRow = rowNumber ?? lastRowNumber + 1;
      if (currentRow > limits.rows) throw tooMuch('too-many-rows/sheet', { rows: limits.rows });
      lastColumn = -1;
      width = 0;
      if (remarks.length > 0) remarks = [];
      fills = undefined;
      if (rowCells.length > KEPT_CELLS_MAX) rowCells = [];
    },
    /** Without a column it follows the cell before. */
    startCell(column: number | undefined) {
      lastColumn = column ?? lastColumn + 1;
      if (lastColumn >= limits.columns) throw tooMuch('too-many-columns/sheet', { columns: limits.columns });
    },
    put,
    putRaw(raw: RawCell, context: CellContext) {
      put(cellOf(raw, context));
      const { struck, fill } = context.formats[raw.style] ?? {};
      strike(runsOf(raw, context), struck === true);
      if (fill !== undefined) (fills ??= [])[lastColumn] = fill;
    },
    strike,
    endRow() {
      lastRowNumber = currentRow;
      finishedCharacters = rowCharacters;
      if (width === 0) return;
      span += width;
      if (span > GAPS_FREE + held * SPAN_PER_CELL) throw tooMuch('cells-far-right');
      const plain = { sheet, rowNumber: currentRow, cells: rowCells.slice(0, width) };
      const row: SheetRow = { ...plain, ...(fills && { fills }), ...(hidden && { hidden }) };
      waiting.push(remarks.length === 0 ? row : { ...row, remarks: remarksOnStruck(row, remarks) });
    },
    take() {
      const finished = waiting;
      waiting = [];
      rowCharacters -= finishedCharacters;
      finishedCharacters = 0;
      return finished;
    },
  };
}

export type RowAssembler = ReturnType<typeof rowAssembler>;

/** One remark instead if most of the row is struck through. */
function remarksOnStruck({ cells }: SheetRow, remarks: readonly StruckRemark[]): readonly RowRemark[] {
  const struck = remarks.filter(({ whole }) => whole);
  const [first] = struck;
  if (first === undefined || 2 * struck.length < cells.filter((cell) => !isBlank(cell)).length) return remarks;
  return [
    { kind: 'doubt', column: first.column, ...ruleAndMessage('row-struck-out') },
    ...remarks.filter((remark) => !struck.includes(remark)),
  ];
}

const SHOWN_CHARACTERS = 256;

/** Returns a cell's formula; only the first cell of a shared formula holds the text. */
export function sharedFormulas(reading: Reading) {
  const texts = new Map<string, string>();
  let characters = 0;
  return (text: string, type: string | undefined, sharedIndex: string | undefined) => {
    if (type !== 'shared' || sharedIndex === undefined) return text;
    if (text === '') return (texts.get(sharedIndex) ?? '').slice(0, SHOWN_CHARACTERS);
    texts.set(sharedIndex, text);
    characters += text.length;
    if (characters > reading.limits.rowCharacters) throw tooLarge(reading, 'too-many-formulas');
    return text;
  };
}
