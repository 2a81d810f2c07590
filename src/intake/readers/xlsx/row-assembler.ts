import type { Cell, SheetRow } from '../../../domain/row.ts';
import { tooMuch } from '../reading.ts';
import type { Reading } from '../reading.ts';

/** Puts cells at their places in rows: counts where references are missing, keeps gaps, takes cells in any order. */
export class RowAssembler {
  readonly #sheet: string;
  readonly #reading: Reading;
  #finished: SheetRow[] = [];
  #lastRowNumber = 0;
  #rowNumber = 0;
  #lastColumn = -1;
  #cells: (Cell | undefined)[] = [];

  constructor(sheet: string, reading: Reading) {
    this.#sheet = sheet;
    this.#reading = reading;
  }

  /** @param rowNumber as the row says it, or undefined where it says nothing sensible: then it follows the row before. */
  startRow(rowNumber: number | undefined): void {
    this.#rowNumber = rowNumber ?? this.#lastRowNumber + 1;
    if (this.#rowNumber > this.#reading.limits.rows) throw this.#tooMuch(`has more than ${this.#reading.limits.rows} rows`);
    this.#lastColumn = -1;
    if (this.#cells.length > 0) this.#cells = [];
  }

  /** @param column the next cell's index, from 0, or undefined where it names none: then it follows the cell before. */
  startCell(column: number | undefined): void {
    this.#lastColumn = column ?? this.#lastColumn + 1;
    if (this.#lastColumn >= this.#reading.limits.columns) throw this.#tooMuch(`has more than ${this.#reading.limits.columns} columns`);
  }

  /** What the cell started last holds. */
  put(cell: Cell | undefined): void {
    if (cell === undefined) return;
    if (cell.kind === 'text' && cell.text.length > this.#reading.limits.cellCharacters) {
      throw this.#tooMuch(`holds a text longer than a cell can be, in row ${this.#rowNumber}`);
    }
    const cells = this.#cells;
    while (cells.length < this.#lastColumn) cells.push(undefined);
    cells[this.#lastColumn] = cell;
  }

  /** The row counts from here on; until then it can be started anew. */
  endRow(): void {
    this.#lastRowNumber = this.#rowNumber;
    if (this.#cells.length === 0) return;
    this.#finished.push({ sheet: this.#sheet, rowNumber: this.#rowNumber, cells: this.#cells });
    this.#cells = [];
  }

  /** The rows finished since the last call that hold anything. */
  take(): readonly SheetRow[] {
    const finished = this.#finished;
    this.#finished = [];
    return finished;
  }

  #tooMuch(what: string) {
    return tooMuch(this.#reading, `its sheet "${this.#sheet}" ${what}`);
  }
}
