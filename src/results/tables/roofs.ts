import { CONDITION_GRADES } from '../../contract/summary-attributes.ts';
import { attributeCell, leafText } from '../table-cells.ts';
import { sumPoints } from '../attention/judge.ts';
import { FIXED_SHEETS, type WorkbookWriter, digits, text, wrapped } from '../workbook.ts';
import type { SurveyedProject } from '../model.ts';
import { roofPhotos } from '../photos.ts';
import { cellColumn, type Column, column, PICTURE_COLUMN_WIDTH, RankedTable } from './table.ts';
import { HOUSE_COLUMNS, KEY_COLUMNS, photosCell, reportCell } from './shared-columns.ts';

const ROOF = 'summary.roof.';
const PICTURES_MAX = 100;

export function roofFindings({ findings }: SurveyedProject) {
  return findings.filter(({ category }) => category === 'roof').toSorted((a, b) => b.weight - a.weight);
}

export function roofPoints(judged: SurveyedProject) {
  return sumPoints(roofFindings(judged));
}

export function hasRoof(judged: SurveyedProject) {
  const condition = judged.record.values.get(`${ROOF}overallCondition`)?.leaf ?? null;
  return condition !== null || roofFindings(judged).length > 0;
}

const COLUMNS: readonly Column<SurveyedProject>[] = [
  column('Roof points', 10, digits, roofPoints),
  cellColumn('Condition', 12, (judged) => {
    const cell = roofCell(judged, 'overallCondition');
    const emphasis = { Poor: 'alarm', Fair: 'warning' } as const;
    return cell && { ...cell, emphasis: emphasis[cell.value as keyof typeof emphasis] };
  }),
  cellColumn('Remaining life', 16, (judged) => roofCell(judged, 'estLife')),
  cellColumn('Age', 22, (judged) => roofCell(judged, 'estAge')),
  column('Age from, years', 10, digits, yearsFrom),
  column('What is wrong with the roof', 56, wrapped, (judged) =>
    roofFindings(judged)
      .map(({ reason }) => `· ${reason.replace(/^Roof: /, '')}`)
      .join('\n'),
  ),
  cellColumn('Roof photo', 24, (judged) => {
    const [photo] = roofPhotos(judged);
    if (photo === undefined) return text(judged.project.photos.length === 0 ? '' : 'none is labeled as a roof photo');
    return { value: photo.description || 'photo', format: 'wrapped', link: photo.path };
  }),
  cellColumn('Report', 24, reportCell),
  cellColumn('All photos', 12, photosCell),
  ...KEY_COLUMNS,
];

/** In the report's words. */
export function roofAge({ record }: SurveyedProject) {
  const leaf = record.values.get(`${ROOF}estAge`)?.leaf ?? null;
  return leaf === null ? '' : leafText(leaf);
}

/** Of `5 - 10 years`, 5. */
function yearsFrom(judged: SurveyedProject) {
  const years = Math.floor(firstNumber(roofAge(judged)));
  return Number.isFinite(years) ? years : undefined;
}

/** Sorts `less than 1 year`, `1 ~ 5 years`, `5 - 10 years`. */
export function compareBands(a: string, b: string) {
  return firstNumber(a) - firstNumber(b);
}

function firstNumber(text: string) {
  const number = Number(/\d+/.exec(text)?.[0] ?? Number.POSITIVE_INFINITY);
  return /^(?:less|before)/i.test(text) ? number - 0.5 : number;
}

function roofCell({ record }: SurveyedProject, name: string) {
  const value = record.values.get(`${ROOF}${name}`);
  return value && attributeCell(value.leaf, value);
}

export class RoofsTable extends RankedTable<SurveyedProject> {
  constructor(workbook: WorkbookWriter, withPictures: boolean) {
    const picture = cellColumn<SurveyedProject>('Roof', PICTURE_COLUMN_WIDTH, () => undefined);
    super(
      workbook,
      {
        name: FIXED_SHEETS.roofs,
        frozenColumns: HOUSE_COLUMNS.length,
        tabColor: 'C00000',
        printedTo: 'What is wrong with the roof',
        columns: [...HOUSE_COLUMNS, ...(withPictures ? [picture] : []), ...COLUMNS],
      },
      withPictures ? { column: HOUSE_COLUMNS.length, perRow: 1, inAll: PICTURES_MAX, caption: () => undefined } : null,
    );
  }

  override add(judged: SurveyedProject) {
    if (judged.replacedBy !== null || !hasRoof(judged)) return;
    const condition = judged.record.values.get(`${ROOF}overallCondition`)?.leaf;
    const place = (CONDITION_GRADES as readonly unknown[]).indexOf(condition) / 100;
    super.add(judged, roofPoints(judged) + place, roofPhotos(judged).slice(0, 1));
  }
}
