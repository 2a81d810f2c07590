import { createProjectRequest, HOUSE_TYPES_BY_POLICY_TYPE, US_STATES } from '../contract/project.ts';
import type { CreateProjectRequest } from '../contract/project.ts';
import { quoted } from './cells.ts';
import { fieldNamed, houseTypesOf, ORDER_FIELDS } from './fields.ts';
import type { FieldName, OrderField } from './fields.ts';
import type { FieldValue } from './values/coercion.ts';
import { statesOfZip } from './values/zip-prefixes.ts';

/** What the rules look at: the values of one row, read from its cells. */
export interface RuleContext {
  readonly values: ReadonlyMap<FieldName, FieldValue>;
  /** Fields whose cell was already found wrong: nothing more is said about them. */
  readonly wrong: ReadonlySet<FieldName>;
  /** Fields for which the sheet has a column. */
  readonly present: { has(name: FieldName): boolean };
  /** `YYYY-MM-DD`. */
  readonly today: string;
}

/** What a rule has to say; the cell and the header are added by whoever knows them. */
export interface Finding {
  readonly severity: 'error' | 'warning';
  readonly rule: string;
  readonly field: FieldName;
  readonly message: string;
}

type Rule = (context: RuleContext) => readonly Finding[];

function textOf({ values }: RuleContext, name: FieldName): string | undefined {
  const held = values.get(name);
  return typeof held === 'string' ? held : undefined;
}

function error(field: FieldName, rule: string, message: string): Finding {
  return { severity: 'error', rule, field, message };
}

function warning(field: FieldName, rule: string, message: string): Finding {
  return { severity: 'warning', rule, field, message };
}

function allowedFor(field: OrderField): string {
  return field.values === undefined ? field.help : `Allowed: ${field.values.join(', ')}.`;
}

/** Every required field holds something. */
const requiredFields: Rule = ({ values, wrong, present }) =>
  ORDER_FIELDS.filter(({ name, required }) => required && !values.has(name) && !wrong.has(name)).map((field) =>
    present.has(field.name)
      ? error(field.name, 'required-empty', `the cell is empty, but an order cannot do without it. ${allowedFor(field)}`)
      : error(field.name, 'required-column-missing', `the sheet has no such column, but an order cannot do without it. Add a column headed ${quoted(field.title)}. ${allowedFor(field)}`),
  );

/** The house type belongs to the policy type (document: houseType by policyType). */
const houseTypeOfPolicyType: Rule = (context) => {
  const policyType = textOf(context, 'policyType');
  const houseType = textOf(context, 'houseType');
  if (policyType === undefined || houseType === undefined) return [];
  const allowed = houseTypesOf(policyType) ?? [];
  if (allowed.includes(houseType)) return [];
  const fitting = Object.entries(HOUSE_TYPES_BY_POLICY_TYPE).filter(([, types]) => (types as readonly string[]).includes(houseType)).map(([type]) => type);
  const hint = fitting.length === 1 ? ` Or is the policy type ${quoted(fitting[0] ?? '')}?` : '';
  return [
    error('houseType', 'house-type-of-policy-type', `${quoted(houseType)} does not go with the policy type ${quoted(policyType)}. Allowed for it: ${allowed.join(', ')}.${hint}`),
  ];
};

const zipInState: Rule = (context) => {
  const zipcode = textOf(context, 'zipcode');
  const state = textOf(context, 'state');
  if (zipcode === undefined || state === undefined) return [];
  const states = statesOfZip(zipcode);
  if (states.includes(state)) return [];
  const stateName = US_STATES[state] ?? state;
  const where = states.length === 0 ? 'no state has ZIP codes that begin so' : `it belongs to ${states.map((code) => US_STATES[code] ?? code).join(' or ')}`;
  return [warning('zipcode', 'zipcode-not-in-state', `${quoted(zipcode)} is not in ${stateName}: ${where}. One of the two may be mistyped.`)];
};

const dueDateNotPast: Rule = (context) => {
  const due = textOf(context, 'dueDate');
  return due === undefined || due >= context.today ? [] : [warning('dueDate', 'due-date-past', `${due} is in the past; today is ${context.today}.`)];
};

const YEARS_OFF_MAX = 3;

const effectiveDateNear: Rule = (context) => {
  const effective = textOf(context, 'policyEffectiveDate');
  if (effective === undefined) return [];
  const yearsOff = Math.abs(Number(effective.slice(0, 4)) - Number(context.today.slice(0, 4)));
  return yearsOff <= YEARS_OFF_MAX ? [] : [warning('policyEffectiveDate', 'effective-date-far', `${effective} is ${String(yearsOff)} years away from today. Is the year right?`)];
};

const yearBuiltNotFuture: Rule = ({ values, today }) => {
  const year = values.get('yearBuilt');
  return typeof year === 'number' && year > Number(today.slice(0, 4)) ? [warning('yearBuilt', 'year-built-future', `${String(year)} is in the future.`)] : [];
};

const emailHasAt: Rule = (context) =>
  (['insuredEmail', 'agentEmail'] as const).flatMap((name) => {
    const email = textOf(context, name);
    return email === undefined || /^[^@\s]+@[^@\s]+$/.test(email) ? [] : [warning(name, 'email-form', `${quoted(email)} does not look like an e-mail address such as name@example.com.`)];
  });

const PHONE_DIGITS_MIN = 7;

const phoneHasDigits: Rule = (context) =>
  (['insuredPhone', 'agentPhone'] as const).flatMap((name) => {
    const phone = textOf(context, name);
    const digits = phone?.replace(/\D/g, '').length ?? PHONE_DIGITS_MIN;
    return phone === undefined || digits >= PHONE_DIGITS_MIN
      ? []
      : [warning(name, 'phone-digits', `${quoted(phone)} has ${String(digits)} digits, too few for a phone number.`)];
  });

/** Characters that a wrong encoding left behind. */
const textReadable: Rule = ({ values }) =>
  [...values].flatMap(([name, held]) =>
    typeof held === 'string' && held.includes('\ufffd') ? [warning(name, 'text-damaged', `${quoted(held)} holds characters that were lost when the file was saved.`)] : [],
  );

const RULES: readonly Rule[] = [
  requiredFields,
  houseTypeOfPolicyType,
  zipInState,
  dueDateNotPast,
  effectiveDateNear,
  yearBuiltNotFuture,
  emailHasAt,
  phoneHasDigits,
  textReadable,
];

/** Everything the rules have to say about a row, at once. */
export function applyRules(context: RuleContext): Finding[] {
  return RULES.flatMap((rule) => rule(context));
}

const REQUEST_FIELDS = Object.keys(createProjectRequest.shape).flatMap((name) => fieldNamed(name)?.name ?? []);

/** The request of a row, checked against the service's own schema: what the rules above let through is proved here once more. */
export function checkedRequest(values: ReadonlyMap<FieldName, FieldValue>): { request: CreateProjectRequest } | { findings: Finding[] } {
  const request: Partial<Record<FieldName, FieldValue>> = {};
  for (const name of REQUEST_FIELDS) {
    const held = values.get(name);
    if (held !== undefined) request[name] = held;
  }
  const checked = createProjectRequest.safeParse(request);
  if (checked.success) return { request: checked.data };
  return {
    findings: checked.error.issues.map((issue) =>
      error((ORDER_FIELDS.find(({ name }) => name === issue.path[0])?.name ?? 'streetAddress'), 'request-schema', `the service would not take the value: ${issue.message}.`),
    ),
  };
}
