import { createHmac } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HOUSE_TYPES_BY_POLICY_TYPE, POLICY_TYPES, PROJECT_STATUSES, SERVICE_NAMES } from '../contract/document.ts';
import type { OrderPayload } from '../domain/row.ts';
import type { FileRecord } from '../ledger/files.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { OrderRecord, OrderState } from '../ledger/orders.ts';

/**
 * Gives the same detail the same stand-in, in every support bundle of a workspace. Without the workspace's key nobody can turn a stand-in back
 * into the detail, or guess it by trying.
 */
export interface Pseudonyms {
  /** Such as `insured-3fa9c1d2`. Case and white space make no difference. */
  of(what: string, value: string): string;
}

/** `key` is secret, and stays in the workspace. */
export function createPseudonyms(key: Uint8Array): Pseudonyms {
  return {
    of: (what, value) =>
      `${what}-${createHmac('sha256', key).update(value.normalize('NFKC').replaceAll(/\s+/g, ' ').trim().toLowerCase()).digest('hex').slice(0, 8)}`,
  };
}

/** Words that begin with a capital in our own sentences and in the document's lists. Every other such word may be a name. */
const OUR_WORDS: ReadonlySet<string> = new Set(
  [
    ...PROJECT_STATUSES,
    ...SERVICE_NAMES,
    ...POLICY_TYPES,
    ...Object.values(HOUSE_TYPES_BY_POLICY_TYPE).flat(),
    'A An The It Its If In No Not Nothing One Two More Adopt After Another Before Searched Two Tied What When Where Which Why Run Try Whether This That These All Some Each',
    'Files File Report Reports Order Orders Project Row Rows Service Policy Inspection Number Date Invalid Missing Required Unknown Bad Request Forbidden Conflict Unprocessable',
    'PDF ZIP XML JSON HTTP HTTPS TLS URL GET PUT POST DNS TCP EOF UTC SHA ECONNRESET ECONNREFUSED ETIMEDOUT ENOTFOUND EPIPE EAI_AGAIN ENOENT EACCES ENOSPC EIO EBUSY',
    'PROBLEM Node.js Gateway Timeout Time Internal Unavailable Too Many Allow Yes Client',
  ].flatMap((text) => text.split(/[\s&-]+/)),
);

const TOKENS = /"[^"]{1,400}"|[\p{L}\p{N}@._%+’'#/\\-]+/gu;

/**
 * A sentence without what could be somebody's detail: what stands in quotes, every word with a capital that is none of ours, every number
 * of more than three digits, and the words of `details`. Each gets its stand-in, so that the same detail can be followed from file to file.
 */
export function maskText(text: string, pseudonyms: Pseudonyms, details: ReadonlySet<string> = new Set()): string {
  return text.replaceAll(TOKENS, (token) => {
    if (token.startsWith('"')) return `[${pseudonyms.of('text', token.slice(1, -1))}]`;
    const end = /[.’'-]*$/.exec(token)?.[0] ?? '';
    const word = token.slice(0, token.length - end.length);
    return word === '' || isOurs(word, details) ? token : `[${pseudonyms.of('text', word)}]${end}`;
  });
}

function isOurs(word: string, details: ReadonlySet<string>): boolean {
  if (/^#?\d{1,3}$/.test(word)) return true;
  if (details.has(word.toLowerCase())) return false;
  return /^[a-z][a-z’'-]*$/.test(word) || OUR_WORDS.has(word);
}

/** The words of an order's details, for `maskText`. One letter, and what is only a number of few digits, says nothing of anybody. */
export function wordsOf(values: readonly unknown[]): ReadonlySet<string> {
  const words = values
    .filter((value) => typeof value === 'string')
    .flatMap((value) => value.toLowerCase().split(/[^\p{L}\p{N}@._%+’'#-]+/u));
  return new Set(words.filter((word) => word.length > 2));
}

/** Values that are identifiers of ours, and of nobody else: runs, hashes, times, words in lower case, versions. */
const PLAIN =
  /^(?:[a-z][a-z-]{0,30}|[0-9a-f]{40,64}|\d{4}-\d{2}-\d{2}T[\d:.]{6,12}Z?(?:-[0-9a-f]{4})?|\d{2}:\d{2}|(?:GET|PUT|POST) \/v1\/[A-Za-z{}/]*)$/;

/** Fields whose values hold no details of people, whatever they look like. */
const OUR_FIELDS: ReadonlySet<string> = new Set([
  'at',
  'run',
  'project',
  'projectId',
  'idBound',
  'status',
  'event',
  'kind',
  'payloadHash',
  'hash',
  'sha256',
]);

/** The same JSON with every text masked that is none of ours. Names of fields stay. */
export function maskJson(
  value: unknown,
  pseudonyms: Pseudonyms,
  details: ReadonlySet<string> = new Set(),
  field = '',
): unknown {
  if (typeof value === 'string')
    return isPlain(value, field) && !details.has(value.toLowerCase()) ? value : maskText(value, pseudonyms, details);
  if (Array.isArray(value)) return value.map((item) => maskJson(item, pseudonyms, details, field));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, maskJson(inner, pseudonyms, details, name)]),
  );
}

function isPlain(text: string, field: string): boolean {
  return PLAIN.test(text) || (OUR_FIELDS.has(field) && /^[\w :.-]{1,80}$/.test(text));
}

/** Orders told in full: those that are not at an end, and the latest. */
const TROUBLED_MAX = 2000;
const LATEST_MAX = 500;
const RUNS_MAX = 50;

/** The ledger as counts, states and steps; every detail of a person, a property or a policy is a stand-in. */
export async function maskedLedger(
  ledger: Ledger,
  pseudonyms: Pseudonyms,
): Promise<{ readonly counts: object; readonly orders: readonly object[]; readonly files: readonly object[] }> {
  const orders = new Map<number, OrderRecord>();
  for (const state of ['submitting', 'unresolved', 'held', 'ready'] as const satisfies readonly OrderState[]) {
    for (const order of await ledger.ordersIn(state, 0, TROUBLED_MAX)) orders.set(order.id, order);
  }
  for (const order of await ledger.latestOrders(LATEST_MAX)) orders.set(order.id, order);
  const told: object[] = [];
  for (const order of [...orders.values()].toSorted((a, b) => a.id - b.id))
    told.push(await maskedOrder(order, ledger, pseudonyms));
  const files: object[] = [];
  for await (const { file, ...rows } of ledger.countedFiles()) files.push({ ...maskedFile(file, pseudonyms), ...rows });
  const counts = {
    account: ledger.account,
    orders: await ledger.orderCounts(),
    projects: await ledger.projectCounts(),
    statuses: (await ledger.statusCounts()).map(({ status, count }) => ({
      status: maskJson(status, pseudonyms),
      count,
    })),
    openUpdates: (await ledger.openUpdates()).map(({ id, projectId, request, beganAt }) => ({
      id,
      projectId,
      kind: request.kind,
      beganAt,
    })),
    contradictions: await ledger.contradictions(),
    runs: await ledger.lastRuns(RUNS_MAX),
  };
  return { counts, orders: told, files };
}

async function maskedOrder(order: OrderRecord, ledger: Ledger, pseudonyms: Pseudonyms): Promise<object> {
  const { attempts, steps, project, artifacts, updates } = await ledger.storyOf(order.id);
  const { payload, id, state, allowDuplication, rowWish, projectId, idBound, uncertainSince, createdAt } = order;
  const words = wordsOf(Object.entries(payload).flatMap(([field, value]) => (KEPT.has(field) ? [] : [value])));
  const masked = (value: unknown): unknown => maskJson(value, pseudonyms, words);
  return {
    order: id,
    state,
    allowDuplication,
    rowWish,
    projectId,
    idBound,
    uncertainSince,
    createdAt,
    reason: masked(order.reason),
    payload: maskedPayload(payload, pseudonyms),
    project:
      project === null
        ? null
        : {
            status: masked(project.status),
            statusAt: project.statusAt,
            returnedAt: project.returnedAt,
            collectedAt: project.collectedAt,
            problem: masked(project.problem),
          },
    artifacts: artifacts.map(({ kind, version, bytes, recordedAt }) => ({ kind, version, bytes, recordedAt })),
    attempts: attempts.map(({ number, run, sentAt, answeredAt, outcome, detail }) => ({
      number,
      run,
      sentAt,
      answeredAt,
      outcome,
      detail: masked(detail),
    })),
    updates: updates.map(({ id: update, request, state: at, beganAt, endedAt, reason }) => ({
      update,
      kind: request.kind,
      state: at,
      beganAt,
      endedAt,
      reason: masked(reason),
    })),
    steps: steps.map(({ at, run, subject, event, detail }) => ({
      at,
      run,
      subject,
      event,
      detail: masked(withoutActor(detail)),
    })),
  };
}

/** What the document lists is nobody's detail. */
const KEPT: ReadonlySet<string> = new Set([
  'serviceName',
  'policyType',
  'houseType',
  'country',
  'supplementalServices',
]);

function maskedPayload(payload: OrderPayload, pseudonyms: Pseudonyms): object {
  return Object.fromEntries(
    Object.entries(payload).map(([field, value]) => [
      field,
      KEPT.has(field) ? value : pseudonyms.of(field, String(value)),
    ]),
  );
}

function withoutActor(detail: Readonly<Record<string, unknown>> | null): object | null {
  if (detail === null) return null;
  const { actor: _actor, name: _name, as: _as, corrections: _corrections, comment: _comment, ...rest } = detail;
  return rest;
}

function maskedFile(
  { id, name, sender, recordedAt, rowsAccepted, rowsRejected, archivedAs, layouts }: FileRecord,
  pseudonyms: Pseudonyms,
): object {
  return {
    file: id,
    name: pseudonyms.of('file', name),
    ending: /\.[a-z]{2,5}$/i.exec(name)?.[0] ?? '',
    sender: sender === '' ? null : pseudonyms.of('sender', sender),
    recordedAt,
    rowsAccepted,
    rowsRejected,
    isArchived: archivedAs !== null,
    sheets: layouts.map(({ headerRow, columns }) => ({
      headerRow,
      columns: columns.map(({ header, field }) => field ?? pseudonyms.of('header', header)),
    })),
  };
}

const LOGS_MAX = 10;

/** The latest logs, line for line, masked once more. A line that is no JSON is left out, and said so. */
export async function maskedLogs(
  logsDir: string,
  pseudonyms: Pseudonyms,
): Promise<readonly { readonly name: string; readonly text: string }[]> {
  const names = (await readdir(logsDir).catch(() => []))
    .filter((name) => /^[\w-]+\.jsonl$/.test(name))
    .toSorted()
    .slice(-LOGS_MAX);
  return Promise.all(
    names.map(async (name) => ({
      name,
      text: (await readFile(join(logsDir, name), 'utf8'))
        .split('\n')
        .flatMap((line) => maskedLine(line, pseudonyms))
        .join('\n'),
    })),
  );
}

function maskedLine(line: string, pseudonyms: Pseudonyms): readonly string[] {
  if (line.trim() === '') return [];
  try {
    return [JSON.stringify(maskJson(JSON.parse(line), pseudonyms))];
  } catch {
    return ['{"event":"a line that could not be read"}'];
  }
}
