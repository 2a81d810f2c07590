import type { KnownProjects } from '../../src/ledger/known-projects.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { KnownOrders, type OrderLookup, type RowKeys } from '../../src/ledger/lookups.ts';
import type { EarlierRow, EarlierRows } from '../../src/ledger/rows.ts';

/** What a ledger answers about these rows. */
export async function onRecord(ledger: Pick<Ledger, 'ordersOnRecord'>, ...rows: RowKeys[]): Promise<OrderLookup> {
  return new KnownOrders(await ledger.ordersOnRecord(rows));
}

export async function rowOnRecord(ledger: EarlierRows, rowId: number): Promise<EarlierRow | null> {
  return (await ledger.rowsAndLater([rowId])).find(({ id }) => id === rowId) ?? null;
}

interface Asked {
  readonly inspectionNumber?: string;
  readonly policyNumber?: string;
  readonly effectiveDate?: string;
  readonly addressKey?: string;
  readonly insuredBy?: string;
}

/** What a ledger answers about projects with these details. */
export async function projectsOnRecord(ledger: Ledger, asked: Asked, since = 0): Promise<KnownProjects> {
  const none = { inspectionNumber: '', policyNumber: '', effectiveDate: '', addressKey: '', insuredBy: '' };
  return ledger.knownProjects([{ ...none, ...asked }], since);
}

/** Of all files. */
export async function rowCounts(
  ledger: Pick<Ledger, 'countedFiles'>,
): Promise<{ readonly read: number; readonly accepted: number }> {
  const counts = { read: 0, accepted: 0 };
  for await (const { file } of ledger.countedFiles()) {
    counts.read += file.rowsAccepted + file.rowsRejected;
    counts.accepted += file.rowsAccepted;
  }
  return counts;
}
