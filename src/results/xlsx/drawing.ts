import { template } from '../../contract/template-data.ts';
import { columnLetters } from '../../domain/cells.ts';
import { linkTarget } from '../cell-values.ts';
import type { Chart, Picture } from '../workbook-types.ts';
import { fillPart, Relationships, xmlText } from './xml.ts';

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
    const name = `sheet${this.#sheetNumber}picture${number}.jpg`;
    this.media.push({ name, bytes: picture.bytes });
    const image = this.relationships.idOf('image', `../media/${name}`);
    const { link } = picture;
    const click =
      link === undefined ? '' : `<a:hlinkClick r:id="${this.relationships.idOf('hyperlink', linkTarget(link))}"/>`;
    const { row, column, description } = picture;
    this.#anchors.push(
      pictureXml({
        number,
        id: number + 1,
        row,
        column,
        extent: extentOf(picture),
        description: xmlText(description),
        click,
        image,
      }).join(''),
    );
  }

  addChart(chart: Chart, sheet: string): void {
    const number = this.#anchors.length + 1;
    const name = `chart${this.#sheetNumber}x${this.charts.length + 1}.xml`;
    this.charts.push({ name, xml: chartXml(chart, sheet) });
    const { row, column } = chart;
    this.#anchors.push(
      chartFrameXml({
        number,
        id: number + 1,
        row,
        column,
        extent: extentOf(chart),
        title: xmlText(chart.title),
        chart: this.relationships.idOf('chart', `../charts/${name}`),
      }).join(''),
    );
  }

  get isEmpty(): boolean {
    return this.#anchors.length === 0;
  }

  toXml(): string {
    return fillPart(drawingTemplate, { anchors: this.#anchors });
  }
}

const EMU_PER_PIXEL = 9525;

function extentOf({ width, height }: Pick<Picture, 'width' | 'height'>) {
  return `cx="${Math.round(width * EMU_PER_PIXEL)}" cy="${Math.round(height * EMU_PER_PIXEL)}"`;
}

const pictureXml = template('workbook/picture.xml');
const chartFrameXml = template('workbook/chart-frame.xml');
const chartTemplate = template('workbook/chart.xml');
const drawingTemplate = template('workbook/drawing.xml');
const commentTemplate = template('workbook/comment.xml');
const commentsTemplate = template('workbook/comments.xml');

/** Horizontal bars, the first on top. */
function chartXml({ title, bars, nameColumn, valueColumn, firstRow, color }: Chart, sheet: string) {
  const cells = (column: number) => {
    const letters = columnLetters(column);
    return xmlText(
      `'${sheet.replaceAll("'", "''")}'!$${letters}$${firstRow + 1}:$${letters}$${firstRow + bars.length}`,
    );
  };
  const points = (texts: readonly (string | number)[]) =>
    texts.map((text, index) => `<c:pt idx="${index}"><c:v>${text}</c:v></c:pt>`);
  return fillPart(chartTemplate, {
    title: xmlText(title),
    color,
    count: bars.length,
    nameCells: cells(nameColumn),
    valueCells: cells(valueColumn),
    names: points(bars.map(({ name }) => xmlText(name))),
    values: points(bars.map(({ value }) => value)),
  });
}

export interface CellNote {
  /** Both from 0; a table's header is row 0. */
  readonly row: number;
  readonly column: number;
  readonly text: string;
}

/** In pixels at 96 per inch. */
const LINE_HEIGHT = 16;
const CHARACTERS_PER_LINE = 42;

/** `xl/comments….xml`. */
export function commentsXml(notes: readonly CellNote[]): string {
  const comments = notes.flatMap(({ row, column, text }) =>
    commentTemplate({ cell: `${columnLetters(column)}${row + 1}`, text: xmlText(text) }),
  );
  return fillPart(commentsTemplate, { comments });
}

const noteVml = template('workbook/note.vml');
const notesVml = template('workbook/notes.vml');

/** The notes' positions, which Excel needs. */
export function notesDrawing(notes: readonly CellNote[]): string {
  const shapes = notes.flatMap(({ row, column, text }, index) => {
    const lines = text
      .split('\n')
      .reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / CHARACTERS_PER_LINE)), 0);
    return noteVml({ id: 1025 + index, number: index + 1, height: LINE_HEIGHT * (lines + 1), row, column });
  });
  return notesVml({ notes: shapes }).join('');
}
