/** A place in a text at which its bytes did not mean what they are, or may mean two things. */
export interface TextMark {
  /**
   * `null`: a NUL was left out. `unknown`: a byte that may be one letter or another. `stray`: a byte that is not UTF-8 was read as windows-1252. `utf-8`: a character that is not windows-1252 was read as
   * UTF-8. `row`: a row begins here, after a lone carriage return. `perhaps row`: one may begin here, or right after the carriage return that stands here.
   */
  readonly kind: 'null' | 'unknown' | 'stray' | 'utf-8' | 'row' | 'perhaps row';
  /** How many bytes of the text, as UTF-8, stand before it. */
  readonly at: number;
}

/** The marks of a text that are still to come. */
export class MarksAhead {
  #marks: TextMark[] = [];
  /** How many of them have been taken. */
  #taken = 0;
  #sorted = true;
  /** The place of the first; beyond any place where there is none. */
  next = Infinity;

  add(mark: TextMark): void {
    this.#sorted &&= mark.at >= (this.#marks.at(-1)?.at ?? 0);
    this.#marks.push(mark);
    this.next = Math.min(this.next, mark.at);
  }

  /** Takes those before a place, in the order of their places. */
  takeBefore(place: number): readonly TextMark[] {
    if (!this.#sorted) {
      this.#marks = this.#marks.slice(this.#taken).toSorted((a, b) => a.at - b.at);
      this.#taken = 0;
      this.#sorted = true;
    }
    const first = this.#taken;
    while ((this.#marks[this.#taken]?.at ?? Infinity) < place) this.#taken += 1;
    const taken = this.#marks.slice(first, this.#taken);
    if (this.#taken === this.#marks.length) {
      this.#marks = [];
      this.#taken = 0;
    }
    this.next = this.#marks[this.#taken]?.at ?? Infinity;
    return taken;
  }
}
