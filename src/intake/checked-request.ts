import { z } from 'zod';
import { createProjectRequest, type CreateProjectRequest } from '../contract/document.ts';
import { type FieldKind, type FieldName, houseTypesOf, ORDER_FIELDS } from './fields.ts';
import type { Finding } from './rules.ts';
import type { FieldValue } from './values/coercion.ts';

/** Kinds of few different values: what the schema took once need not be asked again. */
const REPEATING: ReadonlySet<FieldKind> = new Set(['state', 'country', 'date', 'enum', 'boolean']);
const PROVEN_MAX = 5000;

/** A field of the request, and how a value of it is proved. */
interface RequestField {
  readonly name: FieldName;
  readonly takes: (held: unknown) => boolean;
}

const SCHEMA_ORDER: readonly string[] = Object.keys(createProjectRequest.shape);

/** The fields in the schema's order. */
const REQUEST_FIELDS: readonly RequestField[] = ORDER_FIELDS.toSorted((a, b) => SCHEMA_ORDER.indexOf(a.name) - SCHEMA_ORDER.indexOf(b.name)).map(({ name, kind }) => {
  const schema = createProjectRequest.shape[name];
  const least = leastLength(schema);
  if (least !== undefined) return { name, takes: (held) => typeof held === 'string' ? held.length >= least : schema.safeParse(held).success };
  const takes = (held: unknown): boolean => schema.safeParse(held).success;
  return { name, takes: REPEATING.has(kind) ? rememberingWhatItTook(takes) : takes };
});

/** Of a schema that takes every text of some length, that length; undefined for the others. */
function leastLength(schema: z.ZodType): number | undefined {
  const inner = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  if (!(inner instanceof z.ZodString) || inner.format !== null) return undefined;
  const checks = inner.def.checks ?? [];
  return checks.every((check) => check._zod.def.check === 'min_length') ? (inner.minLength ?? 0) : undefined;
}

function rememberingWhatItTook(takes: (held: unknown) => boolean): (held: unknown) => boolean {
  const proven = new Set<unknown>();
  return (held) => {
    if (proven.has(held)) return true;
    if (!takes(held)) return false;
    if (proven.size < PROVEN_MAX) proven.add(held);
    return true;
  };
}

/** Whether the service's schema takes each field by itself, and the house type goes with the policy type: all that the whole of it checks. */
function isProven(request: Partial<Record<FieldName, FieldValue>>): boolean {
  const { policyType, houseType } = request;
  if (typeof policyType !== 'string' || typeof houseType !== 'string' || houseTypesOf(policyType)?.includes(houseType) !== true) return false;
  for (const { name, takes } of REQUEST_FIELDS) if (!takes(request[name])) return false;
  return true;
}

/** The request of a row, checked against the service's own schema: what the rules let through is proved here once more. */
export function checkedRequest(values: ReadonlyMap<FieldName, FieldValue>): { request: CreateProjectRequest } | { findings: Finding[] } {
  const request: Partial<Record<FieldName, FieldValue>> = {};
  for (const { name } of REQUEST_FIELDS) {
    const held = values.get(name);
    if (held !== undefined) request[name] = held;
  }
  // The same as the whole schema, in a fraction of the time.
  if (isProven(request)) return { request: request as CreateProjectRequest };
  const checked = createProjectRequest.safeParse(request);
  if (checked.success) return { request: checked.data };
  return {
    findings: checked.error.issues.map(({ path, message }): Finding => {
      const field = ORDER_FIELDS.find(({ name }) => name === path[0])?.name ?? 'streetAddress';
      return { severity: 'error', rule: 'request-schema', field, message: `the service would not take the value: ${message}.` };
    }),
  };
}
