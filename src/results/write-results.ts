import { chooseColumns } from './column-choice.ts';
import { columnsOnRecord, type Layout, LayoutCollector } from './tables/report-columns.ts';
import { FIXED_SHEETS, type SheetOptions, type WorkbookWriter } from './workbook.ts';
import {
  combineWriters,
  type CsvPaths,
  finishedProjectOf,
  growingFile,
  type GrowingFile,
  projectLine,
  writeCsv,
  writeCsvTables,
} from './csv-and-jsonl.ts';
import { HouseCounts } from './house-counts.ts';
import { HousesForPage, ReportPage } from './html/write-report.ts';
import { isPastDue, JudgedProjects, type ResultsInput } from './model.ts';
import { Highlights } from './highlights.ts';
import { labeledPhotos } from './photos.ts';
import { attentionTable } from './tables/attention.ts';
import { CHANGES_TABLE, changedAttributes } from './tables/changes.ts';
import { DECIDED_TABLE, decidedHouses } from './tables/decisions.ts';
import { endedProjects, endedTable } from './tables/ended.ts';
import { FIELDS_TABLE, fieldsOf } from './tables/fields-sheet.ts';
import { listKeyTitles, listWriter } from './tables/lists.ts';
import { notOrderedTable } from './tables/not-ordered.ts';
import { agentOf, countByAgent, overdueRows, overdueTable } from './tables/overdue.ts';
import { OverviewPage, writeOverview } from './tables/overview.ts';
import { photosTable } from './tables/photos.ts';
import { PORTFOLIO_TABLE } from './tables/portfolio.ts';
import { PROJECT_COLUMNS, resultsTable } from './tables/results-columns.ts';
import { reportRows, reportsTable } from './tables/reports.ts';
import { RoofsTable } from './tables/roofs.ts';
import { SurpriseCollector, SURPRISES_TABLE } from './tables/surprises.ts';
import { RankedTable, tableWriter, writeTable } from './tables/table.ts';
import { writeWorkbook } from './xlsx/write-workbook.ts';

/** One path per wanted format; use temporary names. */
type ResultsPaths = Readonly<{
  xlsx?: string;
  csv?: CsvPaths;
  jsonl?: string;
  html?: string;
  decisions?: string;
}>;

/** Files are complete when the promise resolves. Calls `projects()` twice, and `onFinished` for each finished project. */
export async function writeResults({ xlsx, csv, jsonl, html, decisions }: ResultsPaths, input: ResultsInput) {
  const judged = new JudgedProjects(input);
  const surveyed = await survey(judged, input);
  const lines = jsonl === undefined ? null : growingFile(jsonl);
  const page = html === undefined ? null : new ReportPage(surveyed.houses, xlsx);
  const highlights = new Highlights(input.writtenAt);
  const write = (workbook: WorkbookWriter) =>
    writeSheets(workbook, { judged, lines, page, highlights }, input, surveyed);
  const writeTables = async (...workbooks: readonly WorkbookWriter[]) => {
    if (csv === undefined) await write(combineWriters(workbooks));
    else await writeCsvTables(csv, (tables) => write(combineWriters([...workbooks, tables])));
  };
  if (xlsx === undefined) await writeTables();
  else await writeWorkbook(xlsx, { title: 'Inspection results', writtenAt: input.writtenAt }, writeTables);
  await lines?.finish();
  if (decisions !== undefined)
    await writeCsv(
      () => decisions,
      (workbook) => writeTable(workbook, DECIDED_TABLE, surveyed.decided),
    );
  if (html !== undefined) await page?.write(html, input, surveyed.counts, judged.levels, highlights);
  return {
    columns: columnsOnRecord(surveyed.layout),
    projects: surveyed.counts.all,
    levels: judged.levels,
    newReports: surveyed.counts.fresh,
    high: highlights.outcomes.get('High') ?? 0,
    riskiest: highlights.riskiest,
    undecided: highlights.undecided,
    pastDueRows: surveyed.counts.pastDueByAgent,
    reasons: surveyed.reasons,
  };
}

const OWN_SHEETS: ReadonlySet<string> = new Set(
  Object.values(FIXED_SHEETS).filter((name) => name !== FIXED_SHEETS.results),
);

type Projects = Readonly<{
  highlights: Highlights;
  judged: JudgedProjects;
  lines: GrowingFile | null;
  page: ReportPage | null;
}>;

async function writeSheets(target: WorkbookWriter, projects: Projects, input: ResultsInput, surveyed: Survey) {
  const own: SheetOptions[] = [];
  const workbook: WorkbookWriter = {
    sheet(options) {
      if (OWN_SHEETS.has(options.name)) own.push(options);
      return target.sheet(options);
    },
  };
  const layout = chooseColumns(surveyed.layout, input.columns);
  const { counts: houses, surprises } = surveyed;
  const overview = new OverviewPage(workbook);
  await writeProjects(workbook, projects, input, layout, surveyed);
  await writeOverview(overview, input, {
    houses,
    attention: projects.judged.levels,
    highlights: projects.highlights,
    addedColumns: addedColumns(input, layout),
    surprises: surprises.length,
  });
  await writeTable(workbook, notOrderedTable(input.writtenAt), input.notOrdered());
  if (surprises.length > 0) await writeTable(workbook, SURPRISES_TABLE, surprises);
  await writeTable(target, FIELDS_TABLE, fieldsOf(layout, own));
}

function addedColumns({ earlierColumns }: ResultsInput, { columns, lists }: Layout) {
  if (earlierColumns.length === 0) return [];
  const added = [
    ...columns.map((column) => ({ ...column, sheet: FIXED_SHEETS.results })),
    ...lists.flatMap((list) => list.columns.map((column) => ({ ...column, sheet: list.sheet }))),
  ];
  return added.filter((column) => column.added).map(({ sheet, title }) => `${sheet}: ${title}`);
}

type Survey = Awaited<ReturnType<typeof survey>>;

async function survey(judgedProjects: JudgedProjects, input: ResultsInput) {
  const collector = new LayoutCollector();
  const surprises = new SurpriseCollector();
  const counts = new HouseCounts();
  const houses = new HousesForPage();
  const { decisions = [], overview } = input;
  const since = overview.night.since ?? 0;
  const fresh = new Set(decisions.flatMap(({ projectId, at }) => (at > since ? [projectId] : [])));
  const reasons = new Map<string, readonly string[]>();
  await judgedProjects.survey(
    (surveyed) => {
      for (const { record } of surveyed.reports) {
        collector.add(record);
        surprises.add(surveyed.project.projectId, record);
      }
      houses.add(surveyed);
      if (fresh.has(surveyed.project.projectId))
        reasons.set(
          surveyed.project.projectId,
          surveyed.findings.map(({ reason }) => reason),
        );
      return counts.add(surveyed);
    },
    (replaced) => counts.remove(replaced),
  );
  const layout = collector.layout(
    PROJECT_COLUMNS.map(({ title }) => title),
    listKeyTitles,
    input.earlierColumns,
  );
  counts.overdueByAgent = await countByAgent(overview.overdue, ({ order }) => agentOf(order));
  counts.pastDueByAgent = await countByAgent(input.notOrdered(), (row) =>
    isPastDue(row, overview.today) ? agentOf(row) : null,
  );
  return { layout, surprises: surprises.all, counts, houses, decided: decidedHouses(decisions, reasons), reasons };
}

async function writeProjects(
  workbook: WorkbookWriter,
  { judged: judgedProjects, lines, page, highlights }: Projects,
  { overview, thumbnails, decisionWords, nights, onFinished }: ResultsInput,
  layout: Layout,
  { counts, decided }: Survey,
) {
  const withThumbnails = counts.withThumbnails > 0 && thumbnails.perProject > 0;
  const writeResult = tableWriter(workbook, resultsTable(layout));
  const attention = new RankedTable(workbook, attentionTable(judgedProjects.levels, decisionWords));
  if (decided.length > 0) await writeTable(workbook, DECIDED_TABLE, decided);
  const roofs = counts.withRoofs > 0 ? new RoofsTable(workbook, withThumbnails) : null;
  if (overview.overdue.length > 0)
    await writeTable(workbook, overdueTable(overview.today, counts), overdueRows(overview.overdue));
  const ended = [...endedProjects(overview, counts.canceled)];
  if (ended.length > 0) await writeTable(workbook, endedTable(decisionWords), ended);
  const writeGroup = counts.inspected > 0 ? tableWriter(workbook, PORTFOLIO_TABLE) : null;
  const writeChange = counts.changed > 0 ? tableWriter(workbook, CHANGES_TABLE) : null;
  const photos = withThumbnails ? photosTable(workbook, thumbnails) : null;
  const writeReport = counts.withSeveralReports > 0 ? tableWriter(workbook, reportsTable(layout)) : null;
  const writeLists = listWriter(workbook, layout);
  for await (const judged of judgedProjects) {
    const { project, level, points, reports } = judged;
    await writeResult(judged);
    highlights.add(judged);
    if (level !== null) attention.add({ ...judged, level }, points);
    roofs?.add(judged);
    if (reports.length > 1) for (const row of reportRows(judged)) await writeReport?.(row);
    await writeLists(judged);
    if (project.photos.length > 0) photos?.add(judged, points, labeledPhotos(judged));
    for (const changed of changedAttributes(judged)) await writeChange?.(changed);
    await lines?.add(projectLine(judged));
    if (project.finishedAt) onFinished?.(finishedProjectOf(judged), project.finishedAt);
    await page?.add(judged);
  }
  for (const group of highlights.portfolio(nights)) await writeGroup?.(group);
  await attention.finish();
  await roofs?.finish();
  await photos?.finish();
}
