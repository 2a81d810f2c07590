import { type Finding, findingsOf } from './attention.ts';
import { ATTENTION_RULES } from './attention-rules.ts';
import { type AttentionLevel, type AttentionRow, attentionRow, levelOf, writeAttention } from './attention-sheet.ts';
import { writeWithExcelJs } from './exceljs-writer.ts';
import { writeFields } from './fields-sheet.ts';
import { type Layout, LayoutCollector } from './layout.ts';
import { listKeyTitles, ListSheets } from './list-sheet.ts';
import { mergeReports } from './merge-reports.ts';
import { writeNotOrdered } from './not-ordered-sheet.ts';
import { writeOverview } from './overview-sheet.ts';
import { PROJECT_COLUMNS, type ProjectRecord } from './project-columns.ts';
import { resultsRow, resultsSheetOptions } from './results-sheet.ts';
import type { ResultProject, ResultsInput } from './results-input.ts';
import type { WorkbookWriter } from './workbook-writer.ts';

/**
 * Writes the results workbook (DESIGN: What the results workbook must hold) to `path`, which should be a temporary name: the file is
 * whole only when the promise resolves. `projects()` is called twice: first to learn which columns occur, then to write the rows.
 * Answers with how many attribute columns and project rows it has.
 */
export async function writeResultsWorkbook(path: string, input: ResultsInput): Promise<{ columns: number; projects: number }> {
  const { layout, attention, projects } = await survey(input);
  await writeWithExcelJs(path, input.writtenAt, async (workbook) => {
    await writeOverview(workbook, input, { projects, attention: countLevels(attention) });
    await writeProjects(workbook, input, layout, attention);
    await writeNotOrdered(workbook, input.notOrdered());
    await writeFields(workbook, layout);
  });
  return { columns: layout.columns.length, projects };
}

interface Survey {
  readonly layout: Layout;
  readonly attention: readonly AttentionRow[];
  readonly projects: number;
}

async function survey(input: ResultsInput): Promise<Survey> {
  const collector = new LayoutCollector();
  const attention: AttentionRow[] = [];
  let projects = 0;
  for await (const project of input.projects()) {
    const { record, findings } = judged(project);
    collector.add(record.record);
    if (findings.length > 0) attention.push(attentionRow(record, findings));
    projects += 1;
  }
  const layout = collector.layout(
    PROJECT_COLUMNS.map(({ title }) => title),
    listKeyTitles,
  );
  return { layout, attention, projects };
}

/** The sheets of projects stand side by side: one pass writes them all. */
async function writeProjects(workbook: WorkbookWriter, input: ResultsInput, layout: Layout, attention: readonly AttentionRow[]): Promise<void> {
  const results = workbook.sheet(resultsSheetOptions(layout));
  await writeAttention(workbook, attention);
  const lists = new ListSheets(workbook, layout);
  for await (const project of input.projects()) {
    const { record, findings } = judged(project);
    await results.row(resultsRow(record, layout, findings));
    await lists.write(record);
  }
}

function judged(project: ResultProject): { record: ProjectRecord; findings: readonly Finding[] } {
  const reports = mergeReports(project.reports);
  const findings = findingsOf(reports.record, ATTENTION_RULES);
  return { record: { ...reports, project, points: findings.reduce((sum, { weight }) => sum + weight, 0) }, findings };
}

function countLevels(rows: readonly AttentionRow[]): Record<AttentionLevel, number> {
  const counts = { High: 0, Medium: 0, Low: 0 };
  for (const { points } of rows) counts[levelOf(points)] += 1;
  return counts;
}
