import {
  createProjectRequest,
  type CreateProjectRequest,
  HOUSE_TYPES_BY_POLICY_TYPE,
  houseTypesOf,
  POLICY_TYPES,
  US_STATES,
} from '../contract/document.ts';
import { quoted } from '../domain/cells.ts';
import { type FieldName, fieldNamed, ORDER_FIELDS, type OrderField, REQUIRED_FIELDS, inputHint } from './fields.ts';
import { type Parts, ruleAndMessage, sentence } from '../domain/sentences.ts';
import { addressPatterns } from './values/address-text.ts';
import { placeholderMessageParts } from './values/coerce.ts';
import type { FieldValue } from './values/coercion.ts';
import { yearsAway } from './values/date.ts';
import { statesOfZip } from './values/place.ts';
import { textBeforeMisreading } from './values/plain-text.ts';

type RuleContext = Readonly<{
  values: ReadonlyMap<FieldName, FieldValue>;
  /** Fields with an error: rules skip them. */
  wrong: ReadonlySet<FieldName>;
  present: { has(name: FieldName): boolean };
  /** With one value for all rows. */
  given?: { has(name: FieldName): boolean } | undefined;
  today: string;
}>;

/** A problem without cell and header, which the caller adds. */
export type FieldProblem = Readonly<{
  severity: 'error' | 'warning';
  rule: string;
  field: FieldName;
  message: string;
  proposal?: string | undefined;
}>;

type Rule = (context: RuleContext) => FieldProblem | undefined | readonly (FieldProblem | undefined)[];

function textOf({ values }: RuleContext, name: FieldName) {
  const held = values.get(name);
  return typeof held === 'string' ? held : undefined;
}

function onText(name: FieldName, judge: (text: string, context: RuleContext) => ReturnType<Rule>): Rule {
  return (context) => {
    const text = textOf(context, name);
    return text === undefined ? undefined : judge(text, context);
  };
}

function finding(severity: FieldProblem['severity'], field: FieldName, code: string, parts?: Parts): FieldProblem {
  return { severity, field, ...ruleAndMessage(code, parts) };
}

export function error(field: FieldName, code: string, parts?: Parts) {
  return finding('error', field, code, parts);
}

export function warning(field: FieldName, code: string, parts?: Parts) {
  return finding('warning', field, code, parts);
}

function allowedFor(field: OrderField, context: RuleContext) {
  const values = (field.name === 'houseType' ? houseTypesOf(textOf(context, 'policyType')) : undefined) ?? field.values;
  return values === undefined ? inputHint(field) : `Allowed: ${values.join(', ')}.`;
}

const requiredFields: Rule = (context) =>
  REQUIRED_FIELDS.filter(({ name }) => !context.values.has(name) && !context.wrong.has(name)).map((field) =>
    context.present.has(field.name)
      ? error(field.name, 'required-empty', { allowed: allowedFor(field, context) })
      : error(field.name, 'required-column-missing', { title: field.title, allowed: allowedFor(field, context) }),
  );

const houseTypeOfPolicyType = onText('policyType', (policyType, context) => {
  const houseType = textOf(context, 'houseType');
  const allowed = houseTypesOf(policyType);
  if (houseType === undefined || allowed === undefined || allowed.includes(houseType)) return undefined;
  const fitting = POLICY_TYPES.filter((type) => HOUSE_TYPES_BY_POLICY_TYPE[type].some((one) => one === houseType));
  const hint = fitting.length === 1 ? ` Or is the policy type ${quoted(fitting.join())}?` : '';
  return error('houseType', 'house-type-of-policy-type', { houseType, policyType, allowed: allowed.join(', '), hint });
});

const streetOfHouse = onText('streetAddress', (street) => {
  const { postBox, postBoxWithin, noStreet, houseNumber } = addressPatterns();
  if (postBox.test(street)) return error('streetAddress', 'street-po-box', { street });
  if (!/\p{L}.*\p{L}/u.test(street)) return error('streetAddress', 'street-number-only', { street });
  if (postBoxWithin.test(street)) return warning('streetAddress', 'street-po-box/within', { street });
  const other = noStreet.exec(street)?.[0];
  if (other !== undefined) return warning('streetAddress', 'street-says-more', { street, other });
  return houseNumber.test(street) ? undefined : warning('streetAddress', 'street-without-number', { street });
});

const cityNamed = onText('city', (city) => {
  if (!/\p{L}/u.test(city)) return error('city', 'city-without-letters', { city });
  if (city.toUpperCase() in US_STATES) return warning('city', 'city-form', { city });
  return /\d{5}(?:-\d{4})?$/.test(city) ? warning('city', 'city-form/zip', { city }) : undefined;
});

const CONTACT = /[^\s@]@[^\s@.]{1,60}\.|(?<!\d)\(?\d{3}\)?[-. ]{0,2}\d{3}[-. ]?\d{4}(?!\d)/;

const insuredNamed = onText('insuredName', (name) => {
  if (CONTACT.test(name)) return error('insuredName', 'name-holds-contact', { name });
  return /\p{L}/u.test(name) ? undefined : warning('insuredName', 'name-without-letters', { name });
});

const zipInState = onText('zipcode', (zipcode, context) => {
  const state = textOf(context, 'state');
  const states = statesOfZip(zipcode);
  if (state === undefined || states.includes(state)) return undefined;
  const stateName = US_STATES[state] ?? state;
  const where =
    states.length === 0
      ? 'no state has ZIP codes that begin like this'
      : `it belongs to ${states.map((code) => US_STATES[code] ?? code).join(' or ')}`;
  const parts = { zipcode, stateName, where };
  return context.given?.has('state') === true
    ? error('zipcode', 'zipcode-not-in-state/given', parts)
    : warning('zipcode', 'zipcode-not-in-state', parts);
});

/** The service accepts such a date, but nobody would come. */
const MISTYPED_YEARS_AWAY = 50;

function dateNear(field: FieldName, yearsMax: number, far: string, mistyped: string) {
  return onText(field, (date, { today }) => {
    const years = yearsAway(date, today);
    if (years > MISTYPED_YEARS_AWAY) return error(field, mistyped, { date, years });
    if (field === 'dueDate' && date < today) return warning(field, 'due-date-past', { date, today });
    return years <= yearsMax ? undefined : warning(field, far, { date, years });
  });
}

const YEAR_BUILT_MIN = 1600;

const yearBuiltPossible: Rule = ({ values }) => {
  const year = values.get('yearBuilt');
  return typeof year === 'number' && year < YEAR_BUILT_MIN
    ? warning('yearBuilt', 'year-built-early', { year })
    : undefined;
};

const USUAL = [
  { field: 'dwellingCoverage', from: 5000, to: 100_000_000, unit: 'dollars' },
  { field: 'carrierProvidedLivingArea', from: 100, to: 200_000, unit: 'square feet' },
] as const;

const amountsUsual: Rule = ({ values }) =>
  USUAL.map(({ field, from, to, unit }) => {
    const amount = values.get(field);
    if (typeof amount !== 'number' || amount === 0 || (amount >= from && amount <= to)) return undefined;
    return warning(field, 'amount-unusual', { amount, how: amount < from ? 'low' : 'high', unit });
  });

function noContact(name: FieldName, held: string, isOne: boolean) {
  const field = fieldNamed(name);
  if (!field.required || isOne) return undefined;
  return error(name, 'required-placeholder', placeholderMessageParts(held, field));
}

const EMAIL = /^[^@\s,;<>()"]*[^@\s,;<>()".]@(?:[^@\s,;<>()".]+\.)+[^@\s,;<>()".]{2,}$/;

function emailWellFormed(name: FieldName) {
  return onText(name, (email) => {
    if (EMAIL.test(email)) return undefined;
    // Words are nobody's address.
    const isOne = /[^@\s]@/.test(email);
    return noContact(name, email, isOne) ?? warning(name, 'email-form', { email });
  });
}

const PHONE_DIGITS_MIN = 7;
const PHONE_DIGITS_US = 10;
const PHONE_DIGITS_MAX = 15;

/** 555-1212 is directory assistance. */
const NO_PHONE = /^(?:(\d)\1+|1?(?:(\d)\2{9}|1234567890|\d{3}5551212))$/;
const NOBODY = 'is nobody’s number';

function phoneTrouble(phone: string) {
  const bare = phone.replace(/\D/g, '');
  if (NO_PHONE.test(bare)) return NOBODY;
  const digits = bare.length;
  if (digits < PHONE_DIGITS_MIN) return `has ${digits} digits, too few for a phone number`;
  if (digits < PHONE_DIGITS_US)
    return `has ${digits} digits${digits === PHONE_DIGITS_MIN ? ': the area code seems to be missing' : '; a US number has 10'}`;
  // Words mark an extension; a plus sign or 1 marks a country.
  if (digits === PHONE_DIGITS_US + 1 && !bare.startsWith('1') && !/[a-z+#]/i.test(phone))
    return sentence('phone-digits/eleven');
  const most = /[a-z]/i.test(phone) ? 2 * PHONE_DIGITS_US - 1 : PHONE_DIGITS_MAX;
  return digits > most ? `has ${digits} digits, too many for one phone number` : undefined;
}

function phoneHasDigits(name: FieldName) {
  return onText(name, (phone) => {
    const trouble = phoneTrouble(phone);
    if (trouble === undefined) return undefined;
    const isOne = /[1-9]/.test(phone) && trouble !== NOBODY;
    return noContact(name, phone, isOne) ?? warning(name, 'phone-digits', { phone, trouble });
  });
}

const ASCII = /^[ -~]*$/;

const textReadable: Rule = ({ values }) => {
  const findings = [];
  for (const [name, held] of values) {
    if (typeof held !== 'string' || ASCII.test(held)) continue;
    if (held.includes('\ufffd')) findings.push(warning(name, 'text-damaged/lost', { held }));
    const before = textBeforeMisreading(held);
    if (before !== undefined) findings.push(warning(name, 'text-damaged', { held, before }));
  }
  return findings;
};

const RULES: readonly Rule[] = [
  requiredFields,
  houseTypeOfPolicyType,
  streetOfHouse,
  cityNamed,
  insuredNamed,
  zipInState,
  dateNear('dueDate', 1, 'due-date-far', 'due-date-far/mistyped'),
  dateNear('policyEffectiveDate', 3, 'effective-date-far', 'effective-date-far/mistyped'),
  yearBuiltPossible,
  amountsUsual,
  ...(['insuredEmail', 'agentEmail'] as const).map(emailWellFormed),
  ...(['insuredPhone', 'agentPhone'] as const).map(phoneHasDigits),
  textReadable,
];

export function applyRules(context: RuleContext): FieldProblem[] {
  return RULES.flatMap((rule) => rule(context)).filter((found) => found !== undefined);
}

export function checkedRequest(
  values: ReadonlyMap<FieldName, FieldValue>,
): { request: CreateProjectRequest } | { findings: FieldProblem[] } {
  const request: Partial<Record<FieldName, FieldValue>> = {};
  for (const { name } of ORDER_FIELDS) {
    const held = values.get(name);
    if (held !== undefined) request[name] = held;
  }
  const checked = createProjectRequest.safeParse(request);
  if (checked.success) return { request: checked.data };
  return {
    findings: checked.error.issues.map(({ path, message }) => {
      const field = ORDER_FIELDS.find(({ name }) => name === path[0])?.name ?? 'streetAddress';
      return error(field, 'request-schema', { message });
    }),
  };
}
