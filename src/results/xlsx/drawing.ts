import { columnLetters } from '../../domain/cells.ts';
import { linkTarget } from '../cells.ts';
import type { Chart, Picture } from '../workbook-writer.ts';
import { Relationships, XML_HEAD, xmlText } from './xml.ts';

const EMU_PER_PIXEL = 9525;

const EXTENSIONS: Readonly<Record<Picture['mediaType'], string>> = { 'image/png': 'png', 'image/jpeg': 'jpg' };

export interface Media {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Pictures keep their size when rows and columns change. */
export class Drawing {
  readonly relationships = new Relationships();
  readonly media: Media[] = [];
  readonly charts: { readonly name: string; readonly xml: string }[] = [];
  readonly #sheetNumber: number;
  readonly #anchors: string[] = [];

  constructor(sheetNumber: number) {
    this.#sheetNumber = sheetNumber;
  }

  add(picture: Picture): void {
    const number = this.#anchors.length + 1;
    const name = `sheet${this.#sheetNumber}picture${number}.${EXTENSIONS[picture.mediaType]}`;
    this.media.push({ name, bytes: picture.bytes });
    const image = this.relationships.idOf('image', `../media/${name}`);
    const { link } = picture;
    const click =
      link === undefined ? '' : `<a:hlinkClick r:id="${this.relationships.idOf('hyperlink', linkTarget(link))}"/>`;
    const extent = `cx="${Math.round(picture.width * EMU_PER_PIXEL)}" cy="${Math.round(picture.height * EMU_PER_PIXEL)}"`;
    this.#anchors.push(
      `<xdr:oneCellAnchor><xdr:from><xdr:col>${picture.column}</xdr:col><xdr:colOff>${EMU_PER_PIXEL * 3}</xdr:colOff><xdr:row>${picture.row}</xdr:row><xdr:rowOff>${EMU_PER_PIXEL * 3}</xdr:rowOff></xdr:from>` +
        `<xdr:ext ${extent}/><xdr:pic><xdr:nvPicPr><xdr:cNvPr id="${number + 1}" name="Picture ${number}" descr="${xmlText(picture.description)}">${click}</xdr:cNvPr>` +
        '<xdr:cNvPicPr><a:picLocks noChangeAspect="1"/></xdr:cNvPicPr></xdr:nvPicPr>' +
        `<xdr:blipFill><a:blip r:embed="${image}"/><a:stretch><a:fillRect/></a:stretch></xdr:blipFill>` +
        `<xdr:spPr><a:xfrm><a:off x="0" y="0"/><a:ext ${extent}/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></xdr:spPr></xdr:pic><xdr:clientData/></xdr:oneCellAnchor>`,
    );
  }

  addChart(chart: Chart, sheet: string): void {
    const number = this.#anchors.length + 1;
    const name = `chart${this.#sheetNumber}x${this.charts.length + 1}.xml`;
    this.charts.push({ name, xml: chartXml(chart, sheet) });
    const id = this.relationships.idOf('chart', `../charts/${name}`);
    this.#anchors.push(
      `<xdr:oneCellAnchor><xdr:from><xdr:col>${chart.column}</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>${chart.row}</xdr:row><xdr:rowOff>0</xdr:rowOff></xdr:from>` +
        `<xdr:ext cx="${chart.width * EMU_PER_PIXEL}" cy="${chart.height * EMU_PER_PIXEL}"/>` +
        `<xdr:graphicFrame macro=""><xdr:nvGraphicFramePr><xdr:cNvPr id="${number + 1}" name="Chart ${number}" descr="${xmlText(chart.title)}"/><xdr:cNvGraphicFramePr/></xdr:nvGraphicFramePr>` +
        '<xdr:xfrm><a:off x="0" y="0"/><a:ext cx="0" cy="0"/></xdr:xfrm><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/chart">' +
        `<c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" r:id="${id}"/></a:graphicData></a:graphic></xdr:graphicFrame><xdr:clientData/></xdr:oneCellAnchor>`,
    );
  }

  get isEmpty(): boolean {
    return this.#anchors.length === 0;
  }

  toXml(): string {
    return (
      `${XML_HEAD}<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" ` +
      `xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">${this.#anchors.join('')}</xdr:wsDr>`
    );
  }
}

/** Horizontal bars, the first on top. */
function chartXml({ title, bars, nameColumn, valueColumn, firstRow, colour }: Chart, sheet: string): string {
  const range = (column: number): string => {
    const letters = columnLetters(column);
    return xmlText(
      `'${sheet.replaceAll("'", "''")}'!$${letters}$${firstRow + 1}:$${letters}$${firstRow + bars.length}`,
    );
  };
  const names = bars.map(({ name }, index) => `<c:pt idx="${index}"><c:v>${xmlText(name)}</c:v></c:pt>`).join('');
  const values = bars.map(({ value }, index) => `<c:pt idx="${index}"><c:v>${value}</c:v></c:pt>`).join('');
  const fill = `<c:spPr><a:solidFill><a:srgbClr val="${colour}"/></a:solidFill></c:spPr>`;
  return (
    `${XML_HEAD}<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">` +
    `<c:roundedCorners val="0"/><c:chart><c:title><c:tx><c:rich><a:bodyPr/><a:p><a:pPr><a:defRPr sz="1200" b="1"/></a:pPr><a:r><a:rPr lang="en-US" sz="1200" b="1"/><a:t>${xmlText(title)}</a:t></a:r></a:p></c:rich></c:tx><c:overlay val="0"/></c:title>` +
    '<c:autoTitleDeleted val="0"/><c:plotArea><c:layout/><c:barChart><c:barDir val="bar"/><c:grouping val="clustered"/><c:varyColors val="0"/>' +
    `<c:ser><c:idx val="0"/><c:order val="0"/>${fill}<c:invertIfNegative val="0"/>` +
    '<c:dLbls><c:showLegendKey val="0"/><c:showVal val="1"/><c:showCatName val="0"/><c:showSerName val="0"/><c:showPercent val="0"/><c:showBubbleSize val="0"/></c:dLbls>' +
    `<c:cat><c:strRef><c:f>${range(nameColumn)}</c:f><c:strCache><c:ptCount val="${bars.length}"/>${names}</c:strCache></c:strRef></c:cat>` +
    `<c:val><c:numRef><c:f>${range(valueColumn)}</c:f><c:numCache><c:formatCode>General</c:formatCode><c:ptCount val="${bars.length}"/>${values}</c:numCache></c:numRef></c:val></c:ser>` +
    '<c:gapWidth val="60"/><c:axId val="1"/><c:axId val="2"/></c:barChart>' +
    '<c:catAx><c:axId val="1"/><c:scaling><c:orientation val="maxMin"/></c:scaling><c:delete val="0"/><c:axPos val="l"/><c:numFmt formatCode="General" sourceLinked="0"/><c:majorTickMark val="none"/><c:minorTickMark val="none"/><c:tickLblPos val="nextTo"/><c:txPr><a:bodyPr/><a:p><a:pPr><a:defRPr sz="800"/></a:pPr><a:endParaRPr lang="en-US" sz="800"/></a:p></c:txPr><c:crossAx val="2"/><c:crosses val="autoZero"/><c:auto val="0"/><c:lblOffset val="100"/><c:tickLblSkip val="1"/><c:noMultiLvlLbl val="1"/></c:catAx>' +
    '<c:valAx><c:axId val="2"/><c:scaling><c:orientation val="minMax"/><c:min val="0"/></c:scaling><c:delete val="1"/><c:axPos val="t"/><c:numFmt formatCode="General" sourceLinked="0"/><c:majorTickMark val="none"/><c:minorTickMark val="none"/><c:tickLblPos val="nextTo"/><c:crossAx val="1"/><c:crosses val="autoZero"/></c:valAx>' +
    '</c:plotArea><c:plotVisOnly val="1"/><c:dispBlanksAs val="gap"/></c:chart></c:chartSpace>'
  );
}

export interface CellNote {
  /** Both from 0; a table's header is row 0. */
  readonly row: number;
  readonly column: number;
  readonly text: string;
}

const AUTHOR = 'inspection-batch';
/** In pixels at 96 per inch. */
const WIDTH = 260;
const LINE_HEIGHT = 16;
const CHARACTERS_PER_LINE = 42;

/** `xl/comments….xml`. */
export function commentsXml(notes: readonly CellNote[]): string {
  const comments = notes.map(
    ({ row, column, text }) =>
      `<comment ref="${columnLetters(column)}${row + 1}" authorId="0"><text><r><rPr><sz val="9"/><rFont val="Tahoma"/></rPr><t xml:space="preserve">${xmlText(text)}</t></r></text></comment>`,
  );
  return `${XML_HEAD}<comments xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><authors><author>${AUTHOR}</author></authors><commentList>${comments.join('')}</commentList></comments>`;
}

/** The notes' positions, which Excel needs. */
export function notesDrawing(notes: readonly CellNote[]): string {
  const shapes = notes.map(({ row, column, text }, index) => {
    const lines = text
      .split('\n')
      .reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / CHARACTERS_PER_LINE)), 0);
    return (
      `<v:shape id="_x0000_s${1025 + index}" type="#_x0000_t202" style="position:absolute;width:${WIDTH}px;height:${LINE_HEIGHT * (lines + 1)}px;z-index:${index + 1};visibility:hidden" fillcolor="#ffffe1" o:insetmode="auto">` +
      '<v:fill color2="#ffffe1"/><v:shadow on="t" color="black" obscured="t"/><v:path o:connecttype="none"/><v:textbox style="mso-direction-alt:auto"><div style="text-align:left"/></v:textbox>' +
      `<x:ClientData ObjectType="Note"><x:MoveWithCells/><x:SizeWithCells/><x:AutoFill>False</x:AutoFill><x:Row>${row}</x:Row><x:Column>${column}</x:Column></x:ClientData></v:shape>`
    );
  });
  return (
    '<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:x="urn:schemas-microsoft-com:office:excel">' +
    '<o:shapelayout v:ext="edit"><o:idmap v:ext="edit" data="1"/></o:shapelayout>' +
    '<v:shapetype id="_x0000_t202" coordsize="21600,21600" o:spt="202" path="m,l,21600r21600,l21600,xe"><v:stroke joinstyle="miter"/><v:path gradientshapeok="t" o:connecttype="rect"/></v:shapetype>' +
    `${shapes.join('')}</xml>`
  );
}
