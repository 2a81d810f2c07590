import type { Chart, Picture } from '../workbook-writer.ts';
import { linkTarget } from '../cell-text.ts';
import { chartXml } from './chart-part.ts';
import { Relationships } from './relationships.ts';
import { XML_HEAD, xmlText } from './xml-text.ts';

const EMU_PER_PIXEL = 9525;

const EXTENSIONS: Readonly<Record<Picture['mediaType'], string>> = { 'image/png': 'png', 'image/jpeg': 'jpg' };

/** A picture's file in the workbook. */
export interface Media {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The pictures of one sheet: its drawing part, with what it refers to. Each keeps its size when rows and columns change theirs. */
export class Drawing {
  readonly relationships = new Relationships();
  readonly media: Media[] = [];
  /** The charts' parts, by the end of their names. */
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
    const click = link === undefined ? '' : `<a:hlinkClick r:id="${this.relationships.idOf('hyperlink', linkTarget(link))}"/>`;
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
