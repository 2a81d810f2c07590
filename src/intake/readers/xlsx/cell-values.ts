import type { Cell } from '../../../domain/row.ts';
import { unescapeCharacters } from './escaped-characters.ts';
import { GENERAL } from './number-formats.ts';
import type { NumberFormat } from './number-formats.ts';
import { isoOfDateText, isoOfSerial } from './serial-date.ts';
import type { SharedStrings } from './shared-strings.ts';
import type { CellFormats } from './styles-part.ts';

/** What the cells of a workbook refer to. */
export interface CellContext {
  /** Undefined where the workbook has no table of them. */
  readonly sharedStrings: SharedStrings | undefined;
  readonly formats: CellFormats;
  readonly date1904: boolean;
}

/** A cell as its XML has it. */
export interface RawCell {
  /** The `t` attribute; `n` where there is none. */
  readonly type: string;
  /** The style's index. */
  readonly style: number;
  /** The text of `<v>`; undefined where there is no such element. */
  readonly value: string | undefined;
  /** The text of `<is>`, runs joined; undefined where there is no such element. */
  readonly inline: string | undefined;
  /** Undefined where the cell holds no formula. */
  readonly formula: string | undefined;
}

/** The error code of a cell whose text is not in the workbook's table: such a file was broken by whatever wrote it. */
const MISSING_TEXT = '#MISSING-TEXT!';

/** What a cell holds; undefined where it is empty. */
export function cellOf(raw: RawCell, context: CellContext): Cell | undefined {
  const value = raw.value ?? '';
  if (raw.inline !== undefined && (raw.type === 'inlineStr' || value === '')) return textCell(raw.inline);
  if (value === '' && raw.formula !== undefined && !(raw.type === 'str' && raw.value !== undefined)) {
    return { kind: 'formula', formula: raw.formula };
  }
  switch (raw.type) {
    case 's':
      return value.trim() === '' ? undefined : sharedTextCell(Number(value), context);
    case 'b':
      return booleanCell(value);
    case 'e':
      return value === '' ? undefined : { kind: 'error', code: value };
    case 'd':
      return dateCell(value);
    case 'n':
    case '':
      return numberCell(value, context.formats[raw.style] ?? GENERAL, context.date1904);
    default:
      // `str`, `inlineStr` with a `<v>`, and types that nobody has thought of yet.
      return textCell(value);
  }
}

/** The cell of a shared string. */
export function sharedTextCell(index: number, context: CellContext): Cell | undefined {
  const cell = context.sharedStrings?.cell(index) ?? (context.sharedStrings === undefined ? 'missing' : undefined);
  return cell === 'missing' ? { kind: 'error', code: MISSING_TEXT } : cell;
}

function textCell(escaped: string): Cell | undefined {
  return escaped === '' ? undefined : { kind: 'text', text: unescapeCharacters(escaped) };
}

function booleanCell(value: string): Cell | undefined {
  const word = value.trim();
  if (word === '1' || word === 'true') return { kind: 'boolean', value: true };
  if (word === '0' || word === 'false') return { kind: 'boolean', value: false };
  return textCell(value);
}

function dateCell(value: string): Cell | undefined {
  const iso = isoOfDateText(value);
  return iso === undefined ? textCell(value) : { kind: 'date', iso, raw: value };
}

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** The cell of a number as the file spells it: a date where its format shows one, text where it is none. */
export function numberCell(value: string, format: NumberFormat, date1904: boolean): Cell | undefined {
  const raw = value.trim();
  if (raw === '') return undefined;
  const number = Number(raw);
  if (!Number.isFinite(number) || !NUMBER.test(raw)) return textCell(value);
  const iso = format.shows === 'number' || (format.shows === 'time' && number < 1) ? undefined : isoOfSerial(number, date1904);
  if (iso !== undefined) return format.code === undefined ? { kind: 'date', iso, raw } : { kind: 'date', iso, raw, format: format.code };
  return format.code === undefined ? { kind: 'number', value: number, raw } : { kind: 'number', value: number, raw, format: format.code };
}
