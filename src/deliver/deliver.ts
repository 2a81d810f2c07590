import { constants } from 'node:fs';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { differenceInDays } from 'date-fns/differenceInDays';
import { format } from 'date-fns/format';
import type { Clock, Log } from '../domain/ports.ts';
import type { FollowedProject } from '../ledger/deliveries.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { giveOwnMode, publishFolder } from '../ops/durable-files.ts';
import { checkStoredFiles } from '../ops/stored-files.ts';
import type { Workspace } from '../ops/workspace.ts';
import type { AttentionRule } from '../results/attention/rules.ts';
import type { ColumnChoice } from '../results/column-choice.ts';
import type { ResultsInput, ResultsOverview } from '../results/model.ts';
import { writeOrdersWorkbook } from '../results/sheets/orders.ts';
import { type ResultsPaths, writeResults as writeResultFiles } from '../results/write-results.ts';
import { type ArchiveEntry, writeArchives } from './archive.ts';
import { placeArtifacts, placedHere, projectFolderOf } from './deliverable-names.ts';
import { writeDeliveryIndex } from './delivery-index.ts';
import { notesInBrief, type ProjectNotes, projectNotes } from './project-notes.ts';
import { notOrderedRows, orderLines, resultProjects, shownProjects, type ShownProjects } from './result-rows.ts';

/** What a run handed over; paths are relative to the workspace, null where this run did not make one (DESIGN: summary). */
export interface Delivery {
  readonly folder: string;
  readonly workbook: string | null;
  readonly archive: string | null;
  readonly report: string | null;
  readonly orders: string | null;
}

export interface DeliverContext {
  readonly ledger: Ledger;
  readonly workspace: Workspace;
  readonly clock: Clock;
  readonly log: Log;
  readonly run: string;
  readonly attention: readonly AttentionRule[];
  readonly columns: ColumnChoice | null;
  readonly thumbnails: { readonly perProject: number; readonly inAll: number };
  /** What the results are written as; the page and the archive are always there. */
  readonly formats: readonly ResultsFormat[];
  /** Where one ZIP ends and the next begins; null: there is one. */
  readonly archiveBytesMax?: number | null;
  /** Fetches again what of these projects is not on disk as recorded; left out where the service cannot be asked. */
  readonly fetchAgain?: ((projectIds: ReadonlySet<string>) => Promise<void>) | undefined;
}

export type ResultsFormat = 'xlsx' | 'csv' | 'jsonl';

export interface DeliverOptions extends ShownProjects {
  /** A submission took place: hand over what it did with the orders. */
  readonly orders: boolean;
  /** A follow-up took place: hand over results. */
  readonly results: boolean;
  readonly files: ResultsOverview['files'];
}

/** What goes into a delivery, and so is handed over by it. */
interface Contents {
  readonly orderIds: readonly number[];
  readonly rowIds: readonly number[];
  readonly projectIds: readonly string[];
  readonly entries: readonly ArchiveEntry[];
}

/**
 * Writes a delivery and publishes it in one rename; only then is it on record. Null where there is nothing to hand over.
 * `projectIds` are the projects that are in it. Stored files are compared with the record on their way: what is not as recorded is fetched
 * again, and a project that misses a file all the same is delivered with a note.
 */
export async function deliver(parts: DeliverContext, options: DeliverOptions): Promise<{ delivery: Delivery; projectIds: readonly string[] } | null> {
  const { ledger, workspace, run } = parts;
  const something = await ledger.somethingToHandOver();
  const withOrders = options.orders && something.orders;
  const withResults = options.results && (options.all || options.since !== undefined || something.results);
  if (!withOrders && !withResults) return null;
  const folder = join(workspace.deliveries, run);
  const names = {
    workbook: withResults && parts.formats.includes('xlsx') ? 'results.xlsx' : null,
    report: withResults ? 'report.html' : null,
    orders: withOrders ? 'orders.xlsx' : null,
  };
  let archives: readonly string[] = [];
  let contents: Contents = { orderIds: [], rowIds: [], projectIds: [], entries: [] };
  await publishFolder(folder, async (building) => {
    if (withResults) await copyStored(building, parts, options);
    contents = await gather(building, ledger, { ...options, orders: withOrders, results: withResults });
    if (withOrders) {
      await writeOrdersWorkbook(join(building, 'orders.xlsx'), { run, writtenAt: parts.clock.now(), orders: () => orderLines(ledger) });
    }
    if (withResults) archives = await writeResults(building, contents.entries, parts, options);
    const head = { run, writtenAt: new Date(parts.clock.now()).toISOString(), ...names, archives: [...archives] };
    await writeDeliveryIndex(join(building, 'index.json'), head, withResults ? shownProjects(ledger, options) : null);
  });
  const shown = (name: string | null | undefined): string | null => (name ? `deliveries/${run}/${name}` : null);
  const [archive, ...more] = archives;
  const delivery: Delivery = {
    folder: relative(workspace.root, folder).replaceAll('\\', '/'),
    workbook: shown(names.workbook),
    archive: shown(archive),
    report: shown(names.report),
    orders: shown(names.orders),
  };
  const { orderIds, rowIds, projectIds } = contents;
  const others = Object.fromEntries([...more, 'index.json'].map((name) => [name, shown(name)]));
  await ledger.recordDelivery({ run, folder: delivery.folder, contents: { ...delivery, ...others }, orderIds, rowIds, projectIds });
  return { delivery, projectIds };
}

/** Copies the stored files of what is shown. What the ledger holds as lost afterwards is not there. */
async function copyStored(building: string, parts: DeliverContext, shown: ShownProjects): Promise<void> {
  const lost = await copyOf(shownProjects(parts.ledger, shown), building, parts);
  if (lost.size === 0 || parts.fetchAgain === undefined) return;
  await parts.fetchAgain(lost);
  await copyOf(only(lost, shownProjects(parts.ledger, shown)), building, parts);
}

/** Gives the projects that miss a file. */
async function copyOf(projects: AsyncIterable<FollowedProject>, building: string, { ledger, workspace: { root } }: DeliverContext): Promise<ReadonlySet<string>> {
  const incomplete = new Set<string>();
  for await (const followed of projects) {
    const { id } = followed.project;
    const lost = await checkStoredFiles(followed.artifacts, { root, ledger });
    if (lost.size > 0) incomplete.add(id);
    const placed = placeArtifacts(followed);
    // What was copied of it before may have another name by now.
    for (const folder of new Set(placed.map(({ path }) => projectFolderOf(path)))) await rm(join(building, folder), { recursive: true, force: true });
    for (const { artifact, path } of placed) {
      if (lost.has(artifact)) continue;
      const target = join(building, path);
      await mkdir(dirname(target), { recursive: true });
      await copyFile(join(root, artifact.path), target, constants.COPYFILE_FICLONE);
      await giveOwnMode(target);
    }
  }
  return incomplete;
}

async function* only(ids: ReadonlySet<string>, projects: AsyncIterable<FollowedProject>): AsyncIterable<FollowedProject> {
  for await (const followed of projects) if (ids.has(followed.project.id)) yield followed;
}

async function gather(building: string, ledger: Ledger, what: ShownProjects & { readonly orders: boolean; readonly results: boolean }): Promise<Contents> {
  const orderIds: number[] = [];
  const rowIds: number[] = [];
  const projectIds: string[] = [];
  const entries: ArchiveEntry[] = [];
  if (what.orders) for await (const { order } of ledger.ordersToHandOver()) orderIds.push(order.id);
  if (what.results) {
    for await (const { row } of ledger.notOrdered(what.all)) rowIds.push(row.id);
    for await (const followed of shownProjects(ledger, what)) {
      projectIds.push(followed.project.id);
      for (const { artifact, path } of placedHere(followed)) entries.push({ name: path, path: join(building, path), sha256: artifact.sha256 });
    }
  }
  return { orderIds, rowIds, projectIds, entries };
}

async function writeResults(building: string, entries: readonly ArchiveEntry[], parts: DeliverContext, options: DeliverOptions): Promise<readonly string[]> {
  const { ledger, workspace, clock, run } = parts;
  const input: ResultsInput = {
    run,
    writtenAt: clock.now(),
    projects: () => resultProjects(ledger, workspace.root, options),
    notOrdered: () => notOrderedRows(ledger, options.all),
    overview: await overviewOf(parts, options.files),
    earlierColumns: await ledger.resultColumns(),
    attention: parts.attention,
    columns: parts.columns,
    thumbnails: parts.thumbnails,
  };
  const written = await writeResultFiles(resultsPaths(building, parts.formats), input);
  await ledger.addResultColumns(written.columns);
  if (entries.length === 0) return [];
  return writeArchives(building, entries, parts.archiveBytesMax ?? null);
}

function resultsPaths(building: string, formats: readonly ResultsFormat[]): ResultsPaths {
  return {
    ...(formats.includes('xlsx') ? { xlsx: join(building, 'results.xlsx') } : {}),
    ...(formats.includes('csv') ? { csv: { results: join(building, 'results.csv'), folder: join(building, 'results-csv') } } : {}),
    ...(formats.includes('jsonl') ? { jsonl: join(building, 'results.jsonl') } : {}),
    html: join(building, 'report.html'),
  };
}

const AGES = [
  { age: 'under 3 days', below: 3 },
  { age: '3 to 7 days', below: 8 },
  { age: '8 to 14 days', below: 15 },
  { age: '15 to 30 days', below: 31 },
  { age: 'over 30 days', below: Number.POSITIVE_INFINITY },
] as const;

async function overviewOf({ ledger, clock }: DeliverContext, files: ResultsOverview['files']): Promise<ResultsOverview> {
  const outstanding = (await ledger.followedProjects()).filter((project) => project.returnedAt === null && project.collectedAt === null);
  const ages = outstanding.map((project) => differenceInDays(clock.now(), project.firstSeenAt));
  const outstandingByAge = AGES.map(({ age, below }, index) => ({
    age,
    count: ages.filter((days) => days < below && days >= (AGES[index - 1]?.below ?? Number.NEGATIVE_INFINITY)).length,
  }));
  const notes = await notesOn(ledger, clock);
  return {
    stages: await stagesOf(ledger),
    byStatus: await ledger.statusCounts(),
    outstandingByAge,
    files,
    overdue: await overdueProjects(ledger, notes),
    needsPerson: [...(await needsPerson(ledger)), ...notesInBrief(notes).slice(0, LISTED_MAX), ...(await rowsThatWentBack(ledger))],
  };
}

/** From rows to received: what has come so far has come through all that stand before it. */
async function stagesOf(ledger: Ledger): Promise<ResultsOverview['stages']> {
  const rows = await ledger.rowCounts();
  const orders = await ledger.orderCounts();
  const { returned, collected, received } = await ledger.projectCounts();
  return [
    { name: 'rows read', count: rows.read },
    { name: 'rows accepted', count: rows.accepted },
    { name: 'orders with a project', count: orders.created + orders.linked },
    { name: 'returned', count: returned + collected + received },
    { name: 'collected', count: collected + received },
    { name: 'received', count: received },
  ];
}

const LISTED_MAX = 200;

async function needsPerson(ledger: Ledger): Promise<ResultsOverview['needsPerson']> {
  const held = await ledger.ordersIn('held', 0, LISTED_MAX);
  const unresolved = await ledger.ordersIn('unresolved', 0, LISTED_MAX);
  return [
    ...held.map((order) => ({
      title: `Order ${order.id} is held (${order.payload.streetAddress}, ${order.payload.city})`,
      detail: order.reason ?? '',
      command: `inspection-batch resolve ${order.id} --adopt ID | --resubmit | --abandon`,
    })),
    ...unresolved.map((order) => ({
      title: `Order ${order.id} is unresolved (${order.payload.streetAddress}, ${order.payload.city})`,
      detail: `${order.reason ?? ''} The next run searches for it.`,
      command: 'inspection-batch submit',
    })),
  ];
}

/** What stands out among the projects: overdue, slow, without their files, closed out since the last delivery. */
async function notesOn(ledger: Ledger, clock: Clock): Promise<ProjectNotes> {
  const now = clock.now();
  const facts = { watched: await ledger.watchedProjects(), stays: await ledger.usualStays(), closeouts: await ledger.closeouts('new') };
  return projectNotes({ ...facts, now, today: format(now, 'yyyy-MM-dd') });
}

/** Each with what its order says of it, the longest overdue first. */
async function overdueProjects(ledger: Ledger, { overdue }: ProjectNotes): Promise<ResultsOverview['overdue']> {
  const listed = [];
  for (const { project, orderId, dueDate, status, statusAt, why } of overdue) {
    const order = await ledger.order(orderId);
    if (order !== null) listed.push({ projectId: project, order: order.payload, dueDate, status, statusAt, why });
  }
  return listed;
}

/** Rows that somebody has to fix, file by file, with the workbook that holds them. */
async function rowsThatWentBack(ledger: Ledger): Promise<ResultsOverview['needsPerson']> {
  const files = new Map<number, { readonly name: string; rows: number }>();
  for await (const { row, order } of ledger.notOrdered(false)) {
    if (row.outcome !== 'rejection' && order?.state !== 'refused') continue;
    const file = files.get(row.fileId) ?? { name: row.fileName, rows: 0 };
    file.rows += 1;
    files.set(row.fileId, file);
  }
  const listed = [];
  for (const [fileId, { name, rows }] of files) {
    const workbook = (await ledger.correctionsOf(fileId)) ?? 'corrections/';
    listed.push({ title: `${rows} ${rows === 1 ? 'row' : 'rows'} of ${name} to fix`, detail: `They are in ${workbook}: fix them there and drop that file in the inbox.`, command: '' });
  }
  return listed;
}
