import { hasDetails } from '../domain/forgotten-details.ts';
import type { Problem, RowOutcome, SheetLayout } from '../domain/row.ts';
import type { FileTransaction } from '../ledger/files.ts';
import type { OrderLookup } from '../ledger/lookups.ts';
import type { NewRow, RowSummary } from '../ledger/rows.ts';
import { changedWarning, choicesFor, differencesOf } from './order-changes.ts';
import { decideRow, type OrderingRules, type Repeated, type RowDecision } from './row-decision.ts';

/** What becomes of a row, as it goes on record. */
export type ToldRow = Pick<NewRow, 'outcome' | 'problems' | 'repairs' | 'changes'>;

/** What a row of the file becomes on record; a new order is put there with it. */
export function decidedRow(outcome: RowOutcome, transaction: FileTransaction, rules: OrderingRules, windowStart: number, layouts: readonly SheetLayout[]): NewRow {
  const { record } = outcome;
  const layout = layouts.find(({ sheet }) => sheet === record.place.sheet);
  const summary = summaryOf(outcome, layout);
  if (outcome.kind === 'rejection') return { record, summary, outcome: 'rejection', orderId: null, problems: outcome.problems, repairs: outcome.repairs };
  const decision = decideRow(outcome, rules, windowStart, transaction);
  return { record, summary, orderId: orderIdOf(decision, transaction), ...tell(outcome, decision, transaction, layout) };
}

function orderIdOf(decision: RowDecision, transaction: FileTransaction): number | null {
  switch (decision.kind) {
    case 'order':
      return transaction.addOrder(decision.order);
    case 'repeat':
      return decision.of.order.id;
    case 'rejection':
      return null;
  }
}

/** A decision with all that there is to say of it: warnings, repairs, and what changed since the order that it repeats. */
export function tell(row: Extract<RowOutcome, { kind: 'order' }>, decision: RowDecision, ledger: OrderLookup, layout: SheetLayout | undefined): ToldRow {
  const { warnings, repairs } = row;
  if (decision.kind === 'order') return { outcome: 'order', problems: [...warnings, ...decision.warnings], repairs: [...repairs, ...decision.repairs] };
  const { changes, told } = decision.of === null ? { changes: [], told: [] } : changesOf(row, decision.of, ledger, layout);
  const common = { repairs, ...(changes.length === 0 ? {} : { changes }) };
  return decision.kind === 'repeat'
    ? { ...common, outcome: 'repeat', problems: [...warnings, repeatNote(decision.why), ...told] }
    : { ...common, outcome: 'rejection', problems: [...decision.problems, ...told, ...warnings] };
}

function changesOf({ payload }: Extract<RowOutcome, { kind: 'order' }>, { order, sameIdentity }: Repeated, ledger: OrderLookup, layout: SheetLayout | undefined) {
  // Of an order whose details are forgotten nothing can be said.
  if (!sameIdentity || !hasDetails(order.payload)) return { changes: [], told: [] };
  const standing = { ...order, payload: { ...order.payload, ...(order.projectId === null ? {} : ledger.amendedPolicy(order.projectId)) } };
  // A column that the file does not have says nothing of its field.
  const columns = new Set<string | null>(layout?.columns.map(({ field }) => field));
  const changes = differencesOf(standing, payload).filter(({ field, now }) => now !== '' || columns.has(field));
  if (changes.length === 0) return { changes, told: [] };
  const status = order.projectId === null ? null : ledger.statusOfProject(order.projectId);
  return { changes, told: [changedWarning(changes, choicesFor(changes, order, status))] };
}

function repeatNote(message: string): Problem {
  return { severity: 'warning', rule: 'repeat', field: null, column: null, cell: null, value: '', message };
}

/** What people recognise a row by, also where it could not be read. */
export function summaryOf(outcome: RowOutcome, layout: SheetLayout | undefined): RowSummary {
  const held = (field: keyof RowSummary): string => {
    if (outcome.kind === 'order') return outcome.payload[field] ?? '';
    const column = layout?.columns.find((candidate) => candidate.field === field);
    const cell = column === undefined ? undefined : outcome.record.cells[column.index];
    if (cell === undefined) return '';
    return cell.kind === 'text' ? cell.text : cell.kind === 'number' || cell.kind === 'date' ? cell.raw : '';
  };
  return {
    policyNumber: held('policyNumber'),
    inspectionNumber: held('inspectionNumber'),
    insuredName: held('insuredName'),
    streetAddress: held('streetAddress'),
  };
}
