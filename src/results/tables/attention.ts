import { upperFirst } from '../../domain/text.ts';
import { type AttentionLevel, type Decision, DECISIONS } from '../../domain/project.ts';
import { describeTrend, GRAVE_WEIGHT, type LevelCounts } from '../attention/judge.ts';
import { FIXED_SHEETS, type TableCell, yesOrNo, singleLine, date, money, digits, text, wrapped } from '../workbook.ts';
import type { JudgedProject } from '../model.ts';
import { cellColumn, column, notesOf, type Table } from './table.ts';
import {
  describeOut,
  HOUSE_COLUMNS,
  KEY_COLUMNS,
  groupColumns,
  levelCell,
  NEW_COLUMN,
  orderColumn,
  PAGE_FILE,
  photosCell,
  reportCell,
} from './shared-columns.ts';

type LeveledProject = JudgedProject & { readonly level: AttentionLevel };

const REASONS_MAX = 6;

export function attentionTable(
  { High, Medium, Low, below }: LevelCounts,
  decisions?: readonly string[],
): Table<LeveledProject> {
  return {
    name: FIXED_SHEETS.attention,
    frozenColumns: HOUSE_COLUMNS.length,
    tabColor: 'C00000',
    printedTo: 'Insured phone',
    columns: [
      ...HOUSE_COLUMNS,
      {
        ...column('Level', 10, levelCell, ({ level }: LeveledProject) => level),
        note: `${notesOf(FIXED_SHEETS.attention)['Level'] ?? ''} Listed: ${High + Medium + Low} of ${High + Medium + Low + below} inspections.`,
      },
      NEW_COLUMN,
      column('Points', 9, digits, 'points'),
      cellColumn('Why', 44, (judged: LeveledProject) => ({
        value: why(judged),
        format: 'wrapped',
        note: judged.findings
          .slice(0, REASONS_MAX)
          .map(({ source }) => source)
          .join('\n'),
      })),
      cellColumn('Suggested action', 16, ({ action, actionReason }) =>
        action === null ? undefined : { value: upperFirst(action), format: 'text', note: actionReason ?? undefined },
      ),
      orderColumn('Coverage A', 13, money, 'dwellingCoverage'),
      orderColumn('Insured phone', 18, text, 'insuredPhone'),
      ...decideColumns(decisions),
      column('Changed since the previous report', 28, wrapped, ({ riskChanges, isCompared }) =>
        riskChanges.length === 0 && isCompared
          ? 'no change in what both reports state'
          : riskChanges.map(describeTrend).join('\n'),
      ),
      ...KEY_COLUMNS,
      cellColumn('Report', 24, reportCell),
      cellColumn('Photos', 12, photosCell),
      orderColumn('Agent', 20, wrapped, 'agentName'),
      orderColumn('Policy type', 24, wrapped, 'policyType'),
      orderColumn('Renewal', 10, yesOrNo, 'isRenewal'),
      orderColumn('Effective date', 13, date, 'policyEffectiveDate'),
      orderColumn('Coverage B', 13, money, 'otherStructureCoverage'),
      orderColumn('Coverage C', 13, money, 'contentCoverage'),
      column('Services', 26, wrapped, ({ project: { order } }) =>
        [order.serviceName, ...(order.supplementalServices ?? [])].join('\n'),
      ),
      column('All reasons', 40, singleLine, ({ findings }) => findings.map(({ reason }) => reason).join('; ')),
    ],
  };
}

/** The next run reads and keeps them; `(clear)` removes a decision. */
export function decideColumns(decisions: readonly string[] = DECISIONS) {
  type Row = { readonly project: { readonly decision?: Decision | null | undefined } };
  return groupColumns('Decide', [
    {
      ...column('Decision', 18, input, ({ project }: Row) => project.decision?.decision),
      choices: [...decisions, '(clear)'],
    },
    column('By', 12, input, ({ project }: Row) => project.decision?.by),
    column('Notes', 26, input, ({ project }: Row) => project.decision?.notes),
  ]);
}

function input(value = ''): TableCell {
  return { value, format: 'input' };
}

function why(judged: JudgedProject) {
  const { findings, action } = judged;
  const listed = findings
    .slice(0, REASONS_MAX)
    .map(
      ({ reason, weight }, index) =>
        `${weight >= GRAVE_WEIGHT ? '!' : '·'} ${reason}${index === 0 && action !== null ? ` → ${action}` : ''}`,
    );
  const further = findings.length - listed.length;
  const more = further > 0 ? `… and ${further} more, on ${PAGE_FILE}` : '';
  return [...listed, more, upperFirst(describeOut(judged))].filter(Boolean).join('\n');
}
