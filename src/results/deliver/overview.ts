import { differenceInCalendarDays } from 'date-fns/differenceInCalendarDays';
import { dayInWords, localDay } from '../../domain/day.ts';
import { CANCELABLE_STATUSES } from '../../contract/document.ts';
import { isClosedOutStatus, NEXT_RUN_RETRIES } from '../../domain/project.ts';
import { propertyOf } from '../../domain/identity.ts';
import type { OrderPayload, RowSummary } from '../../domain/row.ts';
import { sentence } from '../../domain/sentences.ts';
import { formatCount } from '../../domain/text.ts';
import type {
  Ledger,
  EndedProject,
  FileToFix,
  RunOnRecord,
  OrderRecord,
  WatchedProject,
  Ending,
  UsualDuration,
} from '../../ledger/ledger.ts';
import { medianOf } from '../../ledger/projects.ts';
import type { EndedProjects, ResultsOverview } from '../model.ts';
import { dateOf } from '../html/markup.ts';
import { ENDED, firstStepAfterEnding } from '../tables/ended.ts';

type SlowProject = ReturnType<typeof slowProjects>;
export type DueProject = ReturnType<typeof dueProjects>;

export type ProjectNotes = Awaited<ReturnType<typeof judgeWatchedProjects>>;

const READ_AT_ONCE = 500;

/** In display order. Keeps only ids in memory; reads the rest on demand. */
export class CountedProjects<T> implements AsyncIterable<T> {
  readonly #ledger;
  readonly #ids;
  readonly #describe;

  constructor(ledger: Pick<Ledger, 'watchedProjects'>, ids: readonly string[], describe: (one: WatchedProject) => T) {
    this.#ledger = ledger;
    this.#ids = ids;
    this.#describe = describe;
  }

  get length() {
    return this.#ids.length;
  }

  map<U>(describe: (facts: T, one: WatchedProject) => U) {
    return new CountedProjects(this.#ledger, this.#ids, (one) => describe(this.#describe(one), one));
  }

  first(count: number) {
    return Array.fromAsync(this.#read(this.#ids.slice(0, count)));
  }

  [Symbol.asyncIterator]() {
    return this.#read(this.#ids);
  }

  async *#read(ids: readonly string[]) {
    for (let from = 0; from < ids.length; from += READ_AT_ONCE) {
      const batch = ids.slice(from, from + READ_AT_ONCE);
      const read = new Map<string, WatchedProject>();
      for await (const one of this.#ledger.watchedProjects(batch)) read.set(one.project.id, one);
      for (const one of batch.map((id) => read.get(id))) if (one !== undefined) yield this.#describe(one);
    }
  }
}

type Ranks = Map<string, string | number>;

const OVER = new Set(['Client Received', 'Receive Error']);
const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const STAYS_MIN = 8;
/** A median of about one run interval only shows how often runs take place. */
const RUNS_APART_MIN = 1.5;
const SEEING = new Set(['run', 'submit', 'collect']);
const FOLLOWING = new Set(['run', 'collect']);
const RUNS_READ = 100;
const SLOW_TIMES = 2;
/** Due within this many days and not inspected: at risk, if nothing usual is known. */
const NEAR_DAYS = 3;

/** `now`: epoch ms. A due date ends with the local day. */
export async function judgeWatchedProjects(
  ledger: Pick<Ledger, 'watchedProjects' | 'usualDurations' | 'closeouts' | 'lastRuns'>,
  now: number,
) {
  const closedOut = new Set((await ledger.closeouts()).map(({ projectId }) => projectId));
  const runs = await ledger.lastRuns(RUNS_READ);
  const seen: Seen = { now, tonight: beginningOfNight(runs, now) };
  const leastMs = RUNS_APART_MIN * timeBetween(runs);
  const usual = new Map((await ledger.usualDurations()).map((stay) => [stay.status, usualFrom(stay, leastMs)]));
  const usualOf = ({ project }: WatchedProject) => usual.get(project.status) ?? NOTHING_USUAL;
  const today = localDay(now);
  const [overdue, atRisk, slow]: [Ranks, Ranks, Ranks] = [new Map(), new Map(), new Map()];
  const withoutFiles = [];
  /** Calendar days since first seen → number of projects. */
  const outstandingDays = new Map<number, number>();
  for await (const one of ledger.watchedProjects()) {
    const { id, status, statusAt, firstSeenAt, returnedAt, collectedAt } = one.project;
    if (!closedOut.has(id)) withoutFiles.push(...fileNote(one));
    if (returnedAt !== null || collectedAt !== null || OVER.has(status)) continue;
    const days = differenceInCalendarDays(now, firstSeenAt);
    outstandingDays.set(days, (outstandingDays.get(days) ?? 0) + 1);
    if (isClosedOutStatus(status)) continue;
    const { dueDate } = one.order;
    if (dueDate !== undefined && dueDate < today) overdue.set(id, dueDate);
    else if (dueDate !== undefined && isAtRisk(dueDate, expectedAt(one, usualOf(one), now), now, status))
      atRisk.set(id, dueDate);
    const times = slowTimes(now - statusAt, usualOf(one));
    if (times !== null) slow.set(id, -times);
  }
  const ranked = <T>(ranks: Ranks, describe: (one: WatchedProject, usual: Usual, seen: Seen) => T) => {
    const ids = [...ranks].toSorted(([, a], [, b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([id]) => id);
    return new CountedProjects(ledger, ids, (one) => describe(one, usualOf(one), seen));
  };
  return {
    overdue: ranked(overdue, dueProjects),
    atRisk: ranked(atRisk, dueProjects),
    slow: ranked(slow, slowProjects),
    withoutFiles,
    outstandingDays,
    today,
  };
}

type Usual = Pick<UsualDuration, 'toReturnMs'> & { readonly stayMs: number | null };
const NOTHING_USUAL: Usual = { stayMs: null, toReturnMs: null };

function usualFrom({ stays, stayMs, returns, toReturnMs }: UsualDuration, leastMs: number) {
  const known = (count: number, ms: number | null) => (count >= STAYS_MIN && ms !== null && ms >= leastMs ? ms : null);
  return { stayMs: known(stays, stayMs), toReturnMs: known(returns, toReturnMs) };
}

/** The median time between follow-up runs, in ms. */
function timeBetween(runs: readonly RunOnRecord[]) {
  const began = runs.filter(({ command }) => FOLLOWING.has(command)).map(({ startedAt }) => startedAt);
  return medianOf(began.slice(1).map((at, index) => (began[index] ?? at) - at)) ?? Number.POSITIVE_INFINITY;
}

/** A status or project first seen `tonight` or later has no age. */
type Seen = Readonly<Record<'now' | 'tonight', number>>;

function beginningOfNight(runs: readonly RunOnRecord[], now: number) {
  return Math.max(runs.find(({ command }) => SEEING.has(command))?.startedAt ?? now, now - DAY_MS);
}

function expectedAt({ project: { statusAt } }: WatchedProject, { toReturnMs }: Usual, now: number) {
  return toReturnMs === null ? null : Math.max(now, statusAt + toReturnMs);
}

function dueProjects(one: WatchedProject, usual: Usual, seen: Seen) {
  const { project, orderId, order } = one;
  const { dueDate = '' } = order;
  return {
    dueDate,
    project: project.id,
    status: project.status,
    property: propertyOf(order),
    expectedAt: expectedAt(one, usual, seen.now),
    orderId,
    statusAt: project.statusAt,
    why: `${describeStatusAge(project, usual, seen)} ${describeBeginning(one, dueDate, seen)}`,
  };
}

export function houseOf(
  order: Pick<RowSummary, 'insuredName' | 'streetAddress' | 'city' | 'state'>,
  projectId?: string,
) {
  return `${order.insuredName}, ${propertyOf(order)}${projectId === undefined ? '' : ` (project ${projectId})`}`;
}

export function houseAndAgent(order: OrderPayload, projectId?: string) {
  const agent = [order.agentName, order.agentPhone].filter(Boolean).join(' ');
  return `${houseOf(order, projectId)}${agent === '' ? '' : `, agent ${agent}`}`;
}

/** For a project made elsewhere, the order date is unknown. */
function describeBeginning(
  { project: { firstSeenAt }, isOrderedHere }: WatchedProject,
  dueDate: string,
  { now, tonight }: Seen,
) {
  const age = firstSeenAt >= tonight ? null : formatDuration(now - firstSeenAt);
  if (!isOrderedHere) return age === null ? 'Followed since last night.' : `Followed for ${age}.`;
  return `Ordered ${age === null ? 'last night' : `${age} ago`}${firstSeenAt >= endOf(dueDate) ? ', after its due date' : ''}.`;
}

function endOf(date: string) {
  return Date.parse(`${date}T00:00:00Z`) + DAY_MS;
}

const INSPECTED = new Set(['Site Inspected', 'Selfapp Uploaded', 'Image Uploaded']);

function describeStatusAge({ status, statusAt }: WatchedProject['project'], { stayMs }: Usual, { now, tonight }: Seen) {
  const age = statusAt >= tonight ? ', first seen last night' : ` for ${formatDuration(now - statusAt)}`;
  const lasted = `${status}${age}${stayMs === null ? '' : `; usually ${formatDuration(stayMs)}`}.`;
  if (status === 'Project Rework') return `It is being reworked: ${lasted}`;
  if (CANCELABLE_STATUSES.includes(status)) return `Not inspected yet: ${lasted}`;
  return INSPECTED.has(status) ? `Inspected, report pending: ${lasted}` : lasted;
}

function isAtRisk(dueDate: string, expectedAt: number | null, now: number, status: string) {
  return expectedAt === null
    ? CANCELABLE_STATUSES.includes(status) && endOf(dueDate) - now <= (NEAR_DAYS + 1) * DAY_MS
    : expectedAt > endOf(dueDate);
}

function slowTimes(lastedMs: number, { stayMs }: Usual) {
  return stayMs !== null && lastedMs > SLOW_TIMES * stayMs && lastedMs > stayMs + DAY_MS ? lastedMs / stayMs : null;
}

function slowProjects({ project, order }: WatchedProject, { stayMs }: Usual, { now }: Seen) {
  return {
    project: project.id,
    property: propertyOf(order),
    status: project.status,
    lastedMs: now - project.statusAt,
    usualMs: stayMs ?? 0,
  };
}

export function describeSlow({ project, status, lastedMs, usualMs }: SlowProject, { order }: WatchedProject) {
  return `${houseOf(order, project)}, ${status} for ${formatDuration(lastedMs)}, usually ${formatDuration(usualMs)}`;
}

export function describeEnding(
  { reasons, askedAt, inspectedBefore, inspectedSince, orderedSince }: Ending,
  isAmongOurs = false,
) {
  const asked = askedAt === null ? [] : [`At your request, on ${dayInWords(askedAt)}.`];
  const theirs = reasons.map((reason) => (isAmongOurs ? `"${reason}"` : reason));
  const why = [...asked, ...theirs].join(' ') || 'No reason given.';
  if (inspectedSince === null && orderedSince !== null) {
    const { projectId, serviceName, at } = orderedSince;
    const project = projectId === '' ? serviceName : `project ${projectId} (${serviceName})`;
    return sentence('ending/ordered-again', { why, day: dayInWords(at), project });
  }
  const [found, when] = inspectedSince === null ? [inspectedBefore, 'before'] : [inspectedSince, 'since'];
  if (found === null) return why;
  return sentence('ending/inspected', { ...found, why, when, day: dayInWords(found.at) });
}

/** `open`: the projects that need a person; by default all. */
export function groupEnded(ended: readonly EndedProject[], open?: ReadonlySet<string>) {
  const isSettled = ({ projectId }: EndedProject) => open?.has(projectId) === false;
  const groups = Map.groupBy(ended, (one) => `${one.kind} ${isSettled(one)}: ${describeEnding(one)}`);
  const each = [...groups.values()].map((projects) => {
    const first = projects[0] as EndedProject;
    return {
      kind: first.kind,
      reason: describeEnding(first),
      quoted: describeEnding(first, true),
      isSettled: isSettled(first),
      projects,
    };
  });
  return each.toSorted((a, b) => b.projects.length - a.projects.length);
}

/** `fresh`: since the last delivery. `open`: those that need a person, until somebody acts. */
export async function endsOnRecord(ledger: Ledger, now: number) {
  const canceledOrNew = await ledger.endedProjects(now - CANCELED_SHOWN_MS);
  const closeouts = (await ledger.closeouts()).map((closeout) => ({ ...closeout, kind: 'closed out' as const }));
  const fresh = canceledOrNew.filter(({ isNew }) => isNew);
  const shown = new Set(fresh.map(({ projectId }) => projectId));
  const earlier = [...closeouts, ...canceledOrNew.filter(({ kind }) => kind === 'canceled')].filter(
    ({ projectId }) => !shown.has(projectId),
  );
  const ids = [...fresh, ...earlier].map(({ projectId }) => projectId);
  const decisions = await ledger.decisionsOn(ids);
  const open = [...fresh, ...earlier].filter(
    (one) => one.askedAt === null && !one.isOvertaken && !decisions.has(one.projectId),
  );
  const withDecision = (one: EndedProject) => ({ ...one, decision: decisions.get(one.projectId) });
  return {
    fresh: fresh.map(withDecision),
    earlier: earlier.map(withDecision),
    open: new Set(open.map(({ projectId }) => projectId)),
  };
}

/** Of those that need a person. Only the first note has the sentence about all. */
export function endedNotes(groups: readonly EndedProjects[], fresh: readonly EndedProjects[] = []) {
  const open = groups.filter(({ isSettled }) => !isSettled);
  return open.map((group, index) => endedNote(group, fresh.includes(group), index === 0));
}

function endedNote(group: EndedProjects, isNew: boolean, isFirst: boolean) {
  const { kind, reason, quoted = reason, projects } = group;
  const what = ENDED[kind];
  const sinceOf = (at: number) => (isNew ? '' : `, since ${dayInWords(at)}`);
  const houses = projects.map(({ projectId, order, at }) => houseOf(order, projectId) + sinceOf(at));
  const [only, other] = projects;
  return {
    title:
      only !== undefined && other === undefined
        ? `${houseOf(only.order, only.projectId)}: ${what}${sinceOf(only.at)}`
        : `${projects.length} projects were ${what}`,
    detail: [
      quoted,
      ...(other === undefined ? [] : [listFirst(houses)]),
      firstStepAfterEnding(group),
      ...(isFirst ? [sentence('ended/then-decide')] : []),
    ].join(' '),
    command: `inspection-batch status${other === undefined ? ` ${only?.projectId ?? ''}` : ''}`,
  };
}

function fileNote({ project, orderId, order }: WatchedProject) {
  const giveUp =
    orderId === null ? `inspection-batch follow ${project.id} --stop` : `inspection-batch resolve ${orderId} --give-up`;
  const command = project.problem?.endsWith(NEXT_RUN_RETRIES) ? 'inspection-batch run' : giveUp;
  const title = `${houseOf(order, project.id)}, ${project.status}`;
  if (project.problem !== null) return [{ title, detail: project.problem, command }];
  return isClosedOutStatus(project.status) && project.fetch?.outcome === 'nothing-offered'
    ? [{ title, detail: sentence('ended/no-report'), command }]
    : [];
}

function formatDuration(ms: number) {
  if (ms < HOUR_MS) return 'less than an hour';
  const days = ms / DAY_MS;
  return days < 2 ? `${Math.round(days * 24)} h` : `${Number(days.toFixed(days < 10 ? 1 : 0))} days`;
}

const NAMED_MAX = 12;

/** `all`: the total, if `items` are only the first. */
export function listFirst(items: readonly string[], all = items.length) {
  return `${items.slice(0, NAMED_MAX).join('; ')}${all > NAMED_MAX ? `; and ${all - NAMED_MAX} more` : ''}.`;
}

export async function summarizeNotes({ overdue, atRisk, slow, withoutFiles }: ProjectNotes) {
  const brief = async (title: string, projects: CountedProjects<string>) => {
    const count = projects.length;
    if (count === 0) return [];
    const detail = listFirst(await projects.first(NAMED_MAX), count);
    return [{ title: `${formatCount(count, 'project')} ${title}`, detail }];
  };
  const due = ({ project, dueDate, status }: DueProject, { order }: WatchedProject) =>
    `${houseOf(order, project)}, due ${dateOf(dueDate)}, ${status}`;
  return [
    ...withoutFiles,
    ...(await brief('overdue', overdue.map(due))),
    ...(await brief('at risk of missing the due date', atRisk.map(due))),
    ...(await brief('longer in a status than usual', slow.map(describeSlow))),
  ];
}

const AGES = [
  ['under 3 days', 3],
  ['3 to 7 days', 8],
  ['8 to 14 days', 15],
  ['15 to 30 days', 31],
  ['over 30 days', Number.POSITIVE_INFINITY],
] as const;

export async function overviewOf(
  ledger: Ledger,
  now: number,
  files: ResultsOverview['files'],
): Promise<ResultsOverview> {
  const notes = await judgeWatchedProjects(ledger, now);
  const outstandingByAge = AGES.map(([name, below], index) => {
    const from = AGES[index - 1]?.[1] ?? -Infinity;
    const ofAge = [...notes.outstandingDays].filter(([days]) => days >= from && days < below);
    return { name, count: ofAge.reduce((sum, [, count]) => sum + count, 0) };
  });
  const { fresh, earlier, open } = await endsOnRecord(ledger, now);
  const ended = groupEnded(fresh, open);
  const wentBack = await ledger.waitingRows();
  const { held } = await ledger.orderCounts();
  return {
    today: notes.today,
    night: await ledger.nightCounts(),
    ended,
    stillEnded: groupEnded(
      earlier.filter(({ kind, projectId }) => kind === 'closed out' || open.has(projectId)),
      open,
    ),
    openRows: wentBack.reduce((sum, { rows }) => sum + rows, held),
    byStatus: (await ledger.statusCounts()).map(({ status: name, count }) => ({ name, count })),
    outstandingByAge,
    files,
    overdue: notes.overdue.map(({ project: projectId, ...facts }, { order }) => ({ ...facts, projectId, order })),
    needsPerson: [
      ...(await needsPerson(ledger)),
      ...endedNotes([...ended, ...groupEnded(earlier.filter(({ projectId }) => open.has(projectId)))], ended),
      ...(await summarizeNotes(notes)).slice(0, LISTED_MAX),
      ...wentBack.slice(0, LISTED_MAX).map(wentBackNote),
    ],
  };
}

const LISTED_MAX = 200;
const CANCELED_SHOWN_MS = 90 * DAY_MS;

async function needsPerson(ledger: Ledger) {
  return [
    ...(await ledger.ordersIn('held', 0, LISTED_MAX)).map((order) => ({
      title: `${houseOf(order.payload)} is held (order ${order.id})`,
      detail: order.reason ?? '',
    })),
    ...(await ledger.ordersIn('unresolved', 0, LISTED_MAX)).map((order) => ({
      title: `${houseOf(order.payload)} is unresolved (order ${order.id})`,
      detail: `${order.reason ?? ''} The next run searches for it.`,
    })),
  ];
}

function wentBackNote({ file, rows, corrections, since, pastDue, orderedElsewhere = 0 }: FileToFix) {
  const elsewhere = orderedElsewhere > 0 ? ` Past due, but ordered by another row: ${orderedElsewhere}.` : '';
  const late = (pastDue > 0 ? ` Past due: ${pastDue}.` : '') + elsewhere;
  const workbook = corrections ?? 'corrections/, once the next run has written their workbook';
  return {
    title: `${file}: ${formatCount(rows, 'row')} to fix`,
    detail: sentence('needs-person/fix', { day: dayInWords(since), late, workbook }),
  };
}

export function resolveLine({ id }: Pick<OrderRecord, 'id'>) {
  return `inspection-batch resolve ${id} --adopt ID | --resubmit | --abandon`;
}

export function dismissLine(subject: string) {
  return `inspection-batch resolve "${subject}" --dismiss`;
}
