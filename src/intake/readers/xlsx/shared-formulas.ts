import { tooMuch } from '../reading.ts';
import type { Reading } from '../reading.ts';

/** As much of a formula as a person is shown: the same long one may stand in a million cells. */
const SHOWN_CHARACTERS = 256;

/** Formulas that several cells share: only the first of them holds the text. */
export class SharedFormulas {
  readonly #reading: Reading;
  readonly #texts = new Map<string, string>();
  #characters = 0;
  /** Those of the row at hand, which may be started anew. */
  readonly #fresh = new Map<string, string>();

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  startRow(): void {
    if (this.#fresh.size > 0) this.#fresh.clear();
  }

  endRow(): void {
    if (this.#fresh.size === 0) return;
    for (const [index, text] of this.#fresh) {
      this.#texts.set(index, text);
      this.#characters += text.length;
    }
    if (this.#characters > this.#reading.limits.rowCharacters) throw tooMuch(this.#reading, 'its formulas are too many and too long');
  }

  /**
   * The formula's text; for a cell that merely refers to a shared one, the text as the first cell has it.
   * @param type the `t` attribute of `<f>`. @param sharedIndex its `si` attribute.
   */
  textOf(text: string, type: string | undefined, sharedIndex: string | undefined): string {
    if (type !== 'shared' || sharedIndex === undefined) return text;
    if (text === '') return (this.#fresh.get(sharedIndex) ?? this.#texts.get(sharedIndex) ?? '').slice(0, SHOWN_CHARACTERS);
    this.#fresh.set(sharedIndex, text);
    return text;
  }
}
