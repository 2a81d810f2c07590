import { differenceInDays } from 'date-fns/differenceInDays';
import { format } from 'date-fns/format';
import { CANCELABLE_STATUSES } from '../contract/document.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { EndedProject } from '../ledger/deliveries.ts';
import type { WaitingRows } from '../ledger/corrections.ts';
import type { Closeout, UsualStay, WatchedProject } from '../ledger/projects.ts';
import type { EndedProjects, ResultsOverview } from '../results/model.ts';

/** A project that has been in its status for longer than is usual. Times in ms. */
export interface SlowProject {
  readonly project: string;
  readonly property: string;
  readonly status: string;
  readonly lastedMs: number;
  readonly usualMs: number;
}

/** A due date that is over, or that will hardly be met. */
export interface DueProject {
  readonly dueDate: string;
  readonly project: string;
  readonly status: string;
  readonly property: string;
  /** When projects in this status usually come back (ms since the epoch); null where too few have been seen. */
  readonly expectedAt: number | null;
  /** The first of its orders; null for a project that was made elsewhere. */
  readonly orderId: number | null;
  /** Since when it has this status (ms since the epoch). */
  readonly statusAt: number;
  /** How far it has come, and for how long it has stood there. */
  readonly why: string;
}

/** What a person should look at, and the command for it. */
export interface PersonNote {
  readonly title: string;
  readonly detail: string;
  readonly command: string;
}

/** What can be said of the followed projects besides where they stand. */
export interface ProjectNotes {
  readonly overdue: readonly DueProject[];
  readonly atRisk: readonly DueProject[];
  readonly slow: readonly SlowProject[];
  /** Inspections that did not take place, as long as nobody has dealt with them. */
  readonly closedOut: readonly PersonNote[];
  /** Files that do not come. */
  readonly withoutFiles: readonly PersonNote[];
}

/** The inspection is done with, whether or not its files were seen here. */
const OVER: ReadonlySet<string> = new Set(['Client Received', 'Receive Error']);
const DAY_MS = 24 * 60 * 60 * 1000;
/** A median of fewer stays says nothing. */
const STAYS_MIN = 8;
/** Longer than usual: so many times the median, and a day more. */
const SLOW_TIMES = 2;
/** Where nothing is known of how long it takes, a due date this near is at risk, as long as nobody has inspected the property. */
const NEAR_DAYS = 3;

/** What stands out among the followed projects: overdue, slow, without their files, closed out and not dealt with. */
export async function notesOn(ledger: Pick<Ledger, 'watchedProjects' | 'usualStays' | 'closeouts'>, now: number): Promise<ProjectNotes> {
  const [watched, stays, closeouts] = await Promise.all([ledger.watchedProjects(), ledger.usualStays(), ledger.closeouts()]);
  return projectNotes({ watched, stays, closeouts, now, today: format(now, 'yyyy-MM-dd') });
}

/**
 * Judges the followed projects against what is usual: a pure function of what is on record. `today` (`YYYY-MM-DD`) is the local day of
 * `now`: due dates are days, and are over when the day is.
 */
export function projectNotes(recorded: { readonly watched: readonly WatchedProject[]; readonly stays: readonly UsualStay[]; readonly closeouts: readonly Closeout[]; readonly now: number; readonly today: string }): ProjectNotes {
  const { watched, now, today, closeouts } = recorded;
  const usual = new Map(recorded.stays.filter(({ stays }) => stays >= STAYS_MIN).map((stay) => [stay.status, stay]));
  const underWay = watched.filter(({ project }) => project.returnedAt === null && project.collectedAt === null && !OVER.has(project.status));
  const due = underWay.flatMap((one) => dueOf(one, usual.get(one.project.status), now)).toSorted((a, b) => (a.dueDate < b.dueDate ? -1 : 1));
  const closedOut = new Set(closeouts.map(({ projectId }) => projectId));
  return {
    overdue: due.filter(({ dueDate }) => dueDate < today),
    atRisk: due.filter(({ dueDate, expectedAt, status }) => dueDate >= today && isAtRisk(dueDate, expectedAt, now, status)),
    slow: underWay.flatMap((one) => slowOf(one, usual.get(one.project.status), now)).toSorted((a, b) => b.lastedMs / b.usualMs - a.lastedMs / a.usualMs),
    closedOut: closeouts.map(closeoutNote),
    withoutFiles: watched.filter(({ project }) => !closedOut.has(project.id)).flatMap(fileNote),
  };
}

function dueOf({ project, orderId, property, dueDate }: WatchedProject, usual: UsualStay | undefined, now: number): readonly DueProject[] {
  if (dueDate === null) return [];
  const toReturnMs = usual?.toReturnMs ?? null;
  const expectedAt = toReturnMs === null ? null : Math.max(now, project.statusAt + toReturnMs);
  const ordered = `Ordered ${inWords(now - project.firstSeenAt)} ago${isOrderedLate(project.firstSeenAt, dueDate) ? ', after its due date' : ''}.`;
  const why = `${standingInWords(project, usual, now)} ${ordered}`;
  return [{ dueDate, project: project.id, status: project.status, property, expectedAt, orderId, statusAt: project.statusAt, why }];
}

function isOrderedLate(orderedAt: number, dueDate: string): boolean {
  return orderedAt >= Date.parse(`${dueDate}T00:00:00Z`) + DAY_MS;
}

/** Statuses after the inspection and before the report. */
const INSPECTED: ReadonlySet<string> = new Set(['Site Inspected', 'Selfapp Uploaded', 'Image Uploaded']);

function standingInWords({ status, statusAt }: WatchedProject['project'], usual: UsualStay | undefined, now: number): string {
  const usually = usual === undefined ? '' : `, where projects usually stay ${inWords(usual.stayMs)}`;
  const lasted = `${status} for ${inWords(now - statusAt)}${usually}.`;
  if (status === 'Project Rework') return `It is being reworked: ${lasted}`;
  if (CANCELABLE_STATUSES.includes(status)) return `Not inspected yet: ${lasted}`;
  return INSPECTED.has(status) ? `Inspected, and the report is still to come: ${lasted}` : lasted;
}

function isAtRisk(dueDate: string, expectedAt: number | null, now: number, status: string): boolean {
  const dayEnds = Date.parse(`${dueDate}T00:00:00Z`) + DAY_MS;
  return expectedAt === null ? CANCELABLE_STATUSES.includes(status) && dayEnds - now <= (NEAR_DAYS + 1) * DAY_MS : expectedAt > dayEnds;
}

function slowOf({ project, property }: WatchedProject, usual: UsualStay | undefined, now: number): readonly SlowProject[] {
  if (usual === undefined) return [];
  const lastedMs = now - project.statusAt;
  const isSlow = lastedMs > SLOW_TIMES * usual.stayMs && lastedMs > usual.stayMs + DAY_MS;
  return isSlow ? [{ project: project.id, property, status: project.status, lastedMs, usualMs: usual.stayMs }] : [];
}

function closeoutNote({ projectId, order: { streetAddress, city, state }, reasons }: Closeout): PersonNote {
  return {
    title: `Project ${projectId} was closed out (${streetAddress}, ${city} ${state})`,
    detail: `${reasonInWords(reasons)} ${REORDER}`,
    command: `inspection-batch status ${projectId}`,
  };
}

function reasonInWords(reasons: readonly string[]): string {
  return reasons.length === 0 ? 'The service gave no reason.' : reasons.join(' ');
}

/** Projects that ended without an inspection, by kind and reason: the most projects first. */
export function grouped(ended: readonly EndedProject[]): readonly EndedProjects[] {
  const groups = Map.groupBy(ended, ({ kind, reasons }) => `${kind}: ${reasonInWords(reasons)}`);
  const each = [...groups.values()].map((projects) => ({ kind: projects[0]?.kind ?? 'closed out', reason: reasonInWords(projects[0]?.reasons ?? []), projects }));
  return each.toSorted((a, b) => b.projects.length - a.projects.length);
}

/** One note for each kind and reason. */
function endedNote({ kind, reason, projects }: EndedProjects): PersonNote {
  const those = projects.length === 1 ? '1 project was' : `${projects.length} projects were`;
  return { title: `${those} ${kind === 'canceled' ? 'canceled on the service’s side' : 'closed out without an inspection'}`, detail: `${reason} ${named(projects.map(({ projectId }) => projectId))} ${REORDER}`, command: 'inspection-batch status' };
}

const REORDER = 'To order one again, put its row into the inbox with Yes under “Allow duplicate”; otherwise tell the agent.';

/** Why the files of a project are not here, or not offered at all. */
function fileNote({ project, orderId, property }: WatchedProject): readonly PersonNote[] {
  const command = orderId === null ? `inspection-batch follow ${project.id} --stop` : `inspection-batch resolve ${orderId} --give-up`;
  const title = `Project ${project.id}, ${project.status} (${property})`;
  if (project.problem !== null) return [{ title, detail: project.problem, command }];
  const isClosedOut = /close[d]?\s?out/i.test(project.status);
  return isClosedOut && project.fetch?.outcome === 'nothing-offered' ? [{ title, detail: `It is closed out and offers no report: ask the service why. ${REORDER}`, command }] : [];
}

/** Days with one decimal, or hours below two days. */
export function inWords(ms: number): string {
  const days = ms / DAY_MS;
  return days < 2 ? `${Math.round(days * 24)} h` : `${days.toFixed(days < 10 ? 1 : 0)} days`;
}

const NAMED_MAX = 12;

function named(items: readonly string[]): string {
  return `${items.slice(0, NAMED_MAX).join(', ')}${items.length > NAMED_MAX ? `, and ${items.length - NAMED_MAX} more` : ''}.`;
}

/** The same as notes for a page that has no room for each: each that misses its files, then one for the overdue, one for those at risk, one for the slow. */
export function notesInBrief({ overdue, atRisk, slow, withoutFiles }: Omit<ProjectNotes, 'closedOut'>): readonly PersonNote[] {
  const brief = (title: string, items: readonly string[]): readonly PersonNote[] =>
    items.length === 0 ? [] : [{ title: `${items.length} ${items.length === 1 ? 'project' : 'projects'} ${title}`, detail: named(items), command: 'inspection-batch status' }];
  return [
    ...withoutFiles,
    ...brief('overdue', overdue.map(({ project, dueDate, status }) => `${project} (due ${dueDate}, ${status})`)),
    ...brief('at risk of missing the due date', atRisk.map(({ project, dueDate, status }) => `${project} (due ${dueDate}, ${status})`)),
    ...brief('longer in a status than usual', slow.map(({ project, status, lastedMs, usualMs }) => `${project} (${status} for ${inWords(lastedMs)}, usually ${inWords(usualMs)})`)),
  ];
}

const AGES = [
  { age: 'under 3 days', below: 3 },
  { age: '3 to 7 days', below: 8 },
  { age: '8 to 14 days', below: 15 },
  { age: '15 to 30 days', below: 31 },
  { age: 'over 30 days', below: Number.POSITIVE_INFINITY },
] as const;

/** What the results tell of all that is on record, whatever they show: where it stands, what is overdue, what needs a person. `now` in ms since the epoch. */
export async function overviewOf(ledger: Ledger, now: number, files: ResultsOverview['files']): Promise<ResultsOverview> {
  const outstanding = (await ledger.watchedProjects()).map(({ project }) => project).filter((project) => project.returnedAt === null && project.collectedAt === null);
  const ages = outstanding.map((project) => differenceInDays(now, project.firstSeenAt));
  const outstandingByAge = AGES.map(({ age, below }, index) => ({
    age,
    count: ages.filter((days) => days < below && days >= (AGES[index - 1]?.below ?? Number.NEGATIVE_INFINITY)).length,
  }));
  const notes = await notesOn(ledger, now);
  const ended = grouped(await ledger.endedProjects());
  const wentBack = await ledger.waitingRows();
  const { held } = await ledger.orderCounts();
  return {
    night: await ledger.nightCounts(),
    ended,
    closedOut: grouped((await ledger.closeouts()).map((closeout) => ({ ...closeout, kind: 'closed out' }))),
    openRows: wentBack.reduce((sum, { rows }) => sum + rows, held),
    stages: await stagesOf(ledger),
    byStatus: await ledger.statusCounts(),
    outstandingByAge,
    files,
    overdue: await overdueProjects(ledger, notes),
    needsPerson: [...(await needsPerson(ledger)), ...ended.map(endedNote), ...notesInBrief(notes).slice(0, LISTED_MAX), ...wentBack.slice(0, LISTED_MAX).map(wentBackNote)],
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

/** Each with what its order says of it, the longest overdue first. */
async function overdueProjects(ledger: Ledger, { overdue }: ProjectNotes): Promise<ResultsOverview['overdue']> {
  const listed = [];
  for (const { project, orderId, dueDate, status, statusAt, why } of overdue) {
    const order = orderId === null ? (await ledger.storyOfProject(project))?.details : (await ledger.order(orderId))?.payload;
    if (order) listed.push({ projectId: project, order, dueDate, status, statusAt, why });
  }
  return listed;
}

/** Rows that somebody has to fix, with the workbook that holds them. */
function wentBackNote({ file, rows, corrections, since }: WaitingRows): PersonNote {
  const workbook = corrections ?? 'corrections/, once the next run has written their workbook';
  return {
    title: `${rows} ${rows === 1 ? 'row' : 'rows'} of ${file} to fix`,
    detail: `Open since ${format(since, 'yyyy-MM-dd')}, in ${workbook}: fix them there and drop that file in the inbox.`,
    command: `inspection-batch resolve "${corrections ?? file}" --dismiss`,
  };
}
