import { noteFor, sentence } from '../../domain/sentences.ts';
import {
  comparableLetters,
  editDistance,
  HEADER_LENGTH_MAX,
  nearestOf,
  normalizedHeader,
  memoize,
} from '../../domain/text.ts';
import { ADDRESS_FIELDS, type FieldName, fieldNamed, ORDER_FIELDS, type OrderField } from '../fields.ts';
import { isChoice } from '../values/choice.ts';
import type { DateOrder } from '../values/coercion.ts';
import { headerPatterns } from './header-patterns.ts';
import { ADDING_NOTHING, headersOf, piecesOf, withoutFrame, expandWord } from './header-words.ts';

export const ROW_KEY_HEADER = '_row';

const IGNORED = 'ignore';

/** A longer word is not an old system's `EFFDT`. */
const WORD_MAX = 12;
const EMPTY_WORDS = new Set(['the', 's']);

/** `polEffDt` → `policy`, `effective`, `date`. */
export const headerWords = memoize((header) => {
  const words = withoutFrame(header.normalize('NFKC'))
    .replaceAll('#', ' # ')
    .replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu, ' ')
    .replace(/(?<=\p{L})(?=\p{N})/gu, ' ')
    .toLowerCase()
    .split(/[^\p{L}\p{N}#]+/u)
    .filter((word) => word !== '' && !EMPTY_WORDS.has(word))
    .flatMap((word) => (word.length > WORD_MAX ? word : (piecesOf(word) ?? word)));
  return words.map((word, at) => expandWord(word, at === words.length - 1));
});

/** `Pol Eff Dt`, `polEffDate` and `Policy Effective Date` become the same. */
export const spellOut = memoize((header) => headerWords(header).join(''));

/** The sign that changes the meaning of a header's numbers, such as `%` or `000s`. */
export const otherUnit = memoize((header) =>
  header.length > HEADER_LENGTH_MAX
    ? undefined
    : headerPatterns.otherUnit.exec(header.normalize('NFKC'))?.[0].replace(/[()[\]{}\s]/g, ''),
);

export function unitAdvice(unit: string) {
  return sentence('other-unit', { unit });
}

const BRACKETS = /[([{]([^()[\]{}]*)[)\]}]$/;

function withoutBrackets(header: string) {
  const found = BRACKETS.exec(header.trimEnd().replace(/\*$/, '').trimEnd());
  const name = found === null ? '' : header.slice(0, found.index).trimEnd();
  return found === null || name === '' ? undefined : { name, bracketed: (found[1] ?? '').trim().toLowerCase() };
}

function mayBeBracketed({ name, kind, values }: OrderField, bracketed: string) {
  return (
    ['any', name, kind].some((behind) => headerPatterns.brackets[behind]?.test(bracketed) === true) ||
    bracketed.split(/[/,|]/).some((choice) => isChoice(choice.trim(), values))
  );
}

export function headerDateOrder(header: string): DateOrder | undefined {
  if (/(?:^|[^a-z])dd?[ /.-]?mm?[ /.-]?(?:yy){1,2}(?![a-z])/i.test(header)) return 'day first';
  return /(?:^|[^a-z])mm?[ /.-]?dd?[ /.-]?(?:yy){1,2}(?![a-z])/i.test(header) ? 'month first' : undefined;
}

export type KnownHeaders = ReturnType<typeof knownHeaders>;

const NAMES = ORDER_FIELDS.flatMap((field) => headersOf(field.name).names.map((name) => ({ name, field })));
const BUILT_IN = new Map(NAMES.map(({ name, field }) => [normalizedHeader(name), field]));

/** By written-out names; a name of two fields is left out. */
const WRITTEN_OUT = new Map(
  [...Map.groupBy(NAMES, ({ name }) => spellOut(name))].flatMap(([name, [first, ...others]]) =>
    first === undefined || others.some(({ field }) => field !== first.field) ? [] : [[name, first.field]],
  ),
);

/** Without its slash it would be a number. */
const NEW_OR_RENEWAL = /^\s*n\s?\/\s?r(?:\s*\?)?\s*$/i;

function namedWhole(header: string) {
  return BUILT_IN.get(normalizedHeader(header)) ?? WRITTEN_OUT.get(spellOut(header));
}

/** The rest of a header such as `Cov A (000s)`, whose numbers are thousands of dollars. */
export const headerOfThousands = memoize((header) => {
  const rest = header.replace(headerPatterns.thousands, ' ').trim();
  return rest === header.trim() || otherUnit(rest) !== undefined ? undefined : rest;
});

export const builtInField = memoize((header): OrderField | undefined => {
  if (header.length > HEADER_LENGTH_MAX) return undefined;
  if (otherUnit(header) !== undefined) {
    const field = builtInField(headerOfThousands(header) ?? '');
    return field?.kind === 'money' ? field : undefined;
  }
  const whole = namedWhole(header);
  if (whole !== undefined) return whole;
  if (NEW_OR_RENEWAL.test(header)) return fieldNamed('isRenewal');
  const short = withoutBrackets(header);
  if (short === undefined) return undefined;
  const field = builtInField(short.name);
  if (field !== undefined && mayBeBracketed(field, short.bracketed)) return field;
  return namedWhole(`${short.bracketed} ${short.name}`);
});

const ownKey = memoize((header) => `${normalizedHeader(header)} ${otherUnit(header) ?? ''}`);

/** `intake.headers` overrides the built-in ones. */
export function knownHeaders(configured: Readonly<Record<string, string>>) {
  const own = new Map<string, OrderField | typeof IGNORED>();
  const notes = [];
  for (const [header, fieldName] of Object.entries(configured)) {
    const field =
      fieldName === IGNORED ? IGNORED : (fieldNamed(fieldName) ?? BUILT_IN.get(normalizedHeader(fieldName)));
    if (field === undefined) {
      const near = nearestOf(
        fieldName,
        ORDER_FIELDS.map(({ name }) => name),
      );
      notes.push(
        noteFor('config-no-field', { header, fieldName, hint: near === undefined ? '' : `; did you mean "${near}"?` }),
      );
    } else {
      own.set(ownKey(header), field);
    }
  }
  return {
    notes,
    /** Undefined unless certain. */
    fieldOf: (header: string) => {
      const field = own.get(ownKey(header)) ?? builtInField(header);
      return field === IGNORED ? undefined : field;
    },
    isIgnored: (header: string) => own.get(ownKey(header)) === IGNORED,
    isConfigured: (header: string) => own.has(ownKey(header)),
  };
}

const SLIP_MAX = 0.2;
const CONTAINED_MIN = 5;

/** Stricter than `nearestOf`, because short names are similar (`DOB`, `LOB`; `Owner`, `Order`). */
export function nearestHeader(text: string, candidates: readonly string[]) {
  const wanted = comparableLetters(text);
  const near = candidates.filter((candidate) => {
    const other = comparableLetters(candidate);
    const [shorter, longer] = wanted.length < other.length ? [wanted, other] : [other, wanted];
    if (longer.includes(shorter))
      return shorter.length >= CONTAINED_MIN && 2 * shorter.length >= longer.length && !candidate.includes('#');
    return (
      wanted[0] === other[0] &&
      longer.length - shorter.length <= SLIP_MAX * longer.length &&
      editDistance(wanted, other) <= SLIP_MAX * longer.length
    );
  });
  return nearestOf(text, near);
}

export const AGENT_FIELDS: Readonly<Partial<Record<FieldName, FieldName>>> = {
  insuredName: 'agentName',
  insuredPhone: 'agentPhone',
  insuredEmail: 'agentEmail',
};

const SHORT_HEADERS = new Map(
  ORDER_FIELDS.flatMap(({ name: field }) => {
    const { ifAlone, ifNoAgent } = headersOf(field);
    return [
      ...ifAlone.map((name) => [spellOut(name), { field, rival: undefined }] as const),
      ...ifNoAgent.map((name) => [spellOut(name), { field, rival: AGENT_FIELDS[field] }] as const),
    ];
  }),
);

export const AGENTS = new Set(Object.values(AGENT_FIELDS));

const SHORT_LENGTH_MAX = 60;

type Short = Readonly<{ field: FieldName; rival: FieldName | undefined; isAmongWords?: true }>;

/** The longest listed name between words that add nothing: `Contact phone` in `Survey Contact Phone`. */
function namedAmong(words: readonly string[]): Short | undefined {
  const isDate = words.includes('effective') || words.includes('inception');
  if (isDate && !headerPatterns.words.otherDates.test(words.join('')))
    return { field: 'policyEffectiveDate', rival: undefined, isAmongWords: true };
  for (let length = words.length - 1; length > 0; length -= 1)
    for (let start = 0; start <= words.length - length; start += 1) {
      if (!words.toSpliced(start, length).every((word) => ADDING_NOTHING.has(word))) continue;
      const name = words.slice(start, start + length).join('');
      const field = SHORT_HEADERS.get(name)?.field ?? WRITTEN_OUT.get(name)?.name;
      if (field !== undefined && field !== 'dueDate' && !(ADDRESS_FIELDS as readonly FieldName[]).includes(field))
        return { field, rival: SHORT_HEADERS.get(name)?.rival, isAmongWords: true };
    }
  return undefined;
}

const shortHeaderOf = memoize((header): Short | undefined => {
  if (header.length > SHORT_LENGTH_MAX || otherUnit(header) !== undefined) return undefined;
  const name = spellOut(header);
  const short = SHORT_HEADERS.get(name);
  if (short !== undefined || WRITTEN_OUT.has(name)) return short;
  const of = name.endsWith('code') ? WRITTEN_OUT.get(name.slice(0, -'code'.length)) : undefined;
  return of?.kind === 'enum' ? { field: of.name, rival: undefined } : namedAmong(headerWords(header));
});

/** True if only values can confirm what it means. */
export function isNamedAmong(header: string) {
  return shortHeaderOf(header)?.isAmongWords === true;
}

export function shortMeaning(header: string) {
  return shortHeaderOf(header)?.field;
}

export type OtherHeaders = Readonly<{
  fields: ReadonlySet<FieldName>;
  leftOf?: 'insured' | 'agent' | undefined;
  /** Fields that only short headers could mean: an agency's phone is the agent's. */
  could?: ReadonlySet<FieldName>;
}>;

/**
 * Undefined unless its row makes a short header certain: no column has the full one, and the agent is ruled out.
 * The caller judges two short headers for one field.
 */
export function shortHeaderField(header: string, { fields, leftOf, could }: OtherHeaders): FieldName | undefined {
  const short = shortHeaderOf(header);
  if (short === undefined) return undefined;
  if (fields.has(short.field))
    return leftOf === 'agent' && !fields.has(short.rival ?? short.field) ? short.rival : undefined;
  if (short.rival === undefined || leftOf === 'insured' || fields.has(short.rival) || could?.has(short.rival) === true)
    return short.field;
  return leftOf === 'agent' || !AGENTS.isDisjointFrom(fields) ? undefined : short.field;
}

const CONTACT_KINDS = headerPatterns.callingOrder;

/** The order of calling; 0 is a plain header. */
export function contactRank(header: string) {
  if (!/Phone|Email/.test(shortMeaning(header) ?? '')) return undefined;
  const name = spellOut(header).replaceAll('homeowner', 'owner');
  const rank = CONTACT_KINDS.findIndex((kind) => kind.test(name));
  return rank === -1 ? undefined : rank;
}

export const SECOND_CONTACT = CONTACT_KINDS.length - 1;

/** It continues a sentence. */
export function unsentHeader(header: string) {
  const unit = otherUnit(header);
  if (unit !== undefined) return unitAdvice(unit);
  const name = normalizedHeader(header);
  return headerPatterns.unsent.find(({ pattern }) => pattern.test(name))?.advice;
}
