import { sentence } from '../../domain/sentences.ts';
import { FIXED_SHEETS, type WorkbookWriter, digits, text } from '../workbook.ts';
import type { ResultsInput, SurveyedProject } from '../model.ts';
import { cellColumn, type Column, column, PICTURE_COLUMN_WIDTH, RankedTable } from './table.ts';
import { KEY_COLUMNS, photosCell, PROPERTY_COLUMN, reportCell } from './shared-columns.ts';

const COLUMNS: readonly Column<SurveyedProject>[] = [
  ...KEY_COLUMNS,
  PROPERTY_COLUMN,
  column('Attention points', 11, digits, ({ points }) => points || undefined),
  cellColumn('Report', 36, reportCell),
  cellColumn('All photos', 12, photosCell),
];

export function photosTable(
  workbook: WorkbookWriter,
  { perProject, inAll }: ResultsInput['thumbnails'],
): RankedTable<SurveyedProject> {
  const pictures = Array.from({ length: perProject }, (_, index) =>
    column(`Photo ${index + 1}`, PICTURE_COLUMN_WIDTH, text, () => (index === 0 ? sentence('photos/links-only') : '')),
  );
  return new RankedTable(
    workbook,
    {
      name: FIXED_SHEETS.photos,
      frozenColumns: KEY_COLUMNS.length,
      tabColor: '548235',
      columns: [...COLUMNS, ...pictures],
    },
    {
      column: COLUMNS.length,
      perRow: perProject,
      inAll,
      caption: ({ description }) => ({ value: description || ' ', format: 'caption' }),
    },
  );
}
