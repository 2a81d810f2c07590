import { cellAddress, isBlank, type Cell } from '../../../domain/cells.ts';
import type { RowRemark, SheetRow } from '../../../domain/row.ts';
import { type Parts, said } from '../../sentences.ts';
import { type Reading, tooLarge } from '../row-source.ts';
import { type CellContext, cellOf, mailOfFormula, type RawCell, runsOf } from './cell-values.ts';
import { type StruckRemark, type TextRun, withoutStruckText } from './text-runs.ts';

const KEPT_CELLS_MAX = 1024;

/** A stray cell in the last column makes a row very wide. */
const GAPS_FREE = 4_000_000;
const SPAN_PER_CELL = 12;

type LinkRemark = Extract<RowRemark, { kind: 'link' }>;

/** Takes cells in any order; fills in missing references and keeps gaps. */
export class RowAssembler {
  readonly #sheet;
  readonly #reading;
  #finished: SheetRow[] = [];
  #lastRowNumber = 0;
  #rowNumber = 0;
  #isHidden = false;
  #lastColumn = -1;
  /** Reused for every row: cells beyond `#width` belong to earlier rows. */
  #cells: (Cell | undefined)[] = [];
  #width = 0;
  #remarks: (StruckRemark | LinkRemark)[] = [];
  #fills: string[] | undefined;
  /** In rows not yet taken: all, and in finished rows. */
  #characters = 0;
  #finishedCharacters = 0;
  #allCharacters = 0;
  /** Filled cells; and all cells up to the last one of each row. */
  #held = 0;
  #span = 0;

  readonly #mails: ReadonlyMap<string, string> | undefined;

  constructor(sheet: string, reading: Reading, mails: ReadonlyMap<string, string> | undefined) {
    this.#mails = mails;
    this.#sheet = sheet;
    this.#reading = reading;
  }

  /** Without a number it follows the row before. */
  startRow(rowNumber: number | undefined, isHidden: boolean) {
    this.#isHidden = isHidden;
    this.#rowNumber = rowNumber ?? this.#lastRowNumber + 1;
    if (this.#rowNumber > this.#reading.limits.rows)
      throw this.#tooMuch('too-many-rows/sheet', { rows: this.#reading.limits.rows });
    this.#lastColumn = -1;
    this.#width = 0;
    if (this.#remarks.length > 0) this.#remarks = [];
    this.#fills = undefined;
    if (this.#cells.length > KEPT_CELLS_MAX) this.#cells = [];
  }

  /** Without a column it follows the cell before. */
  startCell(column: number | undefined) {
    this.#lastColumn = column ?? this.#lastColumn + 1;
    if (this.#lastColumn >= this.#reading.limits.columns)
      throw this.#tooMuch('too-many-columns/sheet', { columns: this.#reading.limits.columns });
  }

  put(cell: Cell | undefined) {
    if (cell === undefined) return;
    if (cell.kind === 'text') this.#count(cell.text.length);
    const column = this.#lastColumn;
    this.#held += 1;
    const cells = this.#cells;
    for (; this.#width < column; this.#width += 1) cells[this.#width] = undefined;
    cells[column] = cell;
    if (column === this.#width) this.#width += 1;
  }

  putRaw(raw: RawCell, context: CellContext) {
    this.put(cellOf(raw, context));
    const { struck, fill } = context.formats[raw.style] ?? {};
    this.strike(runsOf(raw, context), struck === true);
    if (fill !== undefined) (this.#fills ??= [])[this.#lastColumn] = fill;
    const address = mailOfFormula(raw.formula);
    if (address !== undefined) this.#remarks.push({ kind: 'link', column: this.#lastColumn, address });
  }

  strike(runs: readonly TextRun[] | undefined, isStruck: boolean) {
    const column = this.#lastColumn;
    const cell = this.#cells[column];
    const struck = cell && column < this.#width ? withoutStruckText(cell, column, runs, isStruck) : undefined;
    if (struck === undefined) return;
    this.#remarks.push(struck.remark);
    this.#cells[column] = struck.cell;
  }

  endRow() {
    this.#lastRowNumber = this.#rowNumber;
    this.#finishedCharacters = this.#characters;
    if (this.#width === 0) return;
    this.#span += this.#width;
    if (this.#span > GAPS_FREE + this.#held * SPAN_PER_CELL) throw this.#tooMuch('cells-far-right');
    if (this.#mails !== undefined && this.#mails.size > 0) this.#addLinks(this.#mails);
    const plain = { sheet: this.#sheet, rowNumber: this.#rowNumber, cells: this.#cells.slice(0, this.#width) };
    const seen = this.#fills === undefined ? plain : { ...plain, fills: this.#fills };
    const row: SheetRow = this.#isHidden ? { ...seen, hidden: true } : seen;
    this.#finished.push(this.#remarks.length === 0 ? row : { ...row, remarks: remarksOnStruck(row, this.#remarks) });
  }

  #addLinks(mails: ReadonlyMap<string, string>) {
    for (let column = 0; column < this.#width; column += 1) {
      const address = this.#cells[column] === undefined ? undefined : mails.get(cellAddress(column, this.#rowNumber));
      if (address !== undefined) this.#remarks.push({ kind: 'link', column, address });
    }
  }

  take() {
    const finished = this.#finished;
    this.#finished = [];
    this.#characters -= this.#finishedCharacters;
    this.#finishedCharacters = 0;
    return finished;
  }

  #count(characters: number) {
    this.#characters += characters;
    this.#allCharacters += characters;
    if (characters > this.#reading.limits.cellCharacters) throw this.#tooMuch('cell-too-long/sheet');
    if (this.#allCharacters > this.#reading.limits.sheetCharacters) throw this.#tooMuch('too-much-text/sheet');
    if (this.#characters > this.#reading.limits.rowCharacters) throw this.#tooMuch('row-too-long/sheet');
  }

  #tooMuch(code: string, parts?: Parts) {
    return tooLarge(this.#reading, code, { sheet: this.#sheet, rowNumber: this.#rowNumber, ...parts });
  }
}

/** One remark instead if most of the row is struck through. */
export function remarksOnStruck(
  { cells }: SheetRow,
  remarks: readonly (StruckRemark | LinkRemark)[],
): readonly RowRemark[] {
  const struck = remarks.filter((remark) => remark.kind === 'struck' && remark.whole);
  const [first] = struck;
  if (first === undefined || 2 * struck.length < cells.filter((cell) => !isBlank(cell)).length) return remarks;
  return [
    { kind: 'doubt', column: first.column, ...said('row-struck-out') },
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
