import { z } from 'zod';
import type { SummaryAttribute } from '../../contract/catalogue/attribute.ts';
import {
  createProjectRequest,
  errorBody,
  HOUSE_TYPES_BY_POLICY_TYPE,
  imageReference,
  isoDate,
  PROJECT_STATUSES,
  projectDetail,
  projectId,
  projectSearchItem,
  REPORT_TYPES,
  reportReference,
  reportUrlResponse,
  SELF_INSPECTION_SERVICE_NAMES,
  SERVICE_NAMES,
  tokenResponse,
  updateProjectRequest,
  US_STATES,
} from '../../contract/document.ts';
import { SUMMARY_CATALOGUE } from '../../contract/summary-catalogue.ts';
import type { NotShown } from '../not-shown.ts';
import { statusUpdate } from '../request-checks.ts';

/** JSON Schema 2020-12, in part. */
export interface JsonSchema {
  $ref?: string;
  description?: string;
  type?: string | string[];
  format?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  enum?: readonly unknown[];
  const?: unknown;
  default?: unknown;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  pattern?: string;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
}

export interface Reference {
  readonly $ref: string;
}

/** By content type. */
export type Content = Readonly<Record<string, { readonly schema: JsonSchema; readonly examples?: Examples }>>;
export type Examples = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
}

export interface Answer {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: JsonSchema }>>;
  readonly content?: Content;
}

export type Method = 'get' | 'post' | 'put';

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: true; readonly content: Content };
  readonly responses: Readonly<Record<string, Answer | Reference>>;
}

const quoted = (values: readonly string[]): string => values.map((value) => `\`${value}\``).join(', ');
const known = (values: readonly string[]): string => `Known values: ${quoted(values)}. Others may occur.`;
const houseTypes = Object.entries(HOUSE_TYPES_BY_POLICY_TYPE).map(
  ([policyType, allowed]) => `${policyType}: ${quoted(allowed)}.`,
);

/** Document: Resources and their fields. */
const FIELD_NOTES: Readonly<Record<string, string>> = {
  streetAddress: 'Street part of the property address.',
  city: 'City of the property.',
  state: 'Two letters representing a US state.',
  zipcode: 'ZIP code of the property.',
  country: 'Default `US`. Only US is currently supported.',
  serviceName: 'The service that is ordered.',
  policyType: 'Kind of policy; it decides which house types are allowed.',
  houseType: `Allowed values depend on \`policyType\`. ${houseTypes.join(' ')}`,
  insuredName: 'Name of the insured.',
  insuredPhone: 'Phone number of the insured.',
  insuredEmail: 'Email address of the insured.',
  dueDate: 'Due date for completion, `YYYY-MM-DD`.',
  policyEffectiveDate: 'Day from which the policy is in effect, `YYYY-MM-DD`.',
  policyNumber: 'Number of the policy.',
  inspectionNumber:
    'The client’s own number. In staging, `report_provided…` and `closeout_report…` start automated test behaviour.',
  yearBuilt: 'Four-digit year.',
  agentName: 'Name of the agent.',
  agentPhone: 'Phone number of the agent.',
  agentEmail: 'Email address of the agent.',
  insuredBy: 'Insurance company name.',
  note: 'Description or attention notes.',
  isRenewal: 'Whether the policy is new or a renewal. Null in a create response when absent from the request.',
  supplementalServices: 'Services ordered on top. Null in a create response when absent from the request.',
  division: 'Any string is accepted as a division key; no pre-configuration is required.',
  dwellingCoverage: 'Coverage of the physical structure.',
  otherStructureCoverage: 'Coverage of other structures (detached garages, sheds, pools).',
  contentCoverage: 'Coverage of personal belongings.',
  carrierProvidedLivingArea: 'Total living area in Sq.Ft.',
  allowDuplication: 'Default `true`: a client that says nothing may order twice. See 409.',
  lat: 'Latitude of the project address.',
  lng: 'Longitude of the project address.',
  operatingCompany: 'Operating company name.',
  inspectionCode: `6 random characters when the service is a self-inspection (${quoted(SELF_INSPECTION_SERVICE_NAMES)}); otherwise an empty string.`,
  inspectionLink: 'Link to the self-inspection mobile application for those same services; otherwise an empty string.',
  status: known(PROJECT_STATUSES),
  value: 'The status to set.',
  comment: 'Additional comment, stored with the status. Schema maximum 1000; the prose says less than 1000.',
  source: 'Where the image comes from. The values are not documented.',
  direction: 'What the image looks at. The values are not documented.',
  url: 'A signed, temporary download URL. It must not be stored.',
  access_token: 'Valid for 10 minutes.',
  token_type: '`bearer`.',
  refresh_token: 'Valid for 24 hours, and used up when it is exchanged.',
  expires_in: 'Its unit and exact relation to the 10 minutes are not documented.',
  scope: 'A string.',
  user_id: 'The platform user’s number.',
  jti: 'Identifier of the token.',
  grant_type: 'How the token is obtained.',
  username: 'A platform user: recorded as the actor of later operations.',
  password: 'The platform user’s password.',
  message: 'What is wrong, for a person.',
};

/** For answers: lists may grow, so clients must accept unlisted values. */
const SERVICE_NAME_NOTE = known([...new Set([...SERVICE_NAMES, ...SELF_INSPECTION_SERVICE_NAMES])]);
const REPORT_TYPE_NOTE = known(REPORT_TYPES);
const CLEARING = 'An empty string clears it; an omitted field stays unchanged.';
const CLEARING_NOTES: Readonly<Record<string, string>> = {
  policyNumber: CLEARING,
  policyEffectiveDate: `\`YYYY-MM-DD\`. ${CLEARING}`,
};

/** The client's schema accepts text too; the service sends a number. */
export const INT64: JsonSchema = { type: 'integer', format: 'int64' };

/** A zod schema as JSON Schema, before any transform, with descriptions; `notes` override the usual ones. */
export function jsonSchemaOf(schema: z.ZodType, notes: Readonly<Record<string, string>> = {}): JsonSchema {
  const { $schema: _dialect, ...made } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: adapt,
  });
  // Fields of the same zod schema share an object.
  const own = JSON.parse(JSON.stringify(made)) as JsonSchema;
  const words = { ...FIELD_NOTES, ...notes };
  for (const [name, property] of Object.entries(own.properties ?? {})) {
    const note = words[name];
    if (note !== undefined) property.description ??= note;
  }
  return own;
}

export function refTo(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

function adapt({
  zodSchema,
  jsonSchema,
}: {
  readonly zodSchema: z.core.$ZodType;
  readonly jsonSchema: z.core.JSONSchema.BaseSchema;
}): void {
  if (zodSchema === projectId) {
    delete jsonSchema.anyOf;
    Object.assign(jsonSchema, INT64);
  }
  if (jsonSchema.type === 'number') jsonSchema.format = 'double';
  if (jsonSchema.type === 'integer' && Number(jsonSchema.maximum) <= 2_147_483_647) jsonSchema.format = 'int32';
  // Replaces the library's unreadable leap-year pattern.
  if (jsonSchema.format === 'date') jsonSchema.pattern = String.raw`^\d{4}-\d{2}-\d{2}$`;
}

/**
 * The `project` and `summary` of a report summary, from the catalogue. Nothing is required: the account's template
 * decides. Other attributes and values may occur.
 */
function summarySchemas(): { readonly project: JsonSchema; readonly summary: JsonSchema } {
  const root: JsonSchema = { type: 'object', properties: {} };
  for (const attribute of SUMMARY_CATALOGUE) place(root, attribute.path, schemaOf(attribute));
  const { project = {}, summary = {} } = root.properties ?? {};
  return { project, summary };
}

function schemaOf(attribute: SummaryAttribute): JsonSchema {
  const { meaning, values, dynamic, examples, unit } = attribute;
  const list =
    values === undefined
      ? ''
      : ` ${dynamic ? 'Values so far' : examples ? 'For example' : 'Values'}: ${values.map((value) => `\`${value}\``).join(', ')}.`;
  const description = `${meaning}${unit === undefined ? '' : ` Unit: ${unit}.`}${list}`;
  const shape = attribute.path === 'project.id' ? { ...INT64 } : shapeOf(attribute);
  if (attribute.nullable && typeof shape.type === 'string') shape.type = [shape.type, 'null'];
  return { description, ...shape };
}

function shapeOf({ type, keys = [], items = [] }: SummaryAttribute): JsonSchema {
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

function keyed(keys: readonly string[], type: string): JsonSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(keys.map((key) => [key, { type }])),
    additionalProperties: { type },
  };
}

/** Makes the objects on the way. */
function place(root: JsonSchema, path: string, schema: JsonSchema): void {
  const parts = path.split('.');
  const last = parts.pop() ?? path;
  let holder = root;
  for (const part of parts) {
    const properties = (holder.properties ??= {});
    holder = properties[part] ??= { type: 'object', properties: {} };
  }
  (holder.properties ??= {})[last] = schema;
}

const { allowDuplication: _requestOnly, ...ordered } = createProjectRequest.shape;

/** In answers, cleared fields are empty, the document's two nullable fields are null if absent, and lists may grow. */
const answered = {
  ...ordered,
  state: z.string(),
  country: z.string().optional(),
  serviceName: z.string().describe(SERVICE_NAME_NOTE),
  insuredEmail: z.string().optional(),
  policyEffectiveDate: z.union([isoDate, z.literal('')]).optional(),
  isRenewal: z.boolean().nullish(),
  supplementalServices: z.array(z.string()).nullish(),
};

/** Document: Resources and their fields. What the document promises; the contract reads more tolerantly. */
const RESOURCES: Readonly<Record<string, JsonSchema>> = {
  ProjectRequest: createRequest(),
  Project: described(
    'A project in full.',
    jsonSchemaOf(
      projectDetail.extend({
        ...answered,
        lat: z.number().optional(),
        lng: z.number().optional(),
        operatingCompany: z.string().optional(),
        inspectionCode: z.string().optional(),
        inspectionLink: z.string().optional(),
      }),
    ),
  ),
  ProjectUpdateRequest: described(
    'Only these two fields can be updated.',
    jsonSchemaOf(updateProjectRequest, CLEARING_NOTES),
  ),
  ProjectUpdate: jsonSchemaOf(
    z.looseObject({
      id: projectId,
      policyNumber: z.string(),
      policyEffectiveDate: answered.policyEffectiveDate.unwrap(),
    }),
  ),
  ProjectStatus: jsonSchemaOf(z.looseObject({ id: projectId, status: z.string() })),
  StatusUpdateRequest: jsonSchemaOf(statusUpdate),
  ProjectSearchItem: described(
    'A project as a search shows it. It has neither effective date nor insured.',
    jsonSchemaOf(
      projectSearchItem.extend({
        streetAddress: z.string(),
        city: z.string(),
        state: z.string(),
        zipcode: z.string(),
        country: z.string(),
        serviceName: answered.serviceName,
        status: z.string(),
        policyNumber: z.string().optional(),
        inspectionNumber: z.string().optional(),
      }),
    ),
  ),
  ReportReference: jsonSchemaOf(reportReference.extend({ id: z.string(), type: z.string() }), {
    type: REPORT_TYPE_NOTE,
  }),
  ReportUrl: jsonSchemaOf(reportUrlResponse),
  ImageReference: jsonSchemaOf(
    imageReference.extend({ id: z.string(), source: z.string(), type: z.string(), direction: z.string() }),
    { type: 'What the image shows. The values are not documented.' },
  ),
  TokenByPassword: jsonSchemaOf(
    z.object({ grant_type: z.literal('password'), username: z.string().min(1), password: z.string().min(1) }),
  ),
  TokenByRefresh: jsonSchemaOf(z.object({ grant_type: z.literal('refresh_token'), refresh_token: z.string().min(1) }), {
    refresh_token: 'A valid refresh token previously issued.',
  }),
  Token: jsonSchemaOf(
    tokenResponse.extend({
      token_type: z.literal('bearer'),
      refresh_token: z.string(),
      expires_in: z.int().optional(),
      scope: z.string(),
      user_id: z.int(),
      jti: z.string(),
    }),
  ),
  Error: jsonSchemaOf(errorBody),
};

export function componentSchemas({ errorCodes }: Pick<NotShown, 'errorCodes'>): Record<string, JsonSchema> {
  const { project, summary } = summarySchemas();
  return {
    ...RESOURCES,
    ...(errorCodes === 'present'
      ? { Error: jsonSchemaOf(z.looseObject({ error: errorBody.shape.error.extend({ code: z.string() }) })) }
      : {}),
    SummaryProject: described('What the report says of the order.', project),
    Summary: described(
      'What the inspection found. Only the attributes of the account’s report template appear; those marked nullable may be null; others than these may occur.',
      summary,
    ),
    ReportSummary: {
      type: 'object',
      properties: {
        id: { type: 'string' },
        type: { type: 'string', description: REPORT_TYPE_NOTE },
        project: refTo('SummaryProject'),
        summary: refTo('Summary'),
      },
      required: ['id', 'type', 'project', 'summary'],
    },
    ProjectAnswer: enveloped('Project'),
    ProjectUpdateAnswer: enveloped('ProjectUpdate'),
    ProjectStatusAnswer: enveloped('ProjectStatus'),
    ProjectSearchAnswer: enveloped('ProjectSearchItem'),
    ReportListAnswer: envelopeOf(listed('report', 'ReportReference')),
    ImageListAnswer: envelopeOf(listed('image', 'ImageReference')),
    ReportSummaryAnswer: {
      type: 'object',
      properties: { report: { type: 'array', items: refTo('ReportSummary') } },
      required: ['report'],
    },
  };
}

/** Adds what the zod refinements check: the states, and houseType by policyType. */
function createRequest(): JsonSchema {
  const schema = jsonSchemaOf(createProjectRequest);
  const { state, country, allowDuplication } = schema.properties ?? {};
  if (state !== undefined) state.enum = Object.keys(US_STATES);
  if (country !== undefined) country.default = 'US';
  if (allowDuplication !== undefined) allowDuplication.default = true;
  schema.anyOf = Object.entries(HOUSE_TYPES_BY_POLICY_TYPE).map(([policyType, houseTypes]) => ({
    properties: { policyType: { const: policyType }, houseType: { enum: houseTypes } },
  }));
  return described(
    'An order for the inspection of one property. Fields without a value are left out; null is never sent.',
    schema,
  );
}

function described(description: string, schema: JsonSchema): JsonSchema {
  return { description, ...schema };
}

function enveloped(name: string): JsonSchema {
  return envelopeOf(refTo(name));
}

function envelopeOf(item: JsonSchema): JsonSchema {
  return { type: 'object', properties: { project: { type: 'array', items: item } }, required: ['project'] };
}

function listed(field: string, name: string): JsonSchema {
  const { properties: id } = jsonSchemaOf(z.looseObject({ id: projectId }));
  return {
    type: 'object',
    properties: { ...id, [field]: { type: 'array', items: refTo(name) } },
    required: ['id', field],
  };
}
