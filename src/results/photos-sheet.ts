import type { Finding } from './attention/findings.ts';
import { text } from './cell-value.ts';
import { FIXED_SHEETS } from './list-sheets.ts';
import { KEY_COLUMN_COUNT, KEY_SHEET_COLUMNS, keyCells, photosCell, type ProjectRecord, propertyCell, reportCell } from './project-columns.ts';
import { photosByRelevance } from './relevant-photos.ts';
import { type ResultPhoto, type ResultsInput, THUMBNAIL } from './results-input.ts';
import type { Cell, SheetWriter, WorkbookWriter } from './workbook-writer.ts';

/** A row as high as its pictures, in points, with room for a caption. */
export const PICTURE_ROW_HEIGHT = (THUMBNAIL.height * 3) / 4 + 18;
/** Seven pixels a character. */
export const PICTURE_COLUMN_WIDTH = Math.ceil(THUMBNAIL.width / 7) + 1;

const FIRST_PICTURE = KEY_SHEET_COLUMNS.length + 4;

/** The sheet `Photos`: a row a project, with small photos that open the large ones; those first that say most. */
export class PhotosSheet {
  readonly #sheet: SheetWriter;
  readonly #limits: ResultsInput['thumbnails'];
  #row = 0;
  #made = 0;

  constructor(workbook: WorkbookWriter, limits: ResultsInput['thumbnails']) {
    this.#limits = limits;
    this.#sheet = workbook.sheet({
      name: FIXED_SHEETS.photos,
      kind: 'table',
      frozenColumns: KEY_COLUMN_COUNT,
      columns: [
        ...KEY_SHEET_COLUMNS,
        { title: 'Property', width: 32 },
        { title: 'Attention points', width: 11, note: 'How much speaks for a look; the reasons stand on the sheet Attention.' },
        { title: 'Report', width: 24 },
        { title: 'All photos', width: 12, note: 'Opens the folder of the project’s photos. The small ones show what the report refers to first, then the roof and the front; a click opens the large one.' },
        ...Array.from({ length: limits.perProject }, (_, index) => ({ title: `Photo ${index + 1}`, width: PICTURE_COLUMN_WIDTH })),
      ],
      tabColour: '548235',
    });
  }

  /** Writes a project's row; none for a project without photos. */
  async write(record: ProjectRecord, findings: readonly Finding[]): Promise<void> {
    if (record.project.photos.length === 0) return;
    this.#row += 1;
    const captions = await this.#pictures(photosByRelevance(record, findings));
    await this.#sheet.row(
      [
        ...keyCells(record),
        propertyCell(record),
        record.points === 0 ? undefined : { value: record.points, format: 'number' },
        reportCell(record),
        photosCell(record),
        ...(captions.length === 0 ? [text('(only the links: the limit of small photos is reached)')] : captions),
      ],
      captions.length === 0 ? undefined : PICTURE_ROW_HEIGHT,
    );
  }

  /** Puts the pictures of the row on the sheet, and gives what stands below them. */
  async #pictures(photos: readonly ResultPhoto[]): Promise<readonly Cell[]> {
    const captions: Cell[] = [];
    for (const photo of photos) {
      if (captions.length >= this.#limits.perProject || this.#made >= this.#limits.inAll) break;
      const bytes = await photo.thumbnail?.();
      if (bytes === undefined || bytes === null) continue;
      this.#sheet.picture({
        bytes,
        mediaType: 'image/jpeg',
        row: this.#row,
        column: FIRST_PICTURE + captions.length,
        ...THUMBNAIL,
        description: photo.description || 'photo',
        link: photo.path,
      });
      captions.push({ value: photo.description || ' ', format: 'caption' });
      this.#made += 1;
    }
    return captions;
  }
}
