import { CONVENTIONS, CONVENTIONS_UNTESTABLE, SERVICE } from './conventions.ts';
import { CREATE_REQUEST } from './create-request.ts';
import { OTHER_RESOURCES, PROJECT_ANSWERS, RESOURCES_UNTESTABLE } from './project-answers.ts';
import type { Part } from './row.ts';
import { SUMMARY, SUMMARY_UNTESTABLE } from './summary.ts';

/** The document, part by part, in its order. */
export const PARTS: readonly Part[] = [
  { title: 'Conventions', file: 'conventions.ts', rows: CONVENTIONS, untestable: CONVENTIONS_UNTESTABLE },
  { title: 'What the service does', file: 'conventions.ts', rows: SERVICE, untestable: [] },
  { title: 'Resources: the create request', file: 'create-request.ts', rows: CREATE_REQUEST, untestable: [] },
  { title: 'Resources: project, update and status', file: 'project-answers.ts', rows: PROJECT_ANSWERS, untestable: [] },
  { title: 'Resources: the others', file: 'project-answers.ts', rows: OTHER_RESOURCES, untestable: RESOURCES_UNTESTABLE },
  { title: 'Resources: the report summary', file: 'summary.ts', rows: SUMMARY, untestable: SUMMARY_UNTESTABLE },
];
