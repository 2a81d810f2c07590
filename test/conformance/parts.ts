import { ATTRIBUTE_ROWS } from './attribute-rows.ts';
import { AUTHENTICATION, AUTHENTICATION_UNTESTABLE } from './authentication.ts';
import { CONVENTIONS, CONVENTIONS_UNTESTABLE, SERVICE } from './conventions.ts';
import { CREATE_REQUEST } from './create-request.ts';
import { ENDPOINT_ROWS } from './endpoints.ts';
import { DUPLICATES, ERRORS, ERRORS_UNTESTABLE } from './errors.ts';
import { EVENTS, EVENTS_UNTESTABLE } from './events.ts';
import { LIMITS, LIMITS_UNTESTABLE, VERSIONING, VERSIONING_UNTESTABLE } from './limits-and-versioning.ts';
import { OTHER_RESOURCES, PROJECT_ANSWERS, RESOURCES_UNTESTABLE } from './project-answers.ts';
import type { Part } from './row.ts';
import { SEARCH, SEARCH_UNTESTABLE } from './search.ts';
import { STATES, STATES_UNTESTABLE } from './states.ts';
import { SUMMARY, SUMMARY_UNTESTABLE } from './summary.ts';

/** The document, part by part, in its order. */
export const PARTS: readonly Part[] = [
  { title: 'Conventions', file: 'conventions.ts', rows: CONVENTIONS, untestable: CONVENTIONS_UNTESTABLE },
  { title: 'What the service does', file: 'conventions.ts', rows: SERVICE, untestable: [] },
  { title: 'Resources: the create request', file: 'create-request.ts', rows: CREATE_REQUEST, untestable: [] },
  { title: 'Resources: project, update and status', file: 'project-answers.ts', rows: PROJECT_ANSWERS, untestable: [] },
  {
    title: 'Resources: the others',
    file: 'project-answers.ts',
    rows: OTHER_RESOURCES,
    untestable: RESOURCES_UNTESTABLE,
  },
  { title: 'Resources: the report summary', file: 'summary.ts', rows: SUMMARY, untestable: SUMMARY_UNTESTABLE },
  {
    title: 'Resources: the tables of summary attributes',
    file: 'attribute-rows.ts',
    rows: ATTRIBUTE_ROWS,
    untestable: [],
  },
  { title: 'States and transitions', file: 'states.ts', rows: STATES, untestable: STATES_UNTESTABLE },
  { title: 'Endpoints', file: 'endpoints.ts', rows: ENDPOINT_ROWS, untestable: [] },
  { title: 'Endpoints: search', file: 'search.ts', rows: SEARCH, untestable: SEARCH_UNTESTABLE },
  { title: 'Authentication', file: 'authentication.ts', rows: AUTHENTICATION, untestable: AUTHENTICATION_UNTESTABLE },
  { title: 'Events', file: 'events.ts', rows: EVENTS, untestable: EVENTS_UNTESTABLE },
  { title: 'Errors', file: 'errors.ts', rows: ERRORS, untestable: ERRORS_UNTESTABLE },
  { title: 'Errors: duplicate rules', file: 'errors.ts', rows: DUPLICATES, untestable: [] },
  { title: 'Limits', file: 'limits-and-versioning.ts', rows: LIMITS, untestable: LIMITS_UNTESTABLE },
  { title: 'Versioning', file: 'limits-and-versioning.ts', rows: VERSIONING, untestable: VERSIONING_UNTESTABLE },
];
