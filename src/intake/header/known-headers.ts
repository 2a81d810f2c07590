/* What a header means by itself: case, punctuation, short forms of words and brackets aside. The names are in fields.ts. */

import {
  bareCandidate,
  bareName,
  editDistance,
  HEADER_LENGTH_MAX,
  nearestOf,
  normalisedHeader,
  remembered,
} from '../../domain/text.ts';
import {
  type FieldKind,
  type FieldName,
  fieldNamed,
  LONE_SYNONYMS,
  ORDER_FIELDS,
  type OrderField,
  RIVALLED_SYNONYMS,
} from '../fields.ts';
import type { DateOrder } from '../values/coercion.ts';

/** The header of the hidden key column of a corrections workbook. */
export const ROW_KEY_HEADER = '_row';

/** What the config's `intake.headers` says of a column that stands for no field. */
const IGNORED = 'ignore';

/** Short forms that stand for one word only, wherever they stand in a header. */
const WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    no: 'number',
    nr: 'number',
    nbr: 'number',
    num: 'number',
    numb: 'number',
    '#': 'number',
    pol: 'policy',
    plcy: 'policy',
    eff: 'effective',
    dt: 'date',
    insd: 'insured',
    addr: 'address',
    adr: 'address',
    ln: 'line',
    ph: 'phone',
    phn: 'phone',
    tel: 'phone',
    telephone: 'phone',
    tele: 'phone',
    yr: 'year',
    blt: 'built',
    orig: 'original',
    cov: 'coverage',
    cvg: 'coverage',
    covg: 'coverage',
    amt: 'amount',
    lmt: 'limit',
    prop: 'property',
    loc: 'location',
    prem: 'premises',
    insp: 'inspection',
    zipcode: 'zip',
    cd: 'code',
    svc: 'service',
    svcs: 'services',
    serv: 'service',
    nm: 'name',
    sq: 'square',
    ft: 'feet',
    foot: 'feet',
    footage: 'feet',
    ftg: 'feet',
    sqft: 'squarefeet',
    sf: 'squarefeet',
    tot: 'total',
    liv: 'living',
    agt: 'agent',
    agcy: 'agency',
    co: 'company',
    dwlg: 'dwelling',
    dwell: 'dwelling',
    dwg: 'dwelling',
    bldg: 'building',
    constr: 'construction',
    const: 'construction',
    cnstr: 'construction',
    oth: 'other',
    struct: 'structure',
    structs: 'structures',
    strs: 'structures',
    uw: 'underwriting',
    underwriter: 'underwriting',
    addl: 'additional',
    supp: 'supplemental',
    bus: 'business',
    ren: 'renewal',
    rqst: 'request',
    rqstd: 'requested',
    acct: 'account',
    cust: 'customer',
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
const BRACKETED_ANYWHERE =
  /^(?:required|req|mandatory|optional|opt|if (?:any|known|applicable|available)|text|must have|(?:please )?(?:select|choose|pick)(?: (?:one|from (?:the )?list))?|drop[ -]?down)$/;
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
const OTHER_UNIT =
  /(?!\$)\p{Sc}|[%\u2030\u2031]|\b(?:percent|percentage|pct|thousands?|millions?|(?:x ?)?(?:1,?)?000'?s?|eur|euros?|gbp|cad|mxn|aud|chf|m2|sqm|sq m|square met(?:er|re)s|acres?)\b|['\u2019]0{3}|\bin k\b|[([{]\s*\$?(?:k|m|mm|mil)\s*[)\]}]/iu;

/** The sign or word of a header that changes what its numbers mean, such as `%`, `\u20ac` or `000s`; undefined where it has none. */
export const otherUnit = remembered((header): string | undefined =>
  header.length > HEADER_LENGTH_MAX
    ? undefined
    : OTHER_UNIT.exec(header.normalize('NFKC'))?.[0].replace(/[()[\]{}\s]/g, ''),
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
export function headerDateOrder(header: string): DateOrder | undefined {
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

const BUILT_IN: ReadonlyMap<string, OrderField> = new Map(
  ORDER_FIELDS.flatMap((field) => namesOf(field).map((name) => [normalisedHeader(name), field] as const)),
);

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
    const field =
      fieldName === IGNORED ? IGNORED : (fieldNamed(fieldName) ?? BUILT_IN.get(normalisedHeader(fieldName)));
    if (field === undefined) {
      const near = nearestOf(
        fieldName,
        ORDER_FIELDS.map(({ name }) => name),
      );
      notes.push(
        `The config's intake.headers maps "${header}" to "${fieldName}", which is no field of an order${near === undefined ? '' : `; did you mean "${near}"?`}`,
      );
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

/** A header that is more than a slip of the fingers away would be a hint in the wrong direction. */
const SLIP_MAX = 0.2;
const CONTAINED_MIN = 5;

/**
 * The name that somebody meant who mistyped it, for a header: nearer than `nearestOf` asks, because a short name is soon like another.
 * `DOB` is not `LOB`, and `Owner` is not `Order`: their first letters differ, or too many of the others do.
 */
export function nearestHeader(text: string, candidates: Iterable<string>): string | undefined {
  const wanted = bareName(text);
  const near = [...candidates].filter((candidate) => {
    const other = bareCandidate(candidate);
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

/**
 * A header that says too little by itself: whose phone is it, and is it the one to call? Or one that stands for a field only where no
 * other column does: an agency is its agent where nobody names one.
 */
interface ShortHeader {
  readonly field: FieldName;
  /** The other column it could mean; undefined where the header says whose it is. */
  readonly rival: FieldName | undefined;
}

/** By their names written out. */
const SHORT_HEADERS: ReadonlyMap<string, ShortHeader> = new Map(
  ORDER_FIELDS.flatMap(({ name: field }) => {
    const [rival, rivalled] = RIVALLED_SYNONYMS[field] ?? [undefined, []];
    const lone = (LONE_SYNONYMS[field] ?? []).map((name): [string, ShortHeader] => [
      writtenOut(name),
      { field, rival: undefined },
    ]);
    return [...lone, ...rivalled.map((name): [string, ShortHeader] => [writtenOut(name), { field, rival }])];
  }),
);

const AGENT: readonly FieldName[] = ['agentName', 'agentPhone', 'agentEmail'];

/** What is longer is a text, and no header. */
const SHORT_HEADER_LENGTH_MAX = 60;

function shortHeaderOf(header: string): ShortHeader | undefined {
  if (header.length > SHORT_HEADER_LENGTH_MAX || otherUnit(header) !== undefined) return undefined;
  return SHORT_HEADERS.get(writtenOut(header));
}

/** The field that a short header could stand for, sure or not. */
export function couldStandFor(header: string): FieldName | undefined {
  return shortHeaderOf(header)?.field;
}

/** Whose columns stand to the left of a column, as far as that shows. */
export type Neighbour = 'insured' | 'agent' | undefined;

/** What else stands in the row of a short header. */
export interface Others {
  /** The fields that other columns stand for. */
  readonly fields: ReadonlySet<FieldName>;
  /** Whose columns it stands behind. */
  readonly leftOf?: Neighbour;
  /** The fields that short headers could stand for and nothing else: an agency's phone is what an agent's would be. */
  readonly could?: ReadonlySet<FieldName>;
}

/**
 * What a short header stands for among the others of its row, where that is sure: the insured has no such column under a full name, and it
 * cannot be the agent's: it stands behind the insured's columns, or the row names no agent, or the agent's own column as well. Two short
 * headers for one field are for the caller to judge.
 */
export function shortHeaderField(header: string, { fields, leftOf, could }: Others): FieldName | undefined {
  const short = shortHeaderOf(header);
  if (short === undefined || fields.has(short.field)) return undefined;
  if (short.rival === undefined || leftOf === 'insured' || fields.has(short.rival) || could?.has(short.rival) === true)
    return short.field;
  return leftOf === 'agent' || AGENT.some((field) => fields.has(field)) ? undefined : short.field;
}

/** Kinds of phones of one person, in the order in which they are tried. */
const PHONE_KINDS: readonly RegExp[] = [/cell|mobile/, /home/, /day|evening/, /work|business/];

/** Which of one person's phones a header names: the lower, the sooner it is called; undefined where it names no kind of phone. */
export function phoneRank(header: string): number | undefined {
  if (couldStandFor(header) !== 'insuredPhone') return undefined;
  const name = writtenOut(header).replaceAll('homeowner', 'owner');
  const rank = PHONE_KINDS.findIndex((kind) => kind.test(name));
  return rank === -1 ? undefined : rank;
}

/** Columns that many exports have and no order takes as they are, and what to do about each. */
const UNSENT_COLUMNS: readonly { readonly names: RegExp; readonly advice: string }[] = [
  {
    names:
      /^(?:insureds?|namedinsureds?|applicants?|customers?|clients?|policyholders?|owners?)?(?:first|last|middle|given|sur|family)(?:name|initial|nm)?$/,
    advice: 'a part of a name is no field of an order. Write the whole name into one column "Insured name"',
  },
  {
    names:
      /^(?:co|second|2nd|additional|addl|other|joint)?(?:primary|first|secondary)?(?:insureds?|namedinsureds?|applicants?|customers?|clients?|policyholders?|owners?|homeowners?)(?:name)?[2-9]?(?:name)?$|^(?:spouse|partner)(?:name)?$/,
    advice: 'an order names one insured. Write both names into its column, if both matter',
  },
  {
    names:
      /^(?:property|risk|location|loc|inspection|site)?(?:street)?(?:address|addr)(?:line)?2$|^(?:property|risk|location)?(?:unit|unitnumber|apt|aptnumber|apartment|suite|suitenumber|unitapt|aptunit)$/,
    advice: 'what it says of the address belongs into "Street address", behind the street',
  },
  { names: /^(?:mailing|billing|mail)/, advice: 'inspections are made at the property, not at a mailing address' },
  {
    names: /^(?:policy|pol)?(?:expiration|expiry|exp|enddate|termend|periodend)/,
    advice: 'an order does not take the end of the policy',
  },
];

/** What to do about a column that is known and still not sent; undefined for the others. It continues a sentence. */
export function unsentHeader(header: string): string | undefined {
  const unit = otherUnit(header);
  if (unit !== undefined) return unitAdvice(unit);
  const name = normalisedHeader(header);
  return UNSENT_COLUMNS.find(({ names }) => names.test(name))?.advice;
}
