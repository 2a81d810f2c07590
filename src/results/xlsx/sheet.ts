import { once } from 'node:events';
import { createReadStream, rmSync, writeFileSync } from 'node:fs';
import { pipeline } from 'node:stream';
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib';
import { cellAddress, columnLetters } from '../../domain/cells.ts';
import { type TableCell, type SheetColumn, type SheetOptions, legalText, linkTarget } from '../workbook.ts';
import { countLines, Drawing } from './drawing.ts';
import type { Styles } from './styles.ts';
import { Relationships, sheetReference, sheetXml, XML_HEAD, xmlText } from './xml.ts';

/** Excel's limit; further links are formulas. */
const LINKS_PER_SHEET_MAX = 65_530;
const NOTES_MAX = 2000;
const LINED_COLUMNS_MAX = 40;
/** Excel's limit for text in a formula. */
const FORMULA_TEXT_LENGTH_MAX = 255;

export class Sheet {
  readonly options;
  /** From 1; ends its file names in the package. */
  readonly number;
  readonly xml;
  readonly relationships = new Relationships();
  readonly notes;
  readonly drawing;
  rows = 0;
  rowsPrinted: number | null = null;
  readonly #styles;
  readonly #links: string[] = [];
  readonly #bars: string[] = [];

  /** `aside`: a path for XML that is too large for memory. */
  constructor(options: SheetOptions, number: number, styles: Styles, aside: string) {
    this.xml = packedText(aside);
    this.options = options;
    this.number = number;
    this.#styles = styles;
    this.drawing = new Drawing(number);
    this.notes = options.columns.flatMap(({ note }, column) =>
      note === undefined ? [] : [{ row: 0, column, text: legalText(note) }],
    );
    this.xml.add(sheetHead(options, number === 1));
    if (options.kind === 'table') this.#header();
  }

  #header() {
    let group: string | undefined;
    let tint: 0 | 1 = 1;
    const cells = this.options.columns.map((column, index) => {
      if (index === 0 || column.group !== group) tint = tint === 0 ? 1 : 0;
      group = column.group;
      return textCell(cellAddress(index, 1), this.#styles.headerIndex(tint), legalText(column.title));
    });
    const height = this.options.columns.some(({ title, width }) => title.length > width * 2 - 6) ? 48 : 32;
    this.xml.add(`<row r="1" ht="${height}" customHeight="1">${cells.join('')}</row>`);
    this.rows = 1;
  }

  async row(cells: readonly (TableCell | undefined)[], height: number | undefined) {
    this.rows += 1;
    const number = this.rows;
    const lined = this.options.kind === 'table';
    const linesEmpty = lined && this.options.columns.length <= LINED_COLUMNS_MAX;
    let written = '';
    for (let index = 0; index < cells.length; index += 1) {
      const cell = cells[index];
      if (cell !== undefined) written += this.#cell(cell, index, number, lined);
      else if (linesEmpty)
        written += `<c r="${cellAddress(index, number)}" s="${this.#styles.cellIndex('text', undefined, false, true)}"/>`;
    }
    const fitting = rowHeight(cells, this.options.columns);
    const points = height === undefined ? fitting : Math.max(height, fitting ?? 0);
    const full = this.xml.add(
      `<row r="${number}"${points === undefined ? '' : ` ht="${points}" customHeight="1"`}>${written}</row>`,
    );
    if (full) await this.xml.flush();
  }

  #cell(
    { value, format, emphasis, link, anchor, place, note }: TableCell,
    column: number,
    row: number,
    lined: boolean,
  ) {
    const at = cellAddress(column, row);
    if (note !== undefined && this.notes.length < NOTES_MAX)
      this.notes.push({ row: row - 1, column, text: legalText(note) });
    const isLink = typeof value === 'string' && (link !== undefined || place !== undefined);
    const style = this.#styles.cellIndex(format, emphasis, isLink, lined);
    // Excel has no NaN or Infinity: written as text.
    if (typeof value === 'number' && Number.isFinite(value)) return `<c r="${at}" s="${style}"><v>${value}</v></c>`;
    const text = legalText(String(value));
    if (!isLink) return textCell(at, style, text);
    const location = place === undefined ? anchor : sheetReference(place.sheet) + place.cell;
    if (this.#links.length < LINKS_PER_SHEET_MAX) {
      const id = link === undefined ? '' : ` r:id="${this.relationships.idOf('hyperlink', linkTarget(link))}"`;
      this.#links.push(
        `<hyperlink ref="${at}"${id}${location === undefined ? '' : ` location="${xmlText(location)}"`}/>`,
      );
      return textCell(at, style, text);
    }
    const target = linkTarget(link ?? '') + (location === undefined ? '' : `#${location}`);
    if (target.length > FORMULA_TEXT_LENGTH_MAX || text.length > FORMULA_TEXT_LENGTH_MAX)
      return textCell(at, style, text);
    return `<c r="${at}" s="${style}" t="str"><f>${xmlText(`HYPERLINK(${formulaText(target)},${formulaText(text)})`)}</f><v>${xmlText(text)}</v></c>`;
  }

  addBars(column: number, rows: number) {
    const letters = columnLetters(column);
    this.#bars.push(`${letters}${this.rows - rows + 1}:${letters}${this.rows}`);
  }

  get filtered() {
    const { kind, columns } = this.options;
    return kind === 'table' && columns.length > 0 ? `$A$1:$${columnLetters(columns.length - 1)}$${this.rows}` : null;
  }

  async finish() {
    const { filtered } = this;
    this.xml.add('</sheetData>');
    if (filtered !== null) this.xml.add(`<autoFilter ref="${filtered.replaceAll('$', '')}"/>`);
    if (this.rows > 1) this.xml.add(this.#conditions() + this.#choices());
    if (this.#links.length > 0) this.xml.add(`<hyperlinks>${this.#links.join('')}</hyperlinks>`);
    this.xml.add(sheetSetUp(this.options));
    if (!this.drawing.isEmpty)
      this.xml.add(`<drawing r:id="${this.relationships.idOf('drawing', `../drawings/drawing${this.number}.xml`)}"/>`);
    if (this.notes.length > 0) {
      this.xml.add(
        `<legacyDrawing r:id="${this.relationships.idOf('vmlDrawing', `../drawings/vmlDrawing${this.number}.vml`)}"/>`,
      );
      this.relationships.idOf('comments', `../comments${this.number}.xml`);
    }
    this.xml.add('</worksheet>');
    await this.xml.finish();
  }

  /** Null: all. */
  get printed() {
    const { columns, printedColumns = columns.length } = this.options;
    return printedColumns >= columns.length && this.rowsPrinted === null
      ? null
      : `$A$1:$${columnLetters(printedColumns - 1)}$${this.rowsPrinted ?? this.rows}`;
  }

  #choices() {
    const lists = this.options.columns.flatMap(({ choices = [] }, index) => {
      if (choices.length === 0) return [];
      return sheetXml('choices', { cells: this.#cellsOf(index), choices: xmlText(formulaText(choices.join(','))) });
    });
    return lists.length === 0 ? '' : `<dataValidations count="${lists.length}">${lists.join('')}</dataValidations>`;
  }

  #conditions() {
    let priority = 0;
    const conditions = this.options.columns.map(({ coloredWords = [], bar = false }, index) => {
      if (coloredWords.length === 0 && !bar) return '';
      const rules = coloredWords.map(({ word, emphasis }) => {
        priority += 1;
        const style = this.#styles.conditionalIndex(emphasis);
        return sheetXml('word-rule', { style, priority, word: xmlText(formulaText(word)) });
      });
      if (bar) rules.push(barRule(++priority, 'type="num" val="1"'));
      return `<conditionalFormatting sqref="${this.#cellsOf(index)}">${rules.join('')}</conditionalFormatting>`;
    });
    const bars = this.#bars.map(
      (cells) => `<conditionalFormatting sqref="${cells}">${barRule(++priority, 'type="max"')}</conditionalFormatting>`,
    );
    return [...conditions, ...bars].join('');
  }

  #cellsOf(column: number) {
    const letters = columnLetters(column);
    return `${letters}2:${letters}${this.rows}`;
  }
}

/** From 0 to `longest`. */
function barRule(priority: number, longest: string) {
  return sheetXml('bar-rule', { priority, longest });
}

function textCell(at: string, style: number, text: string) {
  if (text === '') return `<c r="${at}" s="${style}"/>`;
  const kept = /^\s|\s$|\n/.test(text) ? ' xml:space="preserve"' : '';
  return `<c r="${at}" s="${style}" t="inlineStr"><is><t${kept}>${xmlText(text)}</t></is></c>`;
}

function formulaText(text: string) {
  return `"${text.replaceAll('"', '""')}"`;
}

const PAGE_WIDTH = 260;

function sheetHead({ kind, columns, frozenColumns = 0, tabColor }: SheetOptions, first: boolean) {
  const foldable = columns.some((column) => column.foldable);
  const head = sheetXml('head', {
    tabColor: tabColor === undefined ? '' : `<tabColor rgb="FF${tabColor}"/>`,
    outline: foldable ? '<outlinePr summaryRight="0"/>' : '',
    gridLines: kind === 'page' ? ' showGridLines="0"' : '',
    selected: first ? ' tabSelected="1"' : '',
    pane: kind === 'table' ? pane(frozenColumns) : '/>',
    levels: foldable ? ' outlineLevelCol="1"' : '',
    columns: columns.length === 0 ? '' : ['<cols>', ...columns.map(column), '</cols>'],
  });
  return XML_HEAD + head;
}

function column({ width, foldable }: SheetColumn, index: number) {
  return sheetXml('column', { number: index + 1, width, level: foldable ? ' outlineLevel="1"' : '' });
}

function pane(frozenColumns: number) {
  const corner = `${columnLetters(frozenColumns)}2`;
  const [split, others, active] =
    frozenColumns === 0
      ? ['', '', 'bottomLeft']
      : [` xSplit="${frozenColumns}"`, '<selection pane="topRight"/><selection pane="bottomLeft"/>', 'bottomRight'];
  return sheetXml('pane', { split, others, active, corner });
}

function sheetSetUp({ name, columns, printedColumns }: SheetOptions) {
  const printed = columns.slice(0, printedColumns).reduce((sum, { width }) => sum + width, 0);
  const pages = Math.max(1, Math.ceil(printed / PAGE_WIDTH));
  return sheetXml('print', { pages, name: xmlText(name.replaceAll('&', '&&')) });
}

/** In points; Excel's maximum is 409. */
const LINE_HEIGHT = 15;
const ROW_HEIGHT_MAX = 409;
/** Widths count digits; most letters are narrower. */
const CHARACTERS_PER_WIDTH = 1.1;

function rowHeight(cells: readonly (TableCell | undefined)[], columns: readonly SheetColumn[]) {
  let most = 1;
  let single = false;
  for (let index = 0; index < cells.length; index += 1) {
    const cell = cells[index];
    if (cell === undefined || typeof cell.value !== 'string') continue;
    if (cell.format === 'single line') single = true;
    if (cell.format !== 'wrapped' && cell.format !== 'input') continue;
    most = Math.max(most, countLines(cell.value, (columns[index]?.width ?? 10) * CHARACTERS_PER_WIDTH));
  }
  if (most > 1) return Math.min(ROW_HEIGHT_MAX, most * LINE_HEIGHT);
  return single ? LINE_HEIGHT : undefined;
}

const BATCH = 128 * 1024;
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

const IN_MEMORY_MAX = 4 * 1024 * 1024;

/** Kept packed, and in a temporary file if long: sheets are written in parallel, but archived one by one. */
function packedText(aside: string) {
  const packer = createZstdCompress(FAST);
  let isAside = false;
  let packed: Buffer[] = [];
  let bytes = 0;
  let waiting = '';
  packer.on('data', (chunk: Buffer) => keep(chunk));
  const ended = once(packer, 'end');
  ended.catch(() => undefined);

  function keep(chunk: Buffer) {
    packed.push(chunk);
    bytes += chunk.length;
    if (bytes < IN_MEMORY_MAX) return;
    const flag = isAside ? 'a' : 'wx';
    try {
      // A killed run may have left one.
      if (!isAside) rmSync(aside, { force: true });
      isAside = true;
      writeFileSync(aside, Buffer.concat(packed), { flag, mode: 0o600 });
    } catch (failure) {
      packer.destroy(failure as Error);
    }
    packed = [];
    bytes = 0;
  }

  async function flush() {
    const batch = Buffer.from(waiting, 'utf8');
    waiting = '';
    if (packer.errored !== null) throw packer.errored;
    if (!packer.write(batch)) await once(packer, 'drain');
  }

  async function* whole() {
    if (isAside) yield* createReadStream(aside) as AsyncIterable<Buffer>;
    yield* packed;
  }

  return {
    /** Returns whether `flush` is due. */
    add(text: string) {
      waiting += text;
      return waiting.length >= BATCH;
    },
    flush,
    async finish() {
      await flush();
      packer.end();
      await ended;
    },
    /** UTF-8; call after `finish`. */
    read() {
      return pipeline(whole(), createZstdDecompress({ chunkSize: BATCH }), () => {});
    },
    [Symbol.dispose]() {
      packer.destroy();
      if (isAside) rmSync(aside, { force: true });
    },
  };
}
