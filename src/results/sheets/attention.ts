import { type Finding, GRAVE_WEIGHT } from '../attention/judge.ts';
import type { AttentionLevel } from '../attention/levels.ts';
import { changesInWords } from './changes.ts';
import { text, wrapped } from '../cells.ts';
import { FIXED_SHEETS } from '../columns.ts';
import { KEY_COLUMN_COUNT, KEY_SHEET_COLUMNS, keyCells, photosCell, propertyCell, reportCell } from './results.ts';
import type { JudgedProject } from '../model.ts';
import type { Cell, SheetWriter, WorkbookWriter } from '../workbook-writer.ts';

/** The columns of `Attention` behind the key. */
const COLUMNS = [
  { title: 'Level', width: 10, note: 'High: among the riskiest tenth of the inspected houses. Medium: among the next quarter. Low: worth a look. The thresholds stand in the attention rules.' },
  { title: 'Points', width: 10, note: 'In each category (roof, building, liability …) the heaviest reason counts in full, every further one a tenth. The riskiest houses come first.' },
  { title: 'Why', width: 60, note: `Grave reasons (!) first; among them the one that the fewest other houses have. A reason is grave if it weighs ${GRAVE_WEIGHT} points or more.` },
  { title: 'Suggested action', width: 20, note: 'What the attention rules suggest for the gravest reason.' },
  { title: 'Report', width: 30 },
  { title: 'Photos', width: 12 },
  { title: 'Insured', width: 20 },
  { title: 'Property', width: 32 },
  { title: 'Changed since the report before', width: 60, note: 'What differs from the previous report on the same house or policy.' },
];

/** Reasons told in full; further ones are counted. */
const REASONS_MAX = 6;

/** The sheet `Attention`: the riskiest houses first, and why. */
export class AttentionSheet {
  readonly #sheet: SheetWriter;
  readonly #rows: { readonly points: number; readonly cells: readonly (Cell | undefined)[] }[] = [];

  constructor(workbook: WorkbookWriter) {
    this.#sheet = workbook.sheet({ name: FIXED_SHEETS.attention, kind: 'table', frozenColumns: KEY_COLUMN_COUNT, columns: [...KEY_SHEET_COLUMNS, ...COLUMNS], tabColour: 'C00000' });
  }

  /** Houses without a level are left out. */
  add(judged: JudgedProject): void {
    const { project, points, level, findings, action, changes } = judged;
    if (level === null) return;
    this.#rows.push({
      points,
      cells: [
        ...keyCells(judged),
        levelCell(level),
        { value: points, format: 'number' },
        wrapped(why(findings)),
        text(action ?? ''),
        reportCell(judged),
        photosCell(judged),
        wrapped(project.order.insuredName),
        propertyCell(judged),
        wrapped(changesInWords(changes)),
      ],
    });
  }

  /** Writes what was added. */
  async finish(): Promise<void> {
    for (const { cells } of this.#rows.toSorted((a, b) => b.points - a.points)) await this.#sheet.row(cells);
  }
}

function why(findings: readonly Finding[]): string {
  const told = findings.slice(0, REASONS_MAX).map(({ reason, weight }) => `${weight >= GRAVE_WEIGHT ? '!' : '·'} ${reason}`);
  const further = findings.length - told.length;
  return [...told, ...(further > 0 ? [`… and ${further} more, marked in the row on the sheet ${FIXED_SHEETS.results}`] : [])].join('\n');
}

const EMPHASIS = { High: 'alarm', Medium: 'warning', Low: undefined } as const;

/** A level as it is shown wherever it stands. */
export function levelCell(value: AttentionLevel): Cell {
  return { value, format: 'word', emphasis: EMPHASIS[value] };
}
