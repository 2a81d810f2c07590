import { componentSchemas } from './component-schemas.ts';
import { errorAnswers } from './error-answers.ts';
import type { OpenApiDocument } from './openapi-types.ts';
import { PATHS } from './operations.ts';

/** Document: Versioning. The latest version that it describes. */
const REFERENCE_VERSION = '1.46.0';

/** The service as OpenAPI 3.1, from the schemas of src/contract (document: Versioning, 6). */
export function openApiDocument(): OpenApiDocument {
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
      { name: 'Reports', description: 'List the project’s reports, then download the file or obtain its URL, then read the summary.' },
      { name: 'Images', description: 'Photos of the property.' },
    ],
    security: [{ bearer: [] }],
    paths: PATHS,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An access token of `POST /v1/oauth/token`, valid for 10 minutes.' },
        basic: { type: 'http', scheme: 'basic', description: 'Client id and client secret, issued separately for each environment.' },
      },
      responses: errorAnswers(),
      schemas: componentSchemas(),
    },
  };
}
