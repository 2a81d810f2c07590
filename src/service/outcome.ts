import type { ProjectDetail } from '../contract/project.ts';

/**
 * What became of a create. Only `refused`, `throttled`, `not-sent`, and a `stop` whose `notCreated` is true, prove that no project
 * was made (RELIABILITY: An order's states).
 */
export type CreateOutcome =
  | { readonly kind: 'created'; readonly project: ProjectDetail }
  /** 409: evidence that a project stands there, whosever it is. */
  | { readonly kind: 'duplicate'; readonly message: string }
  /** 400 or 422 in the service's own words: this row is refused for good. */
  | { readonly kind: 'refused'; readonly status: number; readonly message: string }
  /** Nothing left this machine: no connection was made. */
  | { readonly kind: 'not-sent'; readonly reason: string }
  /** 429 in the service's own words. */
  | { readonly kind: 'throttled'; readonly retryAfterMs: number | null }
  /**
   * It is about us, or nobody knows who answered: the run stops and no row is marked. `notCreated` is false where the answer is not
   * in the service's own words: then it proves nothing, and the order is unresolved.
   */
  | { readonly kind: 'stop'; readonly status: number; readonly message: string; readonly notCreated: boolean }
  /** It may have been handled. Never repeated before a search has settled it. `status` is null where there was no answer. */
  | { readonly kind: 'unknown'; readonly reason: string; readonly status: number | null; readonly retryAfterMs: number | null };

/** What became of a read, or of a PUT, whose repetition does no harm. */
export type ReadOutcome<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'not-found'; readonly message: string }
  /** 400, 409 or 422 in the service's own words: the document does not show which of them a refused transition gets. */
  | { readonly kind: 'refused'; readonly status: number; readonly message: string }
  | { readonly kind: 'stop'; readonly status: number; readonly message: string }
  /** It may go better another time. A PUT may have been handled all the same: a GET tells. `status` is null where there was no answer. */
  | {
      readonly kind: 'transient';
      readonly reason: string;
      readonly status: number | null;
      readonly retryAfterMs: number | null;
      /** It is about this one thing, such as a signed URL that is refused or an answer that cannot be used, and says nothing about the service. */
      readonly aboutItem?: true;
      /** Asking again at once would bring the same. */
      readonly isFinal?: true;
    };
