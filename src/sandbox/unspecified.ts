import type { FastifyInstance } from 'fastify';
import { templateTexts } from '../contract/template-data.ts';
import { errorBodyOf, OptionProblem } from './refusal.ts';

type Choice<Value extends string | number> = Readonly<{
  ways: string;
  byDefault: Value;
  read: (text: string) => Value | undefined;
}>;

function oneOf<const Values extends readonly [string | number, ...(string | number)[]]>(
  values: Values,
): Choice<Values[number]> {
  return {
    ways: values.join(' | '),
    byDefault: values[0],
    read: (text) => values.find((value) => String(value) === text),
  };
}

function wholeNumber(byDefault: number, least: number): Choice<number> {
  return {
    ways: `a whole number, ${least} or more`,
    byDefault,
    read: (text) => (/^\d{1,9}$/.test(text) && Number(text) >= least ? Number(text) : undefined),
  };
}

const CHOICES = {
  initialStatus: { ways: 'any text', byDefault: 'Project Created', read: (text) => text || undefined },
  createdTimeUnit: oneOf(['seconds', 'milliseconds']),
  expiresIn: oneOf(['seconds', 'milliseconds', 'absent']),
  refusedTransition: oneOf([409, 400, 422]),
  failedValidation: oneOf([422, 400, 409]),
  errorCodes: oneOf(['absent', 'present']),
  quotaPerMinute: wholeNumber(0, 0),
  retryAfter: oneOf(['none', 'seconds', 'date']),
  urlLifetimeSeconds: wholeNumber(300, 1),
  searchItem: oneOf(['newer', 'older', 'full']),
  absentInDetail: oneOf(['null', 'absent']),
  keylessDuplicates: oneOf(['passed', 'refused']),
  scopeParameter: oneOf(['accepted', 'refused']),
  imageValues: oneOf(['words', 'codes', 'empty']),
  factorNames: oneOf(['codes', 'words']),
  unlistedAttributes: oneOf(['absent', 'present']),
  laterReport: oneOf(['absent', 'present']),
  attachedStructures: oneOf(['garages', 'more']),
  afterReceived: oneOf(['gone', 'kept']),
  deprecation: oneOf(['none', 'announced']),
} satisfies Record<string, Choice<string> | Choice<number>>;

export type Unspecified = { readonly [Name in keyof typeof CHOICES]: (typeof CHOICES)[Name]['byDefault'] };

const says = templateTexts('sandbox/unspecified')();

export const UNSPECIFIED: Readonly<Record<string, Choice<string | number> & { readonly says: string }>> =
  Object.fromEntries(Object.entries(CHOICES).map(([name, choice]) => [name, { ...choice, says: says[name] ?? '' }]));

/** Throws OptionProblem on an unknown name or value. */
export function unspecifiedOf(chosen: Readonly<Record<string, string | number | undefined>>) {
  const unknown = Object.keys(chosen).find((name) => !Object.hasOwn(UNSPECIFIED, name));
  if (unknown !== undefined)
    throw new OptionProblem('choice-name', { name: unknown, names: Object.keys(UNSPECIFIED).join(', ') });
  const choices = Object.entries(UNSPECIFIED).map(([name, choice]) => {
    const given = chosen[name];
    const value = given === undefined ? choice.byDefault : choice.read(String(given));
    if (value === undefined)
      throw new OptionProblem('choice-value', { name, value: JSON.stringify(given), ways: choice.ways });
    return [name, value];
  });
  return Object.fromEntries(choices) as Unspecified;
}

export function parseChoices(pairs: readonly string[]): Partial<Unspecified> {
  const chosen = Object.fromEntries(
    pairs.map((pair) => {
      const [, name, value = ''] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
      if (name !== undefined) return [name, value] as const;
      throw new OptionProblem('choice-form', { pair: JSON.stringify(pair) });
    }),
  );
  return Object.fromEntries(Object.entries(unspecifiedOf(chosen)).filter(([name]) => Object.hasOwn(chosen, name)));
}

export function unspecifiedText() {
  return Object.entries(UNSPECIFIED)
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

export function withErrorCode(status: number, body: string) {
  const code = ERROR_CODES[status];
  return code === undefined || !body.startsWith(PLAIN_ERROR)
    ? body
    : `{"error":{"code":"${code}",${body.slice('{"error":{'.length)}`;
}

export function attachErrorCodes(app: FastifyInstance) {
  app.addHook('onSend', async (_request, reply, payload) =>
    typeof payload === 'string' ? withErrorCode(reply.statusCode, payload) : payload,
  );
}

export function attachDeprecation(app: FastifyInstance) {
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('deprecation', '@1767225600').header('sunset', 'Fri, 31 Dec 2027 23:59:59 GMT');
  });
}
