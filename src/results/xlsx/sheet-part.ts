import type { Deflated } from '../../zip/write-zip.ts';
import { cellText, linkTarget } from '../cell-text.ts';
import { cellStyle, emphasisStyle, headerStyle } from '../sheet-style.ts';
import type { Cell, Chart, Picture, SheetOptions } from '../workbook-writer.ts';
import { DeflatingPart } from './deflating.ts';
import { Drawing } from './drawing.ts';
import type { HeaderNote } from './header-notes.ts';
import { Relationships } from './relationships.ts';
import { rowHeight } from './row-height.ts';
import { sheetHead, sheetSetUp } from './sheet-frame.ts';
import type { StyleBook } from './style-book.ts';
import { columnLetters, xmlText } from './xml-text.ts';

/** Excel's limit; beyond it a link is a formula that shows the same. */
const LINKS_PER_SHEET_MAX = 65_530;
/** Tables with more columns than this have no lines through empty cells. */
const LINED_COLUMNS_MAX = 40;
/** What a formula may hold as text. */
const FORMULA_TEXT_LENGTH_MAX = 255;

/** What one sheet of a workbook has come to. */
export interface FinishedSheet {
  readonly content: Deflated;
  readonly relationships: Relationships;
  readonly drawing: Drawing;
  readonly notes: readonly HeaderNote[];
  /** The filtered range, such as `$A$1:$D$20`, or null. */
  readonly filtered: string | null;
}

/** One sheet as it is written: its rows go into zlib as they come. */
export class SheetPart {
  readonly options: SheetOptions;
  /** From 1: what the names of its parts end with. */
  readonly number: number;
  readonly relationships = new Relationships();
  readonly notes: readonly HeaderNote[];
  readonly drawing: Drawing;
  rows = 0;
  readonly #styles: StyleBook;
  readonly #part: DeflatingPart;
  readonly #links: string[] = [];
  #linkCount = 0;

  constructor(options: SheetOptions, number: number, styles: StyleBook, level: number) {
    this.options = options;
    this.number = number;
    this.#styles = styles;
    this.#part = new DeflatingPart(level);
    this.drawing = new Drawing(number);
    this.notes = options.columns.flatMap(({ note }, column) => (note === undefined ? [] : [{ column, text: cellText(note) }]));
    this.#part.add(sheetHead(options, number === 1));
    if (options.kind === 'table') this.#header();
  }

  #header(): void {
    const { columns } = this.options;
    let group: string | undefined;
    let tint: 0 | 1 = 1;
    const cells = columns.map((column, index) => {
      if (index === 0 || column.group !== group) tint = tint === 0 ? 1 : 0;
      group = column.group;
      return textCell(columnLetters(index), 1, this.#styles.indexOf(headerStyle(tint)), cellText(column.title));
    });
    const height = columns.some(({ title, width }) => title.length > width * 2 - 6) ? 48 : 32;
    this.#part.add(`<row r="1" ht="${height}" customHeight="1">${cells.join('')}</row>`);
    this.rows = 1;
  }

  async row(cells: readonly (Cell | undefined)[], height: number | undefined): Promise<void> {
    this.rows += 1;
    const number = this.rows;
    const lined = this.options.kind === 'table';
    const linesEmpty = lined && this.options.columns.length <= LINED_COLUMNS_MAX;
    let xml = '';
    for (let index = 0; index < cells.length; index += 1) {
      const cell = cells[index];
      if (cell !== undefined) xml += this.#cell(cell, index, number, lined);
      else if (linesEmpty) xml += `<c r="${columnLetters(index)}${number}" s="${this.#styles.indexOf(cellStyle('text', undefined, false, true))}"/>`;
    }
    const fitting = rowHeight(cells, this.options.columns);
    const points = height === undefined ? fitting : Math.max(height, fitting ?? 0);
    const full = this.#part.add(`<row r="${number}"${points === undefined ? '' : ` ht="${points}" customHeight="1"`}>${xml}</row>`);
    if (full) await this.#part.flush();
  }

  #cell({ value, format, emphasis, link, place }: Cell, index: number, row: number, lined: boolean): string {
    const letters = columnLetters(index);
    if (typeof value === 'number') {
      const style = this.#styles.indexOf(cellStyle(format, emphasis, false, lined));
      // Excel knows no such numbers: what cannot be one is shown as the word.
      return Number.isFinite(value) ? `<c r="${letters}${row}" s="${style}"><v>${value}</v></c>` : textCell(letters, row, style, String(value));
    }
    const text = cellText(value);
    if (link === undefined && place === undefined) return textCell(letters, row, this.#styles.indexOf(cellStyle(format, emphasis, false, lined)), text);
    const style = this.#styles.indexOf(cellStyle(format, emphasis, true, lined));
    if (this.#linkCount < LINKS_PER_SHEET_MAX) {
      this.#linkCount += 1;
      this.#links.push(
        link === undefined
          ? `<hyperlink ref="${letters}${row}" location="${xmlText(place === undefined ? '' : placeText(place))}"/>`
          : `<hyperlink ref="${letters}${row}" r:id="${this.relationships.idOf('hyperlink', linkTarget(link))}"/>`,
      );
      return textCell(letters, row, style, text);
    }
    const target = link === undefined ? `#${place === undefined ? '' : placeText(place)}` : linkTarget(link);
    if (target.length > FORMULA_TEXT_LENGTH_MAX || text.length > FORMULA_TEXT_LENGTH_MAX) return textCell(letters, row, style, text);
    return `<c r="${letters}${row}" s="${style}" t="str"><f>${xmlText(`HYPERLINK(${formulaText(target)},${formulaText(text)})`)}</f><v>${xmlText(text)}</v></c>`;
  }

  picture(picture: Picture): void {
    this.drawing.add(picture);
  }

  chart(chart: Chart): void {
    this.drawing.addChart(chart, this.options.name);
  }

  /** No row may follow. */
  async finish(): Promise<FinishedSheet> {
    const { kind, columns } = this.options;
    const filtered = kind === 'table' && columns.length > 0 ? `$A$1:$${columnLetters(columns.length - 1)}$${this.rows}` : null;
    this.#part.add('</sheetData>');
    if (filtered !== null) this.#part.add(`<autoFilter ref="${filtered.replaceAll('$', '')}"/>`);
    this.#part.add(this.#conditions());
    if (this.#links.length > 0) this.#part.add(`<hyperlinks>${this.#links.join('')}</hyperlinks>`);
    this.#part.add(sheetSetUp(this.options));
    if (!this.drawing.isEmpty) this.#part.add(`<drawing r:id="${this.relationships.idOf('drawing', `../drawings/drawing${this.number}.xml`)}"/>`);
    if (this.notes.length > 0) {
      this.#part.add(`<legacyDrawing r:id="${this.relationships.idOf('vmlDrawing', `../drawings/vmlDrawing${this.number}.vml`)}"/>`);
      this.relationships.idOf('comments', `../comments${this.number}.xml`);
    }
    this.#part.add('</worksheet>');
    return { content: await this.#part.finish(), relationships: this.relationships, drawing: this.drawing, notes: this.notes, filtered };
  }

  #conditions(): string {
    let priority = 0;
    const conditions = this.options.columns.map(({ colouredWords = [] }, index) => {
      if (colouredWords.length === 0 || this.rows < 2) return '';
      const rules = colouredWords.map(({ word, emphasis }) => {
        priority += 1;
        return `<cfRule type="cellIs" dxfId="${this.#styles.conditionalIndexOf(emphasisStyle(emphasis))}" priority="${priority}" operator="equal"><formula>${xmlText(formulaText(word))}</formula></cfRule>`;
      });
      const letters = columnLetters(index);
      return `<conditionalFormatting sqref="${letters}2:${letters}${this.rows}">${rules.join('')}</conditionalFormatting>`;
    });
    return conditions.join('');
  }
}

function textCell(letters: string, row: number, style: number, text: string): string {
  if (text === '') return `<c r="${letters}${row}" s="${style}"/>`;
  const kept = /^\s|\s$|\n/.test(text) ? ' xml:space="preserve"' : '';
  return `<c r="${letters}${row}" s="${style}" t="inlineStr"><is><t${kept}>${xmlText(text)}</t></is></c>`;
}

function placeText({ sheet, cell }: NonNullable<Cell['place']>): string {
  return `'${sheet.replaceAll("'", "''")}'!${cell}`;
}

function formulaText(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
