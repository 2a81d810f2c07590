import { CONDITIONS } from '../../contract/summary-catalogue.ts';
import { attributeCell, text, wrapped } from '../cells.ts';
import { FIXED_SHEETS } from '../columns.ts';
import { type ResultPhoto, type SurveyedProject, THUMBNAIL } from '../model.ts';
import { PICTURE_COLUMN_WIDTH, PICTURE_ROW_HEIGHT, roofPhotos } from './photos.ts';
import {
  KEY_COLUMN_COUNT,
  KEY_SHEET_COLUMNS,
  keyCells,
  photosCell,
  propertyCell,
  reportCell,
} from './project-columns.ts';
import type { Cell, SheetColumn, WorkbookWriter } from '../workbook-writer.ts';

export interface RoofRow {
  readonly projectId: string;
  /** Of roof findings only. */
  readonly points: number;
  /** Its place among the conditions, best first; -1 if unknown. */
  readonly condition: number;
  readonly key: readonly (Cell | undefined)[];
  readonly cells: readonly (Cell | undefined)[];
  readonly photo: ResultPhoto | null;
}

const ROOF = 'summary.roof.';
const PICTURES_MAX = 100;

const COLUMNS: readonly SheetColumn[] = [
  {
    title: 'Roof points',
    width: 10,
    note: 'The points of the reasons on the sheet Attention that are about the roof. The worst roofs come first.',
  },
  { title: 'Condition', width: 12, note: 'Overall condition of the roof.' },
  { title: 'Life left', width: 16, note: 'Estimated remaining life of the roof.' },
  { title: 'Age', width: 16, note: 'Estimated age of the roof.' },
  {
    title: 'What is wrong with the roof',
    width: 56,
    note: 'The reasons on the sheet Attention that are about the roof, the most serious first.',
  },
  {
    title: 'Roof photo',
    width: 24,
    note: 'Opens a photo of the roof: one that the report refers to, or one that the service labels as such.',
  },
  { title: 'Report', width: 24 },
  { title: 'All photos', width: 12 },
  { title: 'Insured', width: 20 },
  { title: 'Property', width: 32 },
];
const PICTURE_COLUMN = KEY_SHEET_COLUMNS.length;

/** A house's row; null if no report covers its roof. */
export function roofRow(judged: SurveyedProject): RoofRow | null {
  const { order, photos } = judged.project;
  const aboutRoof = judged.findings.filter(({ category }) => category === 'roof');
  const leafOf = (name: string) => judged.record.values.get(`${ROOF}${name}`)?.leaf;
  const condition = leafOf('overallCondition');
  if (aboutRoof.length === 0 && (condition === undefined || condition === null)) return null;
  const points = aboutRoof.reduce((sum, { weight }) => sum + weight, 0);
  const [photo = null] = roofPhotos(judged);
  const cellOf = (name: string): Cell | undefined => {
    const value = judged.record.values.get(`${ROOF}${name}`);
    return value === undefined ? undefined : attributeCell(value.leaf, value);
  };
  const photoCell: Cell | undefined =
    photo === null
      ? text(photos.length === 0 ? '' : 'none shows the roof')
      : { value: photo.description || 'photo', format: 'wrapped', link: photo.path };
  return {
    projectId: judged.project.projectId,
    points,
    condition: (CONDITIONS as readonly unknown[]).indexOf(condition),
    photo,
    key: keyCells(judged),
    cells: [
      { value: points, format: 'number' },
      emphasised(cellOf('overallCondition')),
      cellOf('estLife'),
      cellOf('estAge'),
      wrapped(aboutRoof.map(({ reason }) => `· ${reason.replace(/^Roof: /, '')}`).join('\n')),
      photoCell,
      reportCell(judged),
      photosCell(judged),
      wrapped(order.insuredName),
      propertyCell(judged),
    ],
  };
}

function emphasised(cell: Cell | undefined): Cell | undefined {
  return cell === undefined
    ? undefined
    : { ...cell, emphasis: cell.value === 'Poor' ? 'alarm' : cell.value === 'Fair' ? 'warning' : undefined };
}

/** The sheet `Roofs`: the worst first. Left out if no report covers a roof. */
export async function writeRoofs(
  workbook: WorkbookWriter,
  rows: readonly RoofRow[],
  withPictures: boolean,
): Promise<void> {
  if (rows.length === 0) return;
  const picture: readonly SheetColumn[] = withPictures ? [{ title: 'Roof', width: PICTURE_COLUMN_WIDTH }] : [];
  const sheet = workbook.sheet({
    name: FIXED_SHEETS.roofs,
    kind: 'table',
    frozenColumns: KEY_COLUMN_COUNT,
    columns: [...KEY_SHEET_COLUMNS, ...picture, ...COLUMNS],
    tabColour: 'C00000',
    printedColumns: KEY_COLUMN_COUNT + picture.length + COLUMNS.findIndex(({ title }) => title === 'Roof photo'),
  });
  const sorted = rows.toSorted((a, b) => b.points - a.points || b.condition - a.condition);
  for (const [index, { key, cells, photo }] of sorted.entries()) {
    const bytes = withPictures && index < PICTURES_MAX ? await photo?.thumbnail?.() : null;
    const isShown = photo !== null && bytes !== null && bytes !== undefined;
    await sheet.row([...key, ...(withPictures ? [undefined] : []), ...cells], isShown ? PICTURE_ROW_HEIGHT : undefined);
    if (isShown)
      sheet.picture({
        bytes,
        mediaType: 'image/jpeg',
        row: index + 1,
        column: PICTURE_COLUMN,
        ...THUMBNAIL,
        description: photo.description || 'photo of the roof',
        link: photo.path,
      });
  }
}
