import { type FlatList, type FlatRecord, type FlatValue, flattenSummary } from './flatten.ts';
import type { ResultReport } from './results-input.ts';

/** One project's reports as one record. */
export interface MergedReports {
  readonly record: FlatRecord;
  /** The report that fed it most, with the others behind it. */
  readonly reports: readonly ResultReport[];
}

/**
 * Makes one record of a project's reports: the fullest summary comes first, and each attribute is taken whole from the first report
 * that assessed it. Objects of keys are never mixed: shares of two reports would add up to more than all.
 */
export function mergeReports(reports: readonly ResultReport[]): MergedReports {
  const flat = reports
    .map((report) => ({ report, record: report.summary === null ? null : flattenSummary(report.summary) }))
    .toSorted((a, b) => (b.record?.values.size ?? 0) - (a.record?.values.size ?? 0));
  const records = flat.flatMap(({ record }) => (record === null ? [] : [record]));
  return { record: merged(records), reports: flat.map(({ report }) => report) };
}

function merged(records: readonly FlatRecord[]): FlatRecord {
  const [only, second] = records;
  if (only === undefined) return { values: new Map(), lists: new Map() };
  if (second === undefined) return only;
  const owners = ownersOf(records);
  const values = new Map<string, FlatValue>();
  const lists = new Map<string, FlatList>();
  for (const record of records) {
    for (const [path, value] of record.values) {
      if (owners.get(ownerPath(value))?.record === record) values.set(path, value);
    }
    for (const [path, list] of record.lists) {
      if (owners.get(path)?.record === record) lists.set(path, list);
    }
  }
  return { values, lists };
}

/** For each attribute, the first of the records that say most about it. */
function ownersOf(records: readonly FlatRecord[]): Map<string, { record: FlatRecord; worth: number }> {
  const owners = new Map<string, { record: FlatRecord; worth: number }>();
  for (const record of records) {
    for (const value of record.values.values()) {
      const path = ownerPath(value);
      const owner = owners.get(path);
      const worth = worthOf(value);
      if (owner === undefined || (owner.record !== record && owner.worth < worth)) owners.set(path, { record, worth });
      else if (owner.record === record) owner.worth = Math.max(owner.worth, worth);
    }
  }
  return owners;
}

function ownerPath(value: FlatValue): string {
  return value.key === null ? value.path : (value.attribute?.path ?? value.path);
}

/** Null says least, then an empty list. */
function worthOf({ leaf, counted }: FlatValue): number {
  if (leaf === null) return 0;
  return (counted && leaf === 0) || (Array.isArray(leaf) && leaf.length === 0) ? 1 : 2;
}
