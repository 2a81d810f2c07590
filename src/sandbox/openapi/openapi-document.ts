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
import type { Unspecified } from '../unspecified.ts';
import { templateText } from '../../contract/template-data.ts';
import { derivedSchemas, errorSchema, type JsonSchema } from './schemas.ts';

type Fields = Readonly<Record<string, string>>;

type Operation = Readonly<{
  responses: object;
  'x-errors'?: readonly number[];
}>;

/** What is only in the file begins with `x-`. */
type DocumentFile = Readonly<{
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  components: Readonly<{
    responses: Readonly<Record<string, { readonly 'x-status'?: number }>>;
    schemas: Readonly<Record<string, JsonSchema>>;
  }>;
  'x-errors': readonly number[];
  'x-fields': Fields;
}>;

export function openApiDocument(chosen: Unspecified) {
  const words = wordsOf(chosen);
  const text = templateText('sandbox/openapi.yaml').replaceAll(/\$(\w+)/g, (given, name: string) => {
    const word = words[name] ?? given;
    return typeof word === 'string' ? word : JSON.stringify(word);
  });
  const { 'x-errors': everywhere, 'x-fields': fields, ...document } = parse(text) as DocumentFile;
  const { paths, components } = document;
  const derived = derivedSchemas();
  const names = new Map(Object.entries(components.responses).map(([name, answer]) => [answer['x-status'], name]));
  const errorsOf = ({ 'x-errors': own = [] }: Operation) =>
    [...everywhere, ...own].map((status) => [
      status,
      { $ref: `#/components/responses/${names.get(status) ?? status}` },
    ]);
  return {
    ...document,
    paths: mapped(paths, (methods) =>
      mapped(methods, (operation) => ({
        ...without('x-errors', operation),
        responses: { ...operation.responses, ...Object.fromEntries(errorsOf(operation)) },
      })),
    ),
    components: {
      ...components,
      responses: mapped(components.responses, (answer) => without('x-status', answer)),
      schemas: mapped(components.schemas, (schema, name) =>
        withMeanings(
          { ...without('x-fields', schema), ...derived[name] },
          { ...fields, ...(schema['x-fields'] as Fields) },
        ),
      ),
    },
  };
}

function without<Held extends object>(name: keyof Held, { [name]: _dropped, ...rest }: Held) {
  return rest as Held;
}

const quoted = (values: readonly string[]) => values.map((value) => `\`${value}\``).join(', ');
const known = (values: readonly string[]) => `Known values: ${quoted(values)}. Others may occur.`;

function wordsOf(chosen: Unspecified): Readonly<Record<string, string | number | readonly string[] | JsonSchema>> {
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

function mapped<From, To>(record: Readonly<Record<string, From>>, change: (value: From, name: string) => To) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]));
}

function withMeanings(schema: JsonSchema, fields: Fields) {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const meaning = fields[name];
    if (meaning !== undefined) property.description ??= meaning;
  }
  return schema;
}
