import { addressKey, identityOf, payloadHash, policyKey, subjectKey } from '../../src/domain/identity.ts';
import type { OrderPayload, RowOutcome, RowRecord } from '../../src/domain/row.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { NewRow } from '../../src/ledger/rows.ts';
import type { NewOrder, ProjectLink } from '../../src/ledger/orders.ts';

/** A valid order without inspection or policy number: a test adds what it is about. */
export function orderPayload(changes: Partial<OrderPayload> = {}): OrderPayload {
  return {
    streetAddress: '12 Oak Street',
    city: 'Cambridge',
    state: 'MA',
    zipcode: '02139',
    serviceName: '4-Point',
    policyType: 'Homeowners Insurance',
    houseType: 'Residential Single Family',
    insuredName: 'Ann Lee',
    insuredPhone: '555-0100',
    insuredEmail: 'ann@insured.example',
    ...changes,
  };
}

export type ValidRow = Extract<RowOutcome, { kind: 'order' }>;

/** A row that intake found valid. */
export function validRow(changes: Partial<OrderPayload> = {}, allowDuplication?: boolean): ValidRow {
  return {
    kind: 'order',
    record: rowRecord(2),
    payload: orderPayload(changes),
    allowDuplication,
    repairs: [],
    warnings: [],
  };
}

/** An order as intake puts it on record. */
export function newOrder(changes: Partial<OrderPayload> = {}, more: Partial<NewOrder> = {}): NewOrder {
  const payload = orderPayload(changes);
  return {
    identity: identityOf(payload),
    addressKey: addressKey(payload),
    policyKey: policyKey(payload),
    payload,
    payloadHash: payloadHash(payload),
    allowDuplication: false,
    rowWish: null,
    reference: null,
    subjectKey: subjectKey(payload),
    renews: null,
    ...more,
  };
}

export function rowRecord(rowNumber: number): RowRecord {
  const cells = [
    { kind: 'text', text: `row ${rowNumber}` },
    undefined,
    { kind: 'number', value: 7, raw: '007', format: '000' },
  ] as const;
  return { place: { file: 'orders.csv', sheet: 'Orders', rowNumber }, cells, correctsRow: null };
}

/** A row of a file; by default one that went back. */
export function newRow(changes: Partial<NewRow> = {}, rowNumber = 2): NewRow {
  const summary = { policyNumber: 'P-1', inspectionNumber: '', insuredName: 'Ann Lee', streetAddress: '12 Oak Street' };
  return {
    outcome: 'rejection',
    orderId: null,
    record: rowRecord(rowNumber),
    problems: [],
    repairs: [],
    summary,
    ...changes,
  };
}

/** Puts a file on record, with a row for each of these orders. Gives their ids. */
export async function recordOrders(
  ledger: Ledger,
  orders: readonly NewOrder[],
  file = 'orders.csv',
): Promise<readonly number[]> {
  const ids: number[] = [];
  await ledger.recordFile({ hash: `hash of ${file}`, name: file, layouts: [], notes: [] }, async (transaction) => {
    for (const [index, order] of orders.entries()) {
      const orderId = transaction.addOrder(order);
      transaction.addRow(newRow({ outcome: 'order', orderId }, index + 2));
      ids.push(orderId);
    }
  });
  return ids;
}

/** Puts one order on record, in a file of its own. */
export async function recordOrder(
  ledger: Ledger,
  changes: Partial<OrderPayload> = {},
  more: Partial<NewOrder> = {},
): Promise<number> {
  const order = newOrder(changes, more);
  const [id] = await recordOrders(ledger, [order], `${order.identity}.csv`);
  if (id === undefined) throw new Error('no order was recorded');
  return id;
}

/** What the service says of a project. */
export function projectTie(projectId: string, changes: Partial<ProjectLink> = {}): ProjectLink {
  return { projectId, status: 'Project Created', inspectionCode: null, inspectionLink: null, ...changes };
}

/** An attempt, as a submission run begins it. */
export function attemptOf(idBound = '100'): { actor: string; idBound: string; payload: object; payloadHash: string } {
  return {
    actor: 'analyst@staging.example',
    idBound,
    payload: orderPayload(),
    payloadHash: payloadHash(orderPayload()),
  };
}

/** Puts an order on record and sees it through to its project. */
export async function recordCreated(
  ledger: Ledger,
  projectId: string,
  changes: Partial<OrderPayload> = {},
  tie: Partial<ProjectLink> = {},
): Promise<number> {
  const id = await recordOrder(ledger, { inspectionNumber: `for project ${projectId}`, ...changes });
  await ledger.beginAttempt(id, attemptOf());
  await ledger.moveOrder(id, 'submitting', { to: 'created', project: projectTie(projectId, tie), adopted: false });
  return id;
}
