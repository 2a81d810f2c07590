import type { ChangedOrder } from '../ledger/rows.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { changesInWords, choiceInWords, choicesFor } from '../submit/order-changes.ts';

/** An order whose row came again with other details, and what can be done about it as its project stands now. */
export interface ChangedEntry {
  readonly order: number;
  readonly project: string | null;
  readonly status: string | null;
  readonly file: string;
  readonly sheet: string;
  readonly row: number;
  readonly changes: ChangedOrder['changes'];
  readonly choices: readonly { readonly kind: string; readonly text: string }[];
}

/** The latest of those that came again at `since` or later, newest first. */
export async function changedEntries(ledger: Ledger, limit: number, since = 0): Promise<readonly ChangedEntry[]> {
  const entries: ChangedEntry[] = [];
  for (const { orderId, projectId, status, at, place, ...changed } of await ledger.changedOrders(limit)) {
    const order = at < since ? null : await ledger.order(orderId);
    const amended: Readonly<Record<string, string>> = projectId === null ? {} : { ...(await ledger.amendedDetails(projectId)) };
    const changes = changed.changes.filter(({ field, now }) => amended[field] !== now);
    if (order === null || changes.length === 0) continue;
    const choices = choicesFor(changes, order, status).map((choice) => ({ kind: choice.kind, text: choiceInWords(choice) }));
    entries.push({ order: orderId, project: projectId, status, file: place.file, sheet: place.sheet, row: place.rowNumber, changes, choices });
  }
  return entries;
}

export function changedInWords({ order, file, sheet, row, changes, choices }: ChangedEntry): string {
  return `order ${order}, again in ${file}, ${sheet} row ${row}: ${changesInWords(changes)}. ${choices.map(({ text }) => text).join(' ')}`;
}
