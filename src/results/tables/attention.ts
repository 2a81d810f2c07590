import { DECISIONS } from '../../domain/project.ts';
import { type AttentionLevel, describeTurn, GRAVE_WEIGHT, type LevelCounts } from '../attention/judge.ts';
import { choice, clipped, date, money, plain, wrapped } from '../cells.ts';
import { capitalised, FIXED_SHEETS } from '../attribute-columns.ts';
import type { JudgedProject } from '../model.ts';
import type { Cell } from '../workbook-writer.ts';
import { KEY_COLUMNS, NAMED_HOUSE, NEW_COLUMN, photosCell, RENEWAL_MEANING, reportCell } from './project-columns.ts';
import { cellColumn, type Column, column, type Table } from './table.ts';

type LeveledProject = JudgedProject & { readonly level: AttentionLevel };

/** `(clear)` removes a decision. */
const columns = (
  decisions: readonly string[],
  { High, Medium, Low, below }: LevelCounts,
): readonly Column<LeveledProject>[] => [
  column(
    'Level',
    10,
    levelCell,
    ({ level }) => level,
    `High: among the riskiest tenth of the inspected houses. Medium: among the next 15%, or non-renew is suggested. Low: other houses with many points. The attention rules set the limits. ${High + Medium + Low} houses are listed; ${below} more were inspected and are below the line.`,
  ),
  { ...NEW_COLUMN, group: undefined, note: NEW_COLUMN.meaning },
  column(
    'Points',
    9,
    plain,
    ({ points }) => points,
    'In each category (roof, building, liability …) the heaviest reason counts in full, every further one a tenth. The riskiest houses come first.',
  ),
  cellColumn(
    'Why',
    44,

    (judged) => ({
      value: why(judged),
      format: 'wrapped',
      note: judged.findings
        .slice(0, REASONS_MAX)
        .map(({ source }) => source)
        .join('\n'),
    }),
    `The reason for the suggested action (→) first, then the serious ones (!), the rarest among these houses at the top. A reason is serious if it weighs ${GRAVE_WEIGHT} points or more. Point at the cell to see which attributes it comes from.`,
  ),
  cellColumn(
    'Suggested action',
    16,

    ({ action, actionReason }) =>
      action === null ? undefined : { value: capitalised(action), format: 'text', note: actionReason ?? undefined },
    'The strictest action that the attention rules have for a serious reason; without one, for the heaviest. Point at the cell to see which reason that is.',
  ),
  // Later nights read these three and keep them.
  {
    ...column(
      'Decision',
      18,
      input,
      ({ project }: LeveledProject) => project.decision?.decision,
      'Choose one or write your own, save the workbook, and drop a copy in inbox/decisions. Later workbooks will show it. An empty cell changes nothing; (clear) removes what was there.',
    ),
    group: 'Decide',
    choices: [...decisions, '(clear)'],
  },
  {
    ...column('By', 12, input, ({ project }: LeveledProject) => project.decision?.by, 'Who decided.'),
    group: 'Decide',
  },
  { ...column('Notes', 26, input, ({ project }: LeveledProject) => project.decision?.notes), group: 'Decide' },
  ...KEY_COLUMNS,
  cellColumn('Report', 24, reportCell),
  cellColumn('Photos', 12, photosCell),
  column('Agent', 20, wrapped, ({ project }) => project.order.agentName),
  column('Policy type', 24, wrapped, ({ project }) => project.order.policyType),
  column('Renewal', 10, choice, ({ project }) => project.order.isRenewal, RENEWAL_MEANING),
  column('Effective date', 13, date, ({ project }) => project.order.policyEffectiveDate),
  column('Coverage A', 13, money, ({ project }) => project.order.dwellingCoverage, 'Dwelling, as ordered.'),
  column(
    'Coverage B',
    13,
    money,
    ({ project }) => project.order.otherStructureCoverage,
    'Other structures, as ordered.',
  ),
  column('Coverage C', 13, money, ({ project }) => project.order.contentCoverage, 'Contents, as ordered.'),
  column('Services', 26, wrapped, ({ project: { order } }) =>
    [order.serviceName, ...(order.supplementalServices ?? [])].join('\n'),
  ),
  column(
    'Changed since the previous report',
    60,
    wrapped,
    ({ turns }) => turns.map(describeTurn).join('\n'),
    'What the attention rules find newly (+) or no longer (−) since the previous report on the same house or policy. The sheet Changes has every value that differs.',
  ),
  column(
    'All reasons',
    40,
    clipped,
    ({ findings }) => findings.map(({ reason }) => reason).join('; '),
    'Every reason, on one line: filter here to find all houses with it.',
  ),
];

const REASONS_MAX = 6;

export function attentionTable(levels: LevelCounts, decisions: readonly string[] = DECISIONS): Table<LeveledProject> {
  return {
    name: FIXED_SHEETS.attention,
    frozenColumns: NAMED_HOUSE.length,
    tabColour: 'C00000',
    printedTo: 'Policy number',
    columns: [...NAMED_HOUSE, ...columns(decisions, levels)],
  };
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
