import type { Ledger } from '../../ledger/ledger.ts';
import type { Step } from '../../ledger/store.ts';
import type { StoredRow } from '../../ledger/rows.ts';
import type { OrderRecord } from '../../ledger/orders.ts';
import type { OrderStory } from '../../ledger/history.ts';
import type { PolicyDetails } from '../../ledger/updates.ts';
import { detailsInWords } from '../../update/plan-update.ts';
import { localTime } from './local-time.ts';
import { whatIsNext } from './what-is-next.ts';

/** One order's whole story, as a document and as text. */
export interface ToldOrder {
  readonly json: object;
  readonly text: string;
}

export async function tellOrder(order: OrderRecord, ledger: Ledger, quarantineMs: number): Promise<ToldOrder> {
  const story = await ledger.storyOf(order.id);
  const { project, steps, artifacts, attempts, updates } = story;
  const amended = project === null ? {} : await ledger.amendedDetails(project.id);
  const next = whatIsNext(order, { project, updates, quarantineMs, before: order.state === 'ready' ? await ledger.orderBefore(order.id) : null });
  const rows = story.rows.map(rowBriefly);
  return { json: { order, amended, project, rows, attempts, updates, steps, artifacts, next }, text: inWords(order, story, rows, { amended, next }) };
}

function rowBriefly(row: StoredRow) {
  const { sheet, rowNumber } = row.record.place;
  return { file: row.fileName, sheet, row: rowNumber, outcome: row.outcome, repairs: row.repairs, problems: row.problems.map((problem) => problem.message) };
}

function inWords(order: OrderRecord, { project, steps, artifacts, attempts }: OrderStory, rows: readonly ReturnType<typeof rowBriefly>[], told: { readonly amended: PolicyDetails; readonly next: string }): string {
  const { payload } = order;
  const lines = [
    `Order ${order.id}: ${payload.serviceName} for ${payload.insuredName}, ${payload.streetAddress}, ${payload.city} ${payload.state}`,
    `  policy ${payload.policyNumber ?? '(none)'}, inspection number ${payload.inspectionNumber ?? '(none)'}, project ${order.projectId ?? '(none)'}, ${order.state}${project === null ? '' : `, ${project.status}`}`,
  ];
  if (Object.keys(told.amended).length > 0) lines.push(`  amended to ${detailsInWords(told.amended)}`);
  for (const row of rows) {
    lines.push(`  ${row.outcome} from ${row.file}, ${row.sheet} row ${row.row}`);
    lines.push(...row.repairs.map((repair) => `    ${repair.field}: "${repair.held}" was sent as "${repair.sent}" (${repair.why})`));
    lines.push(...row.problems.map((problem) => `    ${problem}`));
  }
  for (const { number, sentAt, answeredAt, outcome, actor } of attempts) {
    lines.push(`  attempt ${number} by ${actor}: sent ${localTime(sentAt)}, ${answeredAt === null ? 'no answer on record' : `answered ${localTime(answeredAt)}: ${outcome ?? ''}`}`);
  }
  for (const step of steps) lines.push(`  ${localTime(step.at)}  ${step.subject} ${step.event}${detailOf(step)}`);
  lines.push(...artifacts.map(({ kind, path, bytes, lost }) => `  ${kind} ${path} (${bytes} bytes)${lost === null ? '' : `: it ${lost}`}`), `  Next: ${told.next}`);
  return lines.join('\n');
}

/** What of a step's detail says something to a person. */
const TOLD = ['project', 'status', 'reason', 'problem', 'folder', 'kind', 'id', 'name', 'as', 'corrections', 'comment', 'policyNumber', 'policyEffectiveDate'] as const;

function detailOf(step: Step): string {
  const told = TOLD.flatMap((key) => {
    const value = step.detail?.[key];
    return typeof value === 'string' ? [`${key === 'reason' ? '' : `${key} `}${value === '' ? '(none)' : value}`] : [];
  });
  if (step.detail?.['adopted'] === true) told.push('found by a search');
  return told.length === 0 ? '' : `: ${told.join(', ')}`;
}
