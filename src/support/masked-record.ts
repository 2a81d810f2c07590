import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OrderPayload } from '../domain/row.ts';
import type { FileRecord } from '../ledger/files.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { OrderRecord, OrderState } from '../ledger/orders.ts';
import { maskJson, type Pseudonyms, wordsOf } from './masking.ts';

/** Orders told in full: those that are not at an end, and the latest. */
const TROUBLED_MAX = 2000;
const LATEST_MAX = 500;
const RUNS_MAX = 50;

/** The ledger as counts, states and steps; every detail of a person, a property or a policy is a stand-in. */
export async function maskedLedger(ledger: Ledger, pseudonyms: Pseudonyms): Promise<{ readonly counts: object; readonly orders: readonly object[]; readonly files: readonly object[] }> {
  const orders = new Map<number, OrderRecord>();
  for (const state of ['submitting', 'unresolved', 'held', 'ready'] as const satisfies readonly OrderState[]) {
    for (const order of await ledger.ordersIn(state, 0, TROUBLED_MAX)) orders.set(order.id, order);
  }
  for (const order of await ledger.latestOrders(LATEST_MAX)) orders.set(order.id, order);
  const told: object[] = [];
  for (const order of [...orders.values()].toSorted((a, b) => a.id - b.id)) told.push(await maskedOrder(order, ledger, pseudonyms));
  const files: object[] = [];
  for await (const { file, ...rows } of ledger.countedFiles()) files.push({ ...maskedFile(file, pseudonyms), ...rows });
  const counts = {
    account: ledger.account,
    orders: await ledger.orderCounts(),
    projects: await ledger.projectCounts(),
    statuses: (await ledger.statusCounts()).map(({ status, count }) => ({ status: maskJson(status, pseudonyms), count })),
    openUpdates: (await ledger.openUpdates()).map(({ id, projectId, request, beganAt }) => ({ id, projectId, kind: request.kind, beganAt })),
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
    order: id, state, allowDuplication, rowWish, projectId, idBound, uncertainSince, createdAt,
    reason: masked(order.reason),
    payload: maskedPayload(payload, pseudonyms),
    project: project === null ? null : { status: masked(project.status), statusAt: project.statusAt, returnedAt: project.returnedAt, collectedAt: project.collectedAt, problem: masked(project.problem) },
    artifacts: artifacts.map(({ kind, version, bytes, recordedAt }) => ({ kind, version, bytes, recordedAt })),
    attempts: attempts.map(({ number, run, sentAt, answeredAt, outcome, detail }) => ({ number, run, sentAt, answeredAt, outcome, detail: masked(detail) })),
    updates: updates.map(({ id: update, request, state: at, beganAt, endedAt, reason }) => ({ update, kind: request.kind, state: at, beganAt, endedAt, reason: masked(reason) })),
    steps: steps.map(({ at, run, subject, event, detail }) => ({ at, run, subject, event, detail: masked(withoutActor(detail)) })),
  };
}

/** What the document lists is nobody's detail. */
const KEPT: ReadonlySet<string> = new Set(['serviceName', 'policyType', 'houseType', 'country', 'supplementalServices']);

function maskedPayload(payload: OrderPayload, pseudonyms: Pseudonyms): object {
  return Object.fromEntries(Object.entries(payload).map(([field, value]) => [field, KEPT.has(field) ? value : pseudonyms.of(field, String(value))]));
}

function withoutActor(detail: Readonly<Record<string, unknown>> | null): object | null {
  if (detail === null) return null;
  const { actor: _actor, name: _name, as: _as, corrections: _corrections, comment: _comment, ...rest } = detail;
  return rest;
}

function maskedFile({ id, name, sender, recordedAt, rowsAccepted, rowsRejected, archivedAs, layouts }: FileRecord, pseudonyms: Pseudonyms): object {
  return {
    file: id,
    name: pseudonyms.of('file', name),
    ending: /\.[a-z]{2,5}$/i.exec(name)?.[0] ?? '',
    sender: sender === '' ? null : pseudonyms.of('sender', sender),
    recordedAt, rowsAccepted, rowsRejected,
    isArchived: archivedAs !== null,
    sheets: layouts.map(({ headerRow, columns }) => ({ headerRow, columns: columns.map(({ header, field }) => field ?? pseudonyms.of('header', header)) })),
  };
}

const LOGS_MAX = 10;

/** The latest logs, line for line, masked once more. A line that is no JSON is left out, and said so. */
export async function maskedLogs(logsDir: string, pseudonyms: Pseudonyms): Promise<readonly { readonly name: string; readonly text: string }[]> {
  const names = (await readdir(logsDir).catch(() => [])).filter((name) => /^[\w-]+\.jsonl$/.test(name)).toSorted().slice(-LOGS_MAX);
  return Promise.all(names.map(async (name) => ({ name, text: (await readFile(join(logsDir, name), 'utf8')).split('\n').flatMap((line) => maskedLine(line, pseudonyms)).join('\n') })));
}

function maskedLine(line: string, pseudonyms: Pseudonyms): readonly string[] {
  if (line.trim() === '') return [];
  try {
    return [JSON.stringify(maskJson(JSON.parse(line), pseudonyms))];
  } catch {
    return ['{"event":"a line that could not be read"}'];
  }
}
