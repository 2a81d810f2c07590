import { z } from 'zod';
import type { Cell, OrderPayload, Problem, Repair, RowRecord, SheetLayout } from '../../domain/row.ts';
import type { Step } from '../store.ts';
import type { ArtifactKind, StoredArtifact } from '../artifacts.ts';
import type { ProjectRecord } from '../projects.ts';
import type { FileRecord } from '../files.ts';
import type { RowSummary, StoredRow } from '../rows.ts';
import type { OrderRecord, OrderState } from '../orders.ts';
import type { SqlRow } from '../driver.ts';

const json = (value: SqlRow[string] | undefined): unknown => JSON.parse(String(value));

const text = (value: SqlRow[string] | undefined): string => String(value ?? '');
const textOrNull = (value: SqlRow[string] | undefined): string | null => (value === null || value === undefined ? null : String(value));
const numberOrNull = (value: SqlRow[string] | undefined): number | null => (value === null || value === undefined ? null : Number(value));

const orderState = z.enum(['ready', 'submitting', 'created', 'linked', 'skipped', 'refused', 'unresolved', 'held', 'abandoned']);

// The JSON columns are written by this program only: read back, they have the types they were written with.

export const ORDER_COLUMNS = `orders.id, orders.identity, orders.state, orders.payload, orders.payload_hash, orders.allow_duplication, orders.row_wish, orders.reference,
  orders.attempts, CAST(orders.id_bound AS TEXT) AS id_bound, orders.uncertain_since, CAST(orders.project_id AS TEXT) AS project_id,
  orders.reason, orders.created_at`;

export function orderFrom(row: SqlRow): OrderRecord {
  return {
    id: Number(row['id']),
    identity: text(row['identity']),
    state: orderState.parse(row['state']) satisfies OrderState,
    payload: json(row['payload']) as OrderPayload,
    payloadHash: text(row['payload_hash']),
    allowDuplication: row['allow_duplication'] === 1,
    rowWish: row['row_wish'] === null ? null : row['row_wish'] === 1,
    reference: textOrNull(row['reference']),
    attempts: Number(row['attempts']),
    idBound: textOrNull(row['id_bound']),
    uncertainSince: numberOrNull(row['uncertain_since']),
    projectId: textOrNull(row['project_id']),
    reason: textOrNull(row['reason']),
    createdAt: Number(row['created_at']),
  };
}

export const PROJECT_COLUMNS = `CAST(projects.id AS TEXT) AS id, projects.status, projects.status_at, projects.inspection_code, projects.inspection_link,
  projects.first_seen_at, projects.returned_at, projects.collected_at, projects.problem`;

export function projectFrom(row: SqlRow): ProjectRecord {
  return {
    id: text(row['id']),
    status: text(row['status']),
    statusAt: Number(row['status_at']),
    inspectionCode: textOrNull(row['inspection_code']),
    inspectionLink: textOrNull(row['inspection_link']),
    firstSeenAt: Number(row['first_seen_at']),
    returnedAt: numberOrNull(row['returned_at']),
    collectedAt: numberOrNull(row['collected_at']),
    problem: textOrNull(row['problem']),
  };
}

export const ROW_COLUMNS = `rows.id, rows.file_id, files.hash AS file_hash, files.name AS file_name, rows.outcome, rows.order_id, rows.record, rows.problems, rows.repairs, rows.summary`;

export function rowFrom(row: SqlRow): StoredRow {
  return {
    id: Number(row['id']),
    fileId: Number(row['file_id']),
    fileHash: text(row['file_hash']),
    fileName: text(row['file_name']),
    outcome: text(row['outcome']) as StoredRow['outcome'],
    orderId: numberOrNull(row['order_id']),
    record: recordFrom(row['record']),
    problems: json(row['problems']) as Problem[],
    repairs: json(row['repairs']) as Repair[],
    summary: json(row['summary']) as RowSummary,
  };
}

/** JSON has no `undefined`: empty cells come back as null. */
function recordFrom(value: SqlRow[string] | undefined): RowRecord {
  // Which rows came in place of which stands beside the row, and is no part of it.
  const { place, cells, correctsRow } = json(value) as Omit<RowRecord, 'cells'> & { readonly cells: readonly (Cell | null)[] };
  return { place, cells: cells.map((cell) => cell ?? undefined), correctsRow };
}

export function fileFrom(row: SqlRow): FileRecord {
  return {
    id: Number(row['id']),
    hash: text(row['hash']),
    name: text(row['name']),
    sender: text(row['sender']),
    recordedAt: Number(row['recorded_at']),
    rowsAccepted: Number(row['rows_accepted']),
    rowsRejected: Number(row['rows_rejected']),
    archivedAs: textOrNull(row['archived_as']),
    layouts: json(row['layouts']) as SheetLayout[],
    notes: json(row['notes']) as string[],
  };
}

export const ARTIFACT_COLUMNS = 'CAST(project_id AS TEXT) AS project_id, kind, service_id, version, type, detail, path, bytes, sha256, recorded_at, confirmed_at, lost';

export function artifactFrom(row: SqlRow): StoredArtifact {
  return {
    projectId: text(row['project_id']),
    kind: text(row['kind']) as ArtifactKind,
    serviceId: text(row['service_id']),
    version: Number(row['version']),
    type: text(row['type']),
    detail: json(row['detail']) as Record<string, string>,
    path: text(row['path']),
    bytes: Number(row['bytes']),
    sha256: text(row['sha256']),
    recordedAt: Number(row['recorded_at']),
    confirmedAt: numberOrNull(row['confirmed_at']),
    lost: textOrNull(row['lost']),
  };
}

export function stepFrom(row: SqlRow): Step {
  return {
    at: Number(row['at']),
    run: textOrNull(row['run']),
    subject: text(row['subject']) as Step['subject'],
    subjectId: text(row['subject_id']),
    event: text(row['event']),
    detail: row['detail'] === null ? null : json(row['detail']) as Record<string, unknown>,
  };
}
