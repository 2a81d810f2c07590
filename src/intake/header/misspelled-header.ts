import { editDistance, memoize, nearestOf } from '../../domain/text.ts';
import { ORDER_FIELDS } from '../fields.ts';
import { headersOf } from './header-words.ts';
import { builtInField, shortMeaning, headerWords } from './known-headers.ts';

const NAMES = new Map(
  ORDER_FIELDS.flatMap(({ name: field }) => {
    const { names, ifAlone, ifNoAgent } = headersOf(field);
    return [...names.slice(1), ...ifAlone, ...ifNoAgent].map((name) => [name, field] as const);
  }),
);

/** `Polciy Nmber`; `name` is the listed one. Undefined for a listed name, and if a whole word or a number differs, as in `Phone 2`. */
export const misspelledHeader = memoize((header) => {
  if (builtInField(header) !== undefined || shortMeaning(header) !== undefined) return undefined;
  const words = headerWords(header);
  const name = nearestOf(
    words.join(' '),
    [...NAMES.keys()].filter((candidate) => areMisspelled(words, headerWords(candidate))),
  );
  const field = NAMES.get(name ?? '');
  if (name === undefined || field === undefined) return undefined;
  const right = headerWords(name);
  return { field, name, wrongWords: words.filter((word, at) => word !== right[at]).join(' ') };
});

function areMisspelled(words: readonly string[], right: readonly string[]) {
  return words.length === right.length && words.every((word, at) => isMisspelled(word, right[at] ?? ''));
}

const WORD_MIN = 4;
const SLIP_MAX = 0.2;

function isMisspelled(word: string, right: string) {
  if (word === right) return true;
  const [shorter, longer] = [Math.min(word.length, right.length), Math.max(word.length, right.length)];
  const slips = Math.max(1, Math.floor(SLIP_MAX * longer));
  return shorter >= WORD_MIN && word[0] === right[0] && longer - shorter <= slips && editDistance(word, right) <= slips;
}
