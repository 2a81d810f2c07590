import type { FastifyInstance } from 'fastify';
import { errorBodyOf, OptionProblem } from './refusal.ts';

interface Choice<Value extends string | number> {
  readonly says: string;
  readonly ways: string;
  readonly byDefault: Value;
  readonly read: (text: string) => Value | undefined;
}

function oneOf<const Values extends readonly [string | number, ...(string | number)[]]>(
  values: Values,
  says: string,
): Choice<Values[number]> {
  return {
    says,
    ways: values.join(' | '),
    byDefault: values[0],
    read: (text) => values.find((value) => String(value) === text),
  };
}

function wholeNumber(byDefault: number, least: number, says: string): Choice<number> {
  return {
    says,
    ways: `a whole number from ${least}`,
    byDefault,
    read: (text) => (/^\d{1,9}$/.test(text) && Number(text) >= least ? Number(text) : undefined),
  };
}

function anyText(byDefault: string, says: string): Choice<string> {
  return { says, ways: 'any text', byDefault, read: (text) => (text === '' ? undefined : text) };
}

export const UNSPECIFIED = {
  initialStatus: anyText('Project Created', 'the status of a new project'),
  createdTimeUnit: oneOf(['seconds', 'milliseconds'], 'the unit of createdTime.start and createdTime.end'),
  expiresIn: oneOf(['seconds', 'milliseconds', 'absent'], 'the unit of expires_in in a token response, or none at all'),
  refusedTransition: oneOf([409, 400, 422], 'the status for a refused change of status'),
  failedValidation: oneOf(
    [422, 400, 409],
    'the status for a create, an update or a change of status that is well-formed but invalid',
  ),
  errorCodes: oneOf(['absent', 'present'], 'a machine-readable error.code next to error.message'),
  quotaPerMinute: wholeNumber(
    0,
    0,
    'requests that a user may send in a minute before the answer is 429; 0: any number',
  ),
  retryAfter: oneOf(['none', 'seconds', 'date'], "the quota's 429 with a header Retry-After, and how it is written"),
  urlLifetimeSeconds: wholeNumber(300, 1, 'how long a signed URL is valid'),
  searchItem: oneOf(
    ['newer', 'older', 'full'],
    "a search item's fields: as in the newer sample; without policyNumber and inspectionNumber; with policyEffectiveDate and insuredName too",
  ),
  absentInDetail: oneOf(
    ['null', 'absent'],
    'isRenewal and supplementalServices of a project read later, if the order left them out',
  ),
  keylessDuplicates: oneOf(
    ['passed', 'refused'],
    'whether an order with neither inspection nor policy number can be a duplicate: rule 2 has nothing to compare, or finds both empty',
  ),
  scopeParameter: oneOf(['accepted', 'refused'], 'scope in a token request'),
  imageValues: oneOf(
    ['words', 'codes', 'empty'],
    "an image's source, type and direction: Pilot, Elevation, Front; PILOT, ELEVATION, FRONT; empty",
  ),
  factorNames: oneOf(['codes', 'words'], 'names of factors in a summary: YARD_DEBRIS; Yard debris'),
  unlistedAttributes: oneOf(
    ['absent', 'present'],
    'attributes that the document does not list, in one summary in ten: a later version may add some',
  ),
  laterReport: oneOf(
    ['absent', 'present'],
    'a second report of every inspected project: another look at the roof, whose values differ from those of the first',
  ),
  attachedStructures: oneOf(['garages', 'more'], 'what a summary shows of attachedStructures'),
  afterReceived: oneOf(['gone', 'kept'], 'reports and images of a project that is Client Received'),
  deprecation: oneOf(['none', 'announced'], 'headers Deprecation and Sunset on every answer'),
} as const;

export type Unspecified = { readonly [Name in keyof typeof UNSPECIFIED]: (typeof UNSPECIFIED)[Name]['byDefault'] };

/** Fills in the defaults. Throws OptionProblem on an unknown name or value. */
export function unspecifiedOf(chosen: Readonly<Record<string, string | number | undefined>>): Unspecified {
  const unknown = Object.keys(chosen).find((name) => !Object.hasOwn(UNSPECIFIED, name));
  if (unknown !== undefined)
    throw new OptionProblem(`There is no option ${unknown}.`, `There are: ${Object.keys(UNSPECIFIED).join(', ')}.`);
  const choices = Object.entries<Choice<string | number>>(UNSPECIFIED).map(([name, choice]) => {
    const given = chosen[name];
    const value = given === undefined ? choice.byDefault : choice.read(String(given));
    if (value === undefined)
      throw new OptionProblem(`Option ${name} cannot be ${JSON.stringify(given)}.`, `It can be: ${choice.ways}.`);
    return [name, value];
  });
  return Object.fromEntries(choices) as Unspecified;
}

/** Reads `NAME=VALUE` pairs. Throws OptionProblem on another form, and as `unspecifiedOf`. */
export function chosenFrom(pairs: readonly string[]): Partial<Unspecified> {
  const chosen = Object.fromEntries(
    pairs.map((pair): [string, string] => {
      const at = pair.indexOf('=');
      if (at < 1)
        throw new OptionProblem(
          `${JSON.stringify(pair)} has no form NAME=VALUE.`,
          'Such as: --option refusedTransition=400',
        );
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
  return Object.fromEntries(Object.entries(unspecifiedOf(chosen)).filter(([name]) => Object.hasOwn(chosen, name)));
}

export function unspecifiedText(): string {
  return Object.entries<Choice<string | number>>(UNSPECIFIED)
    .map(
      ([name, { ways, byDefault, says }]) =>
        `  ${name}: ${ways.startsWith(String(byDefault)) ? ways : `${byDefault}, or ${ways}`}\n      ${says}`,
    )
    .join('\n');
}

const ERROR_CODES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ALREADY_EXISTS',
  422: 'UNPROCESSABLE',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

const PLAIN_ERROR = errorBodyOf('').slice(0, -'""}}'.length);

export function withErrorCode(status: number, body: string): string {
  const code = ERROR_CODES[status];
  return code === undefined || !body.startsWith(PLAIN_ERROR)
    ? body
    : `{"error":{"code":"${code}",${body.slice('{"error":{'.length)}`;
}

export function attachErrorCodes(app: FastifyInstance): void {
  app.addHook('onSend', async (_request, reply, payload) =>
    typeof payload === 'string' ? withErrorCode(reply.statusCode, payload) : payload,
  );
}

export function attachDeprecation(app: FastifyInstance): void {
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('deprecation', '@1767225600').header('sunset', 'Fri, 31 Dec 2027 23:59:59 GMT');
  });
}
