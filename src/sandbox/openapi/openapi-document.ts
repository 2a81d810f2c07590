import { parse } from 'yaml';
import { z } from 'zod';
import {
  HOUSE_TYPES_BY_POLICY_TYPE,
  PROJECT_STATUSES,
  REPORT_TYPES,
  SEARCH_LIMIT_DEFAULT,
  SEARCH_LIMIT_MAX,
  SELF_INSPECTION_SERVICE_NAMES,
  SERVICE_NAMES,
  createProjectRequest,
  errorBody,
  isoDate,
  projectDetail,
  projectId,
  updateProjectRequest,
  US_STATES,
} from '../../contract/document.ts';
import type { Unspecified } from '../unspecified.ts';
import { templateText } from '../../contract/template-data.ts';
import { type SummaryAttribute, SUMMARY_CATALOG } from '../../contract/summary-attributes.ts';
import { statusUpdateSchema } from '../request-checks.ts';

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

export interface JsonSchema {
  description?: string;
  type?: string;
  format?: string;
  minimum?: number;
  properties?: Record<string, JsonSchema>;
  [key: string]: unknown;
}

const INT64: JsonSchema = { type: 'integer', format: 'int64' };

function jsonSchemaOf(schema: z.ZodType) {
  const { $schema: _dialect, ...made } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: adapt,
  });
  return JSON.parse(JSON.stringify(made)) as JsonSchema;
}

function adapt({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: z.core.JSONSchema.BaseSchema }) {
  if (zodSchema === projectId) {
    delete jsonSchema.anyOf;
    Object.assign(jsonSchema, INT64);
  }
  if (jsonSchema.type === 'number') jsonSchema.format = 'double';
  if (jsonSchema.type === 'integer' && Number(jsonSchema.maximum) <= 2_147_483_647) jsonSchema.format = 'int32';
  // Instead of the library's unreadable leap-year pattern.
  if (jsonSchema.format === 'date') jsonSchema.pattern = String.raw`^\d{4}-\d{2}-\d{2}$`;
}

function summarySchemas() {
  const root: JsonSchema = { type: 'object', properties: {} };
  for (const attribute of SUMMARY_CATALOG) place(root, attribute.path, schemaOf(attribute));
  const { project = {}, summary = {} } = root.properties ?? {};
  return { project, summary };
}

function schemaOf(attribute: SummaryAttribute) {
  const { meaning, values, dynamic, examples, unit } = attribute;
  const list =
    values === undefined
      ? ''
      : ` ${dynamic ? 'Values so far' : examples ? 'For example' : 'Values'}: ${values.map((value) => `\`${value}\``).join(', ')}.`;
  const description = `${meaning}${unit === undefined ? '' : ` Unit: ${unit}.`}${list}`;
  const shape = attribute.path === 'project.id' ? INT64 : shapeOf(attribute);
  return attribute.nullable ? { description, anyOf: [shape, { type: 'null' }] } : { description, ...shape };
}

function shapeOf({ type, keys = [], items = [] }: SummaryAttribute) {
  switch (type) {
    case 'text':
      return { type: 'string' };
    case 'number':
      return { type: 'number' };
    case 'boolean':
      return { type: 'boolean' };
    case 'texts':
      return { type: 'array', items: { type: 'string' } };
    case 'percentages':
    case 'counts':
      return keyed(keys, 'number');
    case 'flags':
      return keyed(keys, 'boolean');
    case 'details':
      return { type: 'object' };
    case 'objects': {
      const item: JsonSchema = { type: 'object', properties: {} };
      for (const part of items) place(item, part.path, schemaOf(part));
      return { type: 'array', items: item };
    }
  }
}

function keyed(keys: readonly string[], type: string) {
  return {
    type: 'object',
    properties: Object.fromEntries(keys.map((key) => [key, { type }])),
    additionalProperties: { type },
  };
}

function place(root: JsonSchema, path: string, schema: JsonSchema) {
  const parts = path.split('.');
  const last = parts.pop() ?? path;
  let holder = root;
  for (const part of parts) {
    const properties = (holder.properties ??= {});
    holder = properties[part] ??= { type: 'object', properties: {} };
  }
  (holder.properties ??= {})[last] = schema;
}

const { allowDuplication, ...ordered } = createProjectRequest.shape;

const projectRequest = createProjectRequest
  .safeExtend({
    state: ordered.state.meta({ enum: Object.keys(US_STATES) }),
    country: ordered.country.meta({ default: 'US' }),
    allowDuplication: allowDuplication.meta({ default: true }),
  })
  .meta({
    anyOf: Object.entries(HOUSE_TYPES_BY_POLICY_TYPE).map(([policyType, houseTypes]) => ({
      properties: { policyType: { const: policyType }, houseType: { enum: houseTypes } },
    })),
  });

/**
 * The contract reads more tolerantly. In answers, cleared fields are empty, the document's two nullable fields are null
 * if absent, and lists may grow.
 */
const projectAnswer = projectDetail.extend({
  ...ordered,
  state: z.string(),
  country: z.string().optional(),
  serviceName: z.string(),
  insuredEmail: z.string().optional(),
  policyEffectiveDate: z.union([isoDate, z.literal('')]).optional(),
  isRenewal: z.boolean().nullish(),
  supplementalServices: z.array(z.string()).nullish(),
  lat: z.number().optional(),
  lng: z.number().optional(),
  operatingCompany: z.string().optional(),
  inspectionCode: z.string().optional(),
  inspectionLink: z.string().optional(),
});

function derivedSchemas(): Readonly<Record<string, JsonSchema>> {
  const { project, summary } = summarySchemas();
  return {
    ProjectRequest: jsonSchemaOf(projectRequest),
    Project: jsonSchemaOf(projectAnswer),
    ProjectUpdateRequest: jsonSchemaOf(updateProjectRequest),
    StatusUpdateRequest: jsonSchemaOf(statusUpdateSchema),
    SummaryProject: project,
    Summary: summary,
  };
}

function errorSchema({ errorCodes }: Unspecified) {
  const { error } = errorBody.shape;
  return jsonSchemaOf(errorCodes === 'present' ? error.extend({ code: z.string() }) : error);
}
