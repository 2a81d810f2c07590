import { dayInWords } from '../domain/day.ts';
import { lacksAnswer } from '../domain/layout.ts';
import {
  dismissLine,
  type DueProject,
  endedNotes,
  endsOnRecord,
  groupEnded,
  describeSlow,
  houseAndAgent,
  judgeWatchedProjects,
  listFirst,
  resolveLine,
  type CountedProjects,
} from '../results/deliver/overview.ts';
import { firstStepAfterEnding } from '../results/tables/ended.ts';
import type { EndedProjects } from '../results/model.ts';
import { propertyOf } from '../domain/identity.ts';
import type { NightCounts } from '../domain/project.ts';
import { formatCount } from '../domain/text.ts';
import type { Ledger, FileRecord, WatchedProject, HostOnRecord, RunOnRecord, OrderRecord } from '../ledger/ledger.ts';
import { sentence } from '../domain/sentences.ts';
import { openSqliteLedger } from '../ledger/open-ledger.ts';
import { loadConfig } from '../ops/config.ts';
import { sha256OfFile } from '../ops/durable-files.ts';
import { lockedSince } from '../ops/run-lock.ts';
import { systemClock } from '../ops/system.ts';
import { isWorkspace, nothingOnRecord, type Workspace, workspaceAt } from '../ops/workspace.ts';
import { inspectLedger, ledgerError } from '../upkeep/guarded-ledger.ts';
import type { LedgerProblem } from '../upkeep/whose-records.ts';
import { confirmCommandLine, questionsWithFiles, NEW_LAYOUT } from '../submit/ask-layout.ts';
import { resendTime } from '../submit/after-answer.ts';
import { approveCommandLine, waitingFiles } from '../submit/hold.ts';
import { findNamedProject, parseProjectReference } from '../update/find-project.ts';
import {
  type CommandResult,
  success,
  type Accent,
  andMore,
  countsInWords,
  fitsScreen,
  inIsoTimes,
  jsonPieces,
  localTime,
} from './terminal.ts';
import { EXIT } from '../night/exit-codes.ts';
import { changedEntries, describeChanged, describeQuestion, describeWaiting } from '../night/news.ts';
import { NIGHT_COMMANDS } from '../night/workspace-lease.ts';
import { fileStory, orderStory, projectStory, rowStory, type StoryView, nextStep } from './status-stories.ts';
import { usageErrorOf } from '../domain/errors.ts';

/** `withJson` keeps the ledger open until the document is printed, which reads lists lazily. */
export async function statusCommand(
  asked: string | undefined,
  workspaceDir: string,
  { withJson = false, all = false }: { withJson?: boolean; all?: boolean } = {},
): Promise<CommandResult> {
  const question = asked?.trim() || undefined;
  const workspace = workspaceAt(workspaceDir);
  const looked = await inspectLedger(workspace);
  if (looked.ledger === null) {
    if (looked.problem !== null) throw ledgerError(looked.problem);
    if (question === undefined && isWorkspace(workspace)) return await firstSteps(workspace);
    throw nothingOnRecord(workspace);
  }
  await using opened = new AsyncDisposableStack();
  const ledger = opened.use(looked.ledger);
  const { submit } = await loadConfig(workspace.root);
  const quarantineMs = submit.quarantineSeconds * 1000;
  if (question !== undefined) return await stories(question, ledger, quarantineMs);
  const result = await statusOverview(ledger, workspace, {
    now: ledger.clock.now(),
    quarantineMs,
    problem: looked.problem,
    isBrief: !all,
  });
  if (!withJson) return result;
  const kept = opened.move();
  const jsonText = async function* () {
    await using _ = kept;
    yield* jsonPieces(result.json);
  };
  return { ...result, jsonText };
}

async function firstSteps(workspace: Workspace) {
  await using nothing = openSqliteLedger(':memory:', { clock: systemClock, account: '' });
  const { json } = await statusOverview(nothing, workspace, { now: systemClock.now(), quarantineMs: 0, problem: null });
  return {
    exitCode: EXIT.done,
    json,
    jsonText: () => jsonPieces(json),
    text: sentence('first-steps').trim(),
  };
}

const ORDERS_OF_A_FILE_MAX = 3;

async function stories(question: string, ledger: Ledger, quarantineMs: number) {
  const storiesOf = (found: readonly FileRecord[]) => Promise.all(found.map((file) => fileStory(file, ledger)));
  let files = await storiesOf(await ledger.findFiles(question));
  const orderIds = new Set(
    files.flatMap((file) => (file.orderIds.length <= ORDERS_OF_A_FILE_MAX ? file.orderIds : [])),
  );
  const asked =
    files.length > 0
      ? (await Array.fromAsync(orderIds, (id) => ledger.order(id))).filter((order) => order !== null)
      : await ledger.findOrders(question);
  const toldAlready = new Set(asked.map(({ id }) => id));
  const wentBack = (files.length > 0 ? [] : await ledger.findRejections(question)).filter(
    ({ replacedBy }) => !toldAlready.has(replacedBy?.orderId ?? -1),
  );
  const elsewhere = files.length + asked.length + wentBack.length > 0 ? [] : await madeElsewhere(question, ledger);
  if (files.length + asked.length + wentBack.length + elsewhere.length === 0)
    files = await storiesOf(await ledger.findFilesLike(question));
  if (files.length + asked.length + wentBack.length + elsewhere.length === 0)
    throw usageErrorOf('nothing-found', { question });
  const orderStories = await Promise.all(asked.map((order) => orderStory(order, ledger, quarantineMs)));
  const rows = wentBack.map(rowStory);
  const several = files.length > 1 ? [`${files.length} files match: the newest first.`] : [];
  const all = [...files, ...orderStories, ...rows, ...elsewhere];
  const jsonOf = (some: readonly StoryView[]) => some.map(({ json }) => json);
  return success([...several, ...all.map(({ text }) => text)].join('\n\n'), {
    files: jsonOf(files),
    orders: jsonOf(orderStories),
    rows: jsonOf(rows),
    projects: jsonOf(elsewhere),
  });
}

async function madeElsewhere(question: string, ledger: Ledger) {
  const found = await findNamedProject([parseProjectReference(question)], ledger);
  const story = found.kind === 'one' ? await ledger.storyOfProject(found.projectId) : null;
  return story === null ? [] : [projectStory(story)];
}

const LISTED_MAX = 50;
/** In the overview on one screen: the first that fits. */
const EXAMPLES = [3, 2, 1];
const RUNS_LISTED = 5;
const RUNS_READ = 500;

type OverviewOptions = Readonly<{
  now: number;
  quarantineMs: number;
  problem: LedgerProblem | null;
  isBrief?: boolean;
}>;

export async function statusOverview(ledger: Ledger, workspace: Workspace, options: OverviewOptions) {
  const facts = await overviewFacts(ledger, workspace, options);
  const text = options.isBrief ? await onOneScreen(facts) : await overviewText(facts, LISTED_MAX);
  const json: object = { ...inIsoTimes(facts.shown), exitCode: EXIT.done };
  return { exitCode: EXIT.done, text, json, accents: ACCENTS };
}

type OverviewFacts = Awaited<ReturnType<typeof overviewFacts>>;

/** `shown`: as in --json. */
async function overviewFacts(ledger: Ledger, workspace: Workspace, options: OverviewOptions) {
  const { now, quarantineMs, problem, isBrief = false } = options;
  const ends = await endsOnRecord(ledger, now);
  const open = groupEnded([...ends.fresh, ...ends.earlier].filter(({ projectId }) => ends.open.has(projectId)));
  const { overdue, atRisk, slow, withoutFiles } = await judgeWatchedProjects(ledger, now);
  const questions = await questionsWithFiles({ ledger, workspace });
  const hosts = (await ledger.hosts()).map((host) => ({ ...host, isAlive: now - host.seenAt < SILENT_MS }));
  const unsettled = await ledger.ordersIn('unresolved', 0, LISTED_MAX);
  const settledFrom = Math.max(0, ...unsettled.map((order) => resendTime(order, quarantineMs) ?? 0));
  const shown = {
    ledger: problem,
    orders: await ledger.orderCounts(),
    projects: await ledger.projectCounts(),
    statuses: await ledger.statusCounts(),
    night: await ledger.nightCounts(),
    ended: groupEnded(ends.fresh).map(endedBriefly),
    closedOut: open.filter(({ kind }) => kind === 'closed out').map(endedBriefly),
    canceled: open.filter(({ kind }) => kind === 'canceled').map(endedBriefly),
    unresolved: unsettled.map((order) => briefly(order, quarantineMs)),
    held: (await ledger.ordersIn('held', 0, LISTED_MAX)).map((order) => ({
      ...briefly(order, quarantineMs),
      command: resolveLine(order),
    })),
    heldFiles: await filesHeld(ledger, workspace),
    toConfirm: questions.map(({ sender, file, files, workbook, askedAt, question }) => {
      const { columns = [] } = question ?? {};
      return { sender, file, files, workbook, askedAt, columns };
    }),
    wentBack: (await ledger.waitingRows()).map((entry) => ({
      ...entry,
      command: dismissLine(entry.corrections ?? entry.file),
    })),
    changed: await changedEntries(ledger, LISTED_MAX),
    openUpdates: (await ledger.openUpdates()).map(({ projectId: project, request: { kind }, beganAt }) => {
      return { project, kind, beganAt };
    }),
    overdue,
    atRisk,
    slow,
    forPerson: [...endedNotes(open), ...withoutFiles],
    runs: await runsWithState(ledger, workspace, hosts),
    hosts,
  };
  const unsent = await ledger.unsentEntries();
  return { shown, open, questions, withoutFiles, settledFrom, unsent, now, isBrief, root: workspace.root };
}

async function overviewText(facts: OverviewFacts, listedMax: number) {
  const { shown, unsent, isBrief } = facts;
  const { ledger: problem, statuses } = shown;
  const section = sectionWriter(listedMax, isBrief);
  return [
    ...(problem === null ? [] : [problem.message, problem.hint, '']),
    `Orders    ${countsInWords(shown.orders)}`,
    `Projects  ${countsInWords(shown.projects).replace(' returned', ' to collect')}`,
    ...(statuses.length === 0 || isBrief
      ? []
      : [`Statuses  ${statuses.map(({ status, count }) => `${count} ${status}`).join(', ')}`]),
    ...unsent.slice(0, 1).map(({ at }) => `Unsent    ${formatCount(unsent.length, 'message')} since ${dayInWords(at)}`),
    describeNight(shown.night),
    ...orderSections(facts, section),
    ...(await projectSections(facts, section, listedMax)),
    ...section('runs', shown.runs, (run) => [describeRun(run)]),
    ...section('hosts', shown.hosts, (host) => [describeHost(host)]),
    '',
    ...(isBrief ? [sentence('status/all')] : []),
    `Next: ${nextOf(facts) ?? 'nothing; the next run continues.'}`,
  ].join('\n');
}

type SectionWriter = ReturnType<typeof sectionWriter>;

function sectionWriter(listedMax: number, isBrief: boolean) {
  return <T>(
    name: string,
    items: readonly T[],
    lines: (item: T) => readonly string[],
    count = items.length,
    counted = String(count),
    all = '',
  ) => {
    const shown = items.slice(0, listedMax);
    const title = sentence(`status/${name}`);
    const isCut = shown.length < count && shown.length > 0;
    return count === 0
      ? []
      : [
          ...(listedMax === 0 ? [] : ['']),
          `${title} (${all}${isCut ? `${shown.length} of ` : ''}${counted}${isCut && all !== '' ? ' shown' : ''})`,
          ...shown.flatMap((item) => (isBrief ? lines(item).slice(0, 1) : lines(item))),
          ...(isBrief ? [] : andMore(count, listedMax)),
        ];
  };
}

function orderSections({ shown, questions, now, isBrief, root }: OverviewFacts, section: SectionWriter) {
  // --json lists no more than LISTED_MAX orders either.
  const allOf = (count: number) => (isBrief ? count : Math.min(count, LISTED_MAX));
  const { orders, wentBack } = shown;
  const rows = wentBack.reduce((sum, entry) => sum + entry.rows, 0);
  return [
    ...section(
      'unresolved',
      shown.unresolved,
      ({ order, property, reason, next }) => [
        `  order ${order}  ${property}: ${(reason ?? '').replace(/\.?$/, '.')} Next: ${next}`,
      ],
      allOf(orders.unresolved),
    ),
    ...section(
      'held',
      shown.held,
      ({ order, property, reason, command }) => [`  order ${order}  ${property}: ${reason ?? ''}`, `    ${command}`],
      allOf(orders.held),
    ),
    ...section('held-files', shown.heldFiles, ({ file, reasons, command }) => [
      `  ${file}: ${reasons.join(' ')}`,
      `    ${command}`,
    ]),
    ...section('to-confirm', questions, (one) => [
      `  ${describeQuestion(one)}`,
      ...one.files.slice(1).map((file) => `    ${file} waits for the same answer.`),
      ...(one.question === null || lacksAnswer(one.question) ? [] : [`    ${confirmCommandLine(one.file, root)}`]),
    ]),
    ...section(
      'rows',
      wentBack,
      (entry) => [
        `  ${describeWaiting(entry, now)}`,
        `    ${entry.command}`,
        `    ${sentence('status/one-row', { file: entry.file })}`,
      ],
      wentBack.length,
      formatCount(wentBack.length, 'file'),
      `${formatCount(rows, 'row')}; `,
    ),
    ...section('changed', shown.changed, (entry) => [
      `  ${describeChanged(entry)}`,
      `    ${entry.choices.map(({ text }) => text).join(' ')}`,
    ]),
    ...section('updates', shown.openUpdates, ({ project, kind, beganAt }) => [
      `  ${kind} of project ${project}, begun ${localTime(beganAt)}`,
    ]),
  ];
}

async function projectSections(
  { shown, open, withoutFiles, isBrief }: OverviewFacts,
  section: SectionWriter,
  listedMax: number,
) {
  const listed = async (name: string, projects: CountedProjects<readonly string[]>) =>
    section(name, await projects.first(listedMax), (lines) => lines, projects.length);
  const ended = open.reduce((sum, { projects }) => sum + projects.length, 0);
  return [
    ...(await listed('overdue', shown.overdue.map(dueLines))),
    ...(await listed('at-risk', shown.atRisk.map(dueLines))),
    ...(await listed(
      'slow',
      shown.slow.map((...one) => [`  ${describeSlow(...one)}`]),
    )),
    ...section(
      'ended',
      open,
      (group) => [...endedLines(group), `    ${firstStepAfterEnding(group)}`],
      open.length,
      formatCount(open.length, 'reason'),
      `${formatCount(ended, 'project')}; `,
    ),
    ...(open.length === 0 || isBrief
      ? []
      : [`    ${sentence('ended/then-decide')}`, `    ${sentence('next-step/ended')}`]),
    ...section('for-person', withoutFiles, ({ title, detail, command }) => [`  ${title}: ${detail}`, `    ${command}`]),
  ];
}

const LEFT_WORK = new Set<number>([EXIT.workLeft, EXIT.SIGINT, EXIT.SIGTERM]);

function nextOf({ shown, questions, withoutFiles, settledFrom, open, now }: OverviewFacts) {
  const waiting = shown.orders.ready + shown.orders.unresolved;
  const [question, rows, last] = [questions[0], shown.wentBack[0], shown.runs[0]];
  return [
    shown.ledger?.hint,
    shown.runs.some(({ state }) => state === 'going on') && 'wait; a run is in progress.',
    shown.orders.unresolved > 0 &&
      sentence('status/run-again', {
        orders: formatCount(shown.orders.unresolved, 'order is', 'orders are'),
        after: settledFrom > now ? ` after ${localTime(settledFrom)}` : '',
      }),
    (last?.state === 'killed' || LEFT_WORK.has(last?.exitCode ?? EXIT.done)) && sentence('status/repeat'),
    shown.held[0]?.command,
    shown.heldFiles[0]?.command,
    question && sentence('status/answer', { workbook: question.workbook ?? question.file }),
    rows?.corrections && sentence('status/fix', { corrections: rows.corrections }),
    waiting > 0 && sentence('status/waiting', { orders: formatCount(waiting, 'order waits', 'orders wait') }),
    withoutFiles[0]?.command,
    open.length > 0 && sentence('status/close'),
  ].find(Boolean);
}

const ACCENTS: readonly Accent[] = [
  [/^(?:Orders|Projects|Statuses)(?=  )/gm, 'bold'],
  [/^[A-Z].* \(\d[^()]*\)$/gm, ['bold', 'yellow']],
  [/^ {4}inspection-batch .*$/gm, 'cyan'],
  [/^Next: .*$/gm, 'bold'],
];

const NIGHT_WORDS: Readonly<Record<string, string>> = {
  wentBack: 'rejected',
  changed: 'changed after ordering',
  closedOut: 'closed out',
};

function describeNight({ since, ...counts }: NightCounts) {
  const named = Object.entries(counts).map(([name, count]) => [NIGHT_WORDS[name] ?? name, count]);
  const title = since === null ? 'So far' : `Changes since the delivery of ${localTime(since)}`;
  return `${title}: ${countsInWords(Object.fromEntries(named))}`;
}

function endedBriefly({ kind, reason, projects }: EndedProjects) {
  return {
    kind,
    reason,
    projects: projects.map(({ projectId, order, at }) => ({ project: projectId, property: propertyOf(order), at })),
  };
}

function endedLines({ kind, reason, projects }: EndedProjects) {
  const ended = kind === 'canceled' ? 'Canceled' : 'Closed out';
  return [
    `  ${ended}: ${listFirst(projects.map(({ projectId, order }) => houseAndAgent(order, projectId)))} ${reason}`,
  ];
}

async function filesHeld(ledger: Ledger, workspace: Workspace) {
  const waiting = await waitingFiles(workspace).catch(() => []);
  const files = await Array.fromAsync(waiting, async ({ path, heldAs: file }) => {
    const known = await ledger.findHeld(await sha256OfFile(path).catch(() => ''));
    const { limits = [], approvedAt = null, reasons: found = [`The reason is in ${file}.txt`] } = known ?? {};
    const reasons = approvedAt === null ? found : ['It is approved; the next run takes it in.'];
    return { file, limits, reasons, command: approveCommandLine(file, workspace.root) };
  });
  return files.filter(({ limits }) => !limits.includes(NEW_LAYOUT));
}

function dueLines({ project, dueDate, expectedAt, why }: DueProject, { order }: WatchedProject) {
  const expected = expectedAt === null ? '' : ` Expected ${dayInWords(expectedAt)}.`;
  return [
    `  due ${dueDate}: ${houseAndAgent(order, project)}${order.agentEmail === undefined ? '' : ` ${order.agentEmail}`}; insured ${order.insuredPhone}`,
    `    ${why}${expected}`,
  ];
}

/** With as many of each kind as fit, at the least with their counts. */
async function onOneScreen(facts: OverviewFacts) {
  for (const listedMax of EXAMPLES) {
    const text = await overviewText(facts, listedMax);
    if (fitsScreen(text)) return text;
  }
  return overviewText(facts, 0);
}

/** `killed`: its end is not on record, and the lock is free or was taken later. */
async function runsWithState(ledger: Ledger, workspace: Workspace, hosts: readonly ShownHost[]) {
  const runs = (await ledger.lastRuns(RUNS_READ))
    .filter(({ command }) => NIGHT_COMMANDS.has(command) || command === 'recover')
    .slice(0, RUNS_LISTED);
  const isEnded = ({ finishedAt }: RunOnRecord) => finishedAt !== null;
  const since = hosts.length > 0 || runs.every(isEnded) ? null : await lockedSince(workspace.state);
  const isGoingOn = ({ run, startedAt }: RunOnRecord) =>
    hosts.some((host) => host.run === run && host.isAlive) || (since !== null && startedAt >= since);
  return runs.map((run) => {
    return { ...run, state: isEnded(run) ? 'ended' : isGoingOn(run) ? 'going on' : 'killed' };
  });
}

function describeRun({ run, command, startedAt, state, exitCode }: Awaited<ReturnType<typeof runsWithState>>[number]) {
  const end = state === 'ended' && exitCode !== null ? sentence(`exit-code/${exitCode}`) : state;
  return `  ${localTime(startedAt)} ${command}: ${end} (${run})`;
}

/** The server has ended the session of a host that is silent for longer. */
const SILENT_MS = 25_000;

type ShownHost = HostOnRecord & { readonly isAlive: boolean };

function describeHost({ host, pid, role, beganAt, isAlive, workingOn, seenAt }: ShownHost) {
  const now = isAlive ? (workingOn === null ? 'alive' : 'at work') : `silent since ${localTime(seenAt)}`;
  return `  ${host} (${role}, process ${pid}, since ${localTime(beganAt)}): ${now}`;
}

function briefly(order: OrderRecord, quarantineMs: number) {
  const next = nextStep(order, { project: null, updates: [], quarantineMs });
  return { order: order.id, property: propertyOf(order.payload), code: order.code, reason: order.reason, next };
}
