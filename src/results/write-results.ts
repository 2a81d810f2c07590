import type { ResultColumn } from '../domain/project.ts';
import { type AttentionLevel, type AttentionRow, attentionRow, levelOf, writeAttention } from './sheets/attention.ts';
import { ChangesSheet } from './sheets/changes.ts';
import { chosen } from './column-choice.ts';
import { columnsOnRecord, FIXED_SHEETS, type Layout, LayoutCollector } from './columns.ts';
import { writeFields } from './sheets/fields.ts';
import { bothWorkbooks, type CsvPaths, GrowingFile, projectLine, writeCsvTables } from './formats.ts';
import { listKeyTitles, ListSheets } from './sheets/lists.ts';
import { judgedProjects, type ResultsInput } from './model.ts';
import { writeNotOrdered } from './sheets/not-ordered.ts';
import { writeOverdue } from './sheets/overdue.ts';
import { type RoofRow, roofRow, writeRoofs } from './sheets/roofs.ts';
import { type Counted, Tallies, writeOverview } from './sheets/overview.ts';
import { PhotosSheet } from './sheets/photos.ts';
import { PROJECT_COLUMNS, resultsRow, resultsSheetOptions } from './sheets/results.ts';
import { type Surprise, SurpriseCollector, writeSurprises } from './sheets/surprises.ts';
import type { SheetOptions, WorkbookWriter } from './workbook-writer.ts';
import { writeWorkbook } from './xlsx/write-workbook.ts';

/** Where the results go, one path for each format; those left out are not written. Paths should be temporary names. */
export interface ResultsPaths {
  readonly xlsx?: string;
  readonly csv?: CsvPaths;
  /** JSON lines, one project a line. */
  readonly jsonl?: string;
}

/** Writes the results workbook (DESIGN: What the results workbook must hold) to `path`, as `writeResults` does. */
export function writeResultsWorkbook(path: string, input: ResultsInput): Promise<WrittenResults> {
  return writeResults({ xlsx: path }, input);
}

/**
 * Writes the results in every format asked for, from the same rows: the files are whole only when the promise resolves. `projects()` is
 * called twice: first to learn which columns occur, then to write the rows. Answers with the columns, which are to go on record, and how
 * many projects there are.
 */
export async function writeResults({ xlsx, csv, jsonl }: ResultsPaths, input: ResultsInput): Promise<WrittenResults> {
  const surveyed = await survey(input);
  const lines = jsonl === undefined ? null : new GrowingFile(jsonl);
  const write = (workbook: WorkbookWriter): Promise<void> => writeSheets(workbook, lines, input, surveyed);
  const writeTables = async (workbook: WorkbookWriter | null): Promise<void> => {
    if (csv !== undefined) await writeCsvTables(csv, (tables) => write(workbook === null ? tables : bothWorkbooks(workbook, tables)));
    else await write(workbook ?? NO_WORKBOOK);
  };
  if (xlsx === undefined) await writeTables(null);
  else await writeWorkbook(xlsx, { title: 'Inspection results', writtenAt: input.writtenAt }, writeTables);
  await lines?.finish();
  return { columns: columnsOnRecord(surveyed.layout), projects: surveyed.projects };
}

/** For lines alone. */
const NO_WORKBOOK: WorkbookWriter = { sheet: () => ({ row: async () => {}, picture() {}, chart() {} }) };

/** The sheets that tell what the program itself made of the reports. */
const MADE_HERE: ReadonlySet<string> = new Set([FIXED_SHEETS.attention, FIXED_SHEETS.roofs, FIXED_SHEETS.overdue, FIXED_SHEETS.changes, FIXED_SHEETS.photos, FIXED_SHEETS.notOrdered, FIXED_SHEETS.surprises]);

async function writeSheets(target: WorkbookWriter, lines: GrowingFile | null, input: ResultsInput, surveyed: Survey): Promise<void> {
  const { attention, surprises } = surveyed;
  const made: SheetOptions[] = [];
  const workbook: WorkbookWriter = {
    sheet(options) {
      if (MADE_HERE.has(options.name)) made.push(options);
      return target.sheet(options);
    },
  };
  const layout = chosen(surveyed.layout, input.columns);
  await writeOverview(workbook, input, { ...surveyed, attention: countLevels(attention), addedColumns: addedColumns(input, layout), surprises: surprises.length });
  await writeProjects(workbook, lines, input, layout, surveyed);
  await writeNotOrdered(workbook, input.notOrdered());
  await writeSurprises(workbook, surprises);
  await writeFields(workbook, layout, made);
}

export interface WrittenResults {
  readonly columns: readonly ResultColumn[];
  readonly projects: number;
}

/** The columns that are told as new: of the first workbook all are, and none is worth a word. */
function addedColumns({ earlierColumns }: ResultsInput, { columns, lists }: Layout): readonly string[] {
  if (earlierColumns.length === 0) return [];
  const added = [...columns.map((column) => ({ ...column, sheet: FIXED_SHEETS.results })), ...lists.flatMap((list) => list.columns.map((column) => ({ ...column, sheet: list.sheet })))];
  return added.filter((column) => column.added).map(({ sheet, title }) => `${sheet}: ${title}`);
}

interface Survey {
  readonly layout: Layout;
  readonly attention: readonly AttentionRow[];
  readonly roofs: readonly RoofRow[];
  readonly surprises: readonly Surprise[];
  readonly hazards: readonly Counted[];
  readonly roofConditions: readonly Counted[];
  readonly withThumbnails: boolean;
  readonly projects: number;
  /** How many projects have a report that tells something otherwise than the one before. */
  readonly changed: number;
}

async function survey(input: ResultsInput): Promise<Survey> {
  const collector = new LayoutCollector();
  const attention: AttentionRow[] = [];
  const roofs: RoofRow[] = [];
  const surprises = new SurpriseCollector();
  const tallies = new Tallies();
  let withThumbnails = false;
  let projects = 0;
  let changed = 0;
  for await (const { record, findings } of judgedProjects(input)) {
    const { project } = record;
    collector.add(record.record);
    surprises.add(project.projectId, record.record);
    tallies.add(record.record);
    withThumbnails ||= input.thumbnails.perProject > 0 && project.photos.some(({ thumbnail }) => thumbnail !== undefined);
    if (findings.length > 0) attention.push(attentionRow(record, findings));
    const roof = roofRow(record, findings);
    if (roof !== null) roofs.push(roof);
    projects += 1;
    if (record.changes.length > 0) changed += 1;
  }
  const layout = collector.layout(
    PROJECT_COLUMNS.map(({ title }) => title),
    listKeyTitles,
    input.earlierColumns,
  );
  return { layout, attention, roofs, surprises: surprises.all, hazards: tallies.hazards, roofConditions: tallies.roofConditions, withThumbnails, projects, changed };
}

/** The sheets of projects stand side by side: one pass writes them all. */
async function writeProjects(workbook: WorkbookWriter, jsonLines: GrowingFile | null, input: ResultsInput, layout: Layout, { attention, roofs, withThumbnails, changed }: Survey): Promise<void> {
  const results = workbook.sheet(resultsSheetOptions(layout));
  await writeAttention(workbook, attention);
  await writeRoofs(workbook, roofs, withThumbnails);
  await writeOverdue(workbook, input);
  const changes = changed > 0 ? new ChangesSheet(workbook) : null;
  const photos = withThumbnails ? new PhotosSheet(workbook, input.thumbnails) : null;
  const lists = new ListSheets(workbook, layout);
  for await (const { record, findings } of judgedProjects(input)) {
    await results.row(resultsRow(record, layout, findings));
    await lists.write(record);
    await photos?.write(record, findings);
    await changes?.write(record);
    await jsonLines?.add(projectLine(record, findings));
  }
}

function countLevels(rows: readonly AttentionRow[]): Record<AttentionLevel, number> {
  const counts = { High: 0, Medium: 0, Low: 0 };
  for (const { points } of rows) counts[levelOf(points)] += 1;
  return counts;
}
