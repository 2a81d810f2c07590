const ROWS_NAMED_MAX = 5;

/** Counts something that people should look at, and remembers the first rows where it stands. */
export class PlacesOfNote {
  readonly #rows: number[] = [];
  #more = false;
  #lastRow = 0;
  count = 0;

  add(row: number): void {
    this.count += 1;
    if (this.#lastRow === row) return;
    this.#lastRow = row;
    if (this.#rows.length < ROWS_NAMED_MAX) this.#rows.push(row);
    else this.#more = true;
  }

  /** Such as `row 7`, `rows 7, 9` or `rows 7, 9, 12, 13, 20 and further ones`. */
  get rows(): string {
    return `${this.#rows.length === 1 && !this.#more ? 'row' : 'rows'} ${this.#rows.join(', ')}${this.#more ? ' and further ones' : ''}`;
  }
}
