import { format } from 'date-fns/format';
import type { Ledger } from '../ledger/ledger.ts';
import type { News, NewsKind, WaitingRows } from '../ledger/news.ts';
import type { ChangedOrder } from '../ledger/rows.ts';
import { changesInWords, choiceInWords, choicesFor } from '../submit/order-changes.ts';

const LISTED_MAX = 20;

/** The words for all news but rows. */
const OTHERS: Readonly<Record<Exclude<NewsKind, 'rows-went-back' | 'order-refused'>, string>> = {
  'project-canceled': 'Canceled by somebody else: project',
  'closed-out': 'Closed out without an inspection: project',
  'files-missing': 'Files still missing: project',
  'file-unreadable': 'Could not be read; in unreadable/, with the reason:',
  'update-refused': 'The service refused an update begun by an earlier run: project',
};

/** What nobody was told yet, and where it waits; news of an earlier run carry their day. */
export async function newsInWords(news: readonly News[], run: string, ledger: Ledger): Promise<readonly string[]> {
  const rows = news.filter(({ kind }) => kind === 'rows-went-back' || kind === 'order-refused');
  const fileIds = new Set(rows.filter(({ kind }) => kind === 'rows-went-back').map(({ subject }) => subject));
  const fileNames = new Set(rows.filter(({ kind }) => kind === 'order-refused').map(({ subject }) => ledger.lookup.placeOfOrder({ id: Number(subject) })?.file));
  const waiting = rows.length === 0 ? [] : (await ledger.waitingRows()).filter(({ fileId, file }) => fileIds.has(String(fileId)) || fileNames.has(file));
  const told = (Object.keys(OTHERS) as (keyof typeof OTHERS)[]).flatMap((kind) => {
    const some = news.filter((one) => one.kind === kind);
    return some.slice(0, LISTED_MAX).map((one) => `${OTHERS[kind]} ${one.subject}${one.run === run ? '' : ` (${format(one.at, 'yyyy-MM-dd')}, not told before)`}`);
  });
  return [...waiting.slice(0, LISTED_MAX).map(waitingInWords), ...told];
}

/** Rows that wait for correction, and the workbook they wait in. */
export function waitingInWords({ file, rows, corrections, since }: WaitingRows): string {
  const where = corrections === null ? 'the next run writes their workbook' : corrections;
  return `${rows} ${rows === 1 ? 'row' : 'rows'} of ${file}, since ${format(since, 'yyyy-MM-dd')}, to fix or to remove: ${where}`;
}

/** An order whose row came again with other details, and what can be done about it as its project stands now. */
export interface ChangedEntry {
  readonly order: number;
  readonly project: string | null;
  readonly status: string | null;
  readonly file: string;
  readonly sheet: string;
  readonly row: number;
  readonly changes: ChangedOrder['changes'];
  readonly choices: readonly { readonly kind: string; readonly text: string }[];
}

/** The latest of those that came again at `since` or later, newest first. */
export async function changedEntries(ledger: Ledger, limit: number, since = 0): Promise<readonly ChangedEntry[]> {
  const entries: ChangedEntry[] = [];
  for (const { orderId, projectId, status, at, place, ...changed } of await ledger.changedOrders(limit)) {
    const order = at < since ? null : await ledger.order(orderId);
    const amended: Readonly<Record<string, string>> = projectId === null ? {} : { ...(await ledger.amendedDetails(projectId)) };
    const changes = changed.changes.filter(({ field, now }) => amended[field] !== now);
    if (order === null || changes.length === 0) continue;
    const choices = choicesFor(changes, order, status).map((choice) => ({ kind: choice.kind, text: choiceInWords(choice) }));
    entries.push({ order: orderId, project: projectId, status, file: place.file, sheet: place.sheet, row: place.rowNumber, changes, choices });
  }
  return entries;
}

export function changedInWords({ order, file, sheet, row, changes, choices }: ChangedEntry): string {
  return `order ${order}, again in ${file}, ${sheet} row ${row}: ${changesInWords(changes)}. ${choices.map(({ text }) => text).join(' ')}`;
}
