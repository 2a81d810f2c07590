import type { PaceSign } from './gate.ts';
import type { CreateOutcome, ReadOutcome } from './outcome.ts';

/** What a create's outcome means for the pace. */
export function paceOfCreate(outcome: CreateOutcome): PaceSign {
  switch (outcome.kind) {
    case 'created':
    case 'duplicate':
    case 'refused':
    case 'stop':
      return { kind: 'ok' };
    case 'throttled':
      return { kind: 'throttled', retryAfterMs: outcome.retryAfterMs };
    case 'not-sent':
      return { kind: 'away', retryAfterMs: null };
    case 'unknown':
      return outcome.status === 503 ? { kind: 'away', retryAfterMs: outcome.retryAfterMs } : { kind: 'overloaded' };
  }
}

/** What a read's outcome means for the pace. */
export function paceOfRead(outcome: ReadOutcome<unknown>): PaceSign {
  switch (outcome.kind) {
    case 'ok':
    case 'not-found':
    case 'refused':
    case 'stop':
      return { kind: 'ok' };
    case 'transient':
      if (outcome.aboutItem === true) return { kind: 'ok' };
      if (outcome.status === 429) return { kind: 'throttled', retryAfterMs: outcome.retryAfterMs };
      return outcome.status === 503 ? { kind: 'away', retryAfterMs: outcome.retryAfterMs } : { kind: 'overloaded' };
  }
}
