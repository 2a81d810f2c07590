import { z } from 'zod';
import { type FieldName, ORDER_FIELDS } from '../fields.ts';
import { vocabulary, wordsByForm } from '../vocabulary.ts';

const texts = z.array(z.string().min(1).max(60)).min(1);

const words = vocabulary(
  'headers',
  z.strictObject({
    groups: z.record(z.string(), texts),
    shortForms: wordsByForm,
    lastWords: wordsByForm,
    around: z.array(z.string()),
    kinds: texts,
    addingNothing: texts,
    fields: z.record(
      z.enum(ORDER_FIELDS.map(({ name }) => name)),
      z.strictObject({ names: texts, ifAlone: texts.default([]), ifNoAgent: texts.default([]) }),
    ),
  }),
)();

/** `{property} city` → `Risk city`, `Location city`, … */
function expanded(header: string): string[] {
  const group = /\{([^{}]+)\}/.exec(header);
  if (group === null) return [header];
  const members = words.groups[group[1] ?? ''];
  if (members === undefined) throw new Error(`headers.yaml has no group for "${header}"`);
  return members.flatMap((member) => expanded(header.replace(group[0], () => member)));
}

const HEADERS = new Map(
  ORDER_FIELDS.map(({ name, title }) => {
    const { names, ifAlone, ifNoAgent } = words.fields[name];
    const headers = {
      names: [name, title, ...names.flatMap(expanded)],
      ifAlone: ifAlone.flatMap(expanded),
      ifNoAgent: ifNoAgent.flatMap(expanded),
    };
    return [name, headers] as const;
  }),
);

export function headersOf(field: FieldName) {
  return HEADERS.get(field) ?? { names: [], ifAlone: [], ifNoAgent: [] };
}

/** `pol` → `policy`. */
export function expandWord(form: string, isLast: boolean) {
  return (isLast ? words.lastWords.get(form) : undefined) ?? words.shortForms.get(form) ?? form;
}

const KINDS = new Set(words.kinds);
const AROUND = words.around.map((pattern) => new RegExp(pattern, 'iu'));

export function isKindWord(word: string) {
  return KINDS.has(word);
}

export const ADDING_NOTHING = new Set(words.addingNothing);

/** `Policy_Number__c` → `Policy_Number`, `What is the insured's name?` → `insured's name`. */
export function withoutFrame(header: string) {
  return AROUND.reduce((rest, pattern) => rest.replace(pattern, ''), header);
}

const PIECES = new Set([
  ...words.shortForms.keys(),
  ...[...HEADERS.values()].flatMap(({ names }) => names.flatMap((name) => name.toLowerCase().split(/[^a-z]+/))),
]);
const PIECE_MIN = 2;

/** `POLNBR` → `pol`, `nbr`; undefined if that fails. */
export function piecesOf(word: string): readonly string[] | undefined {
  if (word === '') return [];
  for (let end = word.length; end >= PIECE_MIN; end -= 1) {
    const rest = PIECES.has(word.slice(0, end)) ? piecesOf(word.slice(end)) : undefined;
    if (rest !== undefined) return [word.slice(0, end), ...rest];
  }
  return undefined;
}
