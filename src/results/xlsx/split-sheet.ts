import type { Cell, Chart, Picture, SheetOptions, SheetWriter } from '../workbook-writer.ts';
import type { SheetPart } from './sheet-part.ts';

/** A sheet that goes on on another one when it is full. */
export class SplitSheet implements SheetWriter {
  readonly parts: SheetPart[];
  readonly #options: SheetOptions;
  readonly #newPart: (options: SheetOptions) => SheetPart;
  readonly #rowsMax: number;

  constructor(options: SheetOptions, newPart: (options: SheetOptions) => SheetPart, rowsMax: number) {
    this.#options = options;
    this.#newPart = newPart;
    this.#rowsMax = rowsMax;
    this.parts = [newPart(options)];
  }

  async row(cells: readonly (Cell | undefined)[], height?: number): Promise<void> {
    if (this.#last.rows >= this.#rowsMax) this.parts.push(this.#newPart(this.#options));
    await this.#last.row(cells, height);
  }

  /** A picture lies on the sheet that is being written. */
  picture(picture: Picture): void {
    this.#last.picture(picture);
  }

  chart(chart: Chart): void {
    this.#last.chart(chart);
  }

  get #last(): SheetPart {
    const last = this.parts.at(-1);
    if (last === undefined) throw new Error('a sheet has at least one part');
    return last;
  }
}
