import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, writeFile } from 'node:fs/promises';
import { basename, isAbsolute, join, relative, resolve } from 'node:path';
import { stringify } from 'yaml';
import { addressKey } from '../domain/identity.ts';
import { messageOf, workLeftError, nullIfMissing, usageErrorOf } from '../domain/errors.ts';
import type { ServiceAccount } from '../domain/service-account.ts';
import type { OrderPayload, RowPlace } from '../domain/row.ts';
import { copyForReading } from '../ledger/ledger-file.ts';
import type { Ledger, OrderRecord } from '../ledger/ledger.ts';
import { ordersInState } from '../ledger/orders.ts';
import { createRehearsalLedger } from '../ledger/scratch-ledger.ts';
import { loadConfig, type Config } from '../ops/config.ts';
import { inspectEnvironment } from '../ops/environment.ts';
import { type DroppedFile, listDropped, awaitSettled, type InboxReport, shownName } from '../ops/list-inbox.ts';
import { LEDGER_MARK } from '../ops/ledger-mark.ts';
import { SYSTEM, systemClock } from '../ops/system.ts';
import { FOLDERS, inboxProblem, isWorkspace, nothingOnRecord, type Workspace, workspaceAt } from '../ops/workspace.ts';
import { ledgerPathOf, ledgerPlaceOf } from '../upkeep/ledger-place.ts';
import { accountNamed } from '../service/client.ts';
import { DuplicateForecast, describeForecast } from '../submit/duplicate-forecast.ts';
import { type FileReport, STILL_WRITTEN } from '../submit/claimed-files.ts';
import { openDryLedger, openReadOnly } from '../night/dry-ledger.ts';
import { commandResult, andMore, tableOf } from './terminal.ts';
import { exitCodeOfRehearsal, isDone } from '../night/exit-codes.ts';
import { type DryNight, type OwnSandbox, freshFolder, runDryNights, startOwnSandbox } from '../night/own-sandbox.ts';
import type { RunSummary } from '../night/run.ts';
import { makeScratchFolder, temporaryFolder } from '../night/scratch.ts';
import { sentence } from '../domain/sentences.ts';
import { progressBar } from '../night/progress-bar.ts';
import { FILE_COLUMNS } from './run-command.ts';

const BACK_AFTER_MS = 5 * 24 * 60 * 60 * 1000;

/** Runs on copies of the workspace and its ledger, against a sandbox. Never contacts the service or people. */
export async function rehearseCommand(workspaceDir: string, to: string | undefined) {
  return described(await rehearse(workspaceAt(workspaceDir), to));
}

async function rehearse(workspace: Workspace, to: string | undefined) {
  const config = await loadConfig(workspace.root);
  const inbox = await settledInbox(workspace, config);
  const { environment } = await inspectEnvironment(workspace.root, config);
  const account = environment && accountNamed(environment);
  using opened = new DisposableStack();
  const { path: scratch } = opened.use(await makeScratchFolder());
  await using onRecord = await openRecord(workspace, scratch, account);
  const folder = await folderFor(to, workspace);
  const highest = (await onRecord?.highestProjectId()) ?? null;
  await using sandbox = await startOwnSandbox(systemClock.now(), {
    ...(highest === null ? {} : { firstProjectId: (BigInt(highest) + 1n).toString() }),
    progressHours: { min: 24, max: 96 },
    canceledShare: 0,
  });
  const stage = workspaceAt(join(scratch, 'workspace'));
  const notTaken = await layOut(stage, workspace, inbox, config, sandbox);
  await using own = openDryLedger(scratch, onRecord, 'rehearsal', sandbox.clock);
  const ledger = createRehearsalLedger(own, onRecord);
  const [submitted, collected = null] = await runDryNights(nightsFrom(sandbox.clock.now()), sandbox, {
    workspace: stage.root,
    openLedger: async () => ({ ledger, [Symbol.asyncDispose]: async () => {} }),
    notice: sentence('rehearsal'),
  });
  if (submitted === undefined) throw new Error('the rehearsal has no night');
  const night = { submitted, collected };
  const lists = await listsOf(ledger, onRecord, config, systemClock.now());
  const delivery = await handOver(stage, night, folder);
  const leftAlone = (await onRecord?.orderCounts()) ?? null;
  const waiting = leftAlone === null ? 0 : leftAlone.ready + leftAlone.unresolved;
  return { workspace, folder, night, lists, delivery, notTaken, waiting };
}

async function settledInbox(workspace: Workspace, { intake }: Config) {
  if (!isWorkspace(workspace)) throw nothingOnRecord(workspace);
  const away = await inboxProblem(workspace);
  if (away !== null) throw workLeftError('inbox-unavailable', away);
  if (!existsSync(workspace.inbox)) return { files: [], notTaken: [] };
  const { files, closed, odd } = await listDropped(workspace.inbox);
  if (files.length > 0) progressBar.say(sentence('rehearse/settling'));
  const { settled, settling } = await awaitSettled(files, intake.settleSeconds * 1000, SYSTEM);
  const reason = sentence('rehearse/unfinished-file');
  const written = settling.map((file) => notTakenFile(file, STILL_WRITTEN.code, reason));
  return { files: settled, notTaken: [...written, ...closed, ...odd] };
}

function notTakenFile(file: DroppedFile, code: string, reason: string) {
  return { name: shownName(file), code, reason };
}

async function folderFor(to: string | undefined, { root }: Workspace) {
  if (to === undefined) return temporaryFolder('inspection-batch-rehearsal-');
  const folder = resolve(to);
  const inside = relative(root, folder);
  if (!inside.startsWith('..') && !isAbsolute(inside)) throw usageErrorOf('rehearsal-in-workspace', { folder });
  await freshFolder(folder, 'rehearse');
  return folder;
}

async function openRecord(workspace: Workspace, scratch: string, account: ServiceAccount | null) {
  if ((await ledgerPlaceOf(workspace, null)).kind === 'postgres') return openReadOnly(workspace, scratch, account);
  const copied = { ...workspace, root: join(scratch, 'record'), state: join(scratch, 'record') };
  await mkdir(copied.root);
  await copyForReading(ledgerPathOf(workspace), ledgerPathOf(copied));
  await nullIfMissing(copyFile(join(workspace.root, LEDGER_MARK), join(copied.root, LEDGER_MARK)));
  return openReadOnly(copied, scratch, account, workspace);
}

async function layOut(
  stage: Workspace,
  { root, processing, held }: Workspace,
  { files, notTaken }: Awaited<ReturnType<typeof settledInbox>>,
  config: Config,
  sandbox: OwnSandbox,
) {
  for (const folder of FOLDERS) await mkdir(stage[folder], { recursive: true });
  await writeFile(stage.env, sandbox.environment, { mode: 0o600 });
  await writeFile(stage.config, stringify(stageConfig(config, root)));
  for (const [from, into] of [
    [processing, stage.processing],
    [held, stage.held],
  ] as const)
    await nullIfMissing(cp(from, into, { recursive: true, filter: (path) => !basename(path).startsWith('.') }));
  const closed: InboxReport[] = [];
  for (const file of files) {
    const folder = join(stage.inbox, file.folder);
    await mkdir(folder, { recursive: true });
    await copyFile(file.path, join(folder, file.name)).catch((failure: unknown) =>
      closed.push(notTakenFile(file, 'file-not-accessible', `It cannot be copied: ${messageOf(failure)}`)),
    );
  }
  return [...notTaken, ...closed];
}

function stageConfig(config: Config, root: string) {
  const { columns, attention } = config.results;
  const inRoot = (path: string | null) => path && resolve(root, path);
  return {
    ...config,
    service: {},
    intake: { ...config.intake, settleSeconds: 0, receipts: false },
    run: { ...config.run, finishBy: null },
    collect: { ...config.collect, markReceived: false, sftp: null },
    results: { ...config.results, columns: inRoot(columns), attention: inRoot(attention) },
    notify: {},
    metrics: {},
  };
}

function nightsFrom(now: number): readonly DryNight[] {
  return [
    { command: 'submit', at: now, story: 'Ordering from a sandbox …' },
    { command: 'collect', at: now + BACK_AFTER_MS, story: sentence('rehearse/collecting'), all: true },
  ];
}

async function listsOf(ledger: Ledger, onRecord: Ledger | null, { submit }: Config, now: number) {
  const toOrder = [];
  const refused = [];
  const repeats = [];
  // The sandbox does not know the projects on record, so their effect is forecast.
  const forecast = new DuplicateForecast(onRecord, submit, now);
  const noteOn = async (order: OrderRecord) => {
    const decision = {
      kind: 'order',
      order: { ...order, addressKey: addressKey(order.payload), policyKey: null, subjectKey: '' },
      warnings: [],
      repairs: [],
    } as const;
    const row = { payload: order.payload, allowDuplication: order.rowWish ?? undefined };
    await forecast.expect([[row, decision]]);
    const service = forecast.answerTo(row, decision, null);
    const places = await ledger.placesOfOrders(service.answer === 'created' ? [] : [service.of.orderId]);
    return describeForecast({ decision, service }, submit, { placeOfOrder: ({ id }) => places.get(id) ?? null });
  };
  for await (const order of ordersInState('created', ledger)) {
    const place = (await ledger.placesOfOrders([order.id])).get(order.id);
    toOrder.push({ ...rowOf(order.payload, place), service: order.payload.serviceName, note: await noteOn(order) });
  }
  for await (const { row, order } of ledger.notOrdered(true)) {
    const said = rowOf(row.summary, { ...row.record.place, file: row.fileName });
    if (row.outcome === 'order') refused.push({ ...said, code: order?.code ?? null, reason: order?.reason ?? '' });
    if (row.outcome === 'repeat')
      repeats.push({ ...said, reason: row.problems.find(({ rule }) => rule.startsWith('repeat'))?.message ?? '' });
  }
  return { toOrder, refused, repeats };
}

function rowOf(
  payload: Pick<OrderPayload, 'policyNumber' | 'inspectionNumber' | 'insuredName'>,
  { file, sheet, rowNumber: row }: RowPlace = { file: '', sheet: '', rowNumber: 0 },
) {
  const { policyNumber = '', inspectionNumber = '', insuredName } = payload;
  return { file, sheet, row, policyNumber, inspectionNumber, insuredName };
}

async function handOver(
  stage: Workspace,
  { submitted, collected }: Readonly<{ submitted: RunSummary; collected: RunSummary | null }>,
  folder: string,
) {
  await cp(stage.corrections, join(folder, 'corrections'), { recursive: true });
  const orders = submitted.delivery?.orders ?? null;
  if (orders !== null) await copyFile(join(stage.root, orders), join(folder, 'orders.xlsx'));
  const made = collected?.delivery ?? null;
  if (made === null) return null;
  await cp(join(stage.root, made.folder), join(folder, 'delivery'), { recursive: true });
  const [workbook, archive, report] = [made.workbook, made.archive, made.report].map(
    (path) => path && `delivery/${basename(path)}`,
  );
  return { folder: 'delivery', workbook, archive, report, orders: orders && 'orders.xlsx' };
}

function described({
  workspace,
  folder,
  night,
  lists,
  delivery,
  notTaken,
  waiting,
}: Awaited<ReturnType<typeof rehearse>>) {
  const { files, orders } = night.submitted;
  const { toOrder, refused, repeats } = lists;
  const runs = [night.submitted, ...(night.collected ? [night.collected] : [])];
  const isWhole = runs.every((run) => isDone(run.exitCode));
  const text = [
    ...(isWhole ? [] : [sentence('rehearse/unfinished')]),
    sentence('rehearse/begin', { root: workspace.root }),
    describeFiles(files, notTaken),
    [
      `Would be ordered    ${toOrder.length}`,
      ...listed(toOrder.flatMap((row) => (row.note === null ? [] : [{ ...row, reason: row.note }]))),
      `Repeats             ${repeats.length}${repeats.length === 0 ? '' : ', not ordered again'}`,
      ...listed(repeats),
      `Would be refused    ${refused.length}${refused.length === 0 ? '' : ', by the service'}`,
      ...listed(refused),
      ...(waiting === 0 ? [] : [sentence('rehearse/waiting', { waiting })]),
    ].join('\n'),
    [
      ...[
        ['Corrections     ', files.some(({ corrections }) => corrections !== null) ? 'corrections' : null],
        ['Orders workbook ', delivery?.orders],
        ['Results workbook', delivery?.workbook],
        ['HTML report     ', delivery?.report],
        ['Reports archive ', delivery?.archive],
      ].flatMap(([what, path]) => (path ? [`${what}  ${join(folder, path)}`] : [])),
      `The folder is yours to remove: ${folder}`,
    ].join('\n'),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
  const json = {
    workspace: workspace.root,
    folder,
    files,
    notTaken,
    orders,
    ...lists,
    waitingOnRecord: waiting,
    delivery,
  };
  return commandResult(exitCodeOfRehearsal(runs, files, refused.length), text, json);
}

function describeFiles(files: readonly FileReport[], notTaken: readonly InboxReport[]) {
  if (files.length === 0 && notTaken.length === 0) return sentence('rehearse/empty');
  return [
    ...(files.length === 0 ? [] : [tableOf(files, FILE_COLUMNS)]),
    ...[...files, ...notTaken].flatMap(({ name, reason }) => (reason === null ? [] : [`  ${name}: ${reason}`])),
  ].join('\n');
}

const LISTED_MAX = 20;

function listed(rows: readonly (ReturnType<typeof rowOf> & { readonly reason: string })[]) {
  return [
    ...rows.slice(0, LISTED_MAX).map(({ file, sheet, row, reason }) => `  ${file}, ${sheet} row ${row}: ${reason}`),
    ...andMore(rows.length, LISTED_MAX),
  ];
}
