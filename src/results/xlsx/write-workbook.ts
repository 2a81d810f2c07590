import { template } from '../../contract/template-data.ts';
import { columnLetters } from '../../domain/cells.ts';
import { writeZip } from '../../ops/write-zip.ts';
import { validSheetName, type SheetOptions, type WorkbookWriter } from '../workbook.ts';
import { commentsXml, notesDrawing } from './drawing.ts';
import { Sheet } from './sheet.ts';
import { Styles } from './styles.ts';
import { fillPart, Relationships, sheetReference, xmlText } from './xml.ts';

const ROWS_MAX = 1_048_576;
const LEVEL = 3;

type WorkbookProperties = Readonly<{
  title: string;
  writtenAt: number;
  /** Rows per sheet; only tests set it. */
  rowsMax?: number;
}>;

/** `path`: a temporary name. If `write` throws, writes nothing. The same content gives the same bytes. */
export async function writeWorkbook(
  path: string,
  { rowsMax = ROWS_MAX, ...properties }: WorkbookProperties,
  write: (workbook: WorkbookWriter) => Promise<void>,
) {
  const styles = new Styles();
  const written: Sheet[][] = [];
  let count = 0;
  using opened = new DisposableStack();
  const newSheet = (options: SheetOptions) => {
    count += 1;
    const sheet = new Sheet(options, count, styles, `${path}.sheet${count}`);
    opened.use(sheet.xml);
    return sheet;
  };
  await write({
    sheet: (options) => {
      let last = newSheet(options);
      const sheets = [last];
      written.push(sheets);
      return {
        row: async (cells, height) => {
          if (last.rows >= rowsMax) sheets.push((last = newSheet(options)));
          await last.row(cells, height);
        },
        picture: (picture) => last.drawing.add(picture),
        bars: (column, rows) => last.addBars(column, rows),
        endOfPrint: () => (last.rowsPrinted = last.rows),
      };
    },
  });
  const taken = new Set(written.flat().map(({ options }) => options.name.toLowerCase()));
  const sheets: NamedSheet[] = [];
  for (const split of written) {
    for (const [index, sheet] of split.entries()) {
      const { name } = sheet.options;
      sheets.push({ name: index === 0 ? name : validSheetName(`${name} (${index + 1})`, taken), sheet });
      await sheet.finish();
    }
  }
  await writeZip(path, packageFiles(sheets, styles, properties), { level: LEVEL });
}

function* packageFiles(sheets: readonly NamedSheet[], styles: Styles, { title, writtenAt }: WorkbookProperties) {
  const at = `${new Date(writtenAt).toISOString().slice(0, 19)}Z`;
  yield xml('[Content_Types].xml', contentTypes(sheets));
  yield xml(
    '_rels/.rels',
    relationshipsXml([
      ['officeDocument', 'xl/workbook.xml'],
      ['core-properties', 'docProps/core.xml'],
    ]),
  );
  yield xml('docProps/core.xml', fillPart(corePropertiesTemplate, { title: xmlText(title), at }));
  yield xml('xl/workbook.xml', workbookXml(sheets));
  yield xml('xl/_rels/workbook.xml.rels', workbookRelationships(sheets));
  yield xml('xl/styles.xml', styles.toXml());
  for (const { sheet } of sheets) {
    const { number, relationships, drawing, notes } = sheet;
    yield { name: `xl/worksheets/sheet${number}.xml`, deflate: true, content: { stream: () => sheet.xml.read() } };
    if (!relationships.isEmpty) yield xml(`xl/worksheets/_rels/sheet${number}.xml.rels`, relationships.toXml());
    if (notes.length > 0) {
      yield xml(`xl/comments${number}.xml`, commentsXml(notes));
      yield xml(`xl/drawings/vmlDrawing${number}.vml`, notesDrawing(notes));
    }
    if (drawing.isEmpty) continue;
    yield xml(`xl/drawings/drawing${number}.xml`, drawing.toXml());
    yield xml(`xl/drawings/_rels/drawing${number}.xml.rels`, drawing.relationships.toXml());
    for (const { name, bytes } of drawing.media) yield { name: `xl/media/${name}`, deflate: false, content: bytes };
  }
}

const contentTypesTemplate = template('workbook/content-types.xml');
const workbookTemplate = template('workbook/workbook.xml');
const corePropertiesTemplate = template('workbook/core.xml');

function xml(name: string, text: string) {
  return { name, deflate: true, content: Buffer.from(text, 'utf8') };
}

const OFFICE_TYPE = 'application/vnd.openxmlformats-officedocument';

type NamedSheet = Readonly<{
  name: string;
  sheet: Sheet;
}>;

function workbookXml(sheets: readonly NamedSheet[]) {
  const listed = sheets.map(
    ({ name, sheet: { number } }, index) =>
      `<sheet name="${xmlText(name)}" sheetId="${number}" r:id="rId${index + 1}"/>`,
  );
  const names = definedNames(sheets);
  return fillPart(workbookTemplate, {
    sheets: listed,
    names: names.length === 0 ? '' : ['<definedNames>', ...names, '</definedNames>'],
  });
}

function definedNames(sheets: readonly NamedSheet[]) {
  const taken = new Set<string>();
  return sheets.flatMap(({ name, sheet: { options, filtered, printed } }, index) => {
    const sheet = sheetReference(name);
    const { frozenColumns = 0 } = options;
    const columns = frozenColumns === 0 ? '' : `${sheet}$A:$${columnLetters(frozenColumns - 1)},`;
    const defined = (own: string, cells: string, attributes = ` localSheetId="${index}"`) =>
      `<definedName name="${own}"${attributes}>${xmlText(cells)}</definedName>`;
    const area = printed === null ? [] : [defined('_xlnm.Print_Area', sheet + printed)];
    if (filtered === null) return area;
    return [
      defined('_xlnm._FilterDatabase', sheet + filtered, ` localSheetId="${index}" hidden="1"`),
      ...area,
      defined('_xlnm.Print_Titles', `${columns}${sheet}$1:$1`),
      defined(tableName(name, taken), sheet + filtered, ''),
    ];
  });
}

/** Excel ignores case in names. */
function tableName(sheet: string, taken: Set<string>) {
  const base = `Table_${sheet.replaceAll(/[^\p{L}\p{N}]+/gu, '_')}`;
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? base : `${base}_${number}`;
    if (taken.has(name.toLowerCase())) continue;
    taken.add(name.toLowerCase());
    return name;
  }
}

/** Sheets come first, in order: `workbookXml` refers to them by place. */
function workbookRelationships(sheets: readonly NamedSheet[]) {
  const parts = sheets.map(({ sheet }) => ['worksheet', `worksheets/sheet${sheet.number}.xml`] as const);
  return relationshipsXml([...parts, ['styles', 'styles.xml']]);
}

function relationshipsXml(targets: readonly Readonly<Parameters<Relationships['idOf']>>[]) {
  const relationships = new Relationships();
  for (const target of targets) relationships.idOf(...target);
  return relationships.toXml();
}

function contentTypes(sheets: readonly NamedSheet[]) {
  const parts = sheets.flatMap(({ sheet: { number, notes, drawing } }) => [
    override(`/xl/worksheets/sheet${number}.xml`, `${OFFICE_TYPE}.spreadsheetml.worksheet+xml`),
    ...(notes.length > 0 ? [override(`/xl/comments${number}.xml`, `${OFFICE_TYPE}.spreadsheetml.comments+xml`)] : []),
    ...(drawing.isEmpty ? [] : [override(`/xl/drawings/drawing${number}.xml`, `${OFFICE_TYPE}.drawing+xml`)]),
  ]);
  return fillPart(contentTypesTemplate, { parts });
}

function override(part: string, type: string) {
  return `<Override PartName="${part}" ContentType="${type}"/>`;
}
