import { timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  PROJECT_STATUSES,
  SEARCH_LIMIT_DEFAULT,
  SEARCH_LIMIT_MAX,
  SERVICE_NAMES,
  statusUpdateRequest,
} from '../contract/document.ts';
import { isRecord } from '../contract/json.ts';
import type { Unspecified } from './unspecified.ts';
import type { ProjectSearch, ProjectStore } from './project-store.ts';
import { Refusal } from './refusal.ts';

/** The document's schema allows 1000, its prose less. */
const COMMENT_SCHEMA_LENGTH_MAX = 1000;
const INT32 = { min: -2_147_483_648, max: 2_147_483_647 };

/** JSON Schema counts code points. */
const comment = z
  .string()
  .refine(
    (text) => Array.from(text).length <= COMMENT_SCHEMA_LENGTH_MAX,
    `must not be longer than ${COMMENT_SCHEMA_LENGTH_MAX}`,
  )
  .meta({ maxLength: COMMENT_SCHEMA_LENGTH_MAX });

export const statusUpdateSchema = statusUpdateRequest.extend({ comment: comment.optional() });

/** Throws Refusal 400 for a malformed body, else with the status `invalid`. */
export function checkedBody<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
  invalid: Unspecified['failedValidation'],
) {
  const result = schema.safeParse(body, { reportInput: true });
  if (result.success) return result.data;
  const { issues } = result.error;
  const isMalformed = issues.some((issue) => formProblem(issue) !== undefined);
  const texts = issues.map((issue) => formProblem(issue) ?? `${issue.path.join('.')}: ${valueProblem(issue)}`);
  throw new Refusal(
    isMalformed ? 400 : invalid,
    `The request is ${isMalformed ? 'malformed' : 'invalid'}. ${[...new Set(texts)].join('; ')}.`,
  );
}

/** Throws Refusal 400 unless it is an int64. */
export function checkedId(text: string, name: string) {
  const id = /^-?\d{1,19}$/.test(text) ? BigInt(text) : undefined;
  if (id === undefined || BigInt.asIntN(64, id) !== id)
    throw new Refusal(400, `${name}: must be an integer (int64), not ${quoted(text)}.`);
  return id;
}

export type PathOf<Name extends string> = { readonly Params: Readonly<Record<Name, string>> };
export type ProjectPath = PathOf<'projectId'>;

export function requestedProject(projects: ProjectStore, { projectId }: ProjectPath['Params']) {
  if (projectId === '') throw new Refusal(404, 'There is no project without an id.');
  const project = projects.find(checkedId(projectId, 'projectId'));
  if (project === undefined) throw new Refusal(404, `There is no project ${projectId}.`);
  return project;
}

const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^-?\d{1,16}$/, 'must be an integer')
    .transform(Number)
    .pipe(z.number().min(min).max(max))
    .optional();
const flag = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .optional();

/** Times fit into an int32 only as seconds. */
const searchQuery = (time: z.ZodType<number | undefined>) =>
  z.object({
    status: z.enum(PROJECT_STATUSES).optional(),
    serviceName: z.enum(SERVICE_NAMES).optional(),
    policyNumber: z.string().optional(),
    inspectionNumber: z.string().optional(),
    'createdTime.start': time,
    'createdTime.end': time,
    limit: integer(0, SEARCH_LIMIT_MAX),
    startId: z.string().optional(),
    includeBundleProjects: flag,
  });
const SEARCH_QUERIES = {
  seconds: searchQuery(integer(INT32.min, INT32.max)),
  milliseconds: searchQuery(integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)),
};
const fileQuery = z.object({ compressed: flag });

export function checkedQuery(query: unknown, unit: Unspecified['createdTimeUnit']): ProjectSearch {
  const given = checkedBody(SEARCH_QUERIES[unit], query, 400);
  const time = (value: number | undefined) => value && value * (unit === 'seconds' ? 1000 : 1);
  return {
    status: given.status,
    serviceName: given.serviceName,
    policyNumber: given.policyNumber || undefined,
    inspectionNumber: given.inspectionNumber || undefined,
    createdFrom: time(given['createdTime.start']),
    createdBefore: time(given['createdTime.end']),
    startId: checkedId(given.startId ?? '0', 'startId'),
    limit: given.limit ?? SEARCH_LIMIT_DEFAULT,
    includeBundles: given.includeBundleProjects ?? true,
  };
}

export function wantsCompressed(query: unknown) {
  return checkedBody(fileQuery, query, 400).compressed ?? false;
}

export function routeOf(request: FastifyRequest) {
  return (request.routeOptions.url ?? '(unknown route)').replaceAll(/:(\w+)/g, (_, name: string) => `{${name}}`);
}

/** Throws Refusal 400 if it is missing, empty or repeated. */
export function requiredField(form: unknown, name: string) {
  const value = isRecord(form) ? form[name] : undefined;
  if (typeof value !== 'string' || value === '') throw new Refusal(400, `${name}: is required, once.`);
  return value;
}

function formProblem({ path, ...issue }: z.core.$ZodIssue) {
  const { code, input } = issue;
  if (code === 'unrecognized_keys')
    return issue.keys.map((key) => `${key.slice(0, 100)}: is not a field of this request`).join('; ');
  if (code !== 'invalid_type' && code !== 'invalid_value' && code !== 'invalid_union') return undefined;
  const field = path.join('.');
  if (field === '') return 'body: must be a JSON object, sent as application/json';
  if (input === undefined) return `${field}: is required`;
  if (input === null) return `${field}: must not be null; leave the field out`;
  if (code === 'invalid_type') return `${field}: must be of type ${issue.expected}`;
  return typeof input === 'string' ? undefined : `${field}: must be of type string`;
}

function valueProblem(issue: z.core.$ZodIssue) {
  const { code, message } = issue;
  if (code === 'invalid_value') return `must be one of: ${issue.values.map(String).join(', ')}`;
  if (code === 'invalid_format' && issue.format === 'date') return 'must be a date that exists, as YYYY-MM-DD';
  if (code === 'too_small')
    return issue.origin === 'string' ? 'must not be empty' : `must be at least ${issue.minimum}`;
  if (code === 'too_big')
    return issue.origin === 'string' ? `must not be longer than ${issue.maximum}` : `must be at most ${issue.maximum}`;
  return message;
}

export function isSameSecret(given: string, expected: string) {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function quoted(text: string) {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
