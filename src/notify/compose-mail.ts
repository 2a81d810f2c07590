import { basename, posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import { format } from 'date-fns/format';
import type { HouseInBrief, NightCounts, NightInNumbers } from '../domain/project.ts';
import { holdsFile } from '../domain/layout.ts';
import type { LayoutRecord, FileToFix, StoredRow } from '../ledger/ledger.ts';
import { formatCount, upperFirst } from '../domain/text.ts';
import { sentence } from '../domain/sentences.ts';
import { formatDay, type MailText, type MailPart } from './render-mail.ts';

/** Messages of earlier versions lack the optional ones. */
export type NightFacts = Omit<NightCounts, 'since' | 'fixed' | 'changed' | 'decided'> &
  Pick<NightInNumbers, 'high' | 'overdue'> &
  Partial<
    Pick<NightInNumbers, 'riskiest' | 'undecided' | 'held' | 'longestOverdue' | 'pastDueRows' | 'closeouts' | 'decided'>
  > &
  Readonly<{
    run: string;
    at: number;
    /** Relative to the workspace. */
    folder: string;
    outstanding: number;
  }>;

export type Trouble = Readonly<{
  run: string;
  at: number;
  exitCode: number;
  /** The lines hold no personal details. */
  lines: readonly string[];
}>;

type MailOrigin = Readonly<Record<'host' | 'root', string>>;

type ListPart = MailPart & { readonly kind: 'list' };

function listPart(title: string, items: ListPart['items']): ListPart {
  return { kind: 'list', title, items };
}

/** `attached`: corrections workbooks and receipts, relative to the workspace. */
export function composeCorrectionsMail(
  rows: readonly FileToFix[],
  others: readonly string[],
  attached: ReadonlySet<string>,
  isReminder = false,
  open: readonly StoredRow[] = [],
): MailText {
  const count = rows.reduce((sum, one) => sum + one.rows, 0);
  const [only] = new Set(rows.map(({ file }) => file)).size === 1 ? rows : [];
  const files =
    only === undefined ? formatCount(new Set(rows.map(({ fileId }) => fileId)).size, 'file') : basename(only.file);
  const wentBack = `${isReminder ? 'Reminder: ' : ''}${formatCount(count, 'row')} to fix in ${files}`;
  const subject = rows.length > 0 ? wentBack : `Inspection orders: ${formatCount(others.length, 'item')} to look at`;
  const parts: MailPart[] = [];
  if (rows.length > 0)
    parts.push(
      {
        kind: 'paragraph',
        text: sentence('mail/rows', {
          were: count === 1 ? 'This row was' : 'These rows were',
          workbooks: rows.length === 1 ? 'the workbook' : 'each workbook',
          them: count === 1 ? 'it' : 'them',
          receipt: [...attached].some((path) => path.startsWith('receipts/'))
            ? ' The receipt is for your records.'
            : '',
        }),
      },
      {
        kind: 'table',
        headers: ['File', 'Rows to fix', 'Open since', 'Workbook'],
        rows: rows.map(({ file, rows: open, pastDue, since, corrections }) => [
          file,
          pastDue > 0 ? `${open}, ${pastDue} past due` : String(open),
          format(since, 'MMM d'),
          describeWorkbook(corrections, attached),
        ]),
      },
    );
  if (open.length > 0) parts.push(listPart('Rows to fix', open.map(describeOpenRow)));
  if (others.length > 0) parts.push(listPart(rows.length > 0 ? 'Also' : 'Please look at', others));
  return {
    subject,
    heading: `${subject}.`,
    parts,
    footer: sentence('mail/sent', { origin: '' }),
  };
}

function describeOpenRow({ record, fileName, summary, problems }: StoredRow) {
  const wrong = problems.flatMap(({ severity, field, message }) =>
    severity === 'warning' ? [] : [field === null ? message : firstSentence(message.replace(/ \([A-Z]+\d+\)/, ''))],
  );
  // The workbook gives its rows other numbers.
  const name = summary.insuredName || `Row ${record.place.rowNumber} of ${basename(fileName)}`;
  return `${name}: ${[...new Set(wrong)].join('; ') || 'see the workbook'}`;
}

/** Full stops in quoted words end none. */
function firstSentence(text: string) {
  return /^(?:"[^"]*"|[^".]|\.(?! |$))*/.exec(text)?.[0] ?? text;
}

export function questionInMail({ file, workbook, question }: LayoutRecord) {
  return sentence('mail/question', {
    file,
    workbook: workbook === null ? 'its workbook' : basename(workbook),
    meanwhile:
      question !== null && holdsFile(question) ? 'the file waits' : 'its rows are ordered without these columns',
  });
}

function describeWorkbook(corrections: string | null, attached: ReadonlySet<string>) {
  if (corrections === null) return 'comes with the next run';
  return attached.has(corrections) ? `${basename(corrections)} (attached)` : corrections;
}

export function composeNightMail(night: NightFacts, sender: MailOrigin, deliveriesUrl: string | null = null): MailText {
  const { riskiest = [], undecided = 0, held = 0, longestOverdue = [], pastDueRows = [], closeouts = [] } = night;
  const base = deliveriesUrl ?? pathToFileURL(posix.join(sender.root, 'deliveries')).href;
  const page = `${base.replace(/\/$/, '')}/${encodeURIComponent(basename(night.folder))}/report.html`;
  const toDecide = [
    [undecided, `${formatCount(undecided, 'inspection rated High is', 'inspections rated High are')} undecided`],
    [held, sentence('mail/held', { orders: formatCount(held, 'order') })],
  ] as const;
  const housesPart = (title: string, houses: readonly HouseInBrief[], all = houses.length) =>
    listPart(
      all > houses.length ? `${title}, the first ${houses.length} of ${all}` : title,
      houses.map(({ projectId, property, insuredName, why }) => ({
        title: property,
        href: `${page}#p${projectId}`,
        text: `${insuredName} (project ${projectId}). ${why}`,
      })),
    );
  const counts = [
    ['Projects returned', night.returned === night.collected ? 0 : night.returned],
    ['Newly ordered', night.ordered],
    ['Rows sent back', night.wentBack],
    ['Projects decided', night.decided ?? 0],
    ['Canceled by the service', night.canceled],
    ['Closed out, not inspected', night.closedOut],
  ] as const;
  const figures = [
    ['New reports', night.collected],
    ['New reports rated High', night.high],
    ...counts,
    ['Overdue', night.overdue],
    ['Outstanding', night.outstanding],
  ] as const;
  const lists = [
    housesPart('Decide these first', riskiest),
    listPart(
      'To decide',
      toDecide.filter(([count]) => count > 0).map(([, text]) => text),
    ),
    housesPart(sentence('mail/closeouts'), closeouts, night.closedOut + night.canceled),
    housesPart('Overdue', longestOverdue, night.overdue),
    listPart(
      sentence('mail/past-due'),
      pastDueRows.map(({ name, count }) => `${name}: ${formatCount(count, 'row')}`),
    ),
  ];
  const happened = counts.flatMap(([name, count]) =>
    count === 0 ? [] : `${count} ${(count === 1 ? name.replace(/s\b/, '') : name).toLowerCase()}`,
  );
  const heading =
    night.collected > 0
      ? `${formatCount(night.collected, 'new report')}, ${night.high} rated High`
      : ['no new reports', happened.join(', ')].filter(Boolean).join('; ');
  return {
    subject: `Inspections, ${formatDay(night.at)}: ${heading}`,
    heading: `${upperFirst(heading)}.`,
    parts: [
      ...lists.filter(({ items }) => items.length > 0),
      {
        kind: 'figures',
        lines: figures.filter(([, count]) => count !== 0).map(([name, count]) => [name, String(count)]),
      },
      listPart('Full report', [
        { title: `Open report.html in ${night.folder}`, href: page, text: 'every house in this delivery' },
      ]),
    ],
    footer: sentence('mail/counts', { run: night.run, at: format(night.at, 'yyyy-MM-dd HH:mm xxx'), origin: '' }),
  };
}

const NEED_WORDS = new Set([1, 2, 4]);

export function composeTroubleMail(all: readonly Trouble[], sender: MailOrigin): MailText {
  const troubles = [...Map.groupBy(all, ({ run }) => run).values()].flatMap((ofRun) =>
    ofRun.slice(0, 1).map((one) => ({ ...one, lines: ofRun.flatMap(({ lines }) => lines) })),
  );
  const [first] = troubles;
  const codes = [...new Set(troubles.map(({ exitCode }) => exitCode))].toSorted((a, b) => a - b);
  const ends = codes.length === 1 && codes[0] === 0 ? 'something needs attention' : `exit code ${codes.join(', ')}`;
  return {
    subject: `inspection-batch on ${sender.host}: ${ends}${troubles.length > 1 ? `, ${troubles.length} runs` : ''}`,
    heading:
      troubles.length === 1 && first !== undefined
        ? sentence('mail/ended', { day: formatDay(first.at), exitCode: first.exitCode })
        : `${troubles.length} runs need attention.`,
    parts: troubles.flatMap(({ run, at, exitCode, lines }) => [
      ...(NEED_WORDS.has(exitCode)
        ? [
            {
              kind: 'paragraph' as const,
              text: (troubles.length > 1 ? `Exit code ${exitCode}: ` : '') + sentence(`mail/exit-code-${exitCode}`),
            },
          ]
        : []),
      listPart(`${format(at, 'yyyy-MM-dd HH:mm')}, exit code ${exitCode}, logs/${run}.jsonl`, lines),
    ]),
    footer: sentence('mail/exit-codes', { origin: `, workspace ${sender.root} on ${sender.host}` }),
  };
}
