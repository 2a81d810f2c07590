/**
 * Every project's present status, and when it changes by itself, in two plain columns: a search by status over a million projects
 * looks at bytes, and asks for a project's course only when its time has come.
 */
export class StatusBoard {
  #codes = new Uint16Array(1024);
  #changesAt = new Float64Array(1024);
  readonly #names: string[] = [];
  readonly #codeByName = new Map<string, number>();
  readonly #refresh: (index: number) => { readonly status: string; readonly changesAt: number };

  /** `refresh` tells a project's status now and the time of its next change, in milliseconds (Infinity: never). */
  constructor(refresh: (index: number) => { readonly status: string; readonly changesAt: number }) {
    this.#refresh = refresh;
  }

  /** Says what a project's status is from now on. */
  set(index: number, status: string, changesAt: number): void {
    if (index >= this.#codes.length) this.#grow(index);
    this.#codes[index] = this.#codeOf(status);
    this.#changesAt[index] = changesAt;
  }

  /** The status of a project at `now`. */
  statusAt(index: number, now: number): string {
    this.#update(index, now);
    return this.#names[this.#codes[index] ?? 0] ?? '';
  }

  /** The first project from `from` on, below `count`, that has the status at `now`; `count` when there is none. */
  next(status: string, from: number, count: number, now: number): number {
    const wanted = this.#codeOf(status);
    let index = from;
    while (index < count) {
      this.#update(index, now);
      if (this.#codes[index] === wanted) return index;
      index += 1;
    }
    return count;
  }

  #update(index: number, now: number): void {
    if ((this.#changesAt[index] ?? 0) > now) return;
    const { status, changesAt } = this.#refresh(index);
    this.set(index, status, changesAt);
  }

  #codeOf(status: string): number {
    const known = this.#codeByName.get(status);
    if (known !== undefined) return known;
    const code = this.#names.push(status) - 1;
    this.#codeByName.set(status, code);
    return code;
  }

  #grow(index: number): void {
    const length = Math.max(index + 1, this.#codes.length * 2);
    const codes = new Uint16Array(length);
    codes.set(this.#codes);
    this.#codes = codes;
    const changesAt = new Float64Array(length);
    changesAt.set(this.#changesAt);
    this.#changesAt = changesAt;
  }
}
