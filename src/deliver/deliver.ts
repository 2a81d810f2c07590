/**
 * The face of deliver/: the folder that people open, built beside its place and published in one rename. It reads the ledger, has results/ write
 * the workbooks and the page, and packs the reports (`archive.ts`).
 */

import { constants } from 'node:fs';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { Clock, Log, OnProgress } from '../domain/ports.ts';
import type { FollowedProject, NightCounts } from '../ledger/deliveries.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { giveOwnMode, publishFolder } from '../ops/durable-files.ts';
import type { RunLock } from '../ops/run-lock.ts';
import { checkStoredFiles } from '../ops/stored-files.ts';
import type { Workspace } from '../ops/workspace.ts';
import type { Attention } from '../results/attention/rules.ts';
import type { ColumnChoice } from '../results/column-choice.ts';
import type { ResultProject, ResultsInput, ResultsOverview } from '../results/model.ts';
import { writeOrdersWorkbook } from '../results/sheets/orders.ts';
import { type ResultsPaths, writeResults as writeResultFiles } from '../results/write-results.ts';
import { type ArchiveEntry, writeArchives } from './archive.ts';
import { placeArtifacts, placedHere, projectFolderOf, writeDeliveryIndex } from './delivery-index.ts';
import { overviewOf } from './overview.ts';
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
  readonly attention: Attention;
  readonly columns: ColumnChoice | null;
  readonly thumbnails: { readonly perProject: number; readonly inAll: number };
  /** What the results are written as; the page and the archive are always there. */
  readonly formats: readonly ResultsFormat[];
  /** Where one ZIP ends and the next begins; null: there is one. */
  readonly archiveBytesMax?: number | null;
  /** Fetches again what of these projects is not on disk as recorded; left out where the service cannot be asked. */
  readonly fetchAgain?: ((projectIds: ReadonlySet<string>) => Promise<void>) | undefined;
  readonly onProgress?: OnProgress | undefined;
  /** Asked right before the delivery is published: a host that was frozen while it wrote may wake when another has delivered. Asked on the way too, so that it stops soon. */
  readonly lock?: Pick<RunLock, 'check'>;
}

export type ResultsFormat = 'xlsx' | 'csv' | 'jsonl';

export interface DeliverOptions extends ShownProjects {
  /** A submission took place: hand over what it did with the orders. */
  readonly orders: boolean;
  /** A follow-up took place: hand over results. */
  readonly results: boolean;
  readonly files: ResultsOverview['files'];
  /** What whoever opens it must know first. */
  readonly notice?: string | undefined;
}

/** The night that a delivery tells of, in numbers: what has happened since the delivery before, and how many of its houses are at High. */
export interface NightInNumbers extends NightCounts {
  readonly overdue: number;
  readonly high: number;
}

/** What goes into a delivery, and so is handed over by it. */
interface Contents {
  readonly orderIds: readonly number[];
  readonly projectIds: readonly string[];
  readonly entries: readonly ArchiveEntry[];
}

/**
 * Writes a delivery and publishes it in one rename; only then is it on record. Null where there is nothing to hand over.
 * `projectIds` are the projects that are in it; `night` is null where it holds no results. Stored files are compared with the record on their way: what is not as recorded is fetched
 * again, and a project that misses a file all the same is delivered with a note.
 */
export async function deliver(context: DeliverContext, options: DeliverOptions): Promise<{ delivery: Delivery; projectIds: readonly string[]; night: NightInNumbers | null } | null> {
  const { ledger, workspace, run } = context;
  const something = await ledger.somethingToHandOver();
  const withOrders = options.orders && something.orders;
  const withResults = options.results && (options.all || options.since !== undefined || something.results);
  if (!withOrders && !withResults) return null;
  const folder = join(workspace.deliveries, run);
  const names = {
    workbook: withResults && context.formats.includes('xlsx') ? 'results.xlsx' : null,
    report: withResults ? 'report.html' : null,
    orders: withOrders ? 'orders.xlsx' : null,
  };
  let archives: readonly string[] = [];
  let night: NightInNumbers | null = null;
  let contents: Contents = { orderIds: [], projectIds: [], entries: [] };
  await publishFolder(folder, async (building) => {
    if (withResults) await copyStored(building, context, options);
    contents = await gather(building, ledger, { ...options, orders: withOrders, results: withResults });
    if (withOrders) {
      await writeOrdersWorkbook(join(building, 'orders.xlsx'), { run, writtenAt: context.clock.now(), notice: options.notice, orders: () => orderLines(ledger) });
    }
    if (withResults) ({ archives, night } = await writeResults(building, contents, context, options));
    const head = { run, writtenAt: new Date(context.clock.now()).toISOString(), ...names, archives: [...archives] };
    await writeDeliveryIndex(join(building, 'index.json'), head, withResults ? shownProjects(ledger, options) : null);
    await context.lock?.check('now');
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
  const { orderIds, projectIds } = contents;
  const others = Object.fromEntries([...more, 'index.json'].map((name) => [name, shown(name)]));
  await ledger.recordDelivery({ run, folder: delivery.folder, contents: { ...delivery, ...others }, orderIds, results: withResults, projectIds });
  return { delivery, projectIds, night };
}

/** Copies the stored files of what is shown. What the ledger holds as lost afterwards is not there. */
async function copyStored(building: string, context: DeliverContext, shown: ShownProjects): Promise<void> {
  const lost = await copyOf(shownProjects(context.ledger, shown, true), building, context);
  if (lost.size === 0 || context.fetchAgain === undefined) return;
  await context.fetchAgain(lost);
  await copyOf(only(lost, shownProjects(context.ledger, shown, true)), building, context);
}

/** Gives the projects that miss a file. */
async function copyOf(projects: AsyncIterable<FollowedProject>, building: string, { ledger, workspace: { root }, lock, onProgress }: DeliverContext): Promise<ReadonlySet<string>> {
  const incomplete = new Set<string>();
  let copied = 0;
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
    onProgress?.('copying', ++copied, 0);
    await lock?.check();
  }
  return incomplete;
}

async function* only(ids: ReadonlySet<string>, projects: AsyncIterable<FollowedProject>): AsyncIterable<FollowedProject> {
  for await (const followed of projects) if (ids.has(followed.project.id)) yield followed;
}

async function gather(building: string, ledger: Ledger, what: ShownProjects & { readonly orders: boolean; readonly results: boolean }): Promise<Contents> {
  const orderIds: number[] = [];
  const projectIds: string[] = [];
  const entries: ArchiveEntry[] = [];
  if (what.orders) for await (const { order } of ledger.ordersToHandOver()) orderIds.push(order.id);
  if (what.results) {
    for await (const followed of shownProjects(ledger, what)) {
      projectIds.push(followed.project.id);
      for (const { artifact, path } of placedHere(followed)) entries.push({ name: path, path: join(building, path), sha256: artifact.sha256 });
    }
  }
  return { orderIds, projectIds, entries };
}

async function writeResults(building: string, { entries, projectIds }: Contents, context: DeliverContext, options: DeliverOptions): Promise<{ archives: readonly string[]; night: NightInNumbers }> {
  const { ledger, workspace, clock, run, lock, onProgress } = context;
  const overview = await overviewOf(ledger, clock.now(), options.files);
  let written = 0;
  async function* projects(): AsyncIterable<ResultProject> {
    for await (const project of resultProjects(ledger, workspace.root, options)) {
      await lock?.check();
      yield project;
      // They are gone through twice.
      onProgress?.('writing', ++written, 2 * projectIds.length);
    }
  }
  const input: ResultsInput = {
    run,
    writtenAt: clock.now(),
    projects,
    notOrdered: () => notOrderedRows(ledger, options.all),
    overview,
    earlierColumns: await ledger.resultColumns(),
    attention: context.attention,
    columns: context.columns,
    thumbnails: context.thumbnails,
    notice: options.notice,
  };
  const { columns, levels } = await writeResultFiles(resultsPaths(building, context.formats), input);
  await ledger.addResultColumns(columns);
  const archives = entries.length === 0 ? [] : await writeArchives(building, entries, context.archiveBytesMax ?? null, onProgress);
  return { archives, night: { ...overview.night, overdue: overview.overdue.length, high: levels.High } };
}

function resultsPaths(building: string, formats: readonly ResultsFormat[]): ResultsPaths {
  return {
    ...(formats.includes('xlsx') ? { xlsx: join(building, 'results.xlsx') } : {}),
    ...(formats.includes('csv') ? { csv: { results: join(building, 'results.csv'), folder: join(building, 'results-csv') } } : {}),
    ...(formats.includes('jsonl') ? { jsonl: join(building, 'results.jsonl') } : {}),
    html: join(building, 'report.html'),
  };
}
