import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  createProjectRequest,
  type CreateProjectRequest,
  HOUSE_TYPES_BY_POLICY_TYPE,
  PROJECT_STATUSES,
  SEARCH_LIMIT_DEFAULT,
  SEARCH_LIMIT_MAX,
  SERVICE_NAMES,
  statusUpdateRequest,
} from '../contract/document.ts';
import type { NotShown } from './not-shown.ts';
import type { Project, ProjectQuery, ProjectStore } from './project-store.ts';
import { Refusal } from './refusal.ts';

/** The schema allows 1000, the prose less: the service takes both, a careful client sends at most 999. */
const COMMENT_SCHEMA_LENGTH_MAX = 1000;
/** The document gives a minimum only for `limit`. */
const INT32 = { min: -2_147_483_648, max: 2_147_483_647 };

/** JSON Schema counts code points. */
const comment = z
  .string()
  .refine(
    (text) => Array.from(text).length <= COMMENT_SCHEMA_LENGTH_MAX,
    `must not be longer than ${COMMENT_SCHEMA_LENGTH_MAX}`,
  )
  .meta({ maxLength: COMMENT_SCHEMA_LENGTH_MAX });

export const statusUpdate = statusUpdateRequest.extend({ comment: comment.optional() });

/** Throws Refusal 400 for a malformed body, and with the status `invalid` for unusable data. */
export function checkedBody<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
  invalid: NotShown['failedValidation'],
): z.output<Schema> {
  const result = schema.safeParse(body, { reportInput: true });
  if (result.success) return result.data;
  throw refusalOf(result.error.issues.flatMap(problemsOf), invalid);
}

/** As `checkedBody`. */
export function checkedCreate(body: unknown, invalid: NotShown['failedValidation']): CreateProjectRequest {
  const result = createProjectRequest.safeParse(body, { reportInput: true });
  if (result.success) return result.data;
  throw refusalOf(withHouseType(result.error.issues.flatMap(problemsOf), body), invalid);
}

/** An int64 in a path. Throws Refusal 400. */
export function checkedId(text: string, name: string): bigint {
  const id = /^-?\d{1,19}$/.test(text) ? BigInt(text) : undefined;
  if (id === undefined || BigInt.asIntN(64, id) !== id)
    throw new Refusal(400, `${name}: must be an integer (int64), not ${quoted(text)}.`);
  return id;
}

/** The project of a path. Throws Refusal 400 or 404. */
export function projectOf(projects: ProjectStore, projectId: string): Project {
  if (projectId === '') throw new Refusal(404, 'There is no project without an id.');
  const project = projects.find(checkedId(projectId, 'projectId'));
  if (project === undefined) throw new Refusal(404, `There is no project ${projectId}.`);
  return project;
}

/** Throws Refusal 400. */
export function checkedFlag(query: unknown, name: string, byDefault: boolean): boolean {
  const text = parameter(query, name);
  if (text === undefined) return byDefault;
  if (text !== 'true' && text !== 'false')
    throw new Refusal(400, `${name}: must be true or false, not ${quoted(text)}.`);
  return text === 'true';
}

/**
 * Document: Search query parameters. As int32, times fit only in seconds; milliseconds are accepted too. Throws Refusal
 * 400.
 */
export function checkedQuery(query: unknown, createdTimeUnit: NotShown['createdTimeUnit']): ProjectQuery {
  const [unitMs, time] =
    createdTimeUnit === 'seconds' ? [1000, INT32] : [1, { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER }];
  const limit = checkedInteger(query, 'limit', { min: 0, max: SEARCH_LIMIT_MAX }) ?? SEARCH_LIMIT_DEFAULT;
  const start = parameter(query, 'startId');
  const [from, before] = [
    checkedInteger(query, 'createdTime.start', time),
    checkedInteger(query, 'createdTime.end', time),
  ];
  return {
    status: oneOf(query, 'status', PROJECT_STATUSES),
    serviceName: oneOf(query, 'serviceName', SERVICE_NAMES),
    policyNumber: parameter(query, 'policyNumber') || undefined,
    inspectionNumber: parameter(query, 'inspectionNumber') || undefined,
    createdFrom: from === undefined ? undefined : from * unitMs,
    createdBefore: before === undefined ? undefined : before * unitMs,
    startId: start === undefined ? 0n : checkedId(start, 'startId'),
    limit,
    includeBundles: checkedFlag(query, 'includeBundleProjects', true),
  };
}

/** As in the document: `/v1/project/{projectId}`. */
export function routeOf(request: FastifyRequest): string {
  return (request.routeOptions.url ?? '(unknown route)').replaceAll(/:(\w+)/g, (_, name: string) => `{${name}}`);
}

/** Throws Refusal 400 if it is missing, empty or repeated. */
export function requiredField(form: unknown, name: string): string {
  const value = parameter(form, name);
  if (!value) throw new Refusal(400, `${name}: is required.`);
  return value;
}

/** Undefined if absent. An empty value is not a number, enum or boolean. */
function parameter(query: unknown, name: string): string | undefined {
  const value = isObject(query) && Object.hasOwn(query, name) ? query[name] : undefined;
  if (value === undefined) return undefined;
  if (typeof value !== 'string') throw new Refusal(400, `${name}: must be given once.`);
  return value;
}

function checkedInteger(
  query: unknown,
  name: string,
  { min, max }: { readonly min: number; readonly max: number },
): number | undefined {
  const text = parameter(query, name);
  if (text === undefined) return undefined;
  const value = /^-?\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max))
    throw new Refusal(400, `${name}: must be an integer from ${min} to ${max}, not ${quoted(text)}.`);
  return value;
}

function oneOf(query: unknown, name: string, allowed: readonly string[]): string | undefined {
  const text = parameter(query, name);
  if (text !== undefined && !allowed.includes(text))
    throw new Refusal(400, `${name}: must be one of: ${allowed.join(', ')}; not ${quoted(text)}.`);
  return text;
}

/** Malformed: wrong shape. Invalid: right shape, wrong value. */
interface FieldProblem {
  readonly kind: 'malformed' | 'invalid';
  readonly field: string;
  readonly text: string;
}

function problemsOf(issue: z.core.$ZodIssue): FieldProblem[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      kind: 'malformed',
      field: key.slice(0, 100),
      text: 'is not a field of this request',
    }));
  const field = issue.path.join('.') || 'body';
  const malformed = formProblem(issue, field);
  return [
    malformed === undefined
      ? { kind: 'invalid', field, text: valueProblem(issue) }
      : { kind: 'malformed', field, text: malformed },
  ];
}

/** Undefined if the value has the right form. */
function formProblem(issue: z.core.$ZodIssue, field: string): string | undefined {
  const { code, input } = issue;
  if (code !== 'invalid_type' && code !== 'invalid_value' && code !== 'invalid_union') return undefined;
  if (field === 'body') return 'must be a JSON object, sent as application/json';
  if (input === undefined) return 'is required';
  if (input === null) return 'must not be null; leave the field out';
  if (code === 'invalid_type') return `must be of type ${issue.expected}`;
  // Enums and unions are texts.
  return typeof input === 'string' ? undefined : 'must be of type string';
}

function valueProblem(issue: z.core.$ZodIssue): string {
  const { code, message } = issue;
  if (code === 'invalid_value') return `must be one of: ${issue.values.map(String).join(', ')}`;
  if (code === 'invalid_format' && issue.format === 'date') return 'must be a date that exists, as YYYY-MM-DD';
  if (code === 'too_small')
    return issue.origin === 'string' ? 'must not be empty' : `must be at least ${issue.minimum}`;
  if (code === 'too_big')
    return issue.origin === 'string' ? `must not be longer than ${issue.maximum}` : `must be at most ${issue.maximum}`;
  return message;
}

/** The schema checks houseType only if all else is right; this reports every problem at once. */
function withHouseType(problems: readonly FieldProblem[], body: unknown): readonly FieldProblem[] {
  if (!isObject(body) || typeof body.houseType !== 'string' || problems.some(({ field }) => field === 'houseType'))
    return problems;
  const [policyType, allowed] =
    Object.entries<readonly string[]>(HOUSE_TYPES_BY_POLICY_TYPE).find(([known]) => known === body.policyType) ?? [];
  if (allowed === undefined || allowed.includes(body.houseType)) return problems;
  return [
    ...problems,
    { kind: 'invalid', field: 'houseType', text: `for ${policyType}, one of: ${allowed.join(', ')}` },
  ];
}

function refusalOf(problems: readonly FieldProblem[], invalid: NotShown['failedValidation']): Refusal {
  const malformed = problems.some(({ kind }) => kind === 'malformed');
  const texts = new Set(problems.map(({ field, text }) => `${field}: ${text}`));
  return new Refusal(
    malformed ? 400 : invalid,
    `The request is ${malformed ? 'malformed' : 'invalid'}. ${[...texts].join('; ')}.`,
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
