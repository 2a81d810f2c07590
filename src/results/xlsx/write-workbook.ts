import { writeZip, type ZipEntry } from '../../zip/write-zip.ts';
import { validSheetName } from '../sheet-name.ts';
import type { SheetOptions, WorkbookWriter } from '../workbook-writer.ts';
import { commentsXml, notesDrawing } from './header-notes.ts';
import { SheetPart } from './sheet-part.ts';
import { SplitSheet } from './split-sheet.ts';
import { StyleBook } from './style-book.ts';
import { themeXml } from './theme.ts';
import { appProperties, contentTypes, coreProperties, type NamedSheet, packageRelationships, workbookRelationships, workbookXml } from './workbook-parts.ts';

/** Rows on a sheet. */
const ROWS_MAX = 1_048_576;
/** zlib's: on rows of text a higher one costs twice the time for a tenth of the size. */
const LEVEL = 3;

export interface WorkbookFacts {
  readonly title: string;
  /** Milliseconds since the UNIX epoch. */
  readonly writtenAt: number;
  /** How many rows a sheet may hold; only tests set it. */
  readonly rowsMax?: number;
}

/**
 * Writes an Excel workbook to `path`, which should be a temporary name. The file is whole when the promise resolves; when `write` throws, nothing is
 * written. The same content gives the same bytes.
 */
export async function writeWorkbook(path: string, facts: WorkbookFacts, write: (workbook: WorkbookWriter) => Promise<void>): Promise<void> {
  const styles = new StyleBook();
  const written: { readonly options: SheetOptions; readonly sheet: SplitSheet }[] = [];
  let parts = 0;
  const newPart = (options: SheetOptions): SheetPart => new SheetPart(options, (parts += 1), styles, LEVEL);
  await write({
    sheet: (options) => {
      const sheet = new SplitSheet(options, newPart, facts.rowsMax ?? ROWS_MAX);
      written.push({ options, sheet });
      return sheet;
    },
  });
  const taken = new Set(written.map(({ options }) => options.name.toLowerCase()));
  const sheets: NamedSheet[] = [];
  for (const { options, sheet } of written) {
    for (const [index, part] of sheet.parts.entries()) {
      const name = index === 0 ? options.name : validSheetName(`${options.name} (${index + 1})`, taken);
      taken.add(name.toLowerCase());
      sheets.push({ number: part.number, options: { ...options, name }, finished: await part.finish() });
    }
  }
  await writeZip(path, packageParts(sheets, styles, facts), { level: LEVEL });
}

function* packageParts(sheets: readonly NamedSheet[], styles: StyleBook, facts: WorkbookFacts): Iterable<ZipEntry> {
  yield xml('[Content_Types].xml', contentTypes(sheets));
  yield xml('_rels/.rels', packageRelationships());
  yield xml('docProps/core.xml', coreProperties(facts));
  yield xml('docProps/app.xml', appProperties());
  yield xml('xl/workbook.xml', workbookXml(sheets));
  yield xml('xl/_rels/workbook.xml.rels', workbookRelationships(sheets.length));
  yield xml('xl/styles.xml', styles.toXml());
  yield xml('xl/theme/theme1.xml', themeXml());
  for (const { number, finished } of sheets) {
    const { content, relationships, drawing, notes } = finished;
    yield { name: `xl/worksheets/sheet${number}.xml`, deflate: true, content: { deflated: content } };
    if (!relationships.isEmpty) yield xml(`xl/worksheets/_rels/sheet${number}.xml.rels`, relationships.toXml());
    if (notes.length > 0) {
      yield xml(`xl/comments${number}.xml`, commentsXml(notes));
      yield xml(`xl/drawings/vmlDrawing${number}.vml`, notesDrawing(notes));
    }
    if (drawing.isEmpty) continue;
    yield xml(`xl/drawings/drawing${number}.xml`, drawing.toXml());
    yield xml(`xl/drawings/_rels/drawing${number}.xml.rels`, drawing.relationships.toXml());
    for (const chart of drawing.charts) yield xml(`xl/charts/${chart.name}`, chart.xml);
    for (const { name, bytes } of drawing.media) yield { name: `xl/media/${name}`, deflate: false, content: bytes };
  }
}

function xml(name: string, text: string): ZipEntry {
  return { name, deflate: true, content: Buffer.from(text, 'utf8') };
}
