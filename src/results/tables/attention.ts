import { type AttentionLevel, GRAVE_WEIGHT } from '../attention/judge.ts';
import { changesInWords } from './changes.ts';
import { clipped, date, money, wrapped } from '../cells.ts';
import { capitalised, FIXED_SHEETS } from '../columns.ts';
import {
  HOUSE_COLUMNS,
  KEY_COLUMN_COUNT,
  KEY_SHEET_COLUMNS,
  keyCells,
  NEW_COLUMN,
  photosCell,
  renewalCell,
  reportCell,
} from './project-columns.ts';
import type { JudgedProject } from '../model.ts';
import type { Cell, SheetColumn, SheetWriter, WorkbookWriter } from '../workbook-writer.ts';

/** `(clear)` removes a decision. */
const DECISIONS = ['Accept', 'Accept with conditions', 'Re-inspect', 'Refer', 'Non-renew', '(clear)'] as const;

/** The underwriter's columns, which later nights read and keep. */
const DECISION_COLUMNS = [
  {
    title: 'Decision',
    width: 18,
    choices: DECISIONS,
    group: 'Decide',
    note: 'Choose one or write your own, save the workbook, and drop a copy in inbox/decisions. Later workbooks will show it. An empty cell changes nothing; (clear) removes what was there.',
  },
  { title: 'By', width: 12, group: 'Decide', note: 'Who decided.' },
  { title: 'Notes', width: 26, group: 'Decide' },
] as const satisfies readonly SheetColumn[];

interface AttentionColumn extends SheetColumn {
  readonly cell: (judged: JudgedProject & { readonly level: AttentionLevel }) => Cell | undefined;
}

const COLUMNS: readonly AttentionColumn[] = [
  {
    title: 'Level',
    width: 10,
    note: 'High: among the riskiest tenth of the inspected houses. Medium: among the next quarter. Low: worth a look. The attention rules set the limits.',
    cell: ({ level }) => levelCell(level),
  },
  { ...NEW_COLUMN, group: undefined, note: NEW_COLUMN.meaning },
  {
    title: 'Points',
    width: 9,
    note: 'In each category (roof, building, liability …) the heaviest reason counts in full, every further one a tenth. The riskiest houses come first.',
    cell: ({ points }) => ({ value: points, format: 'number' }),
  },
  {
    title: 'Why',
    width: 44,
    note: `The reason for the suggested action (→) first, then the serious ones (!), the rarest among these houses at the top. A reason is serious if it weighs ${GRAVE_WEIGHT} points or more. Point at the cell to see which attributes it comes from.`,
    cell: (judged) => ({
      value: why(judged),
      format: 'wrapped',
      note: judged.findings
        .slice(0, REASONS_MAX)
        .map(({ source }) => source)
        .join('\n'),
    }),
  },
  {
    title: 'Suggested action',
    width: 16,
    note: 'The strictest action that the attention rules have for a serious reason; without one, for the heaviest. Point at the cell to see which reason that is.',
    cell: ({ action, actionReason }) =>
      action === null ? undefined : { value: capitalised(action), format: 'text', note: actionReason ?? undefined },
  },
  { ...DECISION_COLUMNS[0], cell: ({ project }) => input(project.decision?.decision) },
  { ...DECISION_COLUMNS[1], cell: ({ project }) => input(project.decision?.by) },
  { ...DECISION_COLUMNS[2], cell: ({ project }) => input(project.decision?.notes) },
  ...HOUSE_COLUMNS,
  { title: 'Report', width: 24, cell: reportCell },
  { title: 'Photos', width: 12, cell: photosCell },
  { title: 'Agent', width: 20, cell: ({ project }) => wrapped(project.order.agentName ?? '') },
  { title: 'Policy type', width: 24, cell: ({ project }) => wrapped(project.order.policyType) },
  {
    title: 'Renewal',
    width: 10,
    note: 'Yes for a renewal, No for new business; empty if the order does not say.',
    cell: ({ project }) => renewalCell(project.order),
  },
  { title: 'Effective date', width: 13, cell: ({ project }) => date(project.order.policyEffectiveDate) },
  {
    title: 'Coverage A',
    width: 13,
    note: 'Dwelling, as ordered.',
    cell: ({ project }) => money(project.order.dwellingCoverage),
  },
  {
    title: 'Coverage B',
    width: 13,
    note: 'Other structures, as ordered.',
    cell: ({ project }) => money(project.order.otherStructureCoverage),
  },
  {
    title: 'Coverage C',
    width: 13,
    note: 'Contents, as ordered.',
    cell: ({ project }) => money(project.order.contentCoverage),
  },
  {
    title: 'Services',
    width: 26,
    cell: ({ project: { order } }) => wrapped([order.serviceName, ...(order.supplementalServices ?? [])].join('\n')),
  },
  {
    title: 'Changed since the previous report',
    width: 60,
    note: 'What differs from the previous report on the same house or policy.',
    cell: ({ changes }) => wrapped(changesInWords(changes)),
  },
  {
    title: 'All reasons',
    width: 40,
    note: 'Every reason, on one line: filter here to find all houses with it.',
    cell: ({ findings }) => clipped(findings.map(({ reason }) => reason).join('; ')),
  },
];

const REASONS_MAX = 6;

/** The sheet `Attention`: the riskiest houses first. */
export class AttentionSheet {
  readonly #sheet: SheetWriter;
  readonly #rows: { readonly points: number; readonly cells: readonly (Cell | undefined)[] }[] = [];

  constructor(workbook: WorkbookWriter) {
    const printedColumns = KEY_COLUMN_COUNT + COLUMNS.findIndex(({ title }) => title === 'Report');
    this.#sheet = workbook.sheet({
      name: FIXED_SHEETS.attention,
      kind: 'table',
      frozenColumns: KEY_COLUMN_COUNT,
      columns: [...KEY_SHEET_COLUMNS, ...COLUMNS],
      tabColour: 'C00000',
      printedColumns,
    });
  }

  /** Skips houses without a level. */
  add(judged: JudgedProject): void {
    const { level, points } = judged;
    if (level === null) return;
    this.#rows.push({ points, cells: [...keyCells(judged), ...COLUMNS.map(({ cell }) => cell({ ...judged, level }))] });
  }

  async finish(): Promise<void> {
    for (const { cells } of this.#rows.toSorted((a, b) => b.points - a.points)) await this.#sheet.row(cells);
  }
}

function input(value = ''): Cell {
  return { value, format: 'input' };
}

function why({ findings, action }: JudgedProject): string {
  const told = findings
    .slice(0, REASONS_MAX)
    .map(
      ({ reason, weight }, index) =>
        `${weight >= GRAVE_WEIGHT ? '!' : '·'} ${reason}${index === 0 && action !== null ? ` → ${action}` : ''}`,
    );
  const further = findings.length - told.length;
  return [...told, ...(further > 0 ? [`… and ${further} more, in the last column`] : [])].join('\n');
}

const EMPHASIS = { High: 'alarm', Medium: 'warning', Low: undefined } as const;

export function levelCell(value: AttentionLevel): Cell {
  return { value, format: 'word', emphasis: EMPHASIS[value] };
}
