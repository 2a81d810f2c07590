import { template } from '../../contract/template-data.ts';
import { cellAddress } from '../../domain/cells.ts';
import { type Picture, linkTarget } from '../workbook.ts';
import { fillPart, Relationships, xmlText } from './xml.ts';

export class Drawing {
  readonly relationships = new Relationships();
  readonly media: Readonly<{ name: string; bytes: Uint8Array }>[] = [];
  readonly #sheetNumber;
  readonly #anchors: string[] = [];

  constructor(sheetNumber: number) {
    this.#sheetNumber = sheetNumber;
  }

  add(picture: Picture) {
    const name = `sheet${this.#sheetNumber}picture${this.#anchors.length + 1}.jpg`;
    this.media.push({ name, bytes: picture.bytes });
    const image = this.relationships.idOf('image', `../media/${name}`);
    const { link, description } = picture;
    const click =
      link === undefined ? '' : `<a:hlinkClick r:id="${this.relationships.idOf('hyperlink', linkTarget(link))}"/>`;
    const { row, column, width, height } = picture;
    const number = this.#anchors.length + 1;
    const extent = `cx="${emuOf(width)}" cy="${emuOf(height)}"`;
    const parts = { description: xmlText(description), click, image, number, id: number + 1, row, column, extent };
    this.#anchors.push(pictureXml(parts).join(''));
  }

  get isEmpty() {
    return this.#anchors.length === 0;
  }

  toXml() {
    return fillPart(drawingTemplate, { anchors: this.#anchors });
  }
}

function emuOf(pixels: number) {
  return Math.round(pixels * 9525);
}

const pictureXml = template('workbook/picture.xml');
const drawingTemplate = template('workbook/drawing.xml');
const commentTemplate = template('workbook/comment.xml');
const commentsTemplate = template('workbook/comments.xml');

type CellNote = Readonly<{
  /** Both from 0; a table's header is row 0. */
  row: number;
  column: number;
  text: string;
}>;

/** In pixels at 96 per inch. */
const LINE_HEIGHT = 16;
const CHARACTERS_PER_LINE = 42;

export function commentsXml(notes: readonly CellNote[]) {
  const comments = notes.flatMap(({ row, column, text }) =>
    commentTemplate({ cell: cellAddress(column, row + 1), text: xmlText(text) }),
  );
  return fillPart(commentsTemplate, { comments });
}

const noteVml = template('workbook/note.vml');
const notesVml = template('workbook/notes.vml');

/** The notes' positions, which Excel needs. */
export function notesDrawing(notes: readonly CellNote[]) {
  const shapes = notes.flatMap(({ row, column, text }, index) => {
    const height = LINE_HEIGHT * (countLines(text, CHARACTERS_PER_LINE) + 1);
    return noteVml({ id: 1025 + index, number: index + 1, height, row, column });
  });
  return notesVml({ notes: shapes }).join('');
}

/** `width`: characters per line. */
export function countLines(text: string, width: number) {
  return text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / width)), 0);
}
