import type { OrderPayload } from '../domain/row.ts';

/** The states of an order; the diagram stands in this folder's README. */
export type OrderState = 'ready' | 'submitting' | 'created' | 'linked' | 'skipped' | 'refused' | 'unresolved' | 'held' | 'abandoned';

/** An order as the ledger holds it. Times are milliseconds since the epoch, ids of projects are digits. */
export interface OrderRecord {
  readonly id: number;
  readonly identity: string;
  readonly state: OrderState;
  /** Frozen: what every attempt sends. */
  readonly payload: OrderPayload;
  readonly payloadHash: string;
  readonly allowDuplication: boolean;
  /** What the row itself said of duplicates: it outranks the config. */
  readonly rowWish: boolean | null;
  /** The mark that proves authorship of an order the service has no key for; null for the others. */
  readonly reference: string | null;
  readonly attempts: number;
  /** The highest project id known before the first attempt; null before it. */
  readonly idBound: string | null;
  /** Since when a request may have been handled without our knowing; null when there is no such doubt. */
  readonly uncertainSince: number | null;
  readonly projectId: string | null;
  readonly reason: string | null;
  readonly createdAt: number;
}

/** An order that intake wants on record. */
export interface NewOrder {
  readonly identity: string;
  readonly addressKey: string;
  /** Policy number and effective date, or null without a policy number. */
  readonly policyKey: string | null;
  readonly payload: OrderPayload;
  readonly payloadHash: string;
  readonly allowDuplication: boolean;
  readonly rowWish: boolean | null;
  readonly reference: string | null;
}

/** What the service said of the project that an order is now tied to. */
export interface ProjectTie {
  readonly projectId: string;
  readonly status: string;
  readonly inspectionCode: string | null;
  readonly inspectionLink: string | null;
}

/** Where an order goes next, with what must be on record for it. */
export type OrderMove =
  | { readonly to: 'created'; readonly project: ProjectTie; readonly adopted: boolean }
  | { readonly to: 'linked'; readonly project: ProjectTie; readonly reason: string }
  | { readonly to: 'skipped'; readonly reason: string }
  | { readonly to: 'refused'; readonly reason: string }
  /** `answered409`: the request itself was answered, and made nothing; whose project stands there is not known. */
  | { readonly to: 'unresolved'; readonly reason: string; readonly uncertainSince: number; readonly answered409?: true }
  /** `attemptUsed: false` gives the attempt back: nothing was handled. */
  | { readonly to: 'ready'; readonly reason: string; readonly attemptUsed: boolean; readonly allowDuplication?: true }
  | { readonly to: 'held'; readonly reason: string }
  | { readonly to: 'abandoned'; readonly reason: string };

const MOVES: Readonly<Record<OrderState, readonly OrderMove['to'][]>> = {
  ready: ['held', 'abandoned'],
  submitting: ['created', 'linked', 'skipped', 'refused', 'unresolved', 'ready', 'held'],
  unresolved: ['created', 'linked', 'skipped', 'refused', 'ready', 'held', 'abandoned'],
  held: ['created', 'linked', 'ready', 'abandoned'],
  created: [],
  linked: [],
  skipped: [],
  refused: [],
  abandoned: [],
};

/** Whether the state diagram has this arrow. (`ready → submitting` is `beginAttempt`.) */
export function mayMove(from: OrderState, to: OrderMove['to']): boolean {
  return MOVES[from].includes(to);
}

export interface OrderCounts extends Readonly<Record<OrderState, number>> {}
