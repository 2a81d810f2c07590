import { z } from 'zod';
import { projectId } from './project.ts';

/** Document: States and transitions, in the list's order. Others occur (READING 9); they are carried through. */
export const PROJECT_STATUSES = [
  'Project Created',
  'Customer Contacted',
  'Pending Acceptance',
  'Assigned to Pilot',
  'Project Rework',
  'Site Inspected',
  'Selfapp Uploaded',
  'Image Uploaded',
  'Returned to Client',
  'Project Canceled',
  'Client Received',
  'Receive Error',
] as const;
export type KnownProjectStatus = (typeof PROJECT_STATUSES)[number];

/** The five states before `Site Inspected`: the only ones from which a project can be canceled. */
export const CANCELABLE_STATUSES: readonly string[] = PROJECT_STATUSES.slice(0, PROJECT_STATUSES.indexOf('Site Inspected'));

/** The schema allows 1000, the prose says "less than 1000": 999 satisfies both. */
export const COMMENT_LENGTH_MAX = 999;

export const STATUS_UPDATE_VALUES = ['Client Received', 'Project Canceled'] as const;

/** A status is a few words, also one that is not listed. */
export const STATUS_LENGTH_MAX = 200;

/** PUT /v1/project/{projectId}/status. */
export const statusUpdateRequest = z.strictObject({
  value: z.enum(STATUS_UPDATE_VALUES),
  comment: z.string().max(COMMENT_LENGTH_MAX).optional(),
});
export type StatusUpdateRequest = z.infer<typeof statusUpdateRequest>;

export const projectStatusResponse = z.looseObject({
  project: z.array(z.looseObject({ id: projectId, status: z.string().max(STATUS_LENGTH_MAX) })),
});
