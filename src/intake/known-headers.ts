import { fieldNamed, ORDER_FIELDS } from './fields.ts';
import type { OrderField } from './fields.ts';
import { nearestOf } from './nearest.ts';

/** The header of the hidden key column of a corrections workbook. */
export const ROW_KEY_HEADER = '_row';

/** A header without what senders write differently: case, white space, punctuation; `#` is read as the word number. */
export function normalisedHeader(header: string): string {
  return header
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\((required|optional|mandatory)\)/, '')
    .replaceAll('#', 'number')
    .replace(/[^\p{L}\p{N}]+/gu, '');
}

/** The headers that are known: API names, template titles, synonyms, and those of the config. */
export interface KnownHeaders {
  /** The field a header stands for; undefined where it is not known. Never a guess. */
  fieldOf(header: string): OrderField | undefined;
  /** The known header that looks most like an unknown one, for a person to judge. */
  nearestTo(header: string): string | undefined;
  /** What is wrong with the config's own headers, in sentences. */
  readonly notes: readonly string[];
}

const BUILT_IN: ReadonlyMap<string, OrderField> = new Map(
  ORDER_FIELDS.flatMap((field) => [field.name, field.title, ...field.synonyms].map((name) => [normalisedHeader(name), field] as const)),
);

const READABLE_NAMES: readonly string[] = ORDER_FIELDS.flatMap((field) => [field.title, ...field.synonyms]);

/** The known headers, with the config's `intake.headers` (sender's header → field) over the built-in ones. */
export function knownHeaders(configured: Readonly<Record<string, string>>): KnownHeaders {
  const own = new Map<string, OrderField>();
  const notes: string[] = [];
  for (const [header, fieldName] of Object.entries(configured)) {
    const field = fieldNamed(fieldName) ?? BUILT_IN.get(normalisedHeader(fieldName));
    if (field === undefined) {
      const near = nearestOf(fieldName, ORDER_FIELDS.map(({ name }) => name));
      notes.push(`The config's intake.headers maps "${header}" to "${fieldName}", which is no field of an order${near === undefined ? '' : `; did you mean "${near}"?`}`);
    } else {
      own.set(normalisedHeader(header), field);
    }
  }
  return {
    notes,
    fieldOf: (header) => {
      const name = normalisedHeader(header);
      return own.get(name) ?? BUILT_IN.get(name);
    },
    nearestTo: (header) => nearestOf(header, [...Object.keys(configured), ...READABLE_NAMES]),
  };
}
