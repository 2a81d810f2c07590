import { z } from 'zod';
import { createProjectRequest, HOUSE_TYPES_BY_POLICY_TYPE, isoDate, projectDetail, projectId, projectSearchItem, US_STATES, updateProjectRequest } from '../../contract/project.ts';
import { imageReference, reportReference, reportUrlResponse } from '../../contract/report.ts';
import { errorBody, tokenResponse } from '../../contract/token.ts';
import { statusUpdate } from '../request-checks.ts';
import { CLEARING_NOTES, REPORT_TYPE_NOTE, SERVICE_NAME_NOTE } from './field-notes.ts';
import { jsonSchemaOf, refTo } from './json-schema.ts';
import type { JsonSchema } from './openapi-types.ts';
import { summarySchemas } from './summary-schema.ts';

const { allowDuplication: _requestOnly, ...ordered } = createProjectRequest.shape;

/** In answers: cleared fields are empty, the two the document names are null when absent, and lists may grow. */
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

/** Document: Resources and their fields. The contract reads answers tolerantly; here stands what the document promises. */
const RESOURCES: Readonly<Record<string, JsonSchema>> = {
  ProjectRequest: createRequest(),
  Project: described(
    'A project in full.',
    jsonSchemaOf(projectDetail.extend({ ...answered, lat: z.number().optional(), lng: z.number().optional(), operatingCompany: z.string().optional(), inspectionCode: z.string().optional(), inspectionLink: z.string().optional() })),
  ),
  ProjectUpdateRequest: described('Only these two fields can be updated.', jsonSchemaOf(updateProjectRequest, CLEARING_NOTES)),
  ProjectUpdate: jsonSchemaOf(z.looseObject({ id: projectId, policyNumber: z.string(), policyEffectiveDate: answered.policyEffectiveDate.unwrap() })),
  ProjectStatus: jsonSchemaOf(z.looseObject({ id: projectId, status: z.string() })),
  StatusUpdateRequest: jsonSchemaOf(statusUpdate),
  ProjectSearchItem: described(
    'A project as a search shows it. It has neither effective date nor insured.',
    jsonSchemaOf(
      projectSearchItem.extend({
        streetAddress: z.string(), city: z.string(), state: z.string(), zipcode: z.string(), country: z.string(), serviceName: answered.serviceName, status: z.string(),
        policyNumber: z.string().optional(), inspectionNumber: z.string().optional(),
      }),
    ),
  ),
  ReportReference: jsonSchemaOf(reportReference.extend({ id: z.string(), type: z.string() }), { type: REPORT_TYPE_NOTE }),
  ReportUrl: jsonSchemaOf(reportUrlResponse),
  ImageReference: jsonSchemaOf(imageReference.extend({ id: z.string(), source: z.string(), type: z.string(), direction: z.string() }), { type: 'What the image shows. The values are not documented.' }),
  TokenByPassword: jsonSchemaOf(z.object({ grant_type: z.literal('password'), username: z.string().min(1), password: z.string().min(1) })),
  TokenByRefresh: jsonSchemaOf(z.object({ grant_type: z.literal('refresh_token'), refresh_token: z.string().min(1) }), { refresh_token: 'A valid refresh token previously issued.' }),
  Token: jsonSchemaOf(
    tokenResponse.extend({ token_type: z.literal('bearer'), refresh_token: z.string(), expires_in: z.int().optional(), scope: z.string(), user_id: z.int(), jti: z.string() }),
  ),
  Error: jsonSchemaOf(errorBody),
};

/** Every schema of `components`, by name. */
export function componentSchemas(): Record<string, JsonSchema> {
  const { project, summary } = summarySchemas();
  return {
    ...RESOURCES,
    SummaryProject: described('What the report says of the order.', project),
    Summary: described('What the inspection found. Only the attributes of the account’s report template appear; those marked nullable may be null; others than these may occur.', summary),
    ReportSummary: {
      type: 'object',
      properties: { id: { type: 'string' }, type: { type: 'string', description: REPORT_TYPE_NOTE }, project: refTo('SummaryProject'), summary: refTo('Summary') },
      required: ['id', 'type', 'project', 'summary'],
    },
    ProjectAnswer: enveloped('Project'),
    ProjectUpdateAnswer: enveloped('ProjectUpdate'),
    ProjectStatusAnswer: enveloped('ProjectStatus'),
    ProjectSearchAnswer: enveloped('ProjectSearchItem'),
    ReportListAnswer: envelopeOf(listed('report', 'ReportReference')),
    ImageListAnswer: envelopeOf(listed('image', 'ImageReference')),
    ReportSummaryAnswer: { type: 'object', properties: { report: { type: 'array', items: refTo('ReportSummary') } }, required: ['report'] },
  };
}

/** What refinements say in code, said in JSON Schema: the states, and houseType by policyType. */
function createRequest(): JsonSchema {
  const schema = jsonSchemaOf(createProjectRequest);
  const { state, country, yearBuilt, allowDuplication } = schema.properties ?? {};
  if (state !== undefined) state.enum = Object.keys(US_STATES);
  if (country !== undefined) country.default = 'US';
  if (allowDuplication !== undefined) allowDuplication.default = true;
  if (yearBuilt !== undefined) Object.assign(yearBuilt, { minimum: 1000, maximum: 9999 });
  schema.anyOf = Object.entries(HOUSE_TYPES_BY_POLICY_TYPE).map(([policyType, houseTypes]) => ({
    properties: { policyType: { const: policyType }, houseType: { enum: houseTypes } },
  }));
  return described('An order for the inspection of one property. Fields without a value are left out; null is never sent.', schema);
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
  return { type: 'object', properties: { ...id, [field]: { type: 'array', items: refTo(name) } }, required: ['id', field] };
}
