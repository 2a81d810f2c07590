import type { SheetOptions } from '../workbook-writer.ts';
import type { FinishedSheet } from './sheet-part.ts';
import { columnLetters, XML_HEAD, xmlText } from './xml-text.ts';

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
export function workbookXml(sheets: readonly NamedSheet[]): string {
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

export function workbookRelationships(sheets: number): string {
  const listed = Array.from({ length: sheets }, (_, index) => relationship(index + 1, `${OFFICE}/worksheet`, `worksheets/sheet${index + 1}.xml`));
  return relationships([...listed, relationship(sheets + 1, `${OFFICE}/styles`, 'styles.xml'), relationship(sheets + 2, `${OFFICE}/theme`, 'theme/theme1.xml')]);
}

export function packageRelationships(): string {
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
export function contentTypes(sheets: readonly NamedSheet[]): string {
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
export function coreProperties({ title, writtenAt }: { readonly title: string; readonly writtenAt: number }): string {
  const at = `${new Date(writtenAt).toISOString().slice(0, 19)}Z`;
  return (
    `${XML_HEAD}<cp:coreProperties xmlns:cp="${PACKAGE}/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">` +
    `<dc:title>${xmlText(title)}</dc:title><dc:creator>inspection-batch</dc:creator><cp:lastModifiedBy>inspection-batch</cp:lastModifiedBy>` +
    `<dcterms:created xsi:type="dcterms:W3CDTF">${at}</dcterms:created><dcterms:modified xsi:type="dcterms:W3CDTF">${at}</dcterms:modified></cp:coreProperties>`
  );
}

export function appProperties(): string {
  return `${XML_HEAD}<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties"><Application>inspection-batch</Application></Properties>`;
}
