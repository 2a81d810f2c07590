import type { z } from 'zod';
import { errorBody, type ProjectDetail, projectDetailResponse } from '../contract/document.ts';
import { JsonBeyondLimits, parseExactJson, parseLenient } from '../contract/json.ts';
import type { HttpResponse, Exchange } from './exchange.ts';

const WORDS_LENGTH_MAX = 1_000;
const RETRY_AFTER_MS_MIN = 1_000;
export const RETRY_AFTER_MS_MAX = 60 * 60 * 1000;

/** Only `refused`, `throttled`, `not-sent`, and a `stop` with `notCreated` prove that no project was made. */
export type CreateOutcome = Readonly<
  | { kind: 'created'; project: ProjectDetail }
  /** 409: a project exists, ours or another's. */
  | { kind: 'duplicate'; message: string }
  /** 400 or 422 in the service's own words: this row is refused for good. */
  | { kind: 'refused'; status: number; message: string }
  | { kind: 'not-sent'; reason: string }
  /** 429 in the service's own words. */
  | { kind: 'throttled'; retryAfterMs: number | null }
  /**
   * Not this row's fault, or it is unknown who answered: the run stops. Without `notCreated` the order is unresolved.
   */
  | { kind: 'stop'; status: number; message: string; notCreated: boolean }
  /** Never repeat it before a search has settled it. `status` is null without an answer. */
  | {
      kind: 'unknown';
      reason: string;
      status: number | null;
      retryAfterMs: number | null;
    }
>;

/** Of a read, or of a PUT, which may be repeated. */
export type ReadOutcome<T> = Readonly<
  | { kind: 'ok'; value: T }
  | { kind: 'not-found'; message: string }
  /** 400, 409 or 422 in the service's own words; the document does not say which one a refused transition gets. */
  | { kind: 'refused'; status: number; message: string }
  | { kind: 'stop'; status: number; message: string }
  /** A repeat may succeed. A PUT may have been handled: check with a GET. `status` is null without an answer. */
  | {
      kind: 'transient';
      reason: string;
      status: number | null;
      retryAfterMs: number | null;
      /** Shows nothing about the service: a refused signed URL, an unusable answer. */
      aboutItem?: true;
      isFinal?: true;
    }
>;

/** In the service's own words, these prove that a create was not handled. */
const PROOFS_OF_NO_CREATE = new Set([401, 403, 404, 405, 413, 415]);

/** `beyond`: the limit of `contract/json.ts` that it exceeds. */
export function parseBody(answer: HttpResponse) {
  try {
    return { json: parseExactJson(answer.body.toString('utf8').replace(/^\uFEFF/, '')) };
  } catch (failure) {
    return failure instanceof JsonBeyondLimits ? { beyond: failure.message } : {};
  }
}

export function serviceMessage(answer: HttpResponse) {
  const read = errorBody.safeParse(parseBody(answer).json);
  if (!read.success) return null;
  const words = read.data.error.message
    .slice(0, 2 * WORDS_LENGTH_MAX)
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  return words.length <= WORDS_LENGTH_MAX ? words : `${words.slice(0, WORDS_LENGTH_MAX).toWellFormed()}…`;
}

/** Without its body, which may be from anybody. */
function describeAnswer(answer: HttpResponse, words: string | null) {
  if (words !== null) return words;
  const type = answer.headers['content-type']?.split(';')[0] ?? 'no content type';
  return `HTTP ${answer.status} (${type}), not in the service's own words: a proxy may have answered`;
}

export function createOutcomeOf(exchange: Exchange, now: number): CreateOutcome {
  if (exchange.kind === 'failed') {
    const { sent, reason } = exchange;
    return sent === 'no' ? { kind: 'not-sent', reason } : { kind: 'unknown', reason, status: null, retryAfterMs: null };
  }
  const { status } = exchange;
  const { json, beyond } = parseBody(exchange);
  const retryAfterMs = readRetryAfter(exchange.headers['retry-after'], now);
  const unknown = (reason: string) => ({ kind: 'unknown' as const, reason, status, retryAfterMs });
  if (status >= 200 && status < 300) {
    const read = parseLenient(projectDetailResponse, json);
    const project = read?.project.length === 1 ? read.project[0] : undefined;
    // A service writes 0 for no ID.
    if (project !== undefined && project.id !== '0') return { kind: 'created', project };
    return unknown(`HTTP ${status}, but not with one project and its id${beyond === undefined ? '' : `: ${beyond}`}`);
  }
  if (status < 400 || status === 408 || status >= 500) return unknown(`HTTP ${status}`);
  const words = serviceMessage(exchange);
  const message = describeAnswer(exchange, words);
  // Not in the service's own words, so it shows nothing about any order. Others can still be sent.
  if (beyond !== undefined || (words === null && status === 409))
    return unknown(`HTTP ${status}, and an answer that cannot be used`);
  if (words === null) return { kind: 'stop', status, message, notCreated: false };
  switch (status) {
    case 400:
    case 422:
      return { kind: 'refused', status, message };
    case 409:
      return { kind: 'duplicate', message };
    case 429:
      return { kind: 'throttled', retryAfterMs };
    default:
      return { kind: 'stop', status, message, notCreated: PROOFS_OF_NO_CREATE.has(status) };
  }
}

/** `parse` returns undefined for a 2xx that it cannot use; it may be read again. */
export function readOutcomeOf<T>(
  exchange: Exchange,
  parse: (json: unknown, answer: HttpResponse) => T | undefined,
  now: number,
): ReadOutcome<T> {
  if (exchange.kind === 'failed') {
    const transient = { kind: 'transient', reason: exchange.reason, status: null, retryAfterMs: null } as const;
    return exchange.aboutItem === true ? { ...transient, aboutItem: true, isFinal: true } : transient;
  }
  const { status } = exchange;
  const transient = (reason: string) => ({
    kind: 'transient' as const,
    reason,
    status,
    retryAfterMs: readRetryAfter(exchange.headers['retry-after'], now),
  });
  if (status >= 200 && status < 300) {
    const { json, beyond } = parseBody(exchange);
    if (beyond !== undefined)
      return { ...transient(`the answer cannot be used: ${beyond}`), aboutItem: true, isFinal: true };
    const value = json === undefined ? undefined : parse(json, exchange);
    return value === undefined
      ? { ...transient(`HTTP ${status}, but not with the requested data`), aboutItem: true }
      : { kind: 'ok', value };
  }
  if (isTemporary(status)) return transient(`HTTP ${status}`);
  const words = serviceMessage(exchange);
  const message = describeAnswer(exchange, words);
  if (isFirewallPage(status, words)) return transient(message);
  if (words === null) return { kind: 'stop', status, message };
  switch (status) {
    case 404:
      return { kind: 'not-found', message };
    case 400:
    case 409:
    case 422:
      return { kind: 'refused', status, message };
    default:
      return { kind: 'stop', status, message };
  }
}

/** A firewall's page, not the service's own words: the service counts as away until it lets us through. */
export function isFirewallPage(status: number, words: string | null) {
  return status === 403 && words === null;
}

export function isTemporary(status: number) {
  return status < 400 || status === 408 || status === 425 || status === 429 || status >= 500;
}

/** Undefined if there are several, or one with another ID. */
export function onlyItem<Item extends { id: string }>(items: readonly Item[] | undefined, id: string) {
  return items?.length === 1 && items[0]?.id === id ? items[0] : undefined;
}

export function parseStrictly<Schema extends z.ZodType>(schema: Schema, json: unknown) {
  const read = schema.safeParse(json);
  return read.success ? read.data : undefined;
}

export function clampRetryAfter(ms: number) {
  return Math.min(RETRY_AFTER_MS_MAX, Math.max(RETRY_AFTER_MS_MIN, ms));
}

/** Seconds or an HTTP date; from `now` (epoch ms), limited to 1 s … 1 h. */
export function readRetryAfter(header: string | undefined, now: number) {
  const word = header?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(word)) return clampRetryAfter(Math.ceil(Number(word) * 1000));
  if (!/^[A-Za-z]{3,9},? /.test(word)) return null;
  // The asctime form names no zone and means UTC (RFC 9110, 5.6.7).
  const instant = Date.parse(/ \d{4}$/.test(word) ? `${word} GMT` : word);
  return Number.isNaN(instant) ? null : clampRetryAfter(instant - now);
}

export type PaceSignal = Readonly<
  | { kind: 'ok' }
  | { kind: 'throttled'; retryAfterMs: number | null }
  /** 503, or no connection. */
  | { kind: 'away'; retryAfterMs: number | null }
  | { kind: 'overloaded' }
  /** Nothing was sent, or nothing can be concluded. */
  | { kind: 'nothing' }
>;

export function paceOfCreate(outcome: CreateOutcome): PaceSignal {
  switch (outcome.kind) {
    case 'created':
    case 'duplicate':
    case 'refused':
    case 'stop':
      return { kind: 'ok' };
    case 'throttled':
      return outcome;
    case 'not-sent':
      return { kind: 'away', retryAfterMs: null };
    case 'unknown':
      return paceOfFailure(outcome);
  }
}

function paceOfFailure({ status, retryAfterMs }: { status: number | null; retryAfterMs: number | null }): PaceSignal {
  return status === 503 ? { kind: 'away', retryAfterMs } : { kind: 'overloaded' };
}

export function paceOfRead(outcome: ReadOutcome<unknown>): PaceSignal {
  switch (outcome.kind) {
    case 'ok':
    case 'not-found':
    case 'refused':
    case 'stop':
      return { kind: 'ok' };
    case 'transient':
      if (outcome.aboutItem === true) return { kind: 'ok' };
      if (outcome.status === 429) return { kind: 'throttled', retryAfterMs: outcome.retryAfterMs };
      return paceOfFailure(outcome);
  }
}
