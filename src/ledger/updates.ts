import { identityKind, identityOf } from '../domain/identity.ts';
import type { OrderPayload } from '../domain/row.ts';
import { policyKeyRange } from './orders.ts';
import { findProject, recordStatuses, WITHOUT_ORDER } from './projects.ts';
import {
  insertIfAbsent,
  addStep,
  firstOf,
  hasRow,
  listOf,
  redeliverProject,
  type Store,
  updateIn,
  AMONG_IDS,
  idOf,
  insertInto,
  jsonOf,
  numberOrNull,
  rowReader,
  textOf,
  textOrNull,
  ofProject,
  type Job,
  type SqlValue,
} from './store.ts';

/** Document: Status update request, Project update request. */
export type UpdateRequest = Readonly<
  | { kind: 'cancel'; comment?: string }
  /** `withoutFiles`: its files need not be safe here. */
  | { kind: 'receive'; comment?: string; withoutFiles: boolean }
  /** An empty text clears the field; an absent field stays. */
  | ({ kind: 'amend' } & PolicyDetails)
>;

export type UpdateKind = UpdateRequest['kind'];

export type PolicyDetails = Readonly<{
  policyNumber?: string;
  policyEffectiveDate?: string;
}>;

/** Null for the command line. */
export type UpdateSource = Readonly<{ file: string; sheet: string; rowNumber: number }> | null;

/** Codes never change (docs/messages.md); texts may. */
export type UpdateReason = Readonly<{
  code: string;
  reason: string;
}>;

export type DetailsBeforeUpdate = Readonly<Record<string, string>>;

type NewUpdate = Readonly<{
  projectId: string;
  request: UpdateRequest;
  before: DetailsBeforeUpdate;
  source: UpdateSource;
}>;

/** While it is open, its request may have been sent, with unknown outcome. */
export type UpdateRecord = ReturnType<typeof updateFrom>;

type UpdateEnd = Readonly<
  { to: 'done'; status: string | null; settled: boolean } | ({ to: 'refused'; status: string | null } & UpdateReason)
>;

export type ProjectKey = 'projectId' | 'policyNumber' | 'inspectionNumber';

export type NamedProject = ReturnType<typeof namedFrom>;

/** A condition follows. */
export const AMENDED_ORDERS = `SELECT orders.id FROM updates JOIN orders ON orders.account = updates.account AND orders.project_id = updates.project_id
    WHERE updates.account = ?1 AND updates.state = 'done' AND`;

const NAMED_MAX = 200;
const propertyIn = (details: string) =>
  `json_extract(${details}, '$.streetAddress') || ', ' || json_extract(${details}, '$.city') || ' ' || json_extract(${details}, '$.state') AS property`;

async function beginUpdate(store: Job, { projectId, request, before, source }: NewUpdate) {
  const { driver, clock, account, run } = store;
  if (await hasRow(store, 'updates', `project_id = ? AND state = 'open'`, BigInt(projectId))) return null;
  const { kind, ...asked } = request;
  const update = { account, projectId: BigInt(projectId), kind, state: 'open', request, before, run };
  const id = await driver.insert(
    ...insertInto('updates', { ...update, source: JSON.stringify(source), beganAt: clock.now() }),
  );
  await addStep(store, 'project', projectId, `${kind} asked for`, { update: id, ...asked });
  return id;
}

async function endUpdate(store: Job, updateId: number, end: UpdateEnd) {
  const [update] = await updatesWhere(store, `id = ? AND state = 'open'`, updateId);
  if (update === undefined) return false;
  const { projectId, request } = update;
  const reason = end.to === 'refused' ? end.reason : null;
  await updateIn(store, 'updates', updateId, { state: end.to, endedAt: store.clock.now(), reason });
  await addStep(store, 'project', projectId, `${request.kind} ${end.to}`, {
    update: updateId,
    ...(end.to === 'refused' ? { code: end.code, reason: end.reason } : { settled: end.settled }),
  });
  if (end.status !== null) await recordStatuses(store, [{ id: projectId, status: end.status }]);
  if (end.to === 'done' && request.kind === 'amend') {
    await redeliverProject(store, projectId);
    await addIdentities(store, projectId);
  }
  return true;
}

/** An order with an inspection number needs no policy identity. */
async function addIdentities(store: Job, projectId: string) {
  const amended = await amendedDetails(store, projectId);
  for (const row of await store.driver.query(
    'SELECT id, identity, payload FROM orders WHERE account = ? AND project_id = ?',
    store.account,
    BigInt(projectId),
  )) {
    const payload: OrderPayload = { ...jsonOf<OrderPayload>(row['payload']), ...amended };
    if (identityKind(payload) === 'inspection' || identityOf(payload) === row['identity']) continue;
    await addIdentity(store, identityOf(payload), Number(row['id']));
  }
}

export function addIdentity(store: Job, identity: string, orderId: number) {
  return insertIfAbsent(store, 'amended_identities', { identity, orderId });
}

export function otherIdentitiesOf(store: Store, orderId: number) {
  const others = 'SELECT identity FROM amended_identities WHERE account = ? AND order_id = ?';
  return listOf(store, ({ identity }) => textOf(identity), others, orderId);
}

function updatesWhere(store: Store, condition: string, ...values: readonly SqlValue[]) {
  const those = `${updateFrom.select} FROM updates WHERE account = ? AND ${condition} ORDER BY id`;
  return listOf(store, updateFrom, those, ...values);
}

function openUpdates(store: Store) {
  return updatesWhere(store, `state = 'open'`);
}

export function updatesOf(store: Store, projectId: string) {
  return updatesWhere(store, 'project_id = ?', BigInt(projectId));
}

export async function amendedDetails(store: Store, projectId: string) {
  return (await amendedDetailsByProject(store, [projectId])).get(projectId) ?? {};
}

export async function amendedDetailsByProject(store: Store, projectIds: readonly string[]) {
  const amendments = await amendmentsByProject(store, projectIds);
  return new Map([...amendments].map(([projectId, each]) => [projectId, each.at(-1) ?? {}]));
}

/** All amended details after each amendment, the earliest first. */
export async function amendmentsByProject(store: Store, projectIds: readonly string[]) {
  const amendments = new Map<string, readonly PolicyDetails[]>();
  if (projectIds.length === 0) return amendments;
  for (const { projectId, request, state } of await updatesWhere(store, `project_id IN ${AMONG_IDS}`, projectIds)) {
    if (request.kind !== 'amend' || state !== 'done') continue;
    const { kind: _amend, ...details } = request;
    const before = amendments.get(projectId) ?? [];
    amendments.set(projectId, [...before, { ...before.at(-1), ...details }]);
  }
  return amendments;
}

async function amendedWithoutOrder(store: Store) {
  const before = new Map<string, PolicyDetails>();
  const amends = await updatesWhere(
    store,
    `kind = 'amend' AND state = 'done'
       AND NOT EXISTS (SELECT 1 FROM orders WHERE orders.account = updates.account AND orders.project_id = updates.project_id)`,
  );
  for (const amend of amends) before.set(amend.projectId, { ...amend.before, ...before.get(amend.projectId) });
  return before;
}

const namedFrom = rowReader({ projectId: textOf, orderId: numberOrNull, status: textOf, property: textOf });

export async function projectsNamed(store: Store, key: ProjectKey, text: string) {
  return [...(await keysOf(store, key, text)), ...(await elsewhereOf(store, key, text))];
}

function keysOf(store: Store, key: ProjectKey, text: string) {
  const named = (condition: string, ...values: readonly (string | bigint)[]) =>
    listOf(
      store,
      namedFrom,
      `SELECT CAST(orders.project_id AS TEXT) AS project_id, orders.id AS order_id, projects.status, ${propertyIn('orders.payload')}
       FROM orders JOIN projects ON ${ofProject('orders')}
       WHERE orders.id IN (SELECT min(orders.id) FROM orders WHERE orders.account = ? AND orders.project_id IS NOT NULL AND ${condition} GROUP BY orders.project_id)
       ORDER BY orders.project_id LIMIT ${NAMED_MAX}`,
      ...values,
    );
  switch (key) {
    case 'projectId':
      return named('orders.project_id = ?', BigInt(text));
    case 'inspectionNumber':
      return named(`json_extract(payload, '$.inspectionNumber') = ?`, text);
    case 'policyNumber':
      return named(
        `orders.id IN (SELECT id FROM orders WHERE account = ?1 AND policy_key >= ?2 AND policy_key < ?3
           UNION ${AMENDED_ORDERS} json_extract(request, '$.policyNumber') = ?4)`,
        ...policyKeyRange(text),
        text,
      );
  }
}

function elsewhereOf(store: Store, key: ProjectKey, text: string) {
  const value = key === 'projectId' ? 'CAST(id AS TEXT)' : `json_extract(details, '$.${key}')`;
  return listOf(
    store,
    namedFrom,
    `SELECT CAST(id AS TEXT) AS project_id, NULL AS order_id, status, ${propertyIn('details')}
     FROM projects WHERE account = ?1 AND details IS NOT NULL AND ${value} = ?2
       AND ${WITHOUT_ORDER} ORDER BY id LIMIT ${NAMED_MAX}`,
    key === 'projectId' ? BigInt(text).toString() : text,
  );
}

async function projectWithDelivery(store: Store, projectId: string) {
  const project = await findProject(store, projectId);
  if (project === null) return null;
  const deliveredIn = await firstOf(
    store,
    ({ folder }) => textOf(folder),
    `SELECT deliveries.folder FROM projects JOIN deliveries ON deliveries.run = projects.handed_over_in WHERE projects.account = ? AND projects.id = ?`,
    BigInt(projectId),
  );
  return { project, deliveredIn };
}

const updateFrom = rowReader({
  id: Number,
  projectId: idOf,
  state: textOf<'open' | 'done' | 'refused'>,
  request: jsonOf<UpdateRequest>,
  before: jsonOf<DetailsBeforeUpdate>,
  source: jsonOf<UpdateSource>,
  run: textOrNull,
  beganAt: Number,
  endedAt: numberOrNull,
  reason: textOrNull,
});

export const updateVerbs = {
  reads: {
    openUpdates,
    updatesOf,
    amendedDetails,
    amendedDetailsByProject,
    amendedWithoutOrder,
    /** By id, at most 200. A policy number also finds amended ones. */
    projectsNamed,
    projectWithDelivery,
  },
  writes: {
    /** Before the update is sent. Null if the project has an open one. */
    beginUpdate,
    endUpdate,
  },
};
