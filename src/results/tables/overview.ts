import { z } from 'zod';
import { upperFirst } from '../../domain/text.ts';
import { templateData } from '../../contract/template-data.ts';
import type { LevelCounts } from '../attention/judge.ts';
import { POLICY_ENDING_ACTIONS } from '../attention/rules.ts';
import { FIXED_SHEETS, type TableCell, type WorkbookWriter, money, text, time, wrapped } from '../workbook.ts';
import { addressOf, levelCell, PAGE_FILE, renewalLabel } from './shared-columns.ts';
import type { HouseCounts } from '../house-counts.ts';
import type { Counted, ResultsInput } from '../model.ts';
import { noticeRows, PageSheet, type PageRows } from './page.ts';
import { undecidedSince, type OpenCase, OUTCOMES, type Highlights, describeSinceDelivery } from '../highlights.ts';

const LEVELS = ['High', 'Medium', 'Low'] as const;

type OverviewCounts = Readonly<{
  houses: HouseCounts;
  attention: LevelCounts;
  highlights: Highlights;
  addedColumns: readonly string[];
  surprises: number;
}>;

const COLUMN_WIDTHS = [44, 56, 14, 14, 14];

export async function writeOverview(
  page: OverviewPage,
  input: ResultsInput,
  { houses, attention, highlights, addedColumns, surprises }: OverviewCounts,
) {
  const { overview } = input;
  await page.write([
    [{ value: 'Inspection results', format: 'title' }],
    ...noticeRows(input.notice),
    [text('Run'), text(input.run)],
    [text('Written'), time(input.writtenAt), text('Times are UTC')],
    [text('Projects in this workbook'), amount(houses.all)],
    [text('Page with photos'), { value: PAGE_FILE, format: 'text', link: PAGE_FILE }],
  ]);
  await page.section(['Last night', 'Number'], nightRows(overview, houses, highlights));
  await page.section(
    ['Decide these first', 'Why', 'Level', 'Coverage A', "Insured's phone"],
    highlights.cases.map(caseRow),
  );
  await page.section(
    ['All inspections in this workbook, new or not', 'Number'],
    [
      ...LEVELS.map((level) => [
        levelCell(level),
        amount(attention[level]),
        attention[level] === 0 ? undefined : goTo(FIXED_SHEETS.attention),
      ]),
      ...numberRows([
        ['Inspected, not flagged', attention.below, FIXED_SHEETS.results],
        ...POLICY_ENDING_ACTIONS.map(
          (action) => [`Suggested: ${action}`, houses.suggested(action), FIXED_SHEETS.attention] as const,
        ),
        ['Worse than before', houses.worse, FIXED_SHEETS.changes],
        ['Better than before', houses.better, FIXED_SHEETS.changes],
      ]),
    ],
  );
  await page.section(
    ['Action needed', 'Why'],
    overview.needsPerson.map(({ title, detail }) => [
      { value: title, format: 'wrapped', emphasis: 'warning' },
      wrapped(detail),
    ]),
  );
  page.endOfPrint();
  await page.counted('All projects on record, by status', overview.byStatus);
  await page.counted('Outstanding, by age', overview.outstandingByAge);
  await writeCounts(page, houses);
  await page.section(
    ['Files of this run', 'Outcome', 'Rows read', 'Accepted', 'Rejected'],
    overview.files.map(({ file, outcome, read, accepted, rejected }) => [
      wrapped(file),
      wrapped(outcome),
      amount(read),
      amount(accepted),
      { ...amount(rejected), emphasis: rejected > 0 ? 'warning' : undefined },
    ]),
  );
  if (addedColumns.length > 0)
    await page.section(
      ['New columns in this workbook', ''],
      addedColumns.map((column) => [wrapped(column), wrapped('Added after the existing columns.')]),
    );
  if (surprises > 0)
    await page.section(
      ['Surprises', 'Number'],
      [[text('Differences from the service’s document'), amount(surprises), goTo(FIXED_SHEETS.surprises)]],
    );
  await page.section(['How to read the cells', ''], signs().map(signRow));
}

async function writeCounts(
  page: OverviewPage,
  { overdueByAgent, pastDueByAgent, hazards, roofConditions }: HouseCounts,
) {
  for (const [title, counts, sheet] of [
    ['Overdue, by agent', overdueByAgent, FIXED_SHEETS.overdue],
    ['Not ordered and past due, by agent', pastDueByAgent, FIXED_SHEETS.notOrdered],
    ['Hazards, by kind', hazards, undefined],
    ['Roofs, by condition', roofConditions, FIXED_SHEETS.roofs],
  ] as const)
    if (counts.length > 0) await page.counted(title, counts.slice(0, COUNTED_MAX), sheet);
}

function nightRows(
  { night, openRows, overdue }: ResultsInput['overview'],
  counts: HouseCounts,
  { outcomes }: Highlights,
): PageRows {
  const numbers = numberRows([
    ['New reports', counts.fresh, FIXED_SHEETS.results],
    ...OUTCOMES.filter((outcome) => outcomes.has(outcome)).map(
      (outcome) => [`New reports: ${outcome}`, outcomes.get(outcome) ?? 0, FIXED_SHEETS.results] as const,
    ),
    ['Overdue', overdue.length, FIXED_SHEETS.overdue],
    ['Rows to fix', openRows, FIXED_SHEETS.notOrdered],
    ['Not ordered, past due', counts.rowsPastDue, FIXED_SHEETS.notOrdered],
  ]);
  return [...numbers, [text('In short'), wrapped(describeSinceDelivery(night, counts))]];
}

function numberRows(numbers: readonly (readonly [words: string, number: number, sheet: string])[]): PageRows {
  return numbers.map(([words, number, sheet]) => [text(words), amount(number), ...(number === 0 ? [] : [goTo(sheet)])]);
}

function caseRow(shown: OpenCase): PageRows[number] {
  const { project, level, reason, others, riskChanges, out } = shown;
  const { projectId, order } = project;
  return [
    {
      value: `${order.insuredName}, ${order.streetAddress}`,
      format: 'wrapped',
      link: PAGE_FILE,
      anchor: `p${projectId}`,
    },
    wrapped(
      [
        reason,
        others,
        riskChanges,
        ...[out, undecidedSince(shown), renewalLabel(order)].map(upperFirst),
        `${addressOf(order)} (project ${projectId})`,
      ]
        .filter(Boolean)
        .join('\n'),
    ),
    levelCell(level),
    money(order.dwellingCoverage),
    text(order.insuredPhone),
  ];
}

const COUNTED_MAX = 12;

export class OverviewPage extends PageSheet {
  constructor(workbook: WorkbookWriter) {
    super(workbook, FIXED_SHEETS.overview, COLUMN_WIDTHS, '1F3864');
  }

  endOfPrint() {
    this.sheet.endOfPrint();
  }

  async counted(title: string, counts: readonly Counted[], sheet?: string) {
    await this.section(
      [title, 'Number'],
      counts.map(({ name, count }) => [text(name), amount(count), ...(sheet === undefined ? [] : [goTo(sheet)])]),
    );
    if (counts.length > 0) this.sheet.bars(1, counts.length);
  }
}

const signs = templateData(
  'workbook/signs',
  z.array(
    z.strictObject({
      sign: z.string(),
      means: z.string(),
      emphasis: z.literal('alarm').optional(),
      sheet: z.string().optional(),
    }),
  ),
);

function signRow({ sign, means, emphasis, sheet }: ReturnType<typeof signs>[number]): PageRows[number] {
  return [sheet === undefined ? { value: sign, format: 'text', emphasis } : goTo(sheet, sign), wrapped(means)];
}

function goTo(sheet: string, words = `see ${sheet}`): TableCell {
  return { value: words, format: 'text', place: { sheet, cell: 'A1' } };
}

function amount(value: number): TableCell {
  return { value, format: 'amount' };
}
