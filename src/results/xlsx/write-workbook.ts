import { writeZip, type ZipEntry } from '../../zip/write-zip.ts';
import { validSheetName } from '../columns.ts';
import type { Cell, Chart, Picture, SheetOptions, SheetWriter, WorkbookWriter } from '../workbook-writer.ts';
import { commentsXml, notesDrawing } from './drawing.ts';
import { type FinishedSheet, SheetPart } from './sheet.ts';
import { StyleBook } from './styles.ts';
import { columnLetters, XML_HEAD, xmlText } from './xml.ts';

/** Rows on a sheet. */
const ROWS_MAX = 1_048_576;
/** zlib's: on rows of text a higher one costs twice the time for a tenth of the size. */
const LEVEL = 3;

export interface WorkbookProperties {
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
export async function writeWorkbook(path: string, facts: WorkbookProperties, write: (workbook: WorkbookWriter) => Promise<void>): Promise<void> {
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

function* packageParts(sheets: readonly NamedSheet[], styles: StyleBook, facts: WorkbookProperties): Iterable<ZipEntry> {
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

/** A sheet that goes on on another one when it is full. */
class SplitSheet implements SheetWriter {
  readonly parts: SheetPart[];
  readonly #options: SheetOptions;
  readonly #newPart: (options: SheetOptions) => SheetPart;
  readonly #rowsMax: number;

  constructor(options: SheetOptions, newPart: (options: SheetOptions) => SheetPart, rowsMax: number) {
    this.#options = options;
    this.#newPart = newPart;
    this.#rowsMax = rowsMax;
    this.parts = [newPart(options)];
  }

  async row(cells: readonly (Cell | undefined)[], height?: number): Promise<void> {
    if (this.#last.rows >= this.#rowsMax) this.parts.push(this.#newPart(this.#options));
    await this.#last.row(cells, height);
  }

  /** A picture lies on the sheet that is being written. */
  picture(picture: Picture): void {
    this.#last.picture(picture);
  }

  chart(chart: Chart): void {
    this.#last.chart(chart);
  }

  get #last(): SheetPart {
    const last = this.parts.at(-1);
    if (last === undefined) throw new Error('a sheet has at least one part');
    return last;
  }
}

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const SHEET_ML = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

export interface NamedSheet {
  /** From 1: what the names of its parts end with. Its id in the workbook is `rId<number>`. */
  readonly number: number;
  readonly options: SheetOptions;
  readonly finished: FinishedSheet;
}

/** `xl/workbook.xml`: the sheets, in order, and the names of their ranges. */
function workbookXml(sheets: readonly NamedSheet[]): string {
  const listed = sheets.map(({ number, options }) => `<sheet name="${xmlText(options.name)}" sheetId="${number}" r:id="rId${number}"/>`);
  const names = definedNames(sheets);
  return (
    `${XML_HEAD}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><bookViews><workbookView xWindow="0" yWindow="0" windowWidth="28800" windowHeight="15000" tabRatio="850"/></bookViews>` +
    `<sheets>${listed.join('')}</sheets>${names.length === 0 ? '' : `<definedNames>${names.join('')}</definedNames>`}<calcPr calcId="191029"/></workbook>`
  );
}

/** For each table a name for its whole range, so that formulas and other programs find it, what filters go by, and what is printed on each page. */
function definedNames(sheets: readonly NamedSheet[]): string[] {
  return sheets.flatMap(({ options, finished }, index) => {
    if (finished.filtered === null) return [];
    const sheet = `'${options.name.replaceAll("'", "''")}'!`;
    const columns = options.frozenColumns === undefined || options.frozenColumns === 0 ? '' : `${sheet}$A:$${columnLetters(options.frozenColumns - 1)},`;
    return [
      `<definedName name="_xlnm._FilterDatabase" localSheetId="${index}" hidden="1">${xmlText(sheet + finished.filtered)}</definedName>`,
      `<definedName name="_xlnm.Print_Titles" localSheetId="${index}">${xmlText(`${columns}${sheet}$1:$1`)}</definedName>`,
      `<definedName name="${tableName(options.name)}">${xmlText(sheet + finished.filtered)}</definedName>`,
    ];
  });
}

/** `Not ordered` → `Table_Not_ordered`. */
function tableName(sheet: string): string {
  return `Table_${sheet.replaceAll(/[^\p{L}\p{N}]+/gu, '_')}`;
}

function workbookRelationships(sheets: number): string {
  const listed = Array.from({ length: sheets }, (_, index) => relationship(index + 1, `${OFFICE}/worksheet`, `worksheets/sheet${index + 1}.xml`));
  return relationships([...listed, relationship(sheets + 1, `${OFFICE}/styles`, 'styles.xml'), relationship(sheets + 2, `${OFFICE}/theme`, 'theme/theme1.xml')]);
}

function packageRelationships(): string {
  return relationships([
    relationship(1, `${OFFICE}/officeDocument`, 'xl/workbook.xml'),
    relationship(2, `${PACKAGE}/relationships/metadata/core-properties`, 'docProps/core.xml'),
    relationship(3, `${OFFICE}/extended-properties`, 'docProps/app.xml'),
  ]);
}

function relationship(id: number, type: string, target: string): string {
  return `<Relationship Id="rId${id}" Type="${type}" Target="${target}"/>`;
}

function relationships(all: readonly string[]): string {
  return `${XML_HEAD}<Relationships xmlns="${PACKAGE}/relationships">${all.join('')}</Relationships>`;
}

/** `[Content_Types].xml`. */
function contentTypes(sheets: readonly NamedSheet[]): string {
  const parts = sheets.flatMap(({ number, finished }) => [
    override(`/xl/worksheets/sheet${number}.xml`, `${SHEET_ML}.worksheet+xml`),
    ...(finished.notes.length > 0 ? [override(`/xl/comments${number}.xml`, `${SHEET_ML}.comments+xml`)] : []),
    ...(finished.drawing.isEmpty ? [] : [override(`/xl/drawings/drawing${number}.xml`, 'application/vnd.openxmlformats-officedocument.drawing+xml')]),
    ...finished.drawing.charts.map(({ name }) => override(`/xl/charts/${name}`, 'application/vnd.openxmlformats-officedocument.drawingml.chart+xml')),
  ]);
  return (
    `${XML_HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
    '<Default Extension="xml" ContentType="application/xml"/><Default Extension="vml" ContentType="application/vnd.openxmlformats-officedocument.vmlDrawing"/>' +
    '<Default Extension="png" ContentType="image/png"/><Default Extension="jpg" ContentType="image/jpeg"/>' +
    `${override('/xl/workbook.xml', `${SHEET_ML}.sheet.main+xml`)}${override('/xl/styles.xml', `${SHEET_ML}.styles+xml`)}` +
    `${override('/xl/theme/theme1.xml', 'application/vnd.openxmlformats-officedocument.theme+xml')}${parts.join('')}` +
    `${override('/docProps/core.xml', 'application/vnd.openxmlformats-package.core-properties+xml')}${override('/docProps/app.xml', 'application/vnd.openxmlformats-officedocument.extended-properties+xml')}</Types>`
  );
}

function override(part: string, type: string): string {
  return `<Override PartName="${part}" ContentType="${type}"/>`;
}

/** `docProps/core.xml`: title, author, and when it was written, to the second. */
function coreProperties({ title, writtenAt }: { readonly title: string; readonly writtenAt: number }): string {
  const at = `${new Date(writtenAt).toISOString().slice(0, 19)}Z`;
  return (
    `${XML_HEAD}<cp:coreProperties xmlns:cp="${PACKAGE}/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">` +
    `<dc:title>${xmlText(title)}</dc:title><dc:creator>inspection-batch</dc:creator><cp:lastModifiedBy>inspection-batch</cp:lastModifiedBy>` +
    `<dcterms:created xsi:type="dcterms:W3CDTF">${at}</dcterms:created><dcterms:modified xsi:type="dcterms:W3CDTF">${at}</dcterms:modified></cp:coreProperties>`
  );
}

function appProperties(): string {
  return `${XML_HEAD}<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties"><Application>inspection-batch</Application></Properties>`;
}

const COLOURS: readonly (readonly [string, string])[] = [
  ['dk1', '<a:sysClr val="windowText" lastClr="000000"/>'],
  ['lt1', '<a:sysClr val="window" lastClr="FFFFFF"/>'],
  ...(
    [
      ['dk2', '44546A'],
      ['lt2', 'E7E6E6'],
      ['accent1', '4472C4'],
      ['accent2', 'ED7D31'],
      ['accent3', 'A5A5A5'],
      ['accent4', 'FFC000'],
      ['accent5', '5B9BD5'],
      ['accent6', '70AD47'],
      ['hlink', '0563C1'],
      ['folHlink', '954F72'],
    ] as const
  ).map(([name, colour]) => [name, `<a:srgbClr val="${colour}"/>`] as const),
];

const FILL = '<a:solidFill><a:schemeClr val="phClr"/></a:solidFill>';
const LINE = `<a:ln w="6350">${FILL}</a:ln>`;
const EFFECT = '<a:effectStyle><a:effectLst/></a:effectStyle>';

/** `xl/theme/theme1.xml`: the colours and fonts that programs offer; none of our own. */
function themeXml(): string {
  const font = (name: string): string => `<a:latin typeface="${name}"/><a:ea typeface=""/><a:cs typeface=""/>`;
  return (
    `${XML_HEAD}<a:theme xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" name="Office"><a:themeElements>` +
    `<a:clrScheme name="Office">${COLOURS.map(([name, colour]) => `<a:${name}>${colour}</a:${name}>`).join('')}</a:clrScheme>` +
    `<a:fontScheme name="Office"><a:majorFont>${font('Calibri Light')}</a:majorFont><a:minorFont>${font('Calibri')}</a:minorFont></a:fontScheme>` +
    `<a:fmtScheme name="Office"><a:fillStyleLst>${FILL.repeat(3)}</a:fillStyleLst><a:lnStyleLst>${LINE.repeat(3)}</a:lnStyleLst>` +
    `<a:effectStyleLst>${EFFECT.repeat(3)}</a:effectStyleLst><a:bgFillStyleLst>${FILL.repeat(3)}</a:bgFillStyleLst></a:fmtScheme></a:themeElements></a:theme>`
  );
}
