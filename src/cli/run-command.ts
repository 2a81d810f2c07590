import type { SftpIntake } from '../collect/sftp/sftp-run.ts';
import { formatCount } from '../domain/text.ts';
import { sentence } from '../domain/sentences.ts';
import { type EndedRun, NO_DELIVERY_YET, run, type RunOptions, type RunSummary } from '../night/run.ts';
import type { FileReport } from '../submit/claimed-files.ts';
import type { WaitingFile } from '../submit/hold.ts';
import type { FileNotes } from '../submit/take-in.ts';
import type { Print } from './flags.ts';
import { type Accent, tableOf } from './terminal.ts';
import { updateTable } from './update-commands.ts';

export async function runCommand(command: RunSummary['command'], options: RunOptions, print?: Print) {
  return resultOf(await run(command, { ...options, print: async (ended) => print?.(resultOf(ended)) }));
}

function resultOf(ended: EndedRun) {
  const { summary, taken } = ended;
  const text = describeRun(summary, taken.notes, notesOf(ended));
  return { exitCode: summary.exitCode, json: summary, text, accents: ACCENTS };
}

function notesOf(ended: EndedRun) {
  const { stopped, readyOrders, leftToFetch, decided, news, openBefore, sftp, updates, heldFiles, changed } = ended;
  return [
    ...stopped,
    ...(stopped.length > 0 && readyOrders > 0
      ? [sentence('run/ready', { orders: formatCount(readyOrders, 'order waits', 'orders wait') })]
      : []),
    ...(stopped.length === 0 && leftToFetch > 0
      ? [sentence('run/lacking', { projects: formatCount(leftToFetch, 'project lacks', 'projects lack') })]
      : []),
    ...decided.notes.flatMap(({ name, notes }) => notes.map(({ text }) => `Decisions  ${name}: ${text}`)),
    ...news.map((line) => `To do     ${line}`),
    ...(openBefore === 0 ? [] : [sentence('run/open-before', { rows: formatCount(openBefore, 'row') })]),
    ...(sftp === null ? [] : leftInSftp(sftp)),
    ...(updates.length === 0 ? [] : [`Left open by an earlier run:\n${updateTable(updates)}`]),
    ...(heldFiles.length === 0 ? [] : [describeHeldOrders(heldFiles)]),
    ...changed,
  ];
}

const LEFT_LISTED_MAX = 20;

function leftInSftp({ taken: { left } }: SftpIntake) {
  if (left.length === 0) return [];
  const lines = left.slice(0, LEFT_LISTED_MAX).map(({ name, why }) => `  ${name}: ${why}`);
  const more = left.length > LEFT_LISTED_MAX ? [`  … and ${left.length - LEFT_LISTED_MAX} more`] : [];
  return [[`Left in the SFTP folder:`, ...lines, ...more].join('\n')];
}

function describeHeldOrders(waiting: readonly WaitingFile[]) {
  const files = waiting.length === 1 ? '1 file waits' : `${waiting.length} files wait`;
  return sentence('run/held', { files, names: waiting.map(({ heldAs }) => heldAs).join(', ') });
}

const ACCENTS: readonly Accent[] = [
  [/^(?:Orders|Projects|Wrote|Decisions)(?=  )/gm, 'bold'],
  [/^File  .*$|^How they were read:$/gm, 'bold'],
  [/^To do(?=  )|^\d+ files? waits? in held\//gm, ['bold', 'yellow']],
  [/^The service is unavailable\b.*$|^The time given by run\.finishBy is over\b.*$/gm, 'red'],
];

export const FILE_COLUMNS = {
  File: 'name',
  Outcome: 'outcome',
  Rows: ({ rows }: FileReport) => rows.read,
  Accepted: ({ rows }: FileReport) => rows.accepted,
  'To fix': ({ rows }: FileReport) => rows.rejected,
  'Corrections workbook': 'corrections',
} as const;

export function describeRun(summary: RunSummary, fileNotes: readonly FileNotes[], notes: readonly string[]) {
  const { files, orders, projects, delivery } = summary;
  const reasons = files.flatMap(({ name, reason }) => (reason === null ? [] : [`  ${name}: ${reason}`]));
  const noteLines = fileNotes.flatMap(notesOfFile);
  const { workbook, orders: book, archive, report } = delivery ?? {};
  const wrote = [workbook, book, archive, report].flatMap((path) => (path == null ? [] : [`Wrote     ${path}`]));
  const lines = [
    ...(summary.command === 'collect' ? [] : [`Orders    ${describeCounts(orders)}`]),
    `Projects  ${describeCounts(projects).replace(' returned', ' to collect')}`,
    ...notes,
    ...(delivery === null && !notes.includes(NO_DELIVERY_YET) ? ['There is nothing new to deliver.'] : wrote),
  ];
  const parts = [
    files.length === 0 ? '' : tableOf(files, FILE_COLUMNS),
    reasons.join('\n'),
    noteLines.length === 0 ? '' : `How they were read:\n${noteLines.join('\n')}`,
    lines.join('\n'),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

const NOTES_SHOWN = 8;

function notesOfFile({ name, notes }: FileNotes) {
  const more = notes.length - NOTES_SHOWN;
  return [
    ...notes.slice(0, NOTES_SHOWN).map(({ text }) => `  ${name}: ${text}`),
    ...(more > 0 ? [`  ${name}: ${more} more notes: inspection-batch status "${name}"`] : []),
  ];
}

function describeCounts(counts: object) {
  return Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');
}
