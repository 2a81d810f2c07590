import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PROJECT_STATUSES } from '../contract/document.ts';
import type { Ledger, FileRecord, OrderRecord, OrderState } from '../ledger/ledger.ts';

// Each page lists the fields that it takes, so no text of a person or the service gets in.

const UNFINISHED_MAX = 2000;
const LATEST_MAX = 500;
const RUNS_MAX = 50;

export async function countsPage(ledger: Ledger) {
  return {
    orders: await ledger.orderCounts(),
    projects: await ledger.projectCounts(),
    statuses: (await ledger.statusCounts()).map(({ status, count }) => ({ status: statusPage(status), count })),
    openUpdates: (await ledger.openUpdates()).map(({ id: update, projectId, request, beganAt }) => {
      return { update, projectId, kind: request.kind, beganAt };
    }),
    contradictions: await ledger.contradictions(),
    runs: await ledger.lastRuns(RUNS_MAX),
  };
}

export async function orderPages(ledger: Ledger) {
  const orders = new Map<number, OrderRecord>();
  for (const state of ['submitting', 'unresolved', 'held', 'ready'] as const satisfies readonly OrderState[]) {
    for (const order of await ledger.ordersIn(state, 0, UNFINISHED_MAX)) orders.set(order.id, order);
  }
  for (const order of await ledger.latestOrders(LATEST_MAX)) orders.set(order.id, order);
  return Array.fromAsync(
    [...orders.values()].toSorted((a, b) => a.id - b.id),
    (order) => orderPage(order, ledger),
  );
}

function pick<T extends object>(from: T, ...names: readonly (keyof T)[]) {
  return Object.fromEntries(names.map((name) => [name, from[name]]));
}

async function orderPage(order: OrderRecord, ledger: Ledger) {
  const { attempts, steps, project, artifacts, updates } = await ledger.storyOf(order.id);
  return {
    order: order.id,
    ...pick(order, 'state', 'code', 'allowDuplication', 'rowWish'),
    ...pick(order, 'projectId', 'idBound', 'uncertainSince', 'createdAt'),
    payload: { ...pick(order.payload, 'serviceName', 'policyType', 'houseType'), fields: Object.keys(order.payload) },
    project: project && {
      status: statusPage(project.status),
      ...pick(project, 'statusAt', 'returnedAt', 'collectedAt', 'problemCode'),
    },
    artifacts: artifacts.map((one) => pick(one, 'kind', 'version', 'bytes', 'recordedAt')),
    attempts: attempts.map((one) => pick(one, 'number', 'run', 'sentAt', 'answeredAt', 'outcome')),
    updates: updates.map((one) => ({
      update: one.id,
      kind: one.request.kind,
      ...pick(one, 'state', 'beganAt', 'endedAt'),
    })),
    steps: steps.map(({ at, run, subject, event, detail }) => ({ at, run, subject, event, code: detail?.['code'] })),
  };
}

function statusPage(status: string) {
  return (PROJECT_STATUSES as readonly string[]).includes(status) ? status : 'not in the document';
}

export async function filePages(ledger: Ledger) {
  return Array.fromAsync(ledger.countedFiles(), ({ file, ...rows }) => ({ ...filePage(file), ...rows }));
}

function filePage(file: FileRecord) {
  return {
    file: file.id,
    ending: /\.[a-z]{2,5}$/i.exec(file.name)?.[0] ?? '',
    hasSender: file.sender !== '',
    ...pick(file, 'recordedAt', 'rowsAccepted', 'rowsRejected'),
    isArchived: file.archivedAs !== null,
    sheets: file.layouts.map(({ headerRow, columns }) => ({ headerRow, columns: columns.map(({ field }) => field) })),
  };
}

const LISTED_SETTINGS = new Set([
  'afterwards',
  'dateOrder',
  'unreadableOptional',
  'hiddenRows',
  'newLayout',
  'onDuplicate',
  'whenNoKey',
  'reports',
  'images',
  'level',
]);

/** Numbers, switches and listed words; of other texts whether they are set, of lists their length. */
export function settingsPage(settings: unknown, key = ''): unknown {
  if (typeof settings === 'string') return LISTED_SETTINGS.has(key) ? settings : '(set)';
  if (settings instanceof Map)
    return key === 'senders' ? [...settings.values()].map((each) => settingsPage(each)) : { entries: settings.size };
  if (Array.isArray(settings)) return { entries: settings.length };
  if (settings === null || typeof settings !== 'object') return settings;
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, settingsPage(value, name)]));
}

const LOGS_MAX = 10;
const LISTED_FIELDS = new Set(['at', 'level', 'event', 'run', 'killed', 'project', 'outcome', 'kind', 'code', 'cause']);

export async function logPages(logsDir: string) {
  const names = (await readdir(logsDir).catch(() => []))
    .filter((name) => /^[\w-]+\.jsonl$/.test(name))
    .toSorted()
    .slice(-LOGS_MAX);
  return Promise.all(
    names.map(async (name) => ({
      name,
      lines: (await readFile(join(logsDir, name), 'utf8')).split('\n').filter(Boolean).map(logLine),
    })),
  );
}

function logLine(line: string) {
  try {
    const fields = Object.entries(JSON.parse(line) as object) as readonly (readonly [string, unknown])[];
    return Object.fromEntries(
      fields.filter(([name, value]) =>
        typeof value === 'string' ? LISTED_FIELDS.has(name) : typeof value === 'number' || typeof value === 'boolean',
      ),
    );
  } catch {
    return { event: 'a line that could not be read' };
  }
}
