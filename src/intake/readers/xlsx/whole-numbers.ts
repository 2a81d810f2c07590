import type { Cell } from '../../../domain/row.ts';
import { numberCell } from './cell-values.ts';
import type { CellContext } from './cell-values.ts';
import { GENERAL } from './number-formats.ts';
import type { NumberFormat } from './number-formats.ts';

const KEPT_MOMENTS = 1 << 12;

/** Makes cells of whole numbers. Dates come again and again, and to reckon one takes long: those looked up last are kept. */
export class WholeNumbers {
  readonly #context: CellContext;
  readonly #keptValue = new Int32Array(KEPT_MOMENTS).fill(-1);
  readonly #keptStyle = new Int32Array(KEPT_MOMENTS);
  readonly #keptCell: (Cell | undefined)[] = Array.from({ length: KEPT_MOMENTS });

  constructor(context: CellContext) {
    this.#context = context;
  }

  /** The cell of a number that the file spells without sign or leading zeros. @param value from 0 up to nine digits. */
  cell(value: number, style: number): Cell | undefined {
    const format = this.#context.formats[style] ?? GENERAL;
    if (format.shows !== 'number') return this.#moment(value, style, format);
    const raw = String(value);
    return format.code === undefined ? { kind: 'number', value, raw } : { kind: 'number', value, raw, format: format.code };
  }

  #moment(value: number, style: number, format: NumberFormat): Cell | undefined {
    const slot = (value + style * 61) & (KEPT_MOMENTS - 1);
    if (this.#keptValue[slot] === value && this.#keptStyle[slot] === style) return this.#keptCell[slot];
    const cell = numberCell(String(value), format, this.#context.date1904);
    this.#keptValue[slot] = value;
    this.#keptStyle[slot] = style;
    this.#keptCell[slot] = cell;
    return cell;
  }
}
