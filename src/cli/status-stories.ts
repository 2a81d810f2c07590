import { dirname } from 'node:path';
import { CANCELABLE_STATUSES } from '../contract/document.ts';
import { localDay } from '../domain/day.ts';
import { isSettledProblem } from '../domain/project.ts';
import { messageInFile, type OrderPayload } from '../domain/row.ts';
import { formatCount } from '../domain/text.ts';
import { sentence } from '../domain/sentences.ts';
import type {
  Ledger,
  FileRecord,
  OrderStory,
  ProjectStory,
  RowStory,
  Step,
  OrderRecord,
  Ending,
  ProjectRecord,
  StoredArtifact,
  StoredRow,
  PolicyDetails,
  UpdateRecord,
} from '../ledger/ledger.ts';
import { describeEnding, dismissLine, houseOf, resolveLine } from '../results/deliver/overview.ts';
import { firstStepAfterEnding } from '../results/tables/ended.ts';
import { describeOutcome } from '../results/deliver/receipts.ts';
import { describeState } from '../results/tables/receipt.ts';
import { describePolicyDetails } from '../update/plan-update.ts';
import { resendTime } from '../submit/after-answer.ts';
import { titleOf } from '../submit/order-changes.ts';
import { andMore, countsInWords, inIsoTimes, localTime } from './terminal.ts';

export type StoryView = Readonly<{
  json: object;
  text: string;
}>;

export async function orderStory(order: OrderRecord, ledger: Ledger, quarantineMs: number) {
  const story = await ledger.storyOf(order.id);
  const { project, isGivenUp, steps, artifacts, attempts, updates } = story;
  const amended = project === null ? {} : await ledger.amendedDetails(project.id);
  const next = nextStep(order, {
    project,
    isGivenUp,
    updates,
    quarantineMs,
    ending: project === null ? undefined : (await ledger.endings([project.id])).get(project.id),
    isDecided: project !== null && (await ledger.decisionsOn([project.id])).size > 0,
    before: order.state === 'ready' ? await ledger.orderBefore(order.id) : null,
  });
  const rows = story.rows.map(rowBriefly);
  return {
    json: inIsoTimes({ order, amended, project, rows, attempts, updates, steps, artifacts, next }),
    text: describeOrderStory(order, story, rows, { amended, next }),
  };
}

export function projectStory({ project, details, orderIds, isGivenUp, steps, artifacts, updates }: ProjectStory) {
  const orders = orderIds.length === 0 ? 'made elsewhere, for no order here' : `of order ${orderIds.join(', ')}`;
  const next = isGivenUp ? nextOfGivenUp(project) : nextOfProject(project);
  const lines = [
    `Project ${project.id}: ${orders}, ${project.status}${isGivenUp ? ', given up' : ''}`,
    ...(details === null ? [] : [`  ${describeOrdered(details)}`, `  ${describeNumbers(details)}`]),
    ...describeHistory(steps, artifacts),
    `  Next: ${next}`,
  ];
  return {
    json: inIsoTimes({ project, details, orders: orderIds, isGivenUp, updates, steps, artifacts, next }),
    text: lines.join('\n'),
  };
}

function describeOrdered(payload: OrderPayload) {
  return `${payload.serviceName} for ${houseOf(payload)}`;
}

function describeNumbers({ policyNumber, inspectionNumber }: Pick<OrderPayload, 'policyNumber' | 'inspectionNumber'>) {
  return `policy ${policyNumber || '(none)'}, inspection number ${inspectionNumber || '(none)'}`;
}

function describeStep(step: Step, what = `${step.event}${detailOf(step)}`) {
  return `  ${localTime(step.at)}  ${step.subject} ${what}`;
}

/** The files of a day in one step, and those of a folder in one line; --json has each. */
function describeHistory(steps: readonly Step[], artifacts: readonly StoredArtifact[]) {
  const days = Map.groupBy(steps, (step) => (step.event === 'file stored' ? localDay(step.at) : step));
  const folders = Map.groupBy(artifacts, ({ path, lost }) => (lost === null ? dirname(path) : path));
  return [
    ...[...days.values()].map(([first, ...others]) =>
      describeStep(first as Step, others.length === 0 ? undefined : `files stored: ${others.length + 1}`),
    ),
    ...[...folders].map(([path, files]) => {
      const { lost = null } = files[0] ?? {};
      const kinds = countsOf(files.map(({ kind }) => kind)).map(([kind, count]) => formatCount(count, kind));
      return `  ${path} (${kinds.join(', ')})${lost === null ? '' : `: it ${lost}`}`;
    }),
  ];
}

function rowBriefly(row: StoredRow) {
  const { sheet, rowNumber } = row.record.place;
  const { fileName: file, outcome, repairs } = row;
  const problems = row.problems.map((problem) => messageInFile(problem, file));
  return { file, sheet, row: rowNumber, outcome, repairs, problems };
}

function describeOrderStory(
  order: OrderRecord,
  { project, steps, artifacts, attempts, rows: stored }: OrderStory,
  rows: readonly ReturnType<typeof rowBriefly>[],
  facts: Readonly<{ amended: PolicyDetails; next: string }>,
) {
  const { payload } = order;
  const lines = [
    `Order ${order.id}: ${describeOrdered(payload)}`,
    `  ${describeNumbers(payload)}, project ${order.projectId ?? '(none)'}, ${order.state}${project === null ? '' : `, ${project.status}`}`,
  ];
  if (Object.keys(facts.amended).length > 0) lines.push(`  amended to ${describePolicyDetails(facts.amended)}`);
  for (const [index, { outcome, file, sheet, row, repairs, problems }] of rows.entries()) {
    const numbers = describeNumbers(stored[index]?.summary ?? payload);
    const others = outcome === 'repeat' && numbers !== describeNumbers(payload) ? `: ${numbers}` : '';
    lines.push(
      `  ${outcome} from ${file}, ${sheet} row ${row}${others}`,
      ...repairs.map(({ field, held, sent, why }) => `    ${titleOf(field)}: "${held}" was read as "${sent}" (${why})`),
      ...problems.map((problem) => `    ${problem}`),
    );
  }
  for (const { number, sentAt, answeredAt, outcome, actor } of attempts) {
    const answer = answeredAt === null ? 'no answer on record' : `answered ${localTime(answeredAt)}: ${outcome ?? ''}`;
    lines.push(`  attempt ${number} by ${actor}: sent ${localTime(sentAt)}, ${answer}`);
  }
  lines.push(...describeHistory(steps, artifacts), `  Next: ${facts.next}`);
  return lines.join('\n');
}

const STEP_FACTS = [
  'project',
  'status',
  'reason',
  'problem',
  'folder',
  'kind',
  'id',
  'name',
  'as',
  'corrections',
  'decision',
  'comment',
  'policyNumber',
  'policyEffectiveDate',
] as const;

function detailOf(step: Step) {
  const facts = STEP_FACTS.flatMap((key) => {
    const value = step.detail?.[key];
    return typeof value === 'string'
      ? [
          `${/^(?:reason|name|decision|comment)$/.test(key) || step.event.startsWith(key) ? '' : `${key} `}${value === '' ? '(none)' : value}`,
        ]
      : [];
  });
  if (step.detail?.['adopted'] === true) facts.push('found by a search');
  return facts.length === 0 ? '' : `: ${facts.join(', ')}`;
}

type ListedRow = ReturnType<typeof listed>;

const LISTED_MAX = 500;
const OPEN_LISTED_MAX = 50;

export async function fileStory(file: FileRecord, ledger: Ledger) {
  const rows = [];
  const became: ReturnType<typeof becameOf>[] = [];
  for await (const standing of ledger.rowsOf(file.id)) {
    rows.push(listed(standing));
    became.push(becameOf(standing, await describeOutcome(standing, ledger)));
  }
  const corrections = await ledger.correctionsOf(file.id);
  const receipts = await ledger.receiptsOf([file.id]);
  const { name, sender, hash, recordedAt, rowsAccepted, rowsRejected, archivedAs, notes } = file;
  const sums = countsOf(rows.map(({ standing }) => standing)).map(([standing, count]) => ({ standing, count }));
  const ofProjects = new Map(
    became.filter(({ isOrder }) => isOrder).map(({ project, status }) => [project, status]),
  ).values();
  const statuses = countsOf([...ofProjects].filter((one) => one !== null)).map(([status, count]) => ({
    status,
    count,
  }));
  const [open = [], others = []] = [true, false].map((isOpen) =>
    became.filter(({ openSince }) => (openSince !== null) === isOpen),
  );
  const toFix = [...new Set(open.flatMap((one) => one.corrections ?? []))];
  const decided = notes.find(({ code }) => code === 'decisions-taken' || code === 'no-new-decision');
  const text = [
    `File ${name}: ${decided?.text.replace(/\.$/, '') ?? formatCount(rows.length, 'row')}, on record since ${localTime(recordedAt)}`,
    ...(rows.length === 0
      ? []
      : [`  rows: ${countsInWords(Object.fromEntries(countsOf(became.map(({ state }) => state))))}`]),
    ...(statuses.length === 0
      ? []
      : [`  projects: ${statuses.map(({ status, count }) => `${count} ${status}`).join(', ')}`]),
    `  archived as ${archivedAs ?? '(not yet)'}${toFix.length > 0 ? `, rows to fix in ${toFix.join(', ')}` : corrections === null ? '' : `, its corrections workbook is ${corrections}`}`,
    ...receipts.map((path) => `  receipt: ${path}`),
    ...notes.filter((one) => one !== decided).map(({ text }) => `  note: ${text}`),
    ...(open.length === 0 ? [] : ['  To do:']),
    ...open.slice(0, OPEN_LISTED_MAX).flatMap((one) => [becameInWords(one), `      ${one.command}`]),
    ...andMore(open.length, OPEN_LISTED_MAX),
    ...(became.length === open.length ? [] : ['  The other rows:']),
    ...others.slice(0, LISTED_MAX).map(becameInWords),
    ...andMore(others.length, LISTED_MAX),
  ].join('\n');
  return {
    text,
    orderIds: [...new Set(rows.flatMap(({ order, replacedBy }) => replacedBy?.order ?? order ?? []))],
    json: inIsoTimes({
      name,
      sender,
      hash,
      recordedAt,
      rowsAccepted,
      rowsRejected,
      archivedAs,
      corrections: toFix[0] ?? corrections,
      receipt: receipts[0] ?? null,
      receipts,
      notes: notes.map(({ text }) => text),
      noteCodes: notes.map(({ code }) => code),
      sums,
      statuses,
      forPerson: open.map(({ sheet, row, command }) => ({ sheet, row, command })),
      rows,
    }),
  };
}

export function rowStory(found: RowStory) {
  const row = listed(found);
  const { fileName, summary } = found.row;
  const lines = [
    `Row ${row.row} of ${row.sheet === fileName ? fileName : `${fileName}, ${row.sheet}`}: ${describeStanding(row)}`,
    `  ${houseOf(summary)}, ${describeNumbers(summary)}`,
    ...row.problems.map((problem) => `  ${problem}`),
    `  Next: ${nextOfRow(row, fileName)}`,
  ];
  return { text: lines.join('\n'), json: inIsoTimes({ file: fileName, ...summary, ...row }) };
}

function nextOfRow(row: ListedRow, file: string) {
  const { openSince, replacedBy, corrections } = row;
  if (openSince !== null)
    return sentence(corrections === null ? 'next-step/later' : 'next-step/fix', {
      workbook: corrections ?? '',
      command: commandOf(row, file),
    });
  if (replacedBy === null) return sentence('next-step/closed');
  return sentence('next-step/story', { of: replacedBy.order ?? `"${replacedBy.file}"` });
}

function countsOf(all: readonly string[]) {
  const groups = [...Map.groupBy(all, (one) => one)].map(([one, same]) => [one, same.length] as const);
  return groups.toSorted(([, a], [, b]) => b - a);
}

/**
 * The outcome of a row, as its receipt shows it. `openSince` and `command` are those of the latest row that replaced
 * it.
 */
function becameOf(standing: RowStory, outcome: Awaited<ReturnType<typeof describeOutcome>>) {
  const { place } = standing.row.record;
  const last = listed(outcome.last);
  const { summary } = standing.row;
  return {
    sheet: place.sheet,
    row: place.rowNumber,
    house: houseOf(summary),
    state: describeState(outcome),
    isOrder: outcome.last.row.outcome === 'order',
    project: last.project,
    status: last.status,
    corrections: last.corrections,
    story: outcome.story.replaceAll('\n', ' '),
    openSince: last.openSince,
    command: commandOf(last, outcome.last.row.fileName),
  };
}

function becameInWords({ sheet, row, house, state, story }: ReturnType<typeof becameOf>) {
  return `    ${sheet} row ${row}, ${house}: ${state}. ${story}`;
}

function commandOf({ order, state, sheet, row }: ListedRow, file: string) {
  return order !== null && state === 'held' ? resolveLine({ id: order }) : dismissLine(`${file}:${sheet}:${row}`);
}

function describeStanding({ standing, replacedBy, dismissedAt }: ListedRow) {
  const words = standing.replaceAll('-', ' ');
  if (replacedBy !== null) return replacedBy.order === null ? words : `${words}: order ${replacedBy.order}`;
  return dismissedAt === null ? words : `${words} ${localTime(dismissedAt)}`;
}

function listed(standing: RowStory) {
  const { row, orderState, projectId, status, openSince, dismissedAt, corrections, replacedBy } = standing;
  const { sheet, rowNumber } = row.record.place;
  return {
    sheet,
    row: rowNumber,
    outcome: row.outcome,
    standing: standingOf(standing),
    order: row.orderId,
    state: orderState,
    project: projectId,
    status,
    property: row.summary.streetAddress,
    problems: row.problems.map((problem) => messageInFile(problem, row.fileName)),
    replacedBy:
      replacedBy === null
        ? null
        : {
            file: replacedBy.fileName,
            sheet: replacedBy.record.place.sheet,
            row: replacedBy.record.place.rowNumber,
            order: replacedBy.isOrdered ? replacedBy.orderId : null,
          },
    corrections,
    openSince,
    dismissedAt,
  };
}

function standingOf({ row: { outcome }, orderState, replacedBy, openSince, dismissedAt }: RowStory) {
  if (replacedBy !== null) return replacedBy.isOrdered ? 'fixed' : 'came-again';
  if (dismissedAt !== null) return 'dismissed';
  if (openSince !== null && orderState !== 'held') return 'to-fix';
  if (outcome === 'rejection') return 'went-back';
  return outcome === 'repeat' ? 'repeat' : (orderState ?? 'went-back');
}

type NextGrounds = Readonly<{
  project: ProjectRecord | null;
  isGivenUp?: boolean;
  updates: readonly UpdateRecord[];
  quarantineMs: number;
  ending?: Ending | undefined;
  isDecided?: boolean;
  before?: OrderRecord | null;
}>;

export function nextStep(order: OrderRecord, grounds: NextGrounds) {
  const open = grounds.updates.find(({ state }) => state === 'open');
  const first = open === undefined ? '' : sentence('next-step/first', { kind: open.request.kind });
  return `${first}${nextOf(order, grounds)}`;
}

function nextOf(
  order: OrderRecord,
  { project, isGivenUp, quarantineMs, ending, isDecided, before = null }: NextGrounds,
) {
  const { id, state, reason } = order;
  if (state === 'created' || state === 'linked') {
    if (project === null) return sentence('next-step/project-unknown');
    return isGivenUp ? nextOfGivenUp(project) : nextOfProject(project, ending, isDecided);
  }
  if (state === 'ready' && before !== null) return sentence('next-step/waits', { id: before.id, state: before.state });
  const resend = state === 'unresolved' ? resendInWords(order, quarantineMs) : '';
  return sentence(`next-step/order-${state}`, { id, reason: reason ?? '', resolve: resolveLine(order), resend });
}

function resendInWords(order: OrderRecord, quarantineMs: number) {
  const from = resendTime(order, quarantineMs);
  if (from === null) return sentence('next-step/searched');
  return sentence(order.allowDuplication ? 'next-step/proven' : 'next-step/absent', { from: localTime(from) });
}

function nextOfGivenUp({ id }: ProjectRecord) {
  return sentence('next-step/unfollowed', { id });
}

function nextOfEnded(kind: 'canceled' | 'closed out', ending: Ending, isDecided: boolean) {
  const reason = describeEnding(ending);
  return isDecided || ending.isOvertaken
    ? sentence('next-step/settled', { kind, reason })
    : sentence('next-step/ended-without', { kind, reason, first: firstStepAfterEnding({ kind, reason }) });
}

function nextOfProject(project: ProjectRecord, ending?: Ending, isDecided = false) {
  const { id, status, collectedAt, returnedAt, problem, problemCode } = project;
  switch (status) {
    case 'Project Canceled':
      if (ending === undefined) return 'nothing. The project is canceled.';
      if (ending.askedAt === null) return nextOfEnded('canceled', ending, isDecided);
      return sentence(ending.isOvertaken ? 'next-step/canceled' : 'next-step/canceled-again', {
        ending: describeEnding(ending),
      });
    case 'Client Received':
      if (collectedAt !== null) return 'nothing. It is received.';
      return problem === null ? sentence('next-step/offered') : sentence('next-step/not-offered', { problem });
    case 'Receive Error':
      return sentence('next-step/error');
    default:
      break;
  }
  if (!isSettledProblem(problemCode)) return sentence('next-step/tried-again', { problem: problem ?? '' });
  if (collectedAt !== null && ending !== undefined) return nextOfEnded('closed out', ending, isDecided);
  if (collectedAt !== null && status === 'Returned to Client') return sentence('next-step/receive', { id });
  if (collectedAt !== null) return sentence('next-step/here');
  if (returnedAt !== null || status === 'Returned to Client') return sentence('next-step/returned');
  return sentence(CANCELABLE_STATUSES.includes(status) ? 'next-step/cancelable' : 'next-step/followed', { id });
}
