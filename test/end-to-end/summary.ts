import type { RunSummary } from '../../src/night/run.ts';
import { type Ended, oneDocument } from '../support/command-line.ts';

const KEYS = ['run', 'command', 'startedAt', 'finishedAt', 'exitCode', 'files', 'orders', 'projects', 'delivery'];
const FILE_KEYS = ['name', 'outcome', 'rows', 'corrections', 'reason', 'codes'];
const ORDER_KEYS = ['created', 'linked', 'skipped', 'refused', 'unresolved', 'waiting'];
const PROJECT_KEYS = ['outstanding', 'returned', 'collected', 'received', 'canceled', 'failed'];
const DELIVERY_KEYS = ['folder', 'workbook', 'archive', 'report', 'orders'];

/** The summary that a run printed. Throws where it is not, to the key and the type, the one of DESIGN.md, or where rows are lost in it. */
export function summaryOf(ended: Ended): RunSummary {
  const summary = oneDocument(ended) as RunSummary;
  const wrong = [
    ...keysBut(summary, KEYS, 'the summary'),
    ...summary.files.flatMap((file) => [
      ...keysBut(file, FILE_KEYS, 'a file'),
      ...keysBut(file.rows, ['read', 'accepted', 'rejected'], 'rows'),
    ]),
    ...keysBut(summary.orders, ORDER_KEYS, 'orders'),
    ...keysBut(summary.projects, PROJECT_KEYS, 'projects'),
    ...(summary.delivery === null ? [] : keysBut(summary.delivery, DELIVERY_KEYS, 'delivery')),
    ...[
      ...Object.values(summary.orders),
      ...Object.values(summary.projects),
      ...summary.files.flatMap((file) => Object.values(file.rows)),
    ]
      .filter((count: unknown) => !Number.isInteger(count))
      .map((count: unknown) => `${String(count)} is no count`),
    ...[...summary.files.flatMap((file) => [file.corrections, file.reason]), ...Object.values(summary.delivery ?? {})]
      .filter((held: unknown) => held !== null && typeof held !== 'string')
      .map((held: unknown) => `${String(held)} is neither a text nor null`),
    ...[summary.startedAt, summary.finishedAt]
      .filter((time) => !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(time))
      .map((time) => `${time} is no time`),
    ...summary.files
      .filter(({ rows }) => rows.read !== rows.accepted + rows.rejected)
      .map(({ name }) => `read is not accepted + rejected in ${name}`),
    ...(summary.exitCode === ended.code
      ? []
      : [`the exit code is ${ended.code}, the summary says ${summary.exitCode}`]),
  ];
  if (wrong.length > 0) throw new Error(`not the summary of DESIGN.md:\n${wrong.join('\n')}\n${ended.stdout}`);
  return summary;
}

function keysBut(held: object, expected: readonly string[], where: string): readonly string[] {
  const keys = Object.keys(held);
  const extra = keys.filter((key) => !expected.includes(key)).map((key) => `${where} has ${key}`);
  return [...extra, ...expected.filter((key) => !keys.includes(key)).map((key) => `${where} lacks ${key}`)];
}

export function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
