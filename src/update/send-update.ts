import { ExplainedError, messageOf } from '../domain/errors.ts';
import type { UpdateRequest } from '../ledger/updates.ts';
import type { ReadOutcome } from '../service/outcome.ts';
import { repeatRead } from '../service/repeat-read.ts';
import type { UpdateParts } from './parts.ts';
import { changesIn, statusWanted } from './plan-update.ts';

/** What became of an update that was sent. */
export type Sent =
  /** `settled`: the answer did not say so, a GET did. */
  | { readonly kind: 'done'; readonly status: string | null; readonly settled: boolean }
  | { readonly kind: 'refused'; readonly reason: string; readonly status: string | null }
  /** It is about us, not about this project: nothing more is sent. */
  | { readonly kind: 'stop'; readonly reason: string; readonly status: string | null }
  /** Not known. It stays on record, and the next run goes on with it. */
  | { readonly kind: 'open'; readonly reason: string };

/** What the service shows of a project after a PUT, or when it is asked. */
interface Shown {
  readonly isDone: boolean;
  /** Null where the answer does not show it. */
  readonly status: string | null;
}

/**
 * Sends an update that is on record, again and again while the failure may pass: the same PUT twice does no harm. Whatever the answer,
 * unless it says that it is done, a GET decides: a 504, a cut connection or a refusal may follow upon work that was done. `sentBefore`: an
 * earlier run may have sent it already.
 */
export async function sendUpdate(projectId: string, request: UpdateRequest, parts: UpdateParts, { sentBefore = false } = {}): Promise<Sent> {
  const exchange = exchangeFor(projectId, request, parts);
  let inDoubt = sentBefore;
  let settled = false;
  let seenStatus: string | null = null;
  const putAndLook = async (): Promise<ReadOutcome<Shown>> => {
    const answer = await exchange.put();
    if ((answer.kind === 'ok' && answer.value.isDone) || answer.kind === 'not-found') return answer;
    const seen = await exchange.look();
    if (seen.kind === 'ok') seenStatus = seen.value.status;
    if (seen.kind === 'ok' && seen.value.isDone) {
      settled = true;
      return seen;
    }
    // What refuses now may have done it a moment ago.
    if ((answer.kind === 'refused' || answer.kind === 'stop') && seen.kind !== 'ok' && inDoubt) {
      return { kind: 'transient', reason: `${answer.message}; whether an earlier request did it is not to be seen`, status: answer.status, retryAfterMs: null };
    }
    inDoubt ||= answer.kind === 'transient';
    if (answer.kind !== 'ok') return answer;
    return seen.kind === 'ok' ? { kind: 'refused', status: 200, message: 'it answered as if it were done, and shows that it is not' } : seen;
  };
  try {
    const outcome = await repeatRead(putAndLook, parts);
    switch (outcome.kind) {
      case 'ok':
        return { kind: 'done', status: outcome.value.status, settled };
      case 'refused':
        return { kind: 'refused', reason: `The service refused (${outcome.status}): ${outcome.message}`, status: seenStatus };
      case 'not-found':
        return { kind: 'refused', reason: `The service does not know the project: ${outcome.message}`, status: null };
      case 'stop':
        return { kind: 'stop', reason: `The service answered ${outcome.status}: ${outcome.message}`, status: seenStatus };
      case 'transient':
        return { kind: 'open', reason: `The service did not answer: ${outcome.reason}` };
    }
  } catch (failure) {
    if (parts.signal.aborted || (failure instanceof ExplainedError && failure.exitCode === 4)) return { kind: 'open', reason: messageOf(failure) };
    throw failure;
  }
}

interface Exchange {
  put(): Promise<ReadOutcome<Shown>>;
  look(): Promise<ReadOutcome<Shown>>;
}

function exchangeFor(projectId: string, request: UpdateRequest, { client }: UpdateParts): Exchange {
  if (request.kind === 'amend') {
    const { kind: _kind, ...body } = request;
    const isDone = (detail: Parameters<typeof changesIn>[1]): boolean => Object.keys(changesIn(request, detail)).length === 0;
    return {
      put: async () => mapped(await client.updateProject(projectId, body), (detail) => ({ isDone: isDone(detail), status: null })),
      look: async () => mapped(await client.getProject(projectId), (detail) => ({ isDone: isDone(detail), status: null })),
    };
  }
  const value = statusWanted(request);
  const body = request.comment === undefined ? { value } : { value, comment: request.comment };
  const shown = ({ status }: { readonly status: string }): Shown => ({ isDone: status === value, status });
  return {
    put: async () => mapped(await client.putStatus(projectId, body), shown),
    look: async () => mapped(await client.getStatus(projectId), shown),
  };
}

function mapped<From, To>(outcome: ReadOutcome<From>, map: (value: From) => To): ReadOutcome<To> {
  return outcome.kind === 'ok' ? { kind: 'ok', value: map(outcome.value) } : outcome;
}
