import type { Delivery } from '../deliver/deliver.ts';
import type { ProjectCounts } from '../ledger/projects.ts';
import type { FileReport } from '../submit/file-moves.ts';
import type { FileNotes } from '../submit/take-in.ts';
import { table } from './table.ts';

/** DESIGN: the run's summary. */
export interface RunSummary {
  readonly run: string;
  readonly command: 'submit' | 'collect' | 'run';
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly exitCode: number;
  readonly files: readonly FileReport[];
  readonly orders: {
    readonly created: number;
    readonly linked: number;
    readonly skipped: number;
    readonly refused: number;
    readonly unresolved: number;
    readonly waiting: number;
  };
  readonly projects: ProjectCounts;
  readonly delivery: Delivery | null;
}

/** The summary in words: a table of the files, what became of the orders, where the projects stand, what to open. */
export function describeRun(summary: RunSummary, fileNotes: readonly FileNotes[], notes: readonly string[]): string {
  const { files, orders, projects, delivery } = summary;
  const parts: string[] = [];
  if (files.length > 0) {
    const rows = files.map((file) => [file.name, file.outcome, String(file.rows.read), String(file.rows.accepted), String(file.rows.rejected), file.corrections ?? '']);
    parts.push(table(['File', 'Outcome', 'Rows', 'Accepted', 'Rejected', 'Corrections workbook'], rows));
    const reasons = files.filter((file) => file.reason !== null).map((file) => `  ${file.name}: ${file.reason ?? ''}`);
    if (reasons.length > 0) parts.push(reasons.join('\n'));
    const told = fileNotes.flatMap(notesOfFile);
    if (told.length > 0) parts.push(`How they were read:\n${told.join('\n')}`);
  }
  const lines: string[] = [];
  if (summary.command !== 'collect') lines.push(`Orders    ${countsInWords(orders)}`);
  lines.push(`Projects  ${countsInWords(projects)}`);
  lines.push(...notes);
  if (delivery === null) lines.push('Nothing new to hand over.');
  else for (const path of [delivery.workbook, delivery.orders, delivery.archive, delivery.report]) if (path !== null) lines.push(`Wrote     ${path}`);
  parts.push(lines.join('\n'));
  return parts.join('\n\n');
}

/** More would hide the other files; `status` tells all of them. */
const NOTES_TOLD = 8;

function notesOfFile({ name, notes }: FileNotes): readonly string[] {
  const more = notes.length - NOTES_TOLD;
  return [...notes.slice(0, NOTES_TOLD).map((note) => `  ${name}: ${note}`), ...(more > 0 ? [`  ${name}: ${more} more notes: inspection-batch status "${name}"`] : [])];
}

function countsInWords(counts: object): string {
  return Object.entries(counts)
    .map(([name, count]) => `${String(count)} ${name}`)
    .join(', ');
}
