import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringifyExactJson } from '../contract/json.ts';
import type { FinishedProject, ResultLine } from '../domain/delivery.ts';
import { escapeInvisible } from '../domain/text.ts';
import { FIXED_SHEETS, validSheetName, type TableCell, type WorkbookWriter, tableCellText } from './workbook.ts';
import type { FlatRecord } from './flatten.ts';
import type { JudgedProject } from './model.ts';

/** Other tables are named after their sheets in `folder`. */
export type CsvPaths = Readonly<Record<'results' | 'folder', string>>;

const BYTE_ORDER_MARK = '\uFEFF';

/** Text that programs may take for a formula, and our apostrophe. */
const GUARDED = /^['=+\-@\t\r\n＝＋－＠]/u;

const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;

/**
 * CSV (RFC 4180, UTF-8 with BOM), each cell as shown; no pages or photos. Appends a linked path: `12 photos
 * <photos/…>`. Puts an apostrophe before text that may run as a formula or begins with an apostrophe.
 */
export async function writeCsvTables(paths: CsvPaths, write: (workbook: WorkbookWriter) => Promise<void>) {
  await mkdir(paths.folder, { recursive: true });
  const taken = new Set<string>();
  const pathOf = (name: string) =>
    name === FIXED_SHEETS.results ? paths.results : join(paths.folder, fileName(name, taken));
  await writeCsv(pathOf, write);
}

export async function writeCsv(pathOf: (sheet: string) => string, write: (workbook: WorkbookWriter) => Promise<void>) {
  const files: GrowingFile[] = [];
  await write({
    sheet: (options) => {
      const { name, kind, columns } = options;
      const none = combineWriters([]).sheet(options);
      if (kind === 'page' || name === FIXED_SHEETS.photos) return none;
      const head = csvLine(columns.map(({ title }) => quoted(guarded(title))));
      const file = growingFile(pathOf(name), BYTE_ORDER_MARK + head);
      files.push(file);
      return {
        ...none,
        row: (cells) =>
          file.add(
            csvLine(
              Array.from({ length: Math.max(columns.length, cells.length) }, (_, index) => csvField(cells[index])),
            ),
          ),
      };
    },
  });
  for (const file of files) await file.finish();
}

export function combineWriters(workbooks: readonly WorkbookWriter[]): WorkbookWriter {
  return {
    sheet: (options) => {
      const sheets = workbooks.map((workbook) => workbook.sheet(options));
      return {
        row: async (cells, height) => {
          for (const sheet of sheets) await sheet.row(cells, height);
        },
        picture: (picture) => sheets.forEach((sheet) => sheet.picture(picture)),
        bars: (column, rows) => sheets.forEach((sheet) => sheet.bars(column, rows)),
        endOfPrint: () => sheets.forEach((sheet) => sheet.endOfPrint()),
      };
    },
  };
}

function csvField(cell: TableCell | undefined) {
  if (cell === undefined) return '';
  const shown = escapeInvisible(tableCellText(cell));
  const text = typeof cell.value === 'number' ? shown : guarded(shown);
  return quoted(cell.link === undefined || cell.anchor !== undefined ? text : `${text} <${cell.link}>`);
}

function guarded(text: string) {
  return GUARDED.test(text) ? `'${text}` : text;
}

function quoted(text: string) {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function csvTable(header: readonly string[], rows: readonly (readonly string[])[]) {
  return [header, ...rows]
    .map((cells) => cells.map((cell) => quoted(guarded(escapeInvisible(cell)))).join(','))
    .join('\n');
}

function csvLine(fields: readonly string[]) {
  return `${fields.join(',')}\r\n`;
}

function fileName(sheet: string, taken: Set<string>) {
  const clean = sheet.replaceAll(/[<>"|]+/g, ' ').replace(/^\.+/, '');
  return `${validSheetName(WINDOWS_DEVICE.test(clean) ? `List ${clean}` : clean, taken)}.csv`;
}

export function finishedProjectOf(judged: JudgedProject): FinishedProject {
  const { project, reports, findings } = judged;
  const { projectId, order, status } = project;
  return {
    projectId,
    policyNumber: order.policyNumber ?? null,
    inspectionNumber: order.inspectionNumber ?? null,
    status,
    statusAt: isoTime(project.statusAt),
    orderedAt: isoTime(project.orderedAt),
    returnedAt: isoTime(project.returnedAt),
    collectedAt: isoTime(project.collectedAt),
    problems: project.problems,
    attentionPoints: judged.points,
    attentionLevel: judged.level,
    suggestedAction: judged.action,
    suggestedFor: judged.actionReason,
    closedOut: judged.closedOut,
    findings: findings.map(({ rule: _rule, source: _source, ...finding }) => finding),
    reports: reports.map(({ id, type, path }) => ({ id, type, path })),
  };
}

/**
 * `values` by source path, as from the service (40 for 40%, epoch seconds, null: not assessed, absent: not covered).
 * Lists of objects are arrays. Our times are ISO 8601 UTC, paths relative to the delivery.
 */
export function projectLine(judged: JudgedProject) {
  const { linked, source, order, earlier } = judged.project;
  const line: ResultLine = {
    ...finishedProjectOf(judged),
    linked,
    source,
    order,
    replacedBy: judged.replacedBy,
    ...(judged.reports.length > 1 && {
      reports: judged.reports.map(({ id, type, path, record }) => ({ id, type, path, values: valuesOf(record) })),
    }),
    disagreements: judged.disagreements.map(({ path, shown, others }) => ({ path, shown, others })),
    photos: judged.project.photos.map(({ thumbnail: _thumbnail, ...photo }) => photo),
    earlier: earlier && {
      projectId: earlier.projectId,
      at: isoTime(earlier.at),
      known: earlier.known,
      changes: judged.changes.map(({ path, before, now }) => ({ path, before, now })),
    },
    values: valuesOf(judged.record),
  };
  return `${escapeInvisible(stringifyExactJson(line))}\n`;
}

function valuesOf({ values, lists }: FlatRecord): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    [...values.values()].map(({ path, leaf, counted }) => [
      path,
      counted ? (lists.get(path)?.items ?? []).map(valuesOf) : leaf,
    ]),
  );
}

export function isoTime(epochMs: number): string;
export function isoTime(epochMs: number | null): string | null;
export function isoTime(epochMs: number | null) {
  return epochMs === null ? null : new Date(epochMs).toISOString();
}

const BATCH = 256 * 1024;

/** A UTF-8 file that is neither in memory nor open, so that there may be many. */
export type GrowingFile = ReturnType<typeof growingFile>;

export function growingFile(path: string, begin = '') {
  let waiting = begin;
  let flag = 'w';
  const finish = async () => {
    const text = waiting;
    waiting = '';
    await writeFile(path, text, { flag });
    flag = 'a';
  };
  return {
    async add(text: string) {
      waiting += text;
      if (waiting.length >= BATCH) await finish();
    },
    finish,
  };
}
