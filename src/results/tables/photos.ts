import { text } from '../cells.ts';
import { FIXED_SHEETS } from '../columns.ts';
import { type FlatRecord, isReferenceList } from '../flatten.ts';
import { type JudgedProject, type ResultPhoto, type ResultsInput, type SurveyedProject, THUMBNAIL } from '../model.ts';
import type { Cell, SheetWriter, WorkbookWriter } from '../workbook-writer.ts';
import {
  KEY_COLUMN_COUNT,
  KEY_SHEET_COLUMNS,
  keyCells,
  photosCell,
  propertyCell,
  reportCell,
} from './project-columns.ts';

/** In points: pictures and a caption. */
export const PICTURE_ROW_HEIGHT = (THUMBNAIL.height * 3) / 4 + 18;
/** Seven pixels per character. */
export const PICTURE_COLUMN_WIDTH = Math.ceil(THUMBNAIL.width / 7) + 1;

const FIRST_PICTURE = KEY_SHEET_COLUMNS.length + 4;

interface PhotosRow {
  readonly points: number;
  readonly cells: readonly (Cell | undefined)[];
  readonly photos: readonly ResultPhoto[];
}

/** The sheet `Photos`: the riskiest projects first, with thumbnails. */
export class PhotosSheet {
  readonly #sheet: SheetWriter;
  readonly #limits: ResultsInput['thumbnails'];
  readonly #rows: PhotosRow[] = [];
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
        {
          title: 'Attention points',
          width: 11,
          note: 'How urgently the house needs a look; the reasons are on the sheet Attention. The riskiest houses come first.',
        },
        { title: 'Report', width: 24 },
        {
          title: 'All photos',
          width: 12,
          note: 'Opens the folder of the project’s photos. The thumbnails show what the report refers to first, then the roof and the front; click one to open the photo.',
        },
        ...Array.from({ length: limits.perProject }, (_, index) => ({
          title: `Photo ${index + 1}`,
          width: PICTURE_COLUMN_WIDTH,
        })),
      ],
      tabColour: '548235',
    });
  }

  add(judged: JudgedProject): void {
    const { points, project } = judged;
    if (project.photos.length === 0) return;
    const cells = [
      ...keyCells(judged),
      propertyCell(judged),
      points === 0 ? undefined : ({ value: points, format: 'number' } as const),
      reportCell(judged),
      photosCell(judged),
    ];
    this.#rows.push({ points, cells, photos: photosByRelevance(judged) });
  }

  async finish(): Promise<void> {
    const sorted = this.#rows.toSorted((a, b) => b.points - a.points);
    for (const [index, { cells, photos }] of sorted.entries()) {
      const captions = await this.#pictures(photos, index + 1);
      const shown = captions.length === 0 ? [text('(links only: the limit for thumbnails is reached)')] : captions;
      await this.#sheet.row([...cells, ...shown], captions.length === 0 ? undefined : PICTURE_ROW_HEIGHT);
    }
  }

  /** Returns their captions. */
  async #pictures(photos: readonly ResultPhoto[], row: number): Promise<readonly Cell[]> {
    const captions: Cell[] = [];
    for (const photo of photos) {
      if (captions.length >= this.#limits.perProject || this.#made >= this.#limits.inAll) break;
      const bytes = await photo.thumbnail?.();
      if (bytes === undefined || bytes === null) continue;
      const column = FIRST_PICTURE + captions.length;
      this.#sheet.picture({
        bytes,
        mediaType: 'image/jpeg',
        row,
        column,
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

/** A report entry with photos: a hazard, a slope, a recommendation. */
interface Mention {
  readonly path: string;
  readonly photoIds: readonly string[];
  readonly texts: readonly string[];
}

const ROOF = /roof/i;
const FRONT = /\bfront\b/i;

/** Sorts photos: of findings, the roof, the front, then the rest. */
export function photosByRelevance(judged: SurveyedProject): readonly ResultPhoto[] {
  const { photos } = judged.project;
  const isTold = ({ path, texts }: Mention): boolean =>
    judged.findings.some(
      ({ paths, source }) => paths.includes(path) && texts.some((text) => text !== '' && source.includes(text)),
    );
  const described = (pattern: RegExp): readonly ResultPhoto[] =>
    photos.filter(({ description = '' }) => pattern.test(description));
  return [...new Set([...mentioned(judged, isTold), ...described(ROOF), ...described(FRONT), ...photos])];
}

/** Roof photos: by name, then unnamed ones in the report's roof entries. */
export function roofPhotos(judged: SurveyedProject): readonly ResultPhoto[] {
  const called = judged.project.photos.filter(({ description = '' }) => ROOF.test(description));
  const unnamed = mentioned(
    judged,
    ({ path, texts }) => ROOF.test(path) || texts.some((text) => ROOF.test(text)),
  ).filter(({ description = '' }) => description === '');
  return [...new Set([...called, ...unnamed])];
}

const COMPARISONS = ['summary.roof.comparison', 'summary.exterior.comparison'];
const UNCHANGED = /^no change/i;

/** Pairs of photos (now, before) of what changed. */
export function comparedPhotos({
  record,
  project,
}: SurveyedProject): readonly { readonly text: string; readonly photos: readonly ResultPhoto[] }[] {
  const byId = new Map(project.photos.map((photo) => [photo.id, photo]));
  return COMPARISONS.flatMap((path) => record.lists.get(path)?.items ?? []).flatMap((item) => {
    const told = (name: string): string => String(item.values.get(name)?.leaf ?? '');
    const photos = photoIdsOf(item).flatMap((id) => byId.get(id) ?? []);
    if (told('change') === '' || UNCHANGED.test(told('change')) || photos.length === 0) return [];
    return [{ text: told('comment') || `${told('direction')}: ${told('change')}`, photos }];
  });
}

/** An id; the rest of its reference may follow. */
function photoIdsOf({ values }: FlatRecord): readonly string[] {
  return [...values.values()].flatMap(({ attribute, leaf }) =>
    isReferenceList(attribute) && Array.isArray(leaf)
      ? leaf.map((reference) => String(reference).split(' ')[0] ?? '')
      : [],
  );
}

function mentioned(judged: SurveyedProject, isMeant: (mention: Mention) => boolean): readonly ResultPhoto[] {
  const byId = new Map(judged.project.photos.map((photo) => [photo.id, photo]));
  if (byId.size === 0) return [];
  return [...mentionsIn(judged.record, '')]
    .filter(isMeant)
    .flatMap(({ photoIds }) => photoIds.flatMap((id) => byId.get(id) ?? []));
}

function* mentionsIn({ lists }: FlatRecord, parent: string): Generator<Mention> {
  for (const list of lists.values()) {
    const path = parent + list.path;
    for (const item of list.items) {
      const photoIds = photoIdsOf(item);
      if (photoIds.length > 0)
        yield {
          path,
          photoIds,
          texts: [...item.values.values()].flatMap(({ leaf }) => (typeof leaf === 'string' ? [leaf] : [])),
        };
      yield* mentionsIn(item, `${path}[].`);
    }
  }
}
