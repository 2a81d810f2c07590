import { parse } from 'yaml';
import {
  HOUSE_TYPES_BY_POLICY_TYPE,
  PROJECT_STATUSES,
  REPORT_TYPES,
  SEARCH_LIMIT_DEFAULT,
  SEARCH_LIMIT_MAX,
  SELF_INSPECTION_SERVICE_NAMES,
  SERVICE_NAMES,
} from '../../contract/document.ts';
import type { NotShown } from '../not-shown.ts';
import { templateText } from '../../contract/template-data.ts';
import { type Answer, derivedSchemas, errorSchema, type JsonSchema, type Method, type Operation } from './schemas.ts';

export interface OpenApiDocument {
  readonly info: Readonly<Record<'title' | 'version' | 'summary' | 'description', string>>;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly security: NonNullable<Operation['security']>;
  readonly paths: Readonly<Record<string, Partial<Record<Method, Operation>>>>;
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, { readonly scheme: string; readonly description: string }>>;
    readonly responses: Readonly<Record<string, Answer>>;
    readonly schemas: Readonly<Record<string, JsonSchema>>;
  };
}

type Fields = Readonly<Record<string, string>>;

/** What templates/sandbox/openapi.yaml holds. */
interface Source extends OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation & { 'x-errors'?: readonly number[] }>>>>;
  readonly components: Omit<OpenApiDocument['components'], 'responses' | 'schemas'> & {
    readonly responses: Readonly<Record<string, Answer & { 'x-status': number }>>;
    readonly schemas: Readonly<Record<string, JsonSchema & { 'x-fields'?: Fields }>>;
  };
  readonly 'x-errors': readonly number[];
  readonly 'x-fields': Fields;
}

/** The service as OpenAPI 3.1, from the schemas of src/contract and the chosen options (document: Versioning, 6). */
export function openApiDocument(chosen: NotShown): OpenApiDocument {
  const {
    'x-errors': everywhere,
    'x-fields': fields,
    ...document
  } = parse(templateText('sandbox/openapi.yaml'), filledFrom(wordsOf(chosen))) as Source;
  const { paths, components } = document;
  const derived = derivedSchemas();
  const names = new Map(Object.entries(components.responses).map(([name, answer]) => [answer['x-status'], name]));
  return {
    ...document,
    paths: mapped(paths, (methods) =>
      mapped(methods, ({ 'x-errors': own = [], ...operation }) => ({
        ...operation,
        responses: {
          ...operation.responses,
          ...Object.fromEntries(
            [...everywhere, ...own].map((status) => [
              status,
              { $ref: `#/components/responses/${names.get(status) ?? status}` },
            ]),
          ),
        },
      })),
    ),
    components: {
      ...components,
      responses: mapped(components.responses, ({ 'x-status': _status, ...answer }) => answer),
      schemas: mapped(components.schemas, ({ 'x-fields': own, ...schema }, name) =>
        withMeanings({ ...schema, ...derived[name] }, { ...fields, ...own }),
      ),
    },
  };
}

const quoted = (values: readonly string[]): string => values.map((value) => `\`${value}\``).join(', ');
/** For answers: lists may grow, so clients must accept unlisted values. */
const known = (values: readonly string[]): string => `Known values: ${quoted(values)}. Others may occur.`;

type Words = Readonly<Record<string, string | number | readonly string[] | JsonSchema>>;

/** The replacements of `$name` in the file. */
function wordsOf(chosen: NotShown): Words {
  const houseTypes = Object.entries(HOUSE_TYPES_BY_POLICY_TYPE).map(
    ([policyType, allowed]) => `${policyType}: ${quoted(allowed)}.`,
  );
  return {
    ...chosen,
    PROJECT_STATUSES,
    SERVICE_NAMES,
    SEARCH_LIMIT_DEFAULT,
    SEARCH_LIMIT_MAX,
    houseTypes: houseTypes.join(' '),
    selfInspections: quoted(SELF_INSPECTION_SERVICE_NAMES),
    knownServices: known([...new Set([...SERVICE_NAMES, ...SELF_INSPECTION_SERVICE_NAMES])]),
    knownStatuses: known(PROJECT_STATUSES),
    knownReports: known(REPORT_TYPES),
    timeFormat: chosen.createdTimeUnit === 'seconds' ? 'int32' : 'int64',
    expiresInNote:
      chosen.expiresIn === 'absent'
        ? 'This service gives no `expires_in`.'
        : `The unit of \`expires_in\` is not documented; this service gives ${chosen.expiresIn}.`,
    errorSchema: errorSchema(chosen),
  };
}

/** A value that is one word becomes what the word stands for, be it a list; inside a text it becomes text. */
function filledFrom(words: Words): (key: unknown, value: unknown) => unknown {
  return (_key, value) => {
    if (typeof value !== 'string') return value;
    const whole = value.startsWith('$') ? words[value.slice(1)] : undefined;
    if (whole !== undefined) return whole;
    return value.replaceAll(/\$(\w+)/g, (given, name: string) => {
      const word = words[name];
      return typeof word === 'string' || typeof word === 'number' ? String(word) : given;
    });
  };
}

function mapped<From, To>(
  record: Readonly<Record<string, From>>,
  change: (value: From, name: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]));
}

function withMeanings(schema: JsonSchema, fields: Fields): JsonSchema {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const meaning = fields[name];
    if (meaning !== undefined) property.description ??= meaning;
  }
  return schema;
}
