import { CANCELABLE_STATUSES, DUPLICATE_WINDOW_DAYS } from '../contract/document.ts';
import { cellText, quoted } from '../domain/cells.ts';
import {
  addressKey,
  contentReference,
  identityKind,
  identityOf,
  isCommercial,
  keyOfRenewal,
  keyOfRepeat,
  payloadHash,
  policyKey,
  subjectKey,
} from '../domain/identity.ts';
import {
  hasDetails,
  type OrderPayload,
  type Problem,
  type Repair,
  type RowOutcome,
  rowProblem,
  type RowSummary,
  type SheetLayout,
  type ValidRow,
} from '../domain/row.ts';
import { STATUS_NOT_SEEN } from '../domain/project.ts';
import { problemFor, sentence } from '../domain/sentences.ts';
import type { FileTransaction, OrderLookup, NewOrder, OrderRecord, NewRow } from '../ledger/ledger.ts';
import { isScratch } from '../ledger/scratch-ledger.ts';
import type { Config } from '../ops/config.ts';
import { amendedPayload } from './same-order.ts';
import type { KnownRows } from './known-rows.ts';
import { changedWarning, changeChoices, realChangesOf } from './order-changes.ts';
import { findConflict, policyWarnings } from './order-problems.ts';
import { describeOrder } from './describe-order.ts';
import { findExisting, type RepeatedOrder, type RepeatNews } from './repeated-order.ts';

/** Null: no row is a renewal. */
export type OrderingRules = Readonly<Pick<Config['submit'], 'onDuplicate' | 'whenNoKey' | 'renewalAfterDays'>>;
export type OnDuplicate = OrderingRules['onDuplicate'];

export const DUPLICATE_WINDOW_MS = DUPLICATE_WINDOW_DAYS * 24 * 60 * 60 * 1000;

export type RowDecision = Readonly<
  | { kind: 'order'; order: NewOrder; repairs: readonly Repair[]; warnings: readonly Problem[] }
  | {
      kind: 'repeat';
      of: RepeatedOrder;
      why: string;
      news?: RepeatNews | undefined;
      identity?: string | undefined;
    }
  | { kind: 'rejection'; problems: readonly Problem[]; of: RepeatedOrder | null }
>;

export function rowKeysOf({ payload }: ValidRow) {
  return {
    identity: identityOf(payload),
    policyKey: policyKey(payload),
    addressKey: isCommercial(payload) ? addressKey(payload) : null,
    subjectKey: subjectKey(payload),
  };
}

type Grounds = Readonly<{
  rules: OrderingRules;
  /** The service compares only later orders. */
  windowStart: number;
  ledger: OrderLookup;
}>;

export function decideRow(row: ValidRow, rules: OrderingRules, windowStart: number, ledger: OrderLookup): RowDecision {
  const decision = decideOrder(row, { rules, windowStart, ledger });
  const lacksKey = identityKind(row.payload) === 'address' && rules.whenNoKey === 'hold';
  return decision.kind === 'order' && lacksKey ? goesBack(problemFor('error', 'no-key', {})) : decision;
}

function decideOrder(row: ValidRow, grounds: Grounds): RowDecision {
  const { rules, windowStart, ledger } = grounds;
  const identity = identityOf(row.payload);
  const insists = row.allowDuplication === true;
  const existing = findExisting(row.payload, { ...rules, windowStart }, ledger);
  if (existing === null) return newOrder(row, identity, insists, grounds);
  const wish = wishOf(row, rules.onDuplicate);
  const conflict = findConflict(row, existing, ledger);
  if (conflict !== null && wish !== 'create') return goesBack(conflict);
  const { repeated, why, news, renewal, isKnownByNumbers } = existing;
  if (conflict === null && renewal !== null && !insists) return renewalOf(row, repeated.order, renewal, grounds);
  switch (wish) {
    case 'link':
    case 'skip':
      return { kind: 'repeat', of: repeated, why, news, identity: isKnownByNumbers ? undefined : identity };
    case 'reject':
      return goesBack(problemFor('error', 'duplicate', { why }), repeated);
    case 'create':
      return orderAgain(row, identity, repeated.order, grounds);
  }
}

function wishOf(row: ValidRow, onDuplicate: OnDuplicate) {
  if (row.allowDuplication === true) return 'create';
  return row.allowDuplication === false && onDuplicate === 'create' ? 'link' : onDuplicate;
}

function goesBack(problem: Problem, of: RepeatedOrder | null = null): RowDecision {
  return { kind: 'rejection', problems: [problem], of };
}

function repeats(order: OrderRecord, what: string, { ledger }: Grounds): RowDecision {
  return {
    kind: 'repeat',
    of: { order, sameIdentity: true },
    why: `${what} already: ${describeOrder(order, ledger)}.`,
  };
}

function renewalOf(row: ValidRow, renewed: OrderRecord, date: string, grounds: Grounds) {
  const { ledger } = grounds;
  const key = keyOfRenewal(identityOf(row.payload), date);
  const before = ledger.findLivingOrder(key);
  if (before !== null) return repeats(before, 'This renewal is on record', grounds);
  const decision = newOrder(row, key, false, grounds);
  const of = renewed.projectId === null ? '' : `project ${renewed.projectId}: `;
  const message = `A renewal of ${of}${describeOrder(renewed, ledger)}.`;
  return {
    ...decision,
    order: { ...decision.order, renews: renewed.id },
    warnings: [rowProblem('warning', 'renewal', message), ...decision.warnings],
  };
}

/** A content-based identity: dropping the row once more makes no third order. */
function orderAgain(row: ValidRow, identity: string, existing: OrderRecord, grounds: Grounds) {
  const { rules, ledger } = grounds;
  const isOver = (order: OrderRecord) =>
    row.allowDuplication === true && ledger.endOfProject(order.projectId) === 'canceled';
  if (
    existing.allowDuplication &&
    !isOver(existing) &&
    (hasDetails(existing.payload) ? payloadHash(existing.payload) : existing.payloadHash) ===
      payloadHash(finalPayload(row.payload, existing.identity, rules).payload)
  )
    return repeats(existing, 'This very row is on record', grounds);
  // A neighbor at a commercial address has another identity.
  const isFree = ledger.findLivingOrder(identity) === null && ledger.findOrderedAgain(identity) === null;
  const again = isFree ? identity : keyOfRepeat(identity, row.payload);
  for (let time = 2, key = again; ; time += 1, key = `${again}#${time}`) {
    const before = ledger.findLivingOrder(key);
    if (before === null) return newOrder(row, key, true, grounds);
    if (!isOver(before)) return repeats(before, 'This very row was ordered again', grounds);
  }
}

function newOrder(row: ValidRow, identity: string, allowDuplication: boolean, { rules, windowStart, ledger }: Grounds) {
  const { payload, reference, repairs } = finalPayload(row.payload, identity, rules);
  return {
    kind: 'order' as const,
    repairs,
    warnings: row.allowDuplication === true ? [] : policyWarnings(row.payload, windowStart, ledger),
    order: {
      identity,
      addressKey: addressKey(row.payload),
      policyKey: policyKey(row.payload),
      subjectKey: subjectKey(row.payload),
      renews: null,
      payload,
      payloadHash: payloadHash(payload),
      allowDuplication,
      rowWish: row.allowDuplication ?? null,
      reference,
    },
  };
}

/** `reference`: identifies an order without a number. */
export function finalPayload(payload: OrderPayload, identity: string, { whenNoKey }: OrderingRules) {
  if (identityKind(payload) !== 'address') return { payload, reference: null, repairs: [] };
  const reference = contentReference({ identity, payload });
  const noNumber = 'The row has neither an inspection number nor a policy number: this reference';
  const repair = { column: '', cell: '' };
  if (whenNoKey === 'mint') {
    const why = `${noNumber} was made from its content.`;
    return {
      payload: { ...payload, inspectionNumber: reference },
      reference,
      repairs: [{ ...repair, field: 'inspectionNumber', held: '', sent: reference, why }],
    };
  }
  const note = payload.note === undefined ? `[ref ${reference}]` : `${payload.note} [ref ${reference}]`;
  const why = `${noNumber} lets the order be found again.`;
  return {
    payload: { ...payload, note },
    reference,
    repairs: [{ ...repair, field: 'note', held: payload.note ?? '', sent: note, why }],
  };
}

export function layoutOf({ record }: RowOutcome, layouts: readonly SheetLayout[]) {
  return layouts.find(({ sheet }) => sheet === record.place.sheet);
}

type RowTransaction = OrderLookup & Pick<FileTransaction, 'addOrder' | 'addIdentity'>;

/** `decision`: null if the row is wrong. */
export type DecidedRow = Readonly<{ row: NewRow; decision: RowDecision | null }>;

export function decidedRow(
  outcome: RowOutcome,
  transaction: RowTransaction,
  rules: OrderingRules,
  windowStart: number,
  layouts: readonly SheetLayout[],
  known?: Pick<KnownRows, 'objection'>,
): DecidedRow {
  const { record } = outcome;
  const layout = layoutOf(outcome, layouts);
  const summary = rowSummaryOf(outcome, layout);
  if (outcome.kind === 'rejection') {
    const { kind, repairs, withheld } = outcome;
    const of = withheld === undefined ? null : orderOnRecord(withheld.row, { rules, windowStart, ledger: transaction });
    if (withheld !== undefined && of?.isRepeat === true && (withheld.follows || of.hasEnded)) {
      const warnings = [...withheld.row.warnings, onRecordProblem('warning', outcome, of.order, transaction)];
      return decidedRow({ ...withheld.row, record, warnings }, transaction, rules, windowStart, layouts, known);
    }
    const problems =
      of === null
        ? outcome.problems
        : outcome.problems.with(0, onRecordProblem('error', outcome, of.order, transaction));
    return { row: { record, summary, outcome: kind, orderId: null, problems, repairs }, decision: null };
  }
  const decided = decideRow(outcome, rules, windowStart, transaction);
  const insists = wishOf(outcome, rules.onDuplicate) === 'create';
  const objection = decided.kind === 'order' ? (known?.objection({ record, summary }, insists) ?? null) : null;
  const decision = objection === null ? decided : goesBack(objection);
  return {
    row: {
      record,
      summary,
      orderId: orderIdOf(decision, transaction),
      ...describeDecision(outcome, decision, transaction, layout),
    },
    decision,
  };
}

/** The order that a row asks for once more. */
function orderOnRecord(row: ValidRow, grounds: Grounds) {
  const decision = decideRow(row, grounds.rules, grounds.windowStart, grounds.ledger);
  if (decision.kind === 'order' || decision.of?.sameIdentity !== true) return null;
  const { order } = decision.of;
  const hasEnded = grounds.ledger.endOfProject(order.projectId) !== null;
  return { order, isRepeat: decision.kind === 'repeat', hasEnded };
}

function onRecordProblem(
  severity: Problem['severity'],
  { problems: [problem] }: Extract<RowOutcome, { kind: 'rejection' }>,
  order: OrderRecord,
  ledger: OrderLookup,
) {
  const { value = '', column = null, cell = null } = problem ?? {};
  const { id, projectId: project } = order;
  const status = ledger.statusOfProject(project);
  const isLate = status !== null && status !== STATUS_NOT_SEEN && !CANCELABLE_STATUSES.includes(status);
  const choice = isLate ? 'late' : project === null ? 'cancel-order' : 'cancel';
  const says = column === null ? 'The list takes this row back' : `${quoted(column)} says ${quoted(value)}`;
  const parts = {
    says,
    order: describeOrder(order, ledger),
    choice: sentence(`row-on-record/${choice}`, { order: id, project: project ?? '', status: status ?? '' }),
  };
  const code = isScratch(order)
    ? 'row-on-record/twice'
    : severity === 'error'
      ? 'row-on-record/withheld'
      : 'row-on-record';
  return problemFor(severity, code, parts, { value, column, cell });
}

function orderIdOf(decision: RowDecision, transaction: RowTransaction) {
  switch (decision.kind) {
    case 'order':
      return transaction.addOrder(decision.order);
    case 'repeat':
      if (decision.identity !== undefined) transaction.addIdentity(decision.identity, decision.of.order);
      return decision.of.order.id;
    case 'rejection':
      return null;
  }
}

function describeDecision(
  row: ValidRow,
  decision: RowDecision,
  ledger: OrderLookup,
  layout: SheetLayout | undefined,
): Pick<NewRow, 'outcome' | 'problems' | 'repairs' | 'changes' | 'news'> {
  const { warnings, repairs } = row;
  if (decision.kind === 'order')
    return {
      outcome: 'order',
      problems: [...warnings, ...decision.warnings],
      repairs: [...repairs, ...decision.repairs],
    };
  const { changes, notices } =
    decision.of === null ? { changes: [], notices: [] } : changesOf(row, decision.of, ledger, layout);
  const common = { repairs, ...(changes.length === 0 ? {} : { changes }) };
  if (decision.kind === 'repeat') {
    const { why, news } = decision;
    return {
      ...common,
      ...(news !== undefined && { news: news.subject }),
      outcome: 'repeat',
      problems: [...warnings, rowProblem('warning', news?.rule ?? 'repeat', why), ...notices],
    };
  }
  return { ...common, outcome: 'rejection', problems: [...decision.problems, ...notices, ...warnings] };
}

function changesOf(
  { payload }: ValidRow,
  { order, sameIdentity }: RepeatedOrder,
  ledger: OrderLookup,
  layout: SheetLayout | undefined,
) {
  if (!sameIdentity || !hasDetails(order.payload)) return { changes: [], notices: [] };
  // A column that the file lacks is no change.
  const columns = new Set<string | null>(layout?.columns.map(({ field }) => field));
  // A list that repeats the details as ordered does not undo an amendment.
  const sinceOrdered = new Set(realChangesOf(order, payload).map(({ field }) => field));
  const changes = realChangesOf({ ...order, payload: amendedPayload(order, ledger) }, payload).filter(
    ({ field, now }) => sinceOrdered.has(field) && (now !== '' || columns.has(field)),
  );
  if (changes.length === 0) return { changes, notices: [] };
  const choices = changeChoices(changes, order, ledger.statusOfProject(order.projectId));
  return { changes, notices: [changedWarning(changes, choices)] };
}

export function rowSummaryOf(outcome: RowOutcome, layout: SheetLayout | undefined): RowSummary {
  const held = (field: keyof RowSummary) => {
    if (outcome.kind === 'order') return outcome.payload[field] ?? '';
    const column = layout?.columns.find((candidate) => candidate.field === field);
    const repair = outcome.repairs.find((one) => one.field === field);
    if (column !== undefined && repair !== undefined) return repair.sent;
    const cell = column === undefined ? undefined : outcome.record.cells[column.index];
    if (cell === undefined) return '';
    if (field === 'dueDate') return cellText(cell);
    return cell.kind === 'text' ? cell.text : cell.kind === 'number' || cell.kind === 'date' ? cell.raw : '';
  };
  const summary: { -readonly [Field in keyof RowSummary]: RowSummary[Field] } = {
    policyNumber: held('policyNumber'),
    inspectionNumber: held('inspectionNumber'),
    insuredName: held('insuredName'),
    streetAddress: held('streetAddress'),
  };
  for (const field of ['city', 'state', 'insuredPhone', 'agentName', 'agentPhone', 'dueDate'] as const) {
    const text = held(field);
    if (text !== '') summary[field] = text;
  }
  return summary;
}
