import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'date-fns/format';
import { ExplainedError } from '../domain/errors.ts';
import type { Ledger, Step } from '../ledger/ledger.ts';
import type { OrderRecord } from '../ledger/order-record.ts';
import { latestAccount, openSqliteLedger } from '../ledger/sqlite/sqlite-ledger.ts';
import { systemClock } from '../ops/system-clock.ts';
import { workspaceAt } from '../ops/workspace.ts';
import { type CommandResult, EXIT } from './result.ts';
import { table } from './table.ts';

/** Without a question: what is outstanding, unresolved, held, overdue. With one: the whole story of the orders it may mean. */
export async function statusCommand(question: string | undefined, workspaceDir: string): Promise<CommandResult> {
  const path = join(workspaceAt(workspaceDir).state, 'ledger.sqlite');
  const account = existsSync(path) ? latestAccount(path) : null;
  if (account === null) {
    throw new ExplainedError('Nothing is on record here yet.', { exitCode: 2, hint: 'Name the workspace with --workspace, or run `inspection-batch run` first.' });
  }
  await using ledger = openSqliteLedger(path, { clock: systemClock, account });
  return question === undefined ? await overview(ledger) : await stories(question, ledger);
}

const LISTED_MAX = 50;

async function overview(ledger: Ledger): Promise<CommandResult> {
  const orders = await ledger.orderCounts();
  const projects = await ledger.projectCounts();
  const unresolved = (await ledger.ordersIn('unresolved', 0, LISTED_MAX)).map(briefly);
  const held = (await ledger.ordersIn('held', 0, LISTED_MAX)).map(briefly);
  const overdue = await overdueProjects(ledger);
  const text = [
    `Orders    ${words(orders)}`,
    `Projects  ${words(projects)}`,
    ...section('Unresolved: the next run searches for them', unresolved.map((order) => `  order ${order.order}  ${order.property}: ${order.reason ?? ''}`)),
    ...section('Held: a person has to decide', held.map((order) => `  order ${order.order}  ${order.property}: ${order.reason ?? ''}`)),
    ...section(
      'Overdue',
      overdue.length === 0 ? [] : [table(['Due', 'Project', 'Status', 'Property'], overdue.map((late) => [late.dueDate, late.project, late.status, late.property]))],
    ),
  ].join('\n');
  return { exitCode: EXIT.done, text, json: { orders, projects, unresolved, held, overdue, exitCode: EXIT.done } };
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', title, ...lines];
}

function words(counts: object): string {
  const some = Object.entries(counts).filter(([, count]) => count !== 0);
  return some.length === 0 ? 'none' : some.map(([name, count]) => `${String(count)} ${name}`).join(', ');
}

function briefly(order: OrderRecord) {
  return { order: order.id, property: propertyOf(order), reason: order.reason };
}

function propertyOf({ payload }: OrderRecord): string {
  return `${payload.streetAddress}, ${payload.city} ${payload.state}`;
}

async function overdueProjects(ledger: Ledger) {
  const today = format(systemClock.now(), 'yyyy-MM-dd');
  const overdue: { dueDate: string; project: string; status: string; property: string }[] = [];
  for await (const { project, order } of ledger.projectsForResults(true)) {
    const { dueDate } = order.payload;
    const isOpen = project.returnedAt === null && project.collectedAt === null && project.status !== 'Project Canceled';
    if (isOpen && dueDate !== undefined && dueDate < today) overdue.push({ dueDate, project: project.id, status: project.status, property: propertyOf(order) });
  }
  return overdue.toSorted((a, b) => (a.dueDate < b.dueDate ? -1 : 1));
}

async function stories(question: string, ledger: Ledger): Promise<CommandResult> {
  const orders = await ledger.findOrders(question);
  if (orders.length === 0) {
    throw new ExplainedError(`Nothing on record answers to "${question}".`, {
      exitCode: 2,
      hint: 'Ask for a policy number, an inspection number, a project id, an order number, or the name of a file.',
    });
  }
  const told = await Promise.all(orders.map(async (order) => ({ order, ...(await ledger.storyOf(order.id)) })));
  const json = { orders: told.map(({ order, rows, steps, project, artifacts }) => ({ order, project, rows: rows.map(rowBriefly), steps, artifacts })), exitCode: EXIT.done };
  const text = told.map(({ order, rows, steps, artifacts }) => tell(order, rows.map(rowBriefly), steps, artifacts.map((artifact) => artifact.path))).join('\n\n');
  return { exitCode: EXIT.done, text, json };
}

type StoredRow = Awaited<ReturnType<Ledger['storyOf']>>['rows'][number];

function rowBriefly(row: StoredRow) {
  const { sheet, rowNumber } = row.record.place;
  return { file: row.fileName, sheet, row: rowNumber, outcome: row.outcome, repairs: row.repairs, problems: row.problems.map((problem) => problem.message) };
}

function tell(order: OrderRecord, rows: readonly ReturnType<typeof rowBriefly>[], steps: readonly Step[], files: readonly string[]): string {
  const { payload } = order;
  const lines = [
    `Order ${order.id}: ${payload.serviceName} for ${payload.insuredName}, ${propertyOf(order)}`,
    `  policy ${payload.policyNumber ?? '(none)'}, inspection number ${payload.inspectionNumber ?? '(none)'}, project ${order.projectId ?? '(none)'}, ${order.state}`,
  ];
  for (const row of rows) {
    lines.push(`  ${row.outcome} from ${row.file}, ${row.sheet} row ${row.row}`);
    lines.push(...row.repairs.map((repair) => `    ${repair.field}: "${repair.held}" was sent as "${repair.sent}" (${repair.why})`));
    lines.push(...row.problems.map((problem) => `    ${problem}`));
  }
  for (const step of steps) lines.push(`  ${format(step.at, 'yyyy-MM-dd HH:mm:ss')}  ${step.subject} ${step.event}${detailOf(step)}`);
  lines.push(...files.map((file) => `  file ${file}`), `  Next: ${whatIsNext(order)}`);
  return lines.join('\n');
}

function detailOf(step: Step): string {
  const told = ['project', 'status', 'reason', 'problem', 'folder', 'kind', 'id'].flatMap((key) => {
    const value = step.detail?.[key];
    return typeof value === 'string' ? [`${key === 'reason' ? '' : `${key} `}${value}`] : [];
  });
  return told.length === 0 ? '' : `: ${told.join(', ')}`;
}

function whatIsNext(order: OrderRecord): string {
  switch (order.state) {
    case 'ready':
      return 'the next submission run sends it.';
    case 'submitting':
    case 'unresolved':
      return 'the next submission run searches for it; it is sent again only after that search and the quarantine.';
    case 'created':
    case 'linked':
      return 'follow-up runs collect its status and its report.';
    case 'held':
      return `a person decides (${order.reason ?? ''}): inspection-batch resolve ${order.id} --adopt ID | --resubmit | --abandon`;
    case 'refused':
      return 'its row is in a corrections workbook; fixed and dropped in the inbox, it becomes a new order.';
    case 'skipped':
    case 'abandoned':
      return 'nothing.';
  }
}
