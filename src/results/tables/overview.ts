import type { LevelCounts } from '../attention/judge.ts';
import { levelCell } from './attention.ts';
import { text, time } from '../cells.ts';
import { FIXED_SHEETS } from '../attribute-columns.ts';
import { PAGE } from './project-columns.ts';
import type { Counted, HouseCounts } from '../house-counts.ts';
import type { ResultsInput } from '../model.ts';
import type { Cell, SheetWriter, WorkbookWriter } from '../workbook-writer.ts';

const LEVELS = ['High', 'Medium', 'Low'] as const;

type Rows = readonly (readonly (Cell | undefined)[])[];

interface OverviewCounts {
  readonly houses: HouseCounts;
  readonly attention: LevelCounts;
  readonly addedColumns: readonly string[];
  readonly surprises: number;
}

type OverviewInput = Pick<ResultsInput, 'run' | 'writtenAt' | 'overview' | 'notice'>;

const COLUMN_WIDTHS = [44, 56, 14, 14, 14];

export async function writeOverview(
  workbook: WorkbookWriter,
  input: OverviewInput,
  { houses, attention, addedColumns, surprises }: OverviewCounts,
): Promise<void> {
  const { hazards, roofConditions } = houses;
  const page = new OverviewPage(
    workbook.sheet({
      name: FIXED_SHEETS.overview,
      kind: 'page',
      columns: COLUMN_WIDTHS.map((width) => ({ title: '', width })),
      tabColor: '1F3864',
    }),
  );
  const { overview } = input;
  const { night } = overview;
  for (const row of headRows(input, houses)) await page.row(row);
  await page.section(
    ['Houses that need attention', 'Number'],
    [
      ...LEVELS.map((level) => [
        levelCell(level),
        amount(attention[level]),
        attention[level] === 0 ? undefined : goTo(FIXED_SHEETS.attention),
      ]),
      [text('Inspected, below the line'), amount(attention.below), goTo(FIXED_SHEETS.results)],
    ],
  );
  await page.section(
    [
      'Since your last delivery',
      'Number',
      night.since === null
        ? 'this is the first'
        : `${new Date(night.since).toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    ],
    nightRows(overview, houses),
  );
  await page.section(
    ['What needs a person', 'Why'],
    overview.needsPerson.map(({ title, detail }) => [
      { value: title, format: 'wrapped', emphasis: 'warning' },
      wrapping(detail),
    ]),
  );
  await page.counted(
    'Projects by status',
    overview.byStatus.map(({ status, count }) => ({ name: status, count })),
    '2F5597',
  );
  await page.counted(
    'Outstanding, by age',
    overview.outstandingByAge.map(({ age, count }) => ({ name: age, count })),
    '7F7F7F',
  );
  if (hazards.length > 0) await page.counted('Hazards, by kind', hazards, 'C55A11');
  if (roofConditions.length > 0)
    await page.counted('Roofs, by condition', roofConditions, '548235', FIXED_SHEETS.roofs);
  await page.section(
    ['Files of this run', 'Outcome', 'Rows read', 'Accepted', 'Rejected'],
    overview.files.map(({ file, outcome, read, accepted, rejected }) => [
      wrapping(file),
      wrapping(outcome),
      amount(read),
      amount(accepted),
      { ...amount(rejected), emphasis: rejected > 0 ? 'warning' : undefined },
    ]),
  );
  if (addedColumns.length > 0) {
    await page.section(
      ['New columns in this workbook', ''],
      addedColumns.map((column) => [wrapping(column), wrapping('Added after the existing columns.')]),
    );
  }
  if (surprises > 0) {
    await page.section(
      ['Surprises', 'Number'],
      [[text('Differences from the service’s document'), amount(surprises), goTo(FIXED_SHEETS.surprises)]],
    );
  }
  if (overview.needsPerson.length > 0)
    await page.section(
      ['For the engineer', 'Command'],
      overview.needsPerson.map(({ title, command }) => [wrapping(title), wrapping(command)]),
    );
  await page.section(['How to read the cells', ''], SIGNS);
}

function headRows({ run, writtenAt, overview, notice }: OverviewInput, houses: HouseCounts): Rows {
  const { length: overdue } = overview.overdue;
  return [
    [{ value: 'Inspection results', format: 'title' }],
    ...(notice === undefined
      ? []
      : [
          [
            { value: 'Please note', format: 'text', emphasis: 'warning' } as const,
            { value: notice, format: 'wrapped', emphasis: 'warning' } as const,
          ],
        ]),
    [text('Run'), text(run)],
    [text('Written (all times UTC)'), time(writtenAt)],
    [text('Projects in this workbook'), amount(houses.all)],
    [
      text('Overdue'),
      overdue === 0
        ? text('none: no outstanding project is past its due date')
        : goTo(FIXED_SHEETS.overdue, `${overdue}, see ${FIXED_SHEETS.overdue}`),
    ],
    [text('With photos, to decide'), { value: PAGE, format: 'text', link: PAGE }],
  ];
}

function nightRows(
  { night, ended, openRows }: ResultsInput['overview'],
  { fresh, closedOut, worse, better }: HouseCounts,
): Rows {
  const figures: readonly (readonly [string, number, string | null])[] = [
    ['Houses with a new report', fresh - closedOut, FIXED_SHEETS.results],
    ['Worse than in an earlier report', worse, FIXED_SHEETS.changes],
    ['Better than in an earlier report', better, FIXED_SHEETS.changes],
    ['Projects ordered', night.ordered, null],
    ['Projects returned by the service', night.returned, null],
    ['Rows sent back to be fixed', night.wentBack, FIXED_SHEETS.notOrdered],
    ['Rows that came back fixed', night.fixed, null],
    ['Rows that came again with other details', night.changed, null],
    ['Houses with a new decision', night.decided, null],
    ...ended.map(
      ({ kind, reason, projects }) =>
        [`${kind === 'canceled' ? 'Canceled' : 'Closed out'}: ${reason}`, projects.length, FIXED_SHEETS.ended] as const,
    ),
    ['Rows still open, from any night', openRows, FIXED_SHEETS.notOrdered],
  ];
  return figures
    .filter(([, number]) => number > 0)
    .map(([words, number, sheet]) => [wrapping(words), amount(number), ...(sheet === null ? [] : [goTo(sheet)])]);
}

/** In pixels; charts are next to the tables. */
const CHART = { width: 520, rowHeight: 20, barHeight: 26, frame: 60 } as const;

class OverviewPage {
  readonly #sheet: SheetWriter;
  #rows = 0;
  #chartRow = 0;

  constructor(sheet: SheetWriter) {
    this.#sheet = sheet;
  }

  async row(cells: Rows[number]): Promise<void> {
    await this.#sheet.row(cells);
    this.#rows += 1;
  }

  async section(headings: readonly string[], rows: Rows): Promise<void> {
    await this.row([{ value: ' ', format: 'text' }]);
    await this.row(headings.map((heading) => ({ value: heading, format: 'heading' })));
    if (rows.length === 0) await this.row([{ value: 'nothing', format: 'note' }]);
    for (const row of rows) await this.row(row);
  }

  async counted(title: string, counts: readonly Counted[], color: string, sheet?: string): Promise<void> {
    await this.section(
      [title, 'Number'],
      counts.map(({ name, count }) => [text(name), amount(count), ...(sheet === undefined ? [] : [goTo(sheet)])]),
    );
    if (counts.every(({ count }) => count === 0)) return;
    const height = CHART.frame + CHART.barHeight * counts.length;
    this.#sheet.chart({
      title,
      row: this.#chartRow,
      column: COLUMN_WIDTHS.length + 1,
      width: CHART.width,
      height,
      bars: counts.map(({ name, count }) => ({ name, value: count })),
      nameColumn: 0,
      valueColumn: 1,
      firstRow: this.#rows - counts.length,
      color,
    });
    this.#chartRow += Math.ceil(height / CHART.rowHeight) + 1;
  }
}

const SIGNS: Rows = [
  [text('(an empty cell)'), wrapping('Not in your report template, or there is no report yet.')],
  [text('–'), wrapping('In the template, but not assessed.')],
  [text('No'), wrapping('Assessed, and the answer is no.')],
  [text('none'), wrapping('A list that was assessed and has no entry.')],
  [
    { value: 'red or yellow', format: 'text', emphasis: 'alarm' },
    wrapping('A reason on the sheet Attention, or a condition of Poor or Fair.'),
  ],
  [
    goTo(FIXED_SHEETS.fields, FIXED_SHEETS.fields),
    wrapping('This sheet says what each column means and where it comes from.'),
  ],
];

function goTo(sheet: string, words = `see ${sheet}`): Cell {
  return { value: words, format: 'text', place: { sheet, cell: 'A1' } };
}

function amount(value: number): Cell {
  return { value, format: 'amount' };
}

function wrapping(value: string): Cell {
  return { value, format: 'wrapped' };
}
