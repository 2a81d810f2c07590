import type { Cell } from '../../../domain/row.ts';
import {
  type CellContext,
  GENERAL,
  numberCell,
  type NumberFormat,
  plainNumberCell,
  sharedTextCell,
} from './cell-values.ts';
import { digitsBetween, PlainCursor, startsAt } from './plain-xml.ts';
import type { RowAssembler, SharedFormulas } from './row-assembler.ts';
import { isTrue } from './xml-events.ts';
import { UNEXPECTED } from './xml-feed.ts';

const SPACE = 0x20;
const QUOTE = 0x22;
const SLASH = 0x2f;
const ZERO = 0x30;
const LESS = 0x3c;
const EQUALS = 0x3d;
const GREATER = 0x3e;
const LETTER_C = 0x63;
const LETTER_H = 0x68;
const LETTER_R = 0x72;
const LETTER_S = 0x73;
const LETTER_T = 0x74;
const LETTER_V = 0x76;

const ROW = Buffer.from('<row');
const ROW_END = Buffer.from('</row>');
const CELL = Buffer.from('<c');
const CELL_END = Buffer.from('</c>');
const VALUE = Buffer.from('<v>');
const VALUE_END = Buffer.from('</v>');
const SHARED = Buffer.from('" t="s"');
const INLINE = Buffer.from('<is><t');
const INLINE_END = Buffer.from('</t></is>');
const FORMULA = Buffer.from('<f');
const FORMULA_END = Buffer.from('</f>');
const TAG_END = Buffer.from('>');
const SPACES_KEPT = Buffer.from(' xml:space="preserve">');

/** Scans rows in the usual form: double quotes, no prefixes, comments or CDATA. */
export class PlainRowScanner {
  readonly #assembler: RowAssembler;
  readonly #context: CellContext;
  readonly #formulas: SharedFormulas;
  readonly #charactersMax: number;
  readonly #cursor = new PlainCursor();
  readonly #wholeNumbers: WholeNumbers;
  readonly #strikes: boolean;
  #column: number | undefined;
  #type = 'n';
  #style = 0;
  #value: string | undefined;
  #inline: string | undefined;
  #formula: string | undefined;

  constructor(assembler: RowAssembler, context: CellContext, formulas: SharedFormulas, charactersMax: number) {
    this.#assembler = assembler;
    this.#context = context;
    this.#formulas = formulas;
    this.#charactersMax = charactersMax;
    this.#wholeNumbers = new WholeNumbers(context);
    this.#strikes =
      (context.sharedStrings?.runs.size ?? 0) > 0 || context.formats.some(({ struck }) => struck === true);
  }

  /** As ListHandler.scanItem. */
  scan(bytes: Buffer, position: number): number {
    const cursor = this.#cursor;
    cursor.bytes = bytes;
    cursor.position = position;
    if (!cursor.literal(ROW)) return UNEXPECTED;
    let rowNumber: number | undefined;
    let isHidden = false;
    while (cursor.attribute()) {
      if (cursor.attributeLetter === LETTER_R) {
        rowNumber = digitsBetween(bytes, cursor.attributeStart, cursor.attributeEnd);
        if (rowNumber <= 0) return UNEXPECTED;
      } else if (bytes[cursor.attributeNameStart] === LETTER_H && cursor.attributeName() === 'hidden') {
        isHidden = isTrue(cursor.attributeValue());
      }
    }
    if (!cursor.tagEnd()) return UNEXPECTED;
    this.#assembler.startRow(rowNumber, isHidden);
    this.#formulas.startRow();
    if (!cursor.selfClosed && !this.#cells()) return UNEXPECTED;
    this.#assembler.endRow();
    this.#formulas.endRow();
    return cursor.position;
  }

  #cells(): boolean {
    const cursor = this.#cursor;
    cursor.skipWhitespace();
    for (;;) {
      if (!this.#commonCell()) {
        if (!cursor.literal(CELL)) return cursor.literal(ROW_END);
        if (!this.#cell()) return false;
      }
      cursor.skipWhitespace();
    }
  }

  #cell(): boolean {
    const cursor = this.#cursor;
    if (!this.#cellTag()) return false;
    this.#assembler.startCell(this.#column);
    if (cursor.selfClosed) return true;
    this.#value = undefined;
    this.#inline = undefined;
    this.#formula = undefined;
    for (;;) {
      cursor.skipWhitespace();
      if (cursor.literal(CELL_END)) break;
      if (!this.#cellContent()) return false;
    }
    const raw = {
      type: this.#type,
      style: this.#style,
      value: this.#value,
      inline: this.#inline,
      formula: this.#formula,
    };
    this.#assembler.putRaw(raw, this.#context);
    return true;
  }

  #cellTag(): boolean {
    const cursor = this.#cursor;
    this.#column = undefined;
    this.#type = 'n';
    this.#style = 0;
    while (cursor.attribute()) {
      switch (cursor.attributeLetter) {
        case LETTER_R:
          this.#column = columnBetween(cursor.bytes, cursor.attributeStart, cursor.attributeEnd);
          if (this.#column === undefined) return false;
          break;
        case LETTER_S:
          this.#style = digitsBetween(cursor.bytes, cursor.attributeStart, cursor.attributeEnd);
          if (this.#style < 0) return false;
          break;
        case LETTER_T:
          this.#type = cursor.attributeValue();
      }
    }
    return cursor.tagEnd();
  }

  /** Reads the most common form: `<c r="B7" s="3" t="s"><v>12</v></c>`. For others, returns false without moving. */
  #commonCell(): boolean {
    const { bytes, position } = this.#cursor;
    // With this many bytes left, nothing below reads beyond the end.
    if (bytes.length - position < COMMON_CELL_BYTES_MAX || !isCellStart(bytes, position)) return false;
    let at = position + CELL_START_BYTES;
    let column = 0;
    for (let letter = letterAt(bytes, at); letter > 0; letter = letterAt(bytes, at)) {
      column = column * 26 + letter;
      at += 1;
    }
    if (column < 1 || column > COLUMN_ZZZ) return false;
    while (isDigit(bytes[at] ?? 0)) at += 1;
    let style = 0;
    if (
      bytes[at + 2] === LETTER_S &&
      bytes[at + 1] === SPACE &&
      bytes[at] === QUOTE &&
      bytes[at + 3] === EQUALS &&
      bytes[at + 4] === QUOTE
    ) {
      at += STYLE_START_BYTES;
      for (let code = bytes[at] ?? 0; isDigit(code); code = bytes[at] ?? 0) {
        style = (style * 10 + code - ZERO) | 0;
        at += 1;
      }
    }
    if (bytes[at] !== QUOTE) return false;
    const next = bytes[at + 1];
    if (next === SLASH && bytes[at + 2] === GREATER) {
      this.#assembler.startCell(column - 1);
      this.#cursor.position = at + 3;
      return true;
    }
    const shared = next === SPACE;
    if (shared) {
      if (!startsAt(bytes, at, SHARED)) return false;
      at += SHARED.length - 1;
    }
    const start = at + VALUE_START_BYTES;
    if (!isValueStart(bytes, at) || (bytes[start] === ZERO && bytes[start + 1] !== LESS)) return false;
    let number = 0;
    at = start;
    for (let code = bytes[at] ?? 0; isDigit(code); code = bytes[at] ?? 0) {
      number = (number * 10 + code - ZERO) | 0;
      at += 1;
    }
    if (at === start || at - start > 9 || !isValueAndCellEnd(bytes, at)) return false;
    this.#assembler.startCell(column - 1);
    this.#assembler.put(shared ? sharedTextCell(number, this.#context) : this.#wholeNumbers.cell(number, style));
    if (this.#strikes)
      this.#assembler.strike(
        shared ? this.#context.sharedStrings?.runs.get(number) : undefined,
        this.#context.formats[style]?.struck === true,
      );
    this.#cursor.position = at + VALUE_END_BYTES;
    return true;
  }

  #cellContent(): boolean {
    const cursor = this.#cursor;
    if (cursor.literal(VALUE)) {
      if (this.#value !== undefined) return false;
      this.#value = this.#textUpTo(VALUE_END);
      return this.#value !== undefined;
    }
    if (cursor.literal(INLINE)) {
      if (this.#inline !== undefined || !(cursor.literal(TAG_END) || cursor.literal(SPACES_KEPT))) return false;
      this.#inline = this.#textUpTo(INLINE_END);
      return this.#inline !== undefined;
    }
    return cursor.literal(FORMULA) && this.#formula === undefined && this.#formulaElement();
  }

  #formulaElement(): boolean {
    const cursor = this.#cursor;
    let type: string | undefined;
    let sharedIndex: string | undefined;
    while (cursor.attribute()) {
      const name = cursor.attributeName();
      if (name === 't') type = cursor.attributeValue();
      if (name === 'si') sharedIndex = cursor.attributeValue();
    }
    if (!cursor.tagEnd()) return false;
    const text = cursor.selfClosed ? '' : this.#textUpTo(FORMULA_END);
    if (text === undefined) return false;
    this.#formula = this.#formulas.textOf(text, type, sharedIndex);
    return true;
  }

  /** Leaves a text that is too long to the tolerant scanner. */
  #textUpTo(closingTag: Uint8Array): string | undefined {
    const cursor = this.#cursor;
    if (!cursor.content(closingTag) || cursor.contentEnd - cursor.contentStart > this.#charactersMax) return undefined;
    return cursor.contentText();
  }
}

const COLUMN_ZZZ = 18_278;

function letterAt(bytes: Uint8Array, position: number): number {
  const code = bytes[position] ?? 0;
  return code >= 0x41 && code <= 0x5a ? code - 0x40 : 0;
}

const COMMON_CELL_BYTES_MAX = 128;
const CELL_START_BYTES = 6;
const STYLE_START_BYTES = 5;
const VALUE_START_BYTES = 5;
const VALUE_END_BYTES = 8;

/** True if `<c r="` is at `at`. Written out, like those below: a loop takes twice as long. */
function isCellStart(bytes: Uint8Array, at: number): boolean {
  return (
    bytes[at] === LESS &&
    bytes[at + 1] === LETTER_C &&
    bytes[at + 2] === SPACE &&
    bytes[at + 3] === LETTER_R &&
    bytes[at + 4] === EQUALS &&
    bytes[at + 5] === QUOTE
  );
}

function isValueStart(bytes: Uint8Array, at: number): boolean {
  return (
    bytes[at] === QUOTE &&
    bytes[at + 1] === GREATER &&
    bytes[at + 2] === LESS &&
    bytes[at + 3] === LETTER_V &&
    bytes[at + 4] === GREATER
  );
}

function isValueAndCellEnd(bytes: Uint8Array, at: number): boolean {
  return (
    bytes[at] === LESS &&
    bytes[at + 1] === SLASH &&
    bytes[at + 2] === LETTER_V &&
    bytes[at + 3] === GREATER &&
    bytes[at + 4] === LESS &&
    bytes[at + 5] === SLASH &&
    bytes[at + 6] === LETTER_C &&
    bytes[at + 7] === GREATER
  );
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= ZERO + 9;
}

/** Undefined in other forms or beyond any sheet. */
function columnBetween(bytes: Uint8Array, start: number, end: number): number | undefined {
  let column = 0;
  let position = start;
  for (; position < end; position += 1) {
    const letter = letterAt(bytes, position);
    if (letter === 0) break;
    column = column * 26 + letter;
  }
  const letters = position - start;
  if (letters < 1 || letters > 3) return undefined;
  return digitsBetween(bytes, position, end) === -1 ? undefined : column - 1;
}

const KEPT_MOMENTS = 1 << 12;

/** Caches recent dates, which repeat and are slow to compute. */
export class WholeNumbers {
  readonly #context: CellContext;
  readonly #keptValue = new Int32Array(KEPT_MOMENTS).fill(-1);
  readonly #keptStyle = new Int32Array(KEPT_MOMENTS);
  readonly #keptCell: (Cell | undefined)[] = Array.from({ length: KEPT_MOMENTS });

  constructor(context: CellContext) {
    this.#context = context;
  }

  /** @param value Up to nine digits, without sign or leading zeros. */
  cell(value: number, style: number): Cell | undefined {
    const format = this.#context.formats[style] ?? GENERAL;
    if (format.shows !== 'number') return this.#moment(value, style, format);
    return plainNumberCell(value, String(value), format, this.#context.date1904);
  }

  #moment(value: number, style: number, format: NumberFormat): Cell | undefined {
    const slot = (value + style * 61) & (KEPT_MOMENTS - 1);
    if (this.#keptValue[slot] === value && this.#keptStyle[slot] === style) return this.#keptCell[slot];
    const cell = numberCell(String(value), format, this.#context.date1904);
    this.#keptValue[slot] = value;
    this.#keptStyle[slot] = style;
    this.#keptCell[slot] = cell;
    return cell;
  }
}
