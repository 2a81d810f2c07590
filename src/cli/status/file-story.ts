import type { Ledger } from '../../ledger/ledger.ts';
import type { FileRecord } from '../../ledger/files.ts';
import type { RowStanding } from '../../ledger/history.ts';
import { table } from '../table.ts';
import { localTime } from './local-time.ts';

/** A row of a file, as `status <file>` lists it. */
interface ListedRow {
  readonly sheet: string;
  readonly row: number;
  readonly outcome: string;
  readonly order: number | null;
  readonly state: string | null;
  readonly project: string | null;
  readonly status: string | null;
  readonly property: string;
  readonly problems: readonly string[];
}

export interface ToldFile {
  readonly json: object;
  readonly text: string;
  /** Its orders, by number. */
  readonly orderIds: readonly number[];
}

const LISTED_MAX = 500;

/** A file with what became of each of its rows. */
export async function tellFile(file: FileRecord, ledger: Ledger): Promise<ToldFile> {
  const rows: ListedRow[] = [];
  for await (const standing of ledger.rowsOf(file.id)) rows.push(listed(standing));
  const corrections = await ledger.correctionsOf(file.id);
  const { name, sender, hash, recordedAt, rowsAccepted, rowsRejected, archivedAs, notes } = file;
  const shown = rows.slice(0, LISTED_MAX);
  const text = [
    `File ${name}: ${rowsAccepted} rows accepted, ${rowsRejected} rejected; on record since ${localTime(recordedAt)}`,
    `  archived as ${archivedAs ?? '(not yet)'}${corrections === null ? '' : `, rows to fix in ${corrections}`}`,
    ...notes.map((note) => `  note: ${note}`),
    table(
      ['Sheet', 'Row', 'Became', 'Order', 'State', 'Project', 'Status', 'Property', 'Why'],
      shown.map((row) => [row.sheet, String(row.row), row.outcome, String(row.order ?? ''), row.state ?? '', row.project ?? '', row.status ?? '', row.property, row.problems.join(' ')]),
    ),
    ...(rows.length > shown.length ? [`  … and ${rows.length - shown.length} more; --json lists them all.`] : []),
  ].join('\n');
  const orderIds = [...new Set(rows.flatMap(({ order }) => (order === null ? [] : [order])))];
  return { text, orderIds, json: { name, sender, hash, recordedAt, rowsAccepted, rowsRejected, archivedAs, corrections, notes, rows } };
}

function listed({ row, orderState, projectId, status }: RowStanding): ListedRow {
  const { sheet, rowNumber } = row.record.place;
  return {
    sheet,
    row: rowNumber,
    outcome: row.outcome,
    order: row.orderId,
    state: orderState,
    project: projectId,
    status,
    property: row.summary.streetAddress,
    problems: row.problems.map(({ message }) => message),
  };
}
