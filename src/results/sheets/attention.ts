import { type Finding, GRAVE_WEIGHT } from '../attention/judge.ts';
import { changesInWords } from './changes.ts';
import { wrapped } from '../cells.ts';
import { FIXED_SHEETS } from '../columns.ts';
import { KEY_COLUMN_COUNT, KEY_SHEET_COLUMNS, keyCells, photosCell, propertyCell, reportCell } from './results.ts';
import type { JudgedProject } from '../model.ts';
import type { Cell, WorkbookWriter } from '../workbook-writer.ts';

/** A row of the sheet, and what it is sorted by. */
export interface AttentionRow {
  readonly points: number;
  readonly cells: readonly (Cell | undefined)[];
}

/** Points from which on a house is `High`, and `Medium`. */
const HIGH_POINTS = 60;
const MEDIUM_POINTS = 25;

/** The columns of `Attention` behind the key. */
const COLUMNS = [
  { title: 'Level', width: 10, note: `By its points: High from ${HIGH_POINTS} on, Medium from ${MEDIUM_POINTS} on, else Low.` },
  { title: 'Points', width: 10, note: 'The sum of the weights of the rules that apply to the house. The riskiest houses come first.' },
  { title: 'Why, the gravest first', width: 72, note: `A reason marked ! weighs ${GRAVE_WEIGHT} points or more by itself.` },
  { title: 'Report', width: 30 },
  { title: 'Photos', width: 12 },
  { title: 'Insured', width: 20 },
  { title: 'Property', width: 32 },
  { title: 'Changed since the report before', width: 60, note: 'What differs from the previous report on the same house or policy.' },
];

/** Reasons told in full; further ones are counted. */
const REASONS_MAX = 6;

/** A house's row. */
export function attentionRow(judged: JudgedProject): AttentionRow {
  const { order } = judged.project;
  return {
    points: judged.points,
    cells: [
      ...keyCells(judged),
      levelCell(levelOf(judged.points)),
      { value: judged.points, format: 'number' },
      wrapped(why(judged.findings)),
      reportCell(judged),
      photosCell(judged),
      wrapped(order.insuredName),
      propertyCell(judged),
      wrapped(changesInWords(judged.changes)),
    ],
  };
}

function why(findings: readonly Finding[]): string {
  const told = findings.slice(0, REASONS_MAX).map(({ reason, weight }) => `${weight >= GRAVE_WEIGHT ? '!' : '·'} ${reason}`);
  const further = findings.length - told.length;
  return [...told, ...(further > 0 ? [`… and ${further} more, marked in the row on the sheet ${FIXED_SHEETS.results}`] : [])].join('\n');
}

/** The sheet `Attention`: the riskiest houses first, and why. */
export async function writeAttention(workbook: WorkbookWriter, rows: readonly AttentionRow[]): Promise<void> {
  const sheet = workbook.sheet({
    name: FIXED_SHEETS.attention,
    kind: 'table',
    frozenColumns: KEY_COLUMN_COUNT,
    columns: [...KEY_SHEET_COLUMNS, ...COLUMNS],
    tabColour: 'C00000',
  });
  for (const { cells } of rows.toSorted((a, b) => b.points - a.points)) await sheet.row(cells);
}

/** How risky a house is, by its points. */
export type AttentionLevel = 'High' | 'Medium' | 'Low';

export function levelOf(points: number): AttentionLevel {
  if (points >= HIGH_POINTS) return 'High';
  return points >= MEDIUM_POINTS ? 'Medium' : 'Low';
}

const EMPHASIS = { High: 'alarm', Medium: 'warning', Low: undefined } as const;

/** A level as it is shown wherever it stands. */
export function levelCell(value: AttentionLevel): Cell {
  return { value, format: 'word', emphasis: EMPHASIS[value] };
}
