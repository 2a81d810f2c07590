import { html } from './html.ts';
import type { JsonSchema } from './openapi-types.ts';

/** A field of a schema as a line of a table. Paths of fields inside objects and lists are indented by `depth`. */
export interface FieldRow {
  readonly path: string;
  readonly depth: number;
  readonly required: boolean;
  /** HTML. */
  readonly type: string;
  readonly description: string;
}

/** Every field of an object, and of the objects and lists of objects inside it. */
export function fieldRows(schema: JsonSchema, depth = 0): FieldRow[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    { path: name, depth, required: schema.required?.includes(name) ?? false, type: typeWords(field), description: describedBy(field) },
    ...fieldRows(field, depth + 1),
    ...fieldRows(field.items ?? {}, depth + 1),
  ]);
}

/** A type in words, as HTML: `integer (int64), at least 0`; a schema of `components` as a link. */
export function typeWords(schema: JsonSchema): string {
  if (schema.$ref !== undefined) {
    const name = html(nameOf(schema.$ref));
    return `<a href="#schema-${name}">${name}</a>`;
  }
  const either = schema.anyOf ?? schema.oneOf;
  if (either !== undefined) return either.map(typeWords).join(' or ');
  if (schema.const !== undefined) return `<code>${html(JSON.stringify(schema.const))}</code>`;
  if (schema.items !== undefined) return `list of ${typeWords(schema.items)}${isNullable(schema) ? ' or null' : ''}`;
  const types = [schema.type ?? 'any'].flat().join(' or ');
  const details = [lengthWords(schema), boundWords(schema), schema.default === undefined ? '' : `default ${html(JSON.stringify(schema.default))}`];
  return [`${types}${schema.format === undefined ? '' : ` (${html(schema.format)})`}`, ...details.filter((words) => words !== '')].join(', ');
}

/** The last part of `#/components/schemas/Project`. */
export function nameOf(reference: string): string {
  return reference.split('/').at(-1) ?? reference;
}

/** The description, and the values where the schema has a closed list of them. */
export function describedBy(field: JsonSchema): string {
  const values = field.enum ?? field.items?.enum;
  const list = values === undefined ? '' : ` One of: ${values.map((value) => `\`${String(value)}\``).join(', ')}.`;
  return `${field.description ?? ''}${list}`.trim();
}

function isNullable({ type }: JsonSchema): boolean {
  return Array.isArray(type) && type.includes('null');
}

function lengthWords({ minLength, maxLength }: JsonSchema): string {
  if (maxLength !== undefined) return `at most ${maxLength} characters`;
  return minLength === 1 ? 'not empty' : '';
}

function boundWords({ minimum, maximum, format }: JsonSchema): string {
  if (minimum !== undefined && maximum !== undefined) return format === 'int32' && maximum === 2_147_483_647 ? '' : `${minimum} to ${maximum}`;
  return minimum === undefined ? '' : `at least ${minimum}`;
}
