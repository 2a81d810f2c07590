import { text, wrapped } from './cell-value.ts';
import { FIXED_SHEETS } from './list-sheets.ts';
import { KEY_COLUMN_COUNT, KEY_SHEET_COLUMNS, keyCells, photosCell, type ProjectRecord, reportCell } from './project-columns.ts';
import { type ResultPhoto, type ResultsInput, THUMBNAIL } from './results-input.ts';
import type { SheetWriter, WorkbookWriter } from './workbook-writer.ts';

/** A row as high as its pictures, in points, with a little air. */
const ROW_HEIGHT = (THUMBNAIL.height * 3) / 4 + 8;
/** Seven pixels a character. */
const PICTURE_COLUMN_WIDTH = Math.ceil(THUMBNAIL.width / 7) + 1;

const FIRST_PICTURE = KEY_SHEET_COLUMNS.length + 4;

/** The sheet `Photos`: a row a project, with small photos that open the large ones. */
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
        { title: 'Attention points', width: 11 },
        { title: 'Report', width: 24 },
        { title: 'All photos', width: 12 },
        ...Array.from({ length: limits.perProject }, (_, index) => ({ title: `Photo ${index + 1}`, width: PICTURE_COLUMN_WIDTH })),
      ],
      tabColour: '548235',
    });
  }

  /** Writes a project's row; none for a project without photos. */
  async write(record: ProjectRecord): Promise<void> {
    const { photos, order } = record.project;
    if (photos.length === 0) return;
    this.#row += 1;
    const shown = await this.#pictures(photos);
    await this.#sheet.row(
      [
        ...keyCells(record),
        wrapped(`${order.streetAddress}, ${order.city}, ${order.state} ${order.zipcode}`),
        record.points === 0 ? undefined : { value: record.points, format: 'number' },
        reportCell(record),
        photosCell(record),
        ...(shown === 0 ? [text('(only the links: the limit of small photos is reached)')] : []),
      ],
      shown === 0 ? undefined : ROW_HEIGHT,
    );
  }

  async #pictures(photos: readonly ResultPhoto[]): Promise<number> {
    let shown = 0;
    for (const photo of photos) {
      if (shown >= this.#limits.perProject || this.#made >= this.#limits.inAll) break;
      const bytes = await photo.thumbnail?.();
      if (bytes === undefined || bytes === null) continue;
      this.#sheet.picture({
        bytes,
        mediaType: 'image/jpeg',
        row: this.#row,
        column: FIRST_PICTURE + shown,
        ...THUMBNAIL,
        description: photo.description || 'photo',
        link: photo.path,
      });
      shown += 1;
      this.#made += 1;
    }
    return shown;
  }
}
