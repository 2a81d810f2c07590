import { ERROR_MESSAGES } from './examples.ts';
import { refTo } from './json-schema.ts';
import type { Answer, Reference } from './openapi-types.ts';

type ErrorStatus = keyof typeof ERROR_MESSAGES;

/** Document: Errors. */
const ERRORS: Readonly<Record<ErrorStatus, readonly [name: string, description: string]>> = {
  400: ['BadRequest', 'Bad request format or invalid argument.'],
  401: ['Unauthorized', 'Invalid credentials, or the token has expired. Credentials of one environment are rejected in the other.'],
  403: ['Forbidden', 'Permission denied for an authenticated client.'],
  404: ['NotFound', 'Resource not available: unknown project, report or image; missing report file; missing compressed report.'],
  409: ['Conflict', 'Resource already exists: a create rejected as a duplicate project. For a status: the transition is refused from where the project stands.'],
  422: ['Unprocessable', 'Well-formed request with invalid data that cannot be processed.'],
  429: ['QuotaExhausted', 'A resource such as a per-user quota is exhausted.'],
  500: ['InternalError', 'Internal error.'],
  503: ['Unavailable', 'Service unavailable.'],
  504: ['DeadlineReached', 'Deadline reached. It may occur even though the request was handled successfully: search before repeating a create.'],
};

const STATUSES = Object.keys(ERRORS).map(Number) as ErrorStatus[];

/** Every error answer of `components`, by name. */
export function errorAnswers(): Record<string, Answer> {
  return Object.fromEntries(STATUSES.map((status) => [ERRORS[status][0], errorAnswer(status)]));
}

function errorAnswer(status: ErrorStatus): Answer {
  const examples = { message: { summary: 'A message for a person', value: { error: { message: ERROR_MESSAGES[status] } } } };
  const content = { 'application/json': { schema: refTo('Error'), examples } };
  const description = ERRORS[status][1];
  if (status !== 429 && status !== 503) return { description, content };
  return { description, headers: { 'Retry-After': { description: 'Seconds to wait. It may be absent.', schema: { type: 'string' } } }, content };
}

/** What every endpoint may answer, and these besides. */
export function errorsOf(...statuses: readonly ErrorStatus[]): Record<string, Reference> {
  const all = new Set<ErrorStatus>([...statuses, 400, 401, 403, 429, 500, 503, 504]);
  return Object.fromEntries([...all].map((status) => [String(status), { $ref: `#/components/responses/${ERRORS[status][0]}` }]));
}
