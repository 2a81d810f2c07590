import { z } from 'zod';
import { PROJECT_STATUSES, SEARCH_LIMIT_DEFAULT, SEARCH_LIMIT_MAX, SERVICE_NAMES } from '../../contract/document.ts';
import type { NotShown } from '../not-shown.ts';
import {
  CANCELLATION,
  IMAGES,
  ORDER,
  PASSWORD_GRANT,
  PROJECT,
  REFRESH_GRANT,
  REPORT_URL,
  REPORTS,
  SEARCH_ITEM,
  statusOf,
  SUMMARY,
  TOKEN,
  UPDATE,
  UPDATED,
} from './examples.ts';
import {
  type Answer,
  componentSchemas,
  type Content,
  type Examples,
  INT64,
  type JsonSchema,
  jsonSchemaOf,
  type Method,
  type Operation,
  type Parameter,
  type Reference,
  refTo,
} from './schemas.ts';

interface ServiceError {
  readonly name: string;
  readonly description: string;
  readonly message: string;
}

const ERRORS = {
  400: {
    name: 'BadRequest',
    description: 'Bad request format or invalid argument.',
    message: 'The request is malformed. insuredName: is required.',
  },
  401: {
    name: 'Unauthorized',
    description:
      'Invalid credentials, or the token has expired. Credentials of one environment are rejected in the other.',
    message: 'The access token is invalid or expired.',
  },
  403: {
    name: 'Forbidden',
    description: 'Permission denied for an authenticated client.',
    message: 'This user may not do that.',
  },
  404: {
    name: 'NotFound',
    description:
      'Resource not available: unknown project, report or image; missing report file; missing compressed report.',
    message: 'There is no project 100009.',
  },
  409: {
    name: 'Conflict',
    description: 'Resource already exists: a create rejected as a duplicate project.',
    message: 'Duplicate project: project 100001 of the past 30 days has the same inspection number.',
  },
  422: {
    name: 'Unprocessable',
    description: 'Well-formed request with invalid data that cannot be processed.',
    message: 'The request is invalid. state: two letters representing a US state.',
  },
  429: {
    name: 'QuotaExhausted',
    description: 'A resource such as a per-user quota is exhausted.',
    message: 'The quota is exhausted. Try again later.',
  },
  500: { name: 'InternalError', description: 'Internal error.', message: 'Internal error.' },
  503: { name: 'Unavailable', description: 'Service unavailable.', message: 'Service unavailable.' },
  504: {
    name: 'DeadlineReached',
    description:
      'Deadline reached. It may occur even though the request was handled successfully: search before repeating a create.',
    message: 'Deadline reached.',
  },
} as const satisfies Readonly<Record<number, ServiceError>>;
type ErrorStatus = keyof typeof ERRORS;

const STATUSES = Object.keys(ERRORS).map(Number) as ErrorStatus[];

function errorAnswers(): Record<string, Answer> {
  return Object.fromEntries(STATUSES.map((status) => [ERRORS[status].name, errorAnswer(status)]));
}

function errorAnswer(status: ErrorStatus): Answer {
  const examples = {
    message: { summary: 'A message for a person', value: { error: { message: ERRORS[status].message } } },
  };
  const content = { 'application/json': { schema: refTo('Error'), examples } };
  const { description } = ERRORS[status];
  if (status !== 429 && status !== 503) return { description, content };
  return {
    description,
    headers: {
      'Retry-After': { description: 'Seconds to wait, or a date. It may be absent.', schema: { type: 'string' } },
    },
    content,
  };
}

function errorsOf(...statuses: readonly ErrorStatus[]): Record<string, Reference> {
  const all = new Set<ErrorStatus>([...statuses, 400, 401, 403, 429, 500, 503, 504]);
  return Object.fromEntries(
    [...all].map((status) => [String(status), { $ref: `#/components/responses/${ERRORS[status].name}` }]),
  );
}

const PROJECT_ID = pathParameter('projectId', 'Project identifier.', INT64);
const REPORT_ID = pathParameter('reportId', 'Identifier from the project’s list of reports.', { type: 'string' });
const IMAGE_ID = pathParameter('imageId', 'Identifier from the project’s list of images, or from the report summary.', {
  type: 'string',
});

type Paths = Readonly<Record<string, Partial<Record<Method, Operation>>>>;

/** Document: Endpoints, Projects and Token. */
function projectPaths(chosen: NotShown): Paths {
  return {
    '/v1/oauth/token': { post: tokenOperation(chosen) },
    '/v1/project': { post: createOperation(chosen), get: searchOperation(chosen) },
    '/v1/project/{projectId}': { get: readOperation(), put: updateOperation(chosen) },
    '/v1/project/{projectId}/status': { get: readStatusOperation(), put: setStatusOperation(chosen) },
  };
}

function readOperation(): Operation {
  return operation('getProject', 'Projects', 'Read a project', 'All of the order, and what the service added.', {
    parameters: [PROJECT_ID],
    responses: {
      200: json('The project.', 'ProjectAnswer', one('A self-inspection', { project: [PROJECT] })),
      ...errorsOf(404),
    },
  });
}

function updateOperation({ failedValidation }: NotShown): Operation {
  return operation(
    'updateProject',
    'Projects',
    'Update policy number or effective date',
    'An empty string clears a field; an omitted field stays unchanged.',
    {
      parameters: [PROJECT_ID],
      requestBody: body('ProjectUpdateRequest', one('Another number, and no effective date', UPDATE)),
      responses: {
        200: json(
          'The two fields as they now stand.',
          'ProjectUpdateAnswer',
          one('One changed, one cleared', { project: [UPDATED] }),
        ),
        ...errorsOf(404, failedValidation),
      },
    },
  );
}

function readStatusOperation(): Operation {
  return operation(
    'getProjectStatus',
    'Projects',
    'Read a project’s status',
    'The status alone: the cheapest way to follow a project.',
    {
      parameters: [PROJECT_ID],
      responses: {
        200: json('The status.', 'ProjectStatusAnswer', one('Under way', { project: [statusOf('Assigned to Pilot')] })),
        ...errorsOf(404),
      },
    },
  );
}

function setStatusOperation({ failedValidation, refusedTransition }: NotShown): Operation {
  const description = [
    '`Client Received` is possible from `Returned to Client` only, and ends the offer of the deliverables. `Project Canceled` is possible in the states before `Site Inspected`.',
    `How a change that is not possible is answered is not documented; this service answers ${refusedTransition}.`,
  ].join('\n\n');
  return operation('setProjectStatus', 'Projects', 'Receive or cancel', description, {
    parameters: [PROJECT_ID],
    requestBody: body('StatusUpdateRequest', one('Cancel', CANCELLATION)),
    responses: {
      200: json('The new status.', 'ProjectStatusAnswer', one('Canceled', { project: [statusOf('Project Canceled')] })),
      ...errorsOf(404, refusedTransition, failedValidation),
    },
  });
}

/** Document: Endpoints, Reports and Images. */
const DELIVERABLE_PATHS: Paths = {
  '/v1/project/{projectId}/report': {
    get: operation(
      'listReports',
      'Reports',
      'List a project’s reports',
      'When no report is available, `report` is an empty array.',
      {
        parameters: [PROJECT_ID],
        responses: {
          200: json('The reports.', 'ReportListAnswer', one('One report', { project: [REPORTS] })),
          ...errorsOf(404),
        },
      },
    ),
  },
  '/v1/report/{reportId}/file': {
    get: operation(
      'getReportFile',
      'Reports',
      'Download a report',
      'Redirects to a signed URL of another origin: do not send the bearer token there.',
      {
        parameters: [
          REPORT_ID,
          queryParameter('compressed', '`true` for the compressed file. 404 where there is none.', {
            type: 'boolean',
            default: false,
          }),
        ],
        responses: {
          307: redirect('The file: PDF by default; ZIP or XML depending on the report’s type.'),
          ...errorsOf(404),
        },
      },
    ),
  },
  '/v1/report/{reportId}/url': {
    get: operation(
      'getReportUrl',
      'Reports',
      'Get a report’s download URL',
      'Temporary and signed. It must not be stored.',
      {
        parameters: [REPORT_ID],
        responses: { 200: json('The URL.', 'ReportUrl', one('A signed URL', REPORT_URL)), ...errorsOf(404) },
      },
    ),
  },
  '/v1/report/{reportId}/summary': {
    get: operation(
      'getReportSummary',
      'Reports',
      'Read a report’s summary',
      'The report as data. Only the attributes of the account’s template appear; absent, null and false are three things.',
      {
        parameters: [REPORT_ID],
        responses: {
          200: json('The summary.', 'ReportSummaryAnswer', one('A few of the attributes', { report: [SUMMARY] })),
          ...errorsOf(404),
        },
      },
    ),
  },
  '/v1/project/{projectId}/image': {
    get: operation(
      'listImages',
      'Images',
      'List a project’s images',
      'When no image is available, `image` is an empty array.',
      {
        parameters: [PROJECT_ID],
        responses: {
          200: json('The images.', 'ImageListAnswer', one('Two images', { project: [IMAGES] })),
          ...errorsOf(404),
        },
      },
    ),
  },
  '/v1/image/{imageId}/file': {
    get: operation(
      'getImageFile',
      'Images',
      'Download an image',
      'Answers the bytes, or redirects to them. If the image does not exist, the redirected URL answers 404.',
      {
        parameters: [IMAGE_ID],
        responses: {
          200: {
            description: 'The image.',
            content: {
              'image/jpeg': { schema: { type: 'string', format: 'binary' } },
              'image/png': { schema: { type: 'string', format: 'binary' } },
            },
          },
          307: redirect('The image.'),
          ...errorsOf(404),
        },
      },
    ),
  },
};

function createOperation({ failedValidation }: NotShown): Operation {
  return operation(
    'createProject',
    'Projects',
    'Order an inspection',
    [
      'There is no idempotency key, and a 504 may come although the project was created: search before repeating.',
      'With `allowDuplication: false` a duplicate is answered 409. Compared are projects of the past 30 days with the same user and `insuredBy`: by inspection number where the request has one, else by policy number and effective date; a commercial order by address too.',
    ].join('\n\n'),
    {
      requestBody: body('ProjectRequest', one('A self-inspection', ORDER)),
      responses: {
        200: json(
          'The project as created.',
          'ProjectAnswer',
          one('With code and link for the insured', { project: [PROJECT] }),
        ),
        ...errorsOf(409, failedValidation),
      },
    },
  );
}

function searchOperation({ createdTimeUnit }: NotShown): Operation {
  const time: JsonSchema = { type: 'integer', format: createdTimeUnit === 'seconds' ? 'int32' : 'int64' };
  const text = { type: 'string' };
  return operation(
    'searchProjects',
    'Projects',
    'Search projects',
    'By project id ascending. Combine `startId` and `limit` for pages; only an empty page is surely the last.',
    {
      parameters: [
        queryParameter('status', 'When omitted, projects of any status match.', jsonSchemaOf(z.enum(PROJECT_STATUSES))),
        queryParameter('policyNumber', 'Match on policy number.', text),
        queryParameter('inspectionNumber', 'Match on inspection number.', text),
        queryParameter('serviceName', 'Match on service.', jsonSchemaOf(z.enum(SERVICE_NAMES))),
        queryParameter(
          'createdTime.start',
          `Start of the creation-time window, inclusive. The unit is not documented; this service reads ${createdTimeUnit} since the UNIX epoch.`,
          time,
        ),
        queryParameter('createdTime.end', 'End of the creation-time window, exclusive.', time),
        queryParameter('limit', 'Size of a page.', {
          type: 'integer',
          format: 'int32',
          minimum: 0,
          maximum: SEARCH_LIMIT_MAX,
          default: SEARCH_LIMIT_DEFAULT,
        }),
        queryParameter('startId', 'Projects with an id greater than or equal to it.', { ...INT64, default: 0 }),
        queryParameter('includeBundleProjects', '`false` leaves out projects that belong to a bundle.', {
          type: 'boolean',
          default: true,
        }),
      ],
      responses: {
        200: json('A page of projects.', 'ProjectSearchAnswer', one('One project', { project: [SEARCH_ITEM] })),
        ...errorsOf(),
      },
    },
  );
}

function tokenOperation({ expiresIn }: NotShown): Operation {
  const description = [
    'HTTP Basic with client id and client secret. The user’s name is recorded as the actor of what is done with the token.',
    expiresIn === 'absent'
      ? 'This service gives no `expires_in`.'
      : `The unit of \`expires_in\` is not documented; this service gives ${expiresIn}.`,
  ].join('\n\n');
  const content: Content = {
    'application/x-www-form-urlencoded': {
      schema: { oneOf: [refTo('TokenByPassword'), refTo('TokenByRefresh')] },
      examples: {
        password: { summary: 'With a user’s password', value: PASSWORD_GRANT },
        refresh: { summary: 'With a refresh token', value: REFRESH_GRANT },
      },
    },
  };
  return {
    ...operation('obtainToken', 'Token', 'Obtain a token', description, {
      requestBody: { required: true, content },
      responses: {
        200: json('An access token and a new refresh token.', 'Token', one('A token', TOKEN)),
        ...errorsOf(),
      },
    }),
    security: [{ basic: [] }],
  };
}

function operation(
  operationId: string,
  tag: string,
  summary: string,
  description: string,
  rest: Pick<Operation, 'responses' | 'parameters' | 'requestBody'>,
): Operation {
  return { operationId, tags: [tag], summary, description, ...rest };
}

function pathParameter(name: string, description: string, schema: JsonSchema): Parameter {
  return { name, in: 'path', required: true, description, schema };
}

function queryParameter(name: string, description: string, schema: JsonSchema): Parameter {
  return { name, in: 'query', required: false, description, schema };
}

function body(schema: string, examples: Examples): { required: true; content: Content } {
  return { required: true, content: { 'application/json': { schema: refTo(schema), examples } } };
}

function json(description: string, schema: string, examples: Examples): Answer {
  return { description, content: { 'application/json': { schema: refTo(schema), examples } } };
}

function one(summary: string, value: unknown): Examples {
  return { usual: { summary, value } };
}

function redirect(description: string): Answer {
  return {
    description: `Redirects. ${description}`,
    headers: { Location: { description: 'A signed, temporary URL.', schema: { type: 'string', format: 'uri' } } },
  };
}

/** The latest version in the document (Versioning). */
const REFERENCE_VERSION = '1.46.0';

/** The service as OpenAPI 3.1, from the schemas of src/contract and the chosen options (document: Versioning, 6). */
export function openApiDocument(chosen: NotShown) {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Property Inspection Service API',
      version: REFERENCE_VERSION,
      summary: 'Order property inspections, follow them, and fetch what they bring.',
      description: [
        'Bodies are JSON unless stated otherwise. Names and enumerated values are exact and case-sensitive. Fields without a value are left out of requests; `null` is never sent.',
        'Lists of values in answers may grow without notice: a client carries on with a value it does not know.',
      ].join('\n\n'),
    },
    servers: [{ url: '/', description: 'The sandbox that served this document' }],
    tags: [
      { name: 'Token', description: 'Every other endpoint takes `Authorization: Bearer <access token>`.' },
      { name: 'Projects', description: 'Inspection orders for one property each.' },
      {
        name: 'Reports',
        description: 'List the project’s reports, then download the file or obtain its URL, then read the summary.',
      },
      { name: 'Images', description: 'Photos of the property.' },
    ],
    security: [{ bearer: [] }] as NonNullable<Operation['security']>,
    paths: { ...projectPaths(chosen), ...DELIVERABLE_PATHS },
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An access token of `POST /v1/oauth/token`, valid for 10 minutes.',
        },
        basic: {
          type: 'http',
          scheme: 'basic',
          description: 'Client id and client secret, issued separately for each environment.',
        },
      },
      responses: errorAnswers(),
      schemas: componentSchemas(chosen),
    },
  };
}

export type OpenApiDocument = ReturnType<typeof openApiDocument>;
