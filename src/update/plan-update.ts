import {
  CANCELABLE_STATUSES,
  PROJECT_STATUSES,
  type ProjectDetail,
  type StatusUpdateRequest,
} from '../contract/document.ts';
import { type Parts, reasonFor } from '../domain/sentences.ts';
import type { DetailsBeforeUpdate, PolicyDetails, UpdateRequest, UpdateReason } from '../ledger/ledger.ts';
import { policyFieldOf, POLICY_FIELDS, type ShownPolicy } from '../submit/order-and-project.ts';

export type UpdatePlan = Readonly<{ kind: 'send' } | { kind: 'already' } | ({ kind: 'forbidden' } & UpdateReason)>;

type StatusRequest = Extract<UpdateRequest, { kind: 'cancel' | 'receive' }>;

export function wantedStatus({ kind }: StatusRequest): StatusUpdateRequest['value'] {
  return kind === 'cancel' ? 'Project Canceled' : 'Client Received';
}

export function planStatus(request: StatusRequest, status: string): UpdatePlan {
  if (status === wantedStatus(request)) return { kind: 'already' };
  if (request.kind === 'cancel') {
    if (CANCELABLE_STATUSES.includes(status)) return { kind: 'send' };
    return (PROJECT_STATUSES as readonly string[]).includes(status)
      ? forbidden('not-cancelable', { status })
      : forbidden('not-cancelable/unlisted', { status });
  }
  return status === 'Returned to Client' ? { kind: 'send' } : forbidden('not-returned', { status });
}

/**
 * `before`: the values at the first request. A value that is neither that nor the wanted one was changed elsewhere and
 * stays.
 */
export function planAmend(
  request: Extract<UpdateRequest, { kind: 'amend' }>,
  detail: ProjectDetail,
  before: DetailsBeforeUpdate | null,
): UpdatePlan {
  if (Object.keys(changesIn(request, detail)).length === 0) return { kind: 'already' };
  for (const field of POLICY_FIELDS) {
    const held = before?.[field];
    if (request[field] === undefined || held === undefined) continue;
    const now = policyFieldOf(detail, field);
    if (now !== held && now !== request[field])
      return forbidden('changed-elsewhere', { field: TITLES[field], held: shown(held), now: shown(now) });
  }
  return { kind: 'send' };
}

const TITLES = { policyNumber: 'policy number', policyEffectiveDate: 'effective date' } as const;

export function changesIn(request: PolicyDetails, detail: ShownPolicy) {
  return Object.fromEntries(
    POLICY_FIELDS.flatMap((field) =>
      request[field] === undefined || request[field] === policyFieldOf(detail, field) ? [] : [[field, request[field]]],
    ),
  );
}

export function policyBefore(request: PolicyDetails, detail: ShownPolicy) {
  return Object.fromEntries(
    POLICY_FIELDS.flatMap((field) => (request[field] === undefined ? [] : [[field, policyFieldOf(detail, field)]])),
  );
}

export function describePolicyDetails(details: PolicyDetails) {
  return POLICY_FIELDS.flatMap((field) =>
    details[field] === undefined ? [] : [`${TITLES[field]} ${shown(details[field])}`],
  ).join(', ');
}

function shown(text: string) {
  return text === '' ? '(none)' : text;
}

export function forbidden(code: string, parts: Parts): UpdatePlan {
  return { kind: 'forbidden', ...reasonFor(code, parts) };
}
