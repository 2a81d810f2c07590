import { type AttentionLevel, levelCell } from './attention-sheet.ts';
import { text, time } from './cell-value.ts';
import { FIXED_SHEETS } from './list-sheets.ts';
import type { ResultsInput } from './results-input.ts';
import type { Cell, SheetWriter, WorkbookWriter } from './workbook-writer.ts';

const LEVELS = ['High', 'Medium', 'Low'] as const;

type Rows = readonly (readonly (Cell | undefined)[])[];

/** The sheet `Overview`: counts, how old the outstanding ones are, what needs a person, and how to read the rest. */
export async function writeOverview(
  workbook: WorkbookWriter,
  { run, writtenAt, overview }: Pick<ResultsInput, 'run' | 'writtenAt' | 'overview'>,
  counts: { readonly projects: number; readonly attention: Readonly<Record<AttentionLevel, number>> },
): Promise<void> {
  const sheet = workbook.sheet({
    name: FIXED_SHEETS.overview,
    kind: 'page',
    columns: [34, 56, 14, 14, 14].map((width) => ({ title: '', width })),
    tabColour: '1F3864',
  });
  await sheet.row([{ value: 'Inspection results', format: 'title' }]);
  await sheet.row([text('Run'), text(run)]);
  await sheet.row([text('Written (all times UTC)'), time(writtenAt)]);
  await sheet.row([text('Projects in this workbook'), amount(counts.projects)]);

  await section(sheet, ['What needs a person', 'Why', 'Command'], needsPersonRows(overview.needsPerson));
  await section(sheet, ['Projects that ask for attention', 'Number'], LEVELS.map((level) => [levelCell(level), amount(counts.attention[level])]));
  await section(sheet, ['Projects by status', 'Number'], overview.byStatus.map(({ status, count }) => [text(status), amount(count)]));
  await section(sheet, ['Outstanding, by age', 'Number'], overview.outstandingByAge.map(({ age, count }) => [text(age), amount(count)]));
  await section(
    sheet,
    ['Files of this run', 'Outcome', 'Rows read', 'Accepted', 'Rejected'],
    overview.files.map(({ file, outcome, read, accepted, rejected }) => [
      wrapping(file),
      wrapping(outcome),
      amount(read),
      amount(accepted),
      { ...amount(rejected), emphasis: rejected > 0 ? 'warning' : undefined },
    ]),
  );
  await section(sheet, ['How to read the cells', ''], SIGNS);
}

const SIGNS: Rows = [
  [text('(an empty cell)'), wrapping('The attribute is not in the account’s report template, or no report is there yet.')],
  [text('–'), wrapping('Not assessed: it is in the template, and the report holds no value.')],
  [text('No'), wrapping('Assessed, and it is not so.')],
  [text('none'), wrapping('A list that was assessed and has no entry.')],
  [{ value: 'red or yellow', format: 'text', emphasis: 'alarm' }, wrapping('The value is a reason on the sheet Attention.')],
  [text('Fields'), wrapping('This sheet says what each column means and where it comes from.')],
];

function needsPersonRows(entries: ResultsInput['overview']['needsPerson']): Rows {
  return entries.map(({ title, detail, command }) => [{ value: title, format: 'wrapped', emphasis: 'warning' }, wrapping(detail), text(command)]);
}

async function section(sheet: SheetWriter, headings: readonly string[], rows: Rows): Promise<void> {
  await sheet.row([{ value: ' ', format: 'text' }]);
  await sheet.row(headings.map((heading) => ({ value: heading, format: 'heading' })));
  if (rows.length === 0) await sheet.row([{ value: 'nothing', format: 'note' }]);
  for (const row of rows) await sheet.row(row);
}

function amount(value: number): Cell {
  return { value, format: 'amount' };
}

function wrapping(value: string): Cell {
  return { value, format: 'wrapped' };
}
