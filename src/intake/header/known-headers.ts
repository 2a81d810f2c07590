import { editDistance } from '../../domain/text.ts';
import { type FieldKind, fieldNamed, ORDER_FIELDS, type OrderField } from '../fields.ts';

/** The header of the hidden key column of a corrections workbook. */
export const ROW_KEY_HEADER = '_row';

/** What the config's `intake.headers` says of a column that stands for no field. */
const IGNORED = 'ignore';

/** What is longer is a text, and no header. */
const HEADER_LENGTH_MAX = 300;
const REMEMBERED_MAX = 20_000;

/** The same headers are asked about again and again, and what is longer than one is like no other. */
function remembered<Answer>(work: (header: string) => Answer): (header: string) => Answer {
  const known = new Map<string, { readonly answer: Answer }>();
  return (header) => {
    const text = header.slice(0, HEADER_LENGTH_MAX + 1);
    const before = known.get(text);
    if (before !== undefined) return before.answer;
    if (known.size === REMEMBERED_MAX) known.clear();
    const answer = work(text);
    known.set(text, { answer });
    return answer;
  };
}

/** A header without what senders write differently: case, white space, punctuation; `#` is read as the word number. */
export const normalisedHeader = remembered((header) =>
  header
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('#', 'number')
    .replace(/[^\p{L}\p{N}]+/gu, ''),
);

/** Short forms that stand for one word only, wherever they stand in a header. */
const WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    no: 'number', nr: 'number', nbr: 'number', num: 'number', numb: 'number', '#': 'number', pol: 'policy', plcy: 'policy', eff: 'effective', dt: 'date', insd: 'insured',
    addr: 'address', adr: 'address', ln: 'line', ph: 'phone', phn: 'phone', tel: 'phone', telephone: 'phone', tele: 'phone', yr: 'year', blt: 'built', orig: 'original', cov: 'coverage', cvg: 'coverage',
    covg: 'coverage', amt: 'amount', lmt: 'limit', prop: 'property', loc: 'location', prem: 'premises', insp: 'inspection', zipcode: 'zip', cd: 'code', svc: 'service', svcs: 'services', serv: 'service',
    nm: 'name', sq: 'square', ft: 'feet', foot: 'feet', footage: 'feet', ftg: 'feet', sqft: 'squarefeet', sf: 'squarefeet', tot: 'total', liv: 'living', agt: 'agent', agcy: 'agency', co: 'company',
    dwlg: 'dwelling', dwell: 'dwelling', dwg: 'dwelling', bldg: 'building', constr: 'construction', const: 'construction', cnstr: 'construction', oth: 'other', struct: 'structure', structs: 'structures', strs: 'structures',
    uw: 'underwriting', underwriter: 'underwriting', addl: 'additional', supp: 'supplemental', bus: 'business', ren: 'renewal', rqst: 'request', rqstd: 'requested', acct: 'account', cust: 'customer',
  }),
);

/** Words that add nothing. */
const EMPTY_WORDS: ReadonlySet<string> = new Set(['the', 's']);

/** The header's words with their short forms written out: `Pol Eff Dt`, `polEffDate` and `Policy Effective Date` are one. */
export const writtenOut = remembered((header) => {
  const words = header
    .normalize('NFKC')
    .replaceAll('#', ' # ')
    .replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu, ' ')
    .replace(/(?<=\p{L})(?=\p{N})/gu, ' ')
    .toLowerCase()
    .split(/[^\p{L}\p{N}#]+/u)
    .filter((word) => word !== '' && !EMPTY_WORDS.has(word));
  return words.map((word) => WORDS.get(word) ?? word).join('');
});

/** What may stand in brackets after a header without changing what it means, by the kind of its field. */
const BRACKETED_ANYWHERE = /^(?:required|req|mandatory|optional|opt|if (?:any|known|applicable|available)|text|must have|(?:please )?(?:select|choose|pick)(?: (?:one|from (?:the )?list))?|drop[ -]?down)$/;
const DATE_FORMS = /^(?:[dmy]{1,4}[ /.-]?[dmy]{1,4}[ /.-]?[dmy]{1,4}|date)$/;
const BRACKETED: Readonly<Partial<Record<FieldKind, RegExp>>> = {
  money: /^(?:\$|usd|us\$|us dollars|dollars|in dollars|in usd|limit|amount)$/,
  area: /^(?:sq\.? ?\/?ft\.?|sqft|sf|square feet|square foot|in sq\.? ?ft\.?|ft2|ft²)$/,
  date: DATE_FORMS,
  year: /^(?:yyyy|4 digits|four digits)$/,
  boolean: /^(?:y ?\/ ?n|yes ?\/ ?no|true ?\/ ?false|y or n|yes or no)$/,
  state: /^(?:2[ -]letters?|two[ -]letters?|abbr\.?|abbreviation|code|usps)$/,
  zip: /^(?:5 digits?|zip ?\+ ?4|5 or 9 digits)$/,
};

/** Signs and words by which the numbers below are something else than dollars, square feet or years. */
const OTHER_UNIT = /(?!\$)\p{Sc}|[%\u2030\u2031]|\b(?:percent|percentage|pct|thousands?|millions?|(?:x ?)?(?:1,?)?000'?s?|eur|euros?|gbp|cad|mxn|aud|chf|m2|sqm|sq m|square met(?:er|re)s|acres?)\b|['\u2019]0{3}|\bin k\b|[([{]\s*\$?(?:k|m|mm|mil)\s*[)\]}]/iu;

/** The sign or word of a header that changes what its numbers mean, such as `%`, `\u20ac` or `000s`; undefined where it has none. */
export const otherUnit = remembered((header): string | undefined =>
  header.length > HEADER_LENGTH_MAX ? undefined : OTHER_UNIT.exec(header.normalize('NFKC'))?.[0].replace(/[()[\]{}\s]/g, ''),
);

/** Why a column in another unit is not sent, and what to do. It continues a sentence. */
export function unitAdvice(unit: string): string {
  return `"${unit}" changes what its numbers mean, and an order takes whole dollars and square feet. Convert them into a column without it`;
}

const BRACKETS = /[([{]([^()[\]{}]*)[)\]}]$/;

/** A header and what stood in brackets at its end. */
function withoutBrackets(header: string): { readonly name: string; readonly bracketed: string } | undefined {
  const found = BRACKETS.exec(header.trimEnd().replace(/\*$/, '').trimEnd());
  const name = found === null ? '' : header.slice(0, found.index).trimEnd();
  return found === null || name === '' ? undefined : { name, bracketed: (found[1] ?? '').trim().toLowerCase() };
}

function mayBeBracketed({ kind }: OrderField, bracketed: string): boolean {
  return BRACKETED_ANYWHERE.test(bracketed) || (BRACKETED[kind]?.test(bracketed) ?? false);
}

/** The order of day and month that a header asks for, `Effective date (DD/MM/YYYY)`; undefined where it asks for none. */
export function headerDateOrder(header: string): 'day first' | 'month first' | undefined {
  if (/(?:^|[^a-z])dd?[ /.-]?mm?[ /.-]?(?:yy){1,2}(?![a-z])/i.test(header)) return 'day first';
  return /(?:^|[^a-z])mm?[ /.-]?dd?[ /.-]?(?:yy){1,2}(?![a-z])/i.test(header) ? 'month first' : undefined;
}

/** The headers that are known: API names, template titles, synonyms, and those of the config. */
export interface KnownHeaders {
  /** The field a header stands for; undefined where it is not known. Never a guess. */
  fieldOf(header: string): OrderField | undefined;
  /** True where the config says that the column stands for no field. */
  isIgnored(header: string): boolean;
  /** The known header that looks most like an unknown one, for a person to judge. */
  nearestTo(header: string): string | undefined;
  /** What is wrong with the config's own headers, in sentences. */
  readonly notes: readonly string[];
}

/** Every name of a field. */
function namesOf({ name, title, synonyms }: OrderField): readonly string[] {
  return [name, title, ...synonyms];
}

const BUILT_IN: ReadonlyMap<string, OrderField> = new Map(ORDER_FIELDS.flatMap((field) => namesOf(field).map((name) => [normalisedHeader(name), field] as const)));

/** By the names written out; one that would stand for two fields stands for none. */
const WRITTEN_OUT: ReadonlyMap<string, OrderField> = (() => {
  const fields = new Map<string, OrderField>();
  const doubtful = new Set<string>();
  for (const field of ORDER_FIELDS) {
    for (const name of namesOf(field).map(writtenOut)) {
      if ((fields.get(name) ?? field) !== field) doubtful.add(name);
      fields.set(name, field);
    }
  }
  for (const name of doubtful) fields.delete(name);
  return fields;
})();

const READABLE_NAMES: readonly string[] = ORDER_FIELDS.flatMap((field) => [field.title, ...field.synonyms]);

/** The number in front of a header, as in a form: `1. Street address`. */
const NUMBERED = /^\s*\d{1,2}[.)]\s+/;
/** How a date is to be written, said behind its header without brackets. */
const DATE_FORM_BEHIND = /(?<!\s)\s+(?:dd?|mm?|yyyy)[/.-](?:dd?|mm?)[/.-](?:dd?|yy|yyyy)\s*$/i;
/** Without its stroke it would be a number. */
const NEW_OR_RENEWAL = /^\s*n\s?\/\s?r(?:\s*\?)?\s*$/i;

function namedWhole(header: string): OrderField | undefined {
  return BUILT_IN.get(normalisedHeader(header)) ?? WRITTEN_OUT.get(writtenOut(header));
}

function builtInField(header: string): OrderField | undefined {
  if (header.length > HEADER_LENGTH_MAX || otherUnit(header) !== undefined) return undefined;
  const whole = namedWhole(header);
  if (whole !== undefined) return whole;
  if (NEW_OR_RENEWAL.test(header)) return fieldNamed('isRenewal');
  if (NUMBERED.test(header)) return builtInField(header.replace(NUMBERED, ''));
  if (DATE_FORM_BEHIND.test(header)) {
    const dated = builtInField(header.replace(DATE_FORM_BEHIND, ''));
    return dated?.kind === 'date' ? dated : undefined;
  }
  const short = withoutBrackets(header);
  if (short === undefined) return undefined;
  const field = builtInField(short.name);
  if (field !== undefined && mayBeBracketed(field, short.bracketed)) return field;
  // `Phone # (Insured)` is `Insured phone #`.
  return namedWhole(`${short.bracketed} ${short.name}`);
}

/** `Cov A` of the config does not stand for `Cov A %`. */
function ownKey(header: string): string {
  return `${normalisedHeader(header)} ${otherUnit(header) ?? ''}`;
}

/** The known headers, with the config's `intake.headers` (sender's header → field, or `ignore`) over the built-in ones. */
export function knownHeaders(configured: Readonly<Record<string, string>>): KnownHeaders {
  const own = new Map<string, OrderField | typeof IGNORED>();
  const notes: string[] = [];
  for (const [header, fieldName] of Object.entries(configured)) {
    const field = fieldName === IGNORED ? IGNORED : (fieldNamed(fieldName) ?? BUILT_IN.get(normalisedHeader(fieldName)));
    if (field === undefined) {
      const near = nearestOf(fieldName, ORDER_FIELDS.map(({ name }) => name));
      notes.push(`The config's intake.headers maps "${header}" to "${fieldName}", which is no field of an order${near === undefined ? '' : `; did you mean "${near}"?`}`);
    } else {
      own.set(ownKey(header), field);
    }
  }
  return {
    notes,
    fieldOf: (header) => {
      const configuredField = own.get(ownKey(header));
      return configuredField === IGNORED ? undefined : (configuredField ?? builtInField(header));
    },
    isIgnored: (header) => own.get(ownKey(header)) === IGNORED,
    nearestTo: (header) => nearestHeader(header, [...Object.keys(configured), ...READABLE_NAMES]),
  };
}

const LETTERS_COMPARED = 60;

/** Letters and digits only: what a person would call "the same word". */
function bare(text: string): string {
  return text.slice(0, 4 * LETTERS_COMPARED).normalize('NFKC').toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '').slice(0, LETTERS_COMPARED);
}

/** Candidates are the same few hundred names each time. */
const BARE_CANDIDATES = new Map<string, string>();
const CANDIDATES_KEPT_MAX = 2000;

function bareCandidate(candidate: string): string {
  const kept = BARE_CANDIDATES.get(candidate);
  if (kept !== undefined) return kept;
  const made = bare(candidate);
  if (BARE_CANDIDATES.size < CANDIDATES_KEPT_MAX) BARE_CANDIDATES.set(candidate, made);
  return made;
}

/**
 * The candidate nearest to what somebody wrote, when one is near enough to be worth naming: a few letters away, or one contains the
 * other. It is a hint for a person and never decides a value.
 */
export function nearestOf(text: string, candidates: Iterable<string>): string | undefined {
  const wanted = bare(text);
  if (wanted.length < 2) return undefined;
  let best: { candidate: string; score: number } | undefined;
  for (const candidate of candidates) {
    const other = bareCandidate(candidate);
    const longer = Math.max(wanted.length, other.length);
    const shorter = Math.min(wanted.length, other.length);
    const contained = shorter >= 4 && (other.includes(wanted) || wanted.includes(other));
    // Each letter by which the lengths differ has to be put in: the rest need not be compared.
    if (!contained && longer - shorter > 0.4 * longer) continue;
    const score = contained ? 0.3 - (0.2 * shorter) / longer : editDistance(wanted, other) / longer;
    if (score <= 0.4 && (best === undefined || score < best.score)) best = { candidate, score };
  }
  return best?.candidate;
}

/** A header that is more than a slip of the fingers away would be a hint in the wrong direction. */
const SLIP_MAX = 0.2;
const CONTAINED_MIN = 5;

/**
 * The name that somebody meant who mistyped it, for a header: nearer than `nearestOf` asks, because a short name is soon like another.
 * `DOB` is not `LOB`, and `Owner` is not `Order`: their first letters differ, or too many of the others do.
 */
export function nearestHeader(text: string, candidates: Iterable<string>): string | undefined {
  const wanted = bare(text);
  const near = [...candidates].filter((candidate) => {
    const other = bareCandidate(candidate);
    const [shorter, longer] = wanted.length < other.length ? [wanted, other] : [other, wanted];
    if (longer.includes(shorter)) return shorter.length >= CONTAINED_MIN && 2 * shorter.length >= longer.length && !candidate.includes('#');
    return wanted[0] === other[0] && longer.length - shorter.length <= SLIP_MAX * longer.length && editDistance(wanted, other) <= SLIP_MAX * longer.length;
  });
  return nearestOf(text, near);
}
