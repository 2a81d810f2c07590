import { identityKind, identityOf } from '../../domain/identity.ts';
import type { OrderPayload } from '../../domain/row.ts';
import type { ProjectRecord } from '../projects.ts';
import type { HeldBefore, NamedProject, NewUpdate, PolicyDetails, ProjectKey, UpdateBook, UpdateEnd, UpdateRecord, UpdateRequest, UpdateSource } from '../updates.ts';
import { addStep, type Book } from '../store.ts';
import type { SqlRow } from '../driver.ts';
import { findProject } from './hand-over-pages.ts';
import { recordStatuses } from './project-pages.ts';

const NAMED_MAX = 200;
const UPDATE_COLUMNS = 'id, CAST(project_id AS TEXT) AS project_id, state, request, before, source, run, began_at, ended_at, reason';

export function updateBookIn(book: Book): UpdateBook {
  const { connection } = book;
  return {
    beginUpdate: (update) => connection.write(() => beginUpdate(book, update)),
    endUpdate: (updateId, end) => connection.write(() => endUpdate(book, updateId, end)),
    openUpdates: async () => openUpdates(book),
    updatesOf: async (projectId) => updatesOf(book, projectId),
    amendedDetails: async (projectId) => amendedDetails(book, projectId),
    projectsNamed: async (key, text) => projectsNamed(book, key, text),
    projectWithDelivery: async (projectId) => projectWithDelivery(book, projectId),
  };
}

function beginUpdate(book: Book, { projectId, request, before, source }: NewUpdate): number | null {
  const { connection, clock, account, run } = book;
  const open = connection.get(`SELECT 1 AS found FROM updates WHERE account = ? AND project_id = ? AND state = 'open'`, account, BigInt(projectId));
  if (open !== undefined) return null;
  const id = connection.insert(
    `INSERT INTO updates (account, project_id, kind, state, request, before, source, run, began_at) VALUES (?, ?, ?, 'open', ?, ?, ?, ?, ?)`,
    account,
    BigInt(projectId),
    request.kind,
    JSON.stringify(request),
    JSON.stringify(before),
    JSON.stringify(source),
    run,
    clock.now(),
  );
  const { kind, ...asked } = request;
  addStep(book, 'project', projectId, `${kind} asked for`, { update: id, ...asked });
  return id;
}

function endUpdate(book: Book, updateId: number, end: UpdateEnd): boolean {
  const { connection, clock, account } = book;
  const row = connection.get(`SELECT ${UPDATE_COLUMNS} FROM updates WHERE id = ? AND account = ? AND state = 'open'`, updateId, account);
  if (row === undefined) return false;
  const { projectId, request } = updateFrom(row);
  const reason = end.to === 'refused' ? end.reason : null;
  connection.run('UPDATE updates SET state = ?, ended_at = ?, reason = ? WHERE id = ?', end.to, clock.now(), reason, updateId);
  addStep(book, 'project', projectId, `${request.kind} ${end.to}`, { update: updateId, ...(end.to === 'refused' ? { reason: end.reason } : { settled: end.settled }) });
  if (end.status !== null) recordStatuses(book, [{ id: projectId, status: end.status }]);
  if (end.to === 'done' && request.kind === 'amend') {
    // The next delivery shows it.
    connection.run('UPDATE projects SET handed_over_in = NULL WHERE account = ? AND id = ?', account, BigInt(projectId));
    addIdentities(book, projectId);
  }
  return true;
}

/** An order with an inspection number is known by that, whatever its policy. */
function addIdentities(book: Book, projectId: string): void {
  const { connection, account } = book;
  const amended = amendedDetails(book, projectId);
  for (const row of connection.all('SELECT id, identity, payload FROM orders WHERE account = ? AND project_id = ?', account, BigInt(projectId))) {
    const payload: OrderPayload = { ...(JSON.parse(String(row['payload'])) as OrderPayload), ...amended };
    if (identityKind(payload) === 'inspection' || identityOf(payload) === row['identity']) continue;
    connection.run('INSERT INTO amended_identities (account, identity, order_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING', account, identityOf(payload), Number(row['id']));
  }
}

function openUpdates({ connection, account }: Book): readonly UpdateRecord[] {
  return connection.all(`SELECT ${UPDATE_COLUMNS} FROM updates WHERE account = ? AND state = 'open' ORDER BY id`, account).map(updateFrom);
}

export function updatesOf({ connection, account }: Book, projectId: string): readonly UpdateRecord[] {
  return connection.all(`SELECT ${UPDATE_COLUMNS} FROM updates WHERE account = ? AND project_id = ? ORDER BY id`, account, BigInt(projectId)).map(updateFrom);
}

export function amendedDetails(book: Book, projectId: string): PolicyDetails {
  const details: { policyNumber?: string; policyEffectiveDate?: string } = {};
  for (const { request, state } of updatesOf(book, projectId)) {
    if (request.kind !== 'amend' || state !== 'done') continue;
    if (request.policyNumber !== undefined) details.policyNumber = request.policyNumber;
    if (request.policyEffectiveDate !== undefined) details.policyEffectiveDate = request.policyEffectiveDate;
  }
  return details;
}

export function projectsNamed(book: Book, key: ProjectKey, text: string): readonly NamedProject[] {
  return keysOf(book, key, text).map((row) => ({
    projectId: String(row['project_id']),
    orderId: Number(row['order_id']),
    status: String(row['status']),
    property: String(row['property']),
  }));
}

function keysOf({ connection, account }: Book, key: ProjectKey, text: string): readonly SqlRow[] {
  const named = (condition: string, ...values: readonly (string | bigint)[]): readonly SqlRow[] =>
    connection.all(
      `SELECT CAST(orders.project_id AS TEXT) AS project_id, min(orders.id) AS order_id, projects.status,
         json_extract(orders.payload, '$.streetAddress') || ', ' || json_extract(orders.payload, '$.city') || ' ' || json_extract(orders.payload, '$.state') AS property
       FROM orders JOIN projects ON projects.account = orders.account AND projects.id = orders.project_id
       WHERE orders.account = ? AND orders.project_id IS NOT NULL AND ${condition}
       GROUP BY orders.project_id ORDER BY orders.project_id LIMIT ${NAMED_MAX}`,
      account,
      ...values,
    );
  switch (key) {
    case 'projectId':
      return named('orders.project_id = ?', BigInt(text));
    case 'inspectionNumber':
      return named(`json_extract(payload, '$.inspectionNumber') = ?`, text);
    case 'policyNumber': {
      // The key begins with the number, so that the index on it serves.
      const begin = `${JSON.stringify([text]).slice(0, -1)},`;
      return named(
        `orders.id IN (SELECT id FROM orders WHERE account = ?1 AND policy_key >= ?2 AND policy_key < ?2 || char(1114111)
           UNION SELECT orders.id FROM updates JOIN orders ON orders.account = updates.account AND orders.project_id = updates.project_id
           WHERE updates.account = ?1 AND json_extract(request, '$.policyNumber') = ?3 AND updates.state = 'done')`,
        begin,
        text,
      );
    }
  }
}

function projectWithDelivery(book: Book, projectId: string): { readonly project: ProjectRecord; readonly deliveredIn: string | null } | null {
  const project = findProject(book, projectId);
  if (project === null) return null;
  const row = book.connection.get(
    `SELECT deliveries.folder FROM projects JOIN deliveries ON deliveries.run = projects.handed_over_in WHERE projects.account = ? AND projects.id = ?`,
    book.account,
    BigInt(projectId),
  );
  return { project, deliveredIn: row === undefined ? null : String(row['folder']) };
}

function updateFrom(row: SqlRow): UpdateRecord {
  const { project_id: projectId, state, run, reason, ended_at: endedAt } = row;
  return {
    id: Number(row['id']),
    projectId: String(projectId),
    state: String(state) as UpdateRecord['state'],
    request: JSON.parse(String(row['request'])) as UpdateRequest,
    before: JSON.parse(String(row['before'])) as HeldBefore,
    source: JSON.parse(String(row['source'])) as UpdateSource,
    run: typeof run === 'string' ? run : null,
    beganAt: Number(row['began_at']),
    endedAt: endedAt === null ? null : Number(endedAt),
    reason: typeof reason === 'string' ? reason : null,
  };
}
