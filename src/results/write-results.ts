/**
 * The entry to results/: judges a delivery's projects (`model.ts`, `attention/`), lays out columns (`columns.ts`), and
 * writes workbook (`tables/`, `xlsx/`), CSV and JSON lines (`formats.ts`) and the page (`html/`).
 */

import type { ResultColumn } from '../domain/project.ts';
import { AttentionSheet } from './tables/attention.ts';
import { ChangesSheet } from './tables/changes.ts';
import { chosen } from './column-choice.ts';
import { columnsOnRecord, FIXED_SHEETS, type Layout, LayoutCollector } from './columns.ts';
import { writeEnded } from './tables/ended.ts';
import { writeFields } from './tables/fields.ts';
import { bothWorkbooks, type CsvPaths, GrowingFile, projectLine, writeCsvTables } from './formats.ts';
import { HousesForPage, ReportPage } from './html/write-report.ts';
import { listKeyTitles, ListSheets } from './tables/lists.ts';
import { JudgedProjects, type ResultsInput } from './model.ts';
import { writeNotOrdered } from './tables/not-ordered.ts';
import { writeOverdue } from './tables/overdue.ts';
import { type RoofRow, roofRow, writeRoofs } from './tables/roofs.ts';
import { Tallies, writeOverview } from './tables/overview.ts';
import { PhotosSheet } from './tables/photos.ts';
import { REPORT_COLUMNS, ReportsSheet } from './tables/reports.ts';
import { PROJECT_COLUMNS, resultsRow, resultsSheetOptions } from './tables/project-columns.ts';
import { type Surprise, SurpriseCollector, writeSurprises } from './tables/surprises.ts';
import type { SheetOptions, WorkbookWriter } from './workbook-writer.ts';
import { writeWorkbook } from './xlsx/write-workbook.ts';

/** One path per wanted format; use temporary names. */
export interface ResultsPaths {
  readonly xlsx?: string;
  readonly csv?: CsvPaths;
  readonly jsonl?: string;
  readonly html?: string;
}

/** Writes the results workbook (DESIGN: What the results workbook must hold) to `path`, as `writeResults`. */
export function writeResultsWorkbook(path: string, input: ResultsInput): Promise<WrittenResults> {
  return writeResults({ xlsx: path }, input);
}

/**
 * Writes the results in every wanted format from the same judged projects; files are complete when the promise
 * resolves. Calls `projects()` twice: to find columns and ranks, then to write. Returns the columns to record, and the
 * number of projects in all and by level.
 */
export async function writeResults(
  { xlsx, csv, jsonl, html }: ResultsPaths,
  input: ResultsInput,
): Promise<WrittenResults> {
  const judged = new JudgedProjects(input);
  const surveyed = await survey(judged, input);
  const lines = jsonl === undefined ? null : new GrowingFile(jsonl);
  const page = html === undefined ? null : new ReportPage(surveyed.houses);
  const write = (workbook: WorkbookWriter): Promise<void> =>
    writeSheets(workbook, { judged, lines, page }, input, surveyed);
  const writeTables = async (workbook: WorkbookWriter | null): Promise<void> => {
    if (csv !== undefined)
      await writeCsvTables(csv, (tables) => write(workbook === null ? tables : bothWorkbooks(workbook, tables)));
    else await write(workbook ?? NO_WORKBOOK);
  };
  if (xlsx === undefined) await writeTables(null);
  else await writeWorkbook(xlsx, { title: 'Inspection results', writtenAt: input.writtenAt }, writeTables);
  await lines?.finish();
  if (html !== undefined) await page?.write(html, input, surveyed.tallies);
  return { columns: columnsOnRecord(surveyed.layout), projects: surveyed.projects, levels: judged.levels };
}

const NO_WORKBOOK: WorkbookWriter = { sheet: () => ({ row: async () => {}, picture() {}, chart() {} }) };

const MADE_HERE: ReadonlySet<string> = new Set([
  FIXED_SHEETS.attention,
  FIXED_SHEETS.roofs,
  FIXED_SHEETS.overdue,
  FIXED_SHEETS.ended,
  FIXED_SHEETS.changes,
  FIXED_SHEETS.photos,
  FIXED_SHEETS.notOrdered,
  FIXED_SHEETS.surprises,
]);

interface Projects {
  readonly judged: JudgedProjects;
  readonly lines: GrowingFile | null;
  readonly page: ReportPage | null;
}

async function writeSheets(
  target: WorkbookWriter,
  projects: Projects,
  input: ResultsInput,
  surveyed: Survey,
): Promise<void> {
  const { surprises, tallies } = surveyed;
  const made: SheetOptions[] = [];
  const workbook: WorkbookWriter = {
    sheet(options) {
      if (MADE_HERE.has(options.name)) made.push(options);
      if (options.name === FIXED_SHEETS.reports) made.push({ ...options, columns: REPORT_COLUMNS });
      return target.sheet(options);
    },
  };
  const layout = chosen(surveyed.layout, input.columns);
  const { hazards, roofConditions } = tallies;
  await writeOverview(workbook, input, {
    ...surveyed,
    hazards,
    roofConditions,
    attention: projects.judged.levels,
    addedColumns: addedColumns(input, layout),
    surprises: surprises.length,
  });
  await writeProjects(workbook, projects, input, layout, surveyed);
  await writeNotOrdered(workbook, input);
  await writeSurprises(workbook, surprises);
  await writeFields(workbook, layout, made);
}

export interface WrittenResults {
  readonly columns: readonly ResultColumn[];
  readonly projects: number;
  readonly levels: JudgedProjects['levels'];
}

/** New columns; none for the first workbook, where all are new. */
function addedColumns({ earlierColumns }: ResultsInput, { columns, lists }: Layout): readonly string[] {
  if (earlierColumns.length === 0) return [];
  const added = [
    ...columns.map((column) => ({ ...column, sheet: FIXED_SHEETS.results })),
    ...lists.flatMap((list) => list.columns.map((column) => ({ ...column, sheet: list.sheet }))),
  ];
  return added.filter((column) => column.added).map(({ sheet, title }) => `${sheet}: ${title}`);
}

interface Survey {
  readonly layout: Layout;
  readonly roofs: readonly RoofRow[];
  readonly surprises: readonly Surprise[];
  readonly tallies: Tallies;
  readonly houses: HousesForPage;
  readonly withThumbnails: boolean;
  readonly projects: number;
  readonly severalReports: boolean;
  readonly changed: number;
  readonly added: number;
}

async function survey(judgedProjects: JudgedProjects, input: ResultsInput): Promise<Survey> {
  const collector = new LayoutCollector();
  const roofs: RoofRow[] = [];
  const surprises = new SurpriseCollector();
  const tallies = new Tallies();
  const houses = new HousesForPage();
  let projects = 0;
  let withThumbnails = false;
  let severalReports = false;
  let changed = 0;
  let added = 0;
  await judgedProjects.survey(
    (surveyed) => {
      const { project, record, reports, points, changes, closedOut } = surveyed;
      for (const report of reports) {
        collector.add(report.record);
        surprises.add(project.projectId, report.record);
      }
      severalReports ||= reports.length > 1;
      projects += 1;
      houses.add({
        projectId: project.projectId,
        points,
        photoCount: project.photos.length,
        isNew: project.isNew,
        hasReport: project.reports.length > 0,
      });
      withThumbnails ||=
        input.thumbnails.perProject > 0 && project.photos.some(({ thumbnail }) => thumbnail !== undefined);
      const roof = roofRow(surveyed);
      if (roof !== null) roofs.push(roof);
      if (changes.length > 0) changed += 1;
      if (project.isNew && closedOut === null) added += 1;
      return tallies.add(record);
    },
    (replaced) => tallies.remove(replaced),
  );
  const layout = collector.layout(
    PROJECT_COLUMNS.map(({ title }) => title),
    listKeyTitles,
    input.earlierColumns,
  );
  return {
    layout,
    roofs: roofs.filter(({ projectId }) => judgedProjects.replacementOf(projectId) === null),
    surprises: surprises.all,
    tallies,
    houses,
    withThumbnails,
    severalReports,
    projects,
    changed,
    added,
  };
}

/** One pass writes them all. */
async function writeProjects(
  workbook: WorkbookWriter,
  { judged: judgedProjects, lines, page }: Projects,
  input: ResultsInput,
  layout: Layout,
  { roofs, withThumbnails, severalReports, changed }: Survey,
): Promise<void> {
  const results = workbook.sheet(resultsSheetOptions(layout));
  const attention = new AttentionSheet(workbook);
  await writeRoofs(workbook, roofs, withThumbnails);
  await writeOverdue(workbook, input);
  await writeEnded(workbook, input.overview);
  const changes = changed > 0 ? new ChangesSheet(workbook) : null;
  const photos = withThumbnails ? new PhotosSheet(workbook, input.thumbnails) : null;
  const reports = severalReports ? new ReportsSheet(workbook, layout) : null;
  const lists = new ListSheets(workbook, layout);
  for await (const judged of judgedProjects) {
    await results.row(resultsRow(judged, layout));
    attention.add(judged);
    await reports?.write(judged);
    await lists.write(judged);
    photos?.add(judged);
    await changes?.write(judged);
    await lines?.add(projectLine(judged));
    await page?.add(judged);
  }
  await attention.finish();
  await photos?.finish();
}
