import type { AskedWord } from '../../domain/layout.ts';
import type { RowOutcome } from '../../domain/row.ts';
import { fieldNamed } from '../fields.ts';
import { proposedValue } from '../values/choice.ts';

const WORDS_MAX = 200;
const WORD_LENGTH_MAX = 80;

export class AskedWords {
  readonly #words = new Map<string, { readonly field: string; readonly word: string; rows: number }>();

  add(outcome: RowOutcome): void {
    if (outcome.kind === 'order') return;
    for (const { rule, field, value } of outcome.problems) {
      if (rule !== 'value-not-listed' || field === null || value.length > WORD_LENGTH_MAX) continue;
      const key = `${field} ${value.toLowerCase()}`;
      const known = this.#words.get(key);
      if (known !== undefined) known.rows += 1;
      else if (this.#words.size < WORDS_MAX) this.#words.set(key, { field, word: value, rows: 1 });
    }
  }

  /** Those with a proposal. */
  asked(): readonly AskedWord[] {
    return [...this.#words.values()].flatMap(({ field, word, rows }) => {
      const proposal = proposedValue(word, fieldNamed(field)?.values ?? [], rows);
      return proposal === undefined ? [] : [{ field, word, rows, proposal }];
    });
  }
}
