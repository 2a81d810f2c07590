import { constants } from 'node:fs';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { messageOf, isSystemError } from '../../domain/errors.ts';
import type { Clock, Log, OnProgress } from '../../domain/ports.ts';
import type { UndecidedHouse } from '../../domain/project.ts';
import type { Ledger, OutboxEntry } from '../../ledger/ledger.ts';
import { giveOwnMode, publishFolder } from '../../ops/durable-files.ts';
import type { RunLock } from '../../ops/run-lock.ts';
import { checkStoredFiles } from '../../ops/stored-files.ts';
import type { Workspace } from '../../ops/workspace.ts';
import type { OverdueProject, ResultsInput, ResultsOverview } from '../model.ts';
import { writeOrdersWorkbook } from '../tables/orders.ts';
import { isForInsured } from '../tables/overdue.ts';
import { agentInWords } from '../html/lists.ts';
import { dateOf } from '../html/markup.ts';
import { houseInBrief } from '../highlights.ts';
import { writeResults as writeResultFiles } from '../write-results.ts';
import { writeArchives } from './archive.ts';
import { assignArtifactPaths, presentArtifacts, projectFolderOfPath, writeDeliveryJson } from './delivery-index.ts';
import { writeNightsPage } from './nights-page.ts';
import { endsOnRecord, overviewOf } from './overview.ts';
import {
  isNightly,
  notOrderedRows,
  ordersWorkbookRows,
  resultProjects,
  projectsToDeliver,
  type ShownProjects,
} from './result-rows.ts';

/** Paths are relative to the workspace; null if not made. */
export type Delivery = Readonly<
  { folder: string } & Record<'workbook' | 'archive' | 'report' | 'orders', string | null>
>;

export type DeliverContext = Pick<ResultsInput, 'run' | 'attention' | 'columns' | 'decisionWords' | 'thumbnails'> &
  Readonly<{
    ledger: Ledger;
    workspace: Workspace;
    clock: Clock;
    log: Log;
    notifiesProjects?: boolean;
    /** In addition to page and archive. */
    formats: readonly ResultsFormat[];
    /** Null: one ZIP. */
    archiveBytesMax?: number | null;
    /** Absent if the service cannot be asked. */
    fetchAgain?: ((projectIds: ReadonlySet<string>) => Promise<void>) | undefined;
    onProgress?: OnProgress;
    /** Checked during and right before publication: this host may have been frozen while another one delivered. */
    lock?: Pick<RunLock, 'check'>;
  }>;

export type ResultsFormat = 'xlsx' | 'csv' | 'jsonl';

export type DeliverOptions = ShownProjects &
  Readonly<{
    orders: boolean;
    results: boolean;
    files: ResultsOverview['files'];
    notice?: string | undefined;
  }>;

/** Houses that wait for a decision, so that a delivery stays small if nobody decides. */
const WAITING_SHOWN_MAX = 20;
const WAITING_KEPT_MAX = 500;

const NO_RESULTS = {
  archives: [],
  night: null,
  newReports: 0,
  undecided: [],
  reasons: new Map<string, string[]>(),
  messages: [],
};

/**
 * Publishes the folder in one rename, then records it. Null if there is nothing to hand over; `night` is null without
 * results. Changed stored files are fetched again; a project that still lacks a file is delivered with a note.
 */
export async function deliver(context: DeliverContext, options: DeliverOptions) {
  const { ledger, workspace, run } = context;
  const something = await ledger.somethingToHandOver();
  const withOrders = options.orders && something.orders;
  const withResults = options.results && (options.all || options.since !== undefined || something.results);
  if (!withOrders && !withResults) return null;
  const folder = `deliveries/${run}`;
  const waiting = withResults ? await ledger.undecidedHouses() : [];
  // A killed run needs no undoing: it had news, so the next one delivers, and shows them then.
  if (withResults && isNightly(options))
    await ledger.redeliver([
      ...waiting.slice(0, WAITING_SHOWN_MAX).map(({ projectId }) => projectId),
      ...[...(await endsOnRecord(ledger, context.clock.now())).open].slice(0, WAITING_SHOWN_MAX),
    ]);
  const names = {
    workbook: withResults && context.formats.includes('xlsx') ? 'results.xlsx' : null,
    report: withResults ? 'report.html' : null,
    orders: withOrders ? 'orders.xlsx' : null,
  };
  const build = async (building: string) => {
    const { entries, ...handsOver } = await gather(building, ledger, {
      ...options,
      orders: withOrders,
      results: withResults,
      copied: withResults ? await copyStored(building, context, options) : new Map<string, string>(),
    });
    if (withOrders)
      await writeOrdersWorkbook(join(building, 'orders.xlsx'), {
        run,
        writtenAt: context.clock.now(),
        notice: options.notice,
        orders: () => ordersWorkbookRows(ledger),
      });
    const { archives, night, newReports, undecided, reasons, messages } = withResults
      ? await writeResults(building, { entries, projectIds: handsOver.projectIds, waiting }, context, options)
      : NO_RESULTS;
    const figures = night && { newReports, high: night.high, decided: night.decided, overdue: night.overdue };
    const writtenAt = new Date(context.clock.now()).toISOString();
    const head = { run, writtenAt, ...names, archives, night: figures };
    await writeDeliveryJson(
      join(building, 'index.json'),
      head,
      withResults ? projectsToDeliver(ledger, options) : null,
    );
    return { archives, mailed: night, night: figures, undecided, reasons, messages, ...handsOver };
  };
  const { archives, mailed, ...handedOver } = await publishFolder(join(workspace.root, folder), build, () =>
    context.lock?.check('now'),
  );
  const shown = (name: string | null | undefined) => (name ? `${folder}/${name}` : null);
  const [archive, ...more] = archives;
  const delivery: Delivery = {
    folder,
    workbook: shown(names.workbook),
    archive: shown(archive),
    report: shown(names.report),
    orders: shown(names.orders),
  };
  await ledger.recordDelivery({
    ...handedOver,
    run,
    folder,
    contents: { ...delivery, ...Object.fromEntries([...more, 'index.json'].map((name) => [name, shown(name)])) },
    results: withResults,
  });
  // Somebody may have it open on a share: the delivery counts without it, and the next one writes it again.
  await writeNightsPage(workspace.deliveries, ledger).catch((failure: unknown) => {
    if (!isSystemError(failure)) throw failure;
    context.log.warn('deliveries/index.html was not written', { reason: messageOf(failure) });
  });
  return { delivery, projectIds: handedOver.projectIds, night: mailed };
}

async function copyStored(building: string, context: DeliverContext, shown: ShownProjects) {
  const copied = new Map<string, string>();
  const lost = await copyOf(building, copied, context, shown);
  if (lost.size === 0 || context.fetchAgain === undefined) return copied;
  await context.fetchAgain(lost);
  await copyOf(building, copied, context, shown, lost);
  return copied;
}

async function copyOf(
  building: string,
  copied: Map<string, string>,
  { ledger, workspace: { root }, lock, onProgress }: DeliverContext,
  shown: ShownProjects,
  only?: ReadonlySet<string>,
) {
  const incomplete = new Set<string>();
  let done = 0;
  for await (const followed of projectsToDeliver(ledger, shown, true)) {
    const { id } = followed.project;
    if (only?.has(id) === false) continue;
    const lost = await checkStoredFiles(followed.artifacts, { root, ledger });
    if (lost.size > 0) incomplete.add(id);
    const placed = assignArtifactPaths(followed);
    // Earlier copies may have another name now.
    for (const folder of new Set(placed.map(({ path }) => projectFolderOfPath(path))))
      await rm(join(building, folder), { recursive: true, force: true });
    for (const { artifact, path } of placed) {
      if (lost.has(artifact)) continue;
      const target = join(building, path);
      await mkdir(dirname(target), { recursive: true });
      await copyFile(join(root, artifact.path), target, constants.COPYFILE_FICLONE);
      await giveOwnMode(target);
      copied.set(path, artifact.sha256);
    }
    onProgress?.('copying', ++done, 0);
    await lock?.check();
  }
  return incomplete;
}

/**
 * Another host may record something meanwhile: a project whose files changed after copying waits for the next delivery.
 */
async function gather(
  building: string,
  ledger: Ledger,
  what: DeliverOptions & { readonly copied: ReadonlyMap<string, string> },
) {
  const seen = await ledger.newestIds();
  const orderIds = [];
  const projectIds = [];
  const entries = [];
  if (what.orders) for await (const { order } of ledger.ordersToHandOver()) orderIds.push(order.id);
  if (what.results) {
    for await (const followed of projectsToDeliver(ledger, what)) {
      const placed = presentArtifacts(followed);
      const inIt = placed.filter(({ artifact, path }) => what.copied.get(path) === artifact.sha256);
      for (const { artifact, path } of inIt)
        entries.push({ name: path, path: join(building, path), sha256: artifact.sha256 });
      if (inIt.length === placed.length) projectIds.push(followed.project.id);
    }
  }
  return { orderIds, projectIds, entries, seen };
}

type Gathered = Pick<Awaited<ReturnType<typeof gather>>, 'entries' | 'projectIds'>;

async function writeResults(
  building: string,
  { entries, projectIds, waiting }: Gathered & { readonly waiting: readonly UndecidedHouse[] },
  context: DeliverContext,
  options: DeliverOptions,
) {
  const { ledger, workspace, clock, run, lock, onProgress } = context;
  const overview = await overviewOf(ledger, clock.now(), options.files);
  let written = 0;
  async function* projects() {
    for await (const project of resultProjects(ledger, workspace.root, options, waiting)) {
      await lock?.check();
      yield project;
      onProgress?.('writing', ++written, 2 * projectIds.length);
    }
  }
  const messages: OutboxEntry[] = [];
  const input: ResultsInput = {
    run,
    writtenAt: clock.now(),
    projects,
    notOrdered: () => notOrderedRows(ledger, options.all),
    decisions: await ledger.decisionsOnRecord(),
    decisionWords: context.decisionWords,
    nights: (await ledger.deliveriesOnRecord()).toReversed(),
    overview,
    onFinished: context.notifiesProjects
      ? (project, at) => {
          const id = `${project.projectId}-${at}`;
          const body = JSON.stringify({ id, run, folder: `deliveries/${run}`, project });
          messages.push({ channel: 'webhook.projects', about: id, facts: { run, id, body } });
        }
      : undefined,
    earlierColumns: await ledger.resultColumns(),
    attention: context.attention,
    columns: context.columns,
    thumbnails: context.thumbnails,
    notice: options.notice,
  };
  const { columns, newReports, high, riskiest, undecided, pastDueRows, reasons } = await writeResultFiles(
    {
      ...(context.formats.includes('xlsx') && { xlsx: join(building, 'results.xlsx') }),
      ...(context.formats.includes('csv') && {
        csv: { results: join(building, 'results.csv'), folder: join(building, 'results-csv') },
      }),
      ...(context.formats.includes('jsonl') && { jsonl: join(building, 'results.jsonl') }),
      html: join(building, 'report.html'),
      decisions: join(building, 'decisions.csv'),
    },
    input,
  );
  await ledger.addResultColumns(columns);
  const archives =
    entries.length === 0 ? [] : await writeArchives(building, entries, context.archiveBytesMax ?? null, onProgress);
  const longestOverdue = [];
  for await (const project of overview.overdue)
    if (longestOverdue.push(houseInBrief(project, whyLate(project))) === NAMED_MAX) break;
  const closeouts = overview.ended
    .flatMap(({ kind, reason, projects }) =>
      projects.map((project) => houseInBrief(project, `${kind === 'canceled' ? 'Canceled. ' : ''}${reason}`)),
    )
    .slice(0, NAMED_MAX);
  const { held } = await ledger.orderCounts();
  const shown = new Set([...(isNightly(options) ? projectIds : []), ...undecided.map(({ projectId }) => projectId)]);
  const stillWaiting = [...waiting.filter(({ projectId }) => !shown.has(projectId)), ...undecided];
  return {
    archives,
    newReports,
    reasons,
    messages,
    night: {
      ...overview.night,
      riskiest,
      longestOverdue,
      pastDueRows,
      closeouts,
      overdue: overview.overdue.length,
      high,
      undecided: stillWaiting.filter(({ level }) => level === 'High').length,
      held,
    },
    undecided: stillWaiting.toSorted((a, b) => b.points - a.points).slice(0, WAITING_KEPT_MAX),
  };
}

const NAMED_MAX = 5;

function whyLate(project: OverdueProject) {
  const { order, dueDate, why } = project;
  const whom = isForInsured(project)
    ? order.insuredPhone && `call the insured: ${order.insuredPhone}`
    : agentInWords(order) && `agent ${agentInWords(order)}`;
  return `${[`Due ${dateOf(dueDate)}`, whom].filter(Boolean).join('; ')}. ${why}`;
}
