import { differenceInCalendarDays } from 'date-fns/differenceInCalendarDays';
import { templateTexts } from '../contract/template-data.ts';
import { dayInWords } from '../domain/day.ts';
import { formatCount, upperFirst } from '../domain/text.ts';
import { sentence } from '../domain/sentences.ts';
import type { Ledger, LayoutRecord, FileToFix, News, NewsKind } from '../ledger/ledger.ts';
import { holdsFile, nameOfAsked } from '../domain/layout.ts';
import { parseRepeatNewsSubject } from '../ledger/store.ts';
import { houseAndAgent, listFirst } from '../results/deliver/overview.ts';
import { ENDED, firstStepAfterEnding } from '../results/tables/ended.ts';
import { describeOrderChanges, describeChoice, changeChoices } from '../submit/order-changes.ts';

const LISTED_MAX = 20;

/** What to say of each other kind, before its subject. */
const others = templateTexts('messages/news');

/** With a reminder if rows have been open for `remindAfterDays` calendar days (null: never) since the last one. */
export async function pendingNews(ledger: Ledger, now: number, remindAfterDays: number | null) {
  const isPast = (at: number) => remindAfterDays !== null && differenceInCalendarDays(now, at) >= remindAfterDays;
  const since = [
    ...(await ledger.waitingRows()).map((rows) => rows.since),
    ...(await ledger.openQuestions()).map(({ askedAt }) => askedAt),
  ];
  if (since.some(isPast) && isPast((await ledger.lastReportedAt('still-open')) ?? 0))
    await ledger.addNews('still-open', '');
  return ledger.openNews();
}

export async function describeNews(
  news: readonly News[],
  { run, now, ledger }: { run: string; now: number; ledger: Ledger },
) {
  const ofKind = (...kinds: readonly NewsKind[]) => news.filter(({ kind }) => kinds.includes(kind));
  const fileIds = new Set(ofKind('rows-went-back').map(({ subject }) => subject));
  const refused = await ledger.placesOfOrders(ofKind('order-refused').map(({ subject }) => Number(subject)));
  const fileNames = new Set([...refused.values()].map((place) => place.file));
  const isReminder = ofKind('still-open').length > 0;
  const waiting =
    news.length === 0
      ? []
      : (await ledger.waitingRows()).filter(
          ({ fileId, file }) => isReminder || fileIds.has(String(fileId)) || fileNames.has(file),
        );
  const asked = new Set(ofKind('layout-asked').map(({ subject }) => subject));
  const questions =
    isReminder || asked.size > 0
      ? (await ledger.openQuestions()).filter(({ id }) => isReminder || asked.has(String(id)))
      : [];
  const more = waiting.length - LISTED_MAX;
  const rest = Object.entries(others()).flatMap(([kind, words]) =>
    ofKind(kind as NewsKind)
      .slice(0, LISTED_MAX)
      .map((one) => `${words} ${one.subject}${whenReported([one], run)}`),
  );
  return [
    ...waiting.slice(0, LISTED_MAX).map((entry) => describeWaiting(entry, now)),
    ...(more > 0 ? [sentence('news/more-files', { more })] : []),
    ...questions.slice(0, LISTED_MAX).map(describeQuestion),
    ...(await describeEnds(ofKind('project-canceled', 'closed-out'), run, ledger)),
    ...(await describeRepeats(ofKind('repeat-not-ordered'), run, ledger)),
    ...rest,
  ];
}

export function describeQuestion({ file, question, workbook, askedAt }: LayoutRecord) {
  const { columns = [] } = question ?? {};
  const names = columns.map(nameOfAsked).join(', ');
  const held = holdsFile({ columns }) ? sentence('news/question-held') : '';
  const where = workbook ?? sentence('news/question-shown');
  return sentence('news/question', { file, day: dayInWords(askedAt), names, held, where });
}

async function describeRepeats(repeats: readonly News[], run: string, ledger: Ledger) {
  return Promise.all(
    [...Map.groupBy(repeats, ({ subject }) => parseRepeatNewsSubject(subject).reason)].map(async ([reason, some]) => {
      const names = await Promise.all(
        some.slice(0, LISTED_MAX).map(async ({ subject }) => {
          const { orderId } = parseRepeatNewsSubject(subject);
          const order = await ledger.order(orderId);
          return order?.projectId == null ? `order ${orderId}` : houseAndAgent(order.payload, order.projectId);
        }),
      );
      const more = some.length > names.length ? ` and ${some.length - names.length} more` : '';
      return sentence('news/repeats', {
        reason: sentence(`repeat-not-ordered/${reason}`),
        names: names.join('; ') + more,
        when: whenReported(some, run),
      });
    }),
  );
}

async function describeEnds(ends: readonly News[], run: string, ledger: Ledger) {
  if (ends.length === 0) return [];
  const ended = await ledger.endedProjects(Math.min(...ends.map(({ at }) => at)) - 1);
  const known = new Map(ended.map((one) => [one.projectId, one]));
  const decided = await ledger.decisionsOn(ends.map(({ subject }) => subject));
  const isOpen = ({ subject, run: seenIn }: News) =>
    seenIn === run || !(decided.has(subject) || known.get(subject)?.isOvertaken === true);
  const reasonOf = ({ kind, subject }: News) =>
    kind === 'closed-out' ? (known.get(subject)?.reasons.join(' ') ?? '') : '';
  const nameOf = ({ subject }: News) => {
    const order = known.get(subject)?.order;
    return order === undefined ? `project ${subject}` : houseAndAgent(order, subject);
  };
  const dayOf = ({ at, run: seenIn }: News) => (seenIn === run ? '' : ` on ${dayInWords(at)}`);
  return [...Map.groupBy(ends.filter(isOpen), (one) => `${one.kind}${dayOf(one)} ${reasonOf(one)}`).values()].map(
    (some) => {
      const [first] = some as [News];
      const kind = first.kind === 'closed-out' ? 'closed out' : 'canceled';
      const reason = reasonOf(first);
      return [
        `${upperFirst(ENDED[kind])}${dayOf(first)}: ${listFirst(some.map(nameOf))}`,
        reason,
        firstStepAfterEnding({ kind, reason }),
      ]
        .filter(Boolean)
        .join(' ');
    },
  );
}

function whenReported(news: readonly News[], run: string) {
  const earlier = news.find((one) => one.run !== run);
  return earlier === undefined ? '' : ` (${dayInWords(earlier.at)}, by an earlier run)`;
}

export function describeWaiting(
  { file, rows, corrections, since, pastDue, orderedElsewhere = 0 }: FileToFix,
  now: number,
) {
  const where = corrections ?? 'the next run writes their workbook';
  const days = differenceInCalendarDays(now, since);
  const age = days < 1 ? '' : `, for ${formatCount(days, 'day')}`;
  const elsewhere = orderedElsewhere > 0 ? `, ${orderedElsewhere} ordered by another row` : '';
  const late = (pastDue > 0 ? `, ${pastDue} past due` : '') + elsewhere;
  return sentence('news/waiting', { rows: formatCount(rows, 'row'), file, day: dayInWords(since), age, late, where });
}

type ChangedEntry = Readonly<Awaited<ReturnType<typeof changedEntries>>[number]>;

export async function changedEntries(ledger: Ledger, limit: number, since?: number) {
  const entries = [];
  for (const { orderId, projectId, status, at, place, ...changed } of await ledger.changedOrders(limit, since)) {
    const order = at < (since ?? 0) ? null : await ledger.order(orderId);
    const amended: Readonly<Record<string, string>> =
      projectId === null ? {} : { ...(await ledger.amendedDetails(projectId)) };
    // An amendment since then decided it.
    const changes = changed.changes.filter(({ field, ordered }) => (amended[field] ?? ordered) === ordered);
    if (order === null || changes.length === 0) continue;
    const choices = changeChoices(changes, order, status).map((choice) => {
      return { kind: choice.kind, text: describeChoice(choice) };
    });
    const { file, sheet, rowNumber: row } = place;
    entries.push({ order: orderId, project: projectId, status, file, sheet, row, changes, choices });
  }
  return entries;
}

export function describeChanges(entry: ChangedEntry) {
  return `${describeChanged(entry)} ${entry.choices.map(({ text }) => text).join(' ')}`;
}

export function describeChanged({ project, changes, ...entry }: ChangedEntry) {
  const named = project === null ? '' : ` (project ${project})`;
  const { order, file, sheet, row } = entry;
  return sentence('news/changed', { order, project: named, file, sheet, row, changes: describeOrderChanges(changes) });
}
