import { cellText, isBlank, type Cell } from '../domain/cells.ts';
import { CLEARED, type Decision, isInForce } from '../domain/project.ts';
import { type RowSource, UnreadableFileError } from './readers/row-source.ts';
import { trimmed } from './values/plain-text.ts';
import { sentence } from '../domain/sentences.ts';

/** `projectId`: as written, so not always a number. */
type HouseDecision = Decision & { readonly projectId: string };

export type DecisionFile = Readonly<{
  /** Null if the workbook does not name it. */
  writtenIn: string | null;
  /** A house on two sheets comes twice. */
  decisions: readonly HouseDecision[];
}>;

/** `outcome`: only on the sheet of decisions on record. */
const TITLES = { projectId: 'project id', decision: 'decision', by: 'by', notes: 'notes', outcome: 'outcome' } as const;
type Columns = Readonly<Record<keyof typeof TITLES, number>>;

const FIRST_ROWS = 12;
const WORD_LENGTH_MAX = 60;
const NOTES_LENGTH_MAX = 2000;

export async function readDecisionFile(path: string, displayName: string) {
  // Only the process of a file loads the readers.
  const { openSpreadsheet } = await import('./readers/open-spreadsheet.ts');
  await using source = await openSpreadsheet(path, displayName);
  const decisions = [];
  let writtenIn: string | null = null;
  let tables = 0;
  for (const [index, sheet] of source.sheets.entries()) {
    writtenIn ??= await runOn(source, index);
    if (!sheet.visible) continue;
    const columns = await columnsOf(source, index);
    if (columns === null) continue;
    // Without the run, a decision on record cannot be compared with what was delivered: an old one would count again.
    if (columns.outcome !== -1 && writtenIn === null) continue;
    tables += 1;
    let isBelowTitles = false;
    for await (const { cells } of source.rows(index)) {
      const decision = isBelowTitles ? decisionIn(cells, columns) : null;
      isBelowTitles ||= titleOf(cells[columns.projectId]) === TITLES.projectId;
      if (decision !== null) decisions.push(decision);
    }
  }
  if (tables === 0) throw new UnreadableFileError('no-decisions', sentence('no-decisions', { name: displayName }));
  return { writtenIn, decisions };
}

/** True for a file that the page of results saved, under any name. */
export async function isDecisionFile(source: RowSource) {
  return source.delimited === true && (await runOn(source, 0)) !== null && (await columnsOf(source, 0)) !== null;
}

async function firstOf(source: RowSource, sheet: number) {
  const rows = [];
  for await (const row of source.rows(sheet)) {
    if (row.rowNumber > FIRST_ROWS) break;
    rows.push(row);
  }
  return rows;
}

async function runOn(source: RowSource, sheet: number) {
  const row = (await firstOf(source, sheet)).find(({ cells }) => cellText(cells[0]) === 'Run');
  const run = cellText(row?.cells[1]);
  return /^\d{4}-\d{2}-\d{2}T[\w.:-]{1,40}$/.test(run) ? run : null;
}

async function columnsOf(source: RowSource, sheet: number) {
  for (const { cells } of await firstOf(source, sheet)) {
    const titles = cells.map(titleOf);
    const places = Object.entries(TITLES).map(([name, title]) => [name, titles.indexOf(title)]);
    const columns = Object.fromEntries(places) as Columns;
    if (columns.projectId !== -1 && columns.decision !== -1) return columns;
  }
  return null;
}

function titleOf(cell: Cell | undefined) {
  return trimmed(cellText(cell)).toLowerCase();
}

function decisionIn(cells: readonly (Cell | undefined)[], { projectId, decision, by, notes, outcome }: Columns) {
  if (
    [decision, by, notes].every((column) => isBlank(cells[column])) ||
    (outcome !== -1 && !isInForce(cellText(cells[outcome])))
  )
    return null;
  const word = said(cells[decision], WORD_LENGTH_MAX);
  return {
    projectId: trimmed(cellText(cells[projectId])),
    decision: outcome !== -1 && word === CLEARED ? '' : word,
    by: said(cells[by], WORD_LENGTH_MAX),
    notes: said(cells[notes], NOTES_LENGTH_MAX),
  };
}

function said(cell: Cell | undefined, lengthMax: number) {
  const text = trimmed(cellText(cell));
  return text.length > lengthMax ? `${text.slice(0, lengthMax - 1).toWellFormed()}…` : text;
}
