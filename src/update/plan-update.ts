import {
  CANCELABLE_STATUSES,
  type ProjectDetail,
  type StatusUpdateRequest,
  type UpdateProjectRequest,
} from '../contract/document.ts';
import type { HeldBefore, PolicyDetails, UpdateRequest } from '../ledger/updates.ts';
import { heldIn } from '../submit/same-order.ts';

/** What becomes of an update before anything is sent. */
export type UpdatePlan =
  | { readonly kind: 'send' }
  /** The service shows it so already. */
  | { readonly kind: 'already' }
  /** The document forbids it. */
  | { readonly kind: 'forbidden'; readonly reason: string };

export type StatusRequest = Extract<UpdateRequest, { kind: 'cancel' | 'receive' }>;
export type AmendRequest = Extract<UpdateRequest, { kind: 'amend' }>;

/** The status that an update leads to. */
export function statusWanted({ kind }: StatusRequest): StatusUpdateRequest['value'] {
  switch (kind) {
    case 'cancel':
      return 'Project Canceled';
    case 'receive':
      return 'Client Received';
  }
}

/** Decides by the status that the service shows (document: States and transitions). */
export function planStatus(request: StatusRequest, status: string): UpdatePlan {
  if (status === statusWanted(request)) return { kind: 'already' };
  switch (request.kind) {
    case 'cancel':
      return CANCELABLE_STATUSES.includes(status)
        ? { kind: 'send' }
        : forbidden(`It is "${status}": the service cancels a project only before "Site Inspected".`);
    case 'receive':
      return status === 'Returned to Client'
        ? { kind: 'send' }
        : forbidden(`It is "${status}": only a project that is "Returned to Client" can be received.`);
  }
}

/**
 * Decides by the details that the service shows. `before` is what it showed when the update was first asked for: what is neither that nor
 * what was asked for, somebody else has changed since, and it is not written over.
 */
export function planAmend(request: AmendRequest, detail: ProjectDetail, before: HeldBefore | null): UpdatePlan {
  if (Object.keys(changesIn(request, detail)).length === 0) return { kind: 'already' };
  for (const field of FIELDS) {
    const held = before?.[field];
    if (request[field] === undefined || held === undefined) continue;
    const now = heldIn(detail, field);
    if (now !== held && now !== request[field])
      return forbidden(
        `Its ${TITLES[field]} was changed elsewhere meanwhile, to ${shown(now)}: it was ${shown(held)} when this was asked for.`,
      );
  }
  return { kind: 'send' };
}

const FIELDS = ['policyNumber', 'policyEffectiveDate'] as const;
const TITLES = { policyNumber: 'policy number', policyEffectiveDate: 'effective date' } as const;

/** What a request would change: only that is sent. */
export function changesIn(request: PolicyDetails, detail: PolicyDetailsShown): UpdateProjectRequest {
  return Object.fromEntries(
    FIELDS.flatMap((field) =>
      request[field] === undefined || request[field] === heldIn(detail, field) ? [] : [[field, request[field]]],
    ),
  );
}

/** Policy details as the service shows them. */
export interface PolicyDetailsShown {
  readonly policyNumber?: string | null | undefined;
  readonly policyEffectiveDate?: string | null | undefined;
}

/** What the service holds of the fields that a request names; empty where it holds nothing. */
export function heldBefore(request: PolicyDetails, detail: PolicyDetailsShown): HeldBefore {
  return Object.fromEntries(
    FIELDS.flatMap((field) => (request[field] === undefined ? [] : [[field, heldIn(detail, field)]])),
  );
}

/** Policy details in words: `policy number P-1, effective date (none)`. */
export function detailsInWords(details: HeldBefore | PolicyDetails): string {
  const held: PolicyDetails = details;
  return FIELDS.flatMap((field) => (held[field] === undefined ? [] : [`${TITLES[field]} ${shown(held[field])}`])).join(
    ', ',
  );
}

function shown(text: string): string {
  return text === '' ? '(none)' : text;
}

function forbidden(reason: string): UpdatePlan {
  return { kind: 'forbidden', reason };
}
