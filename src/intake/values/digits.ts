import type { Cell } from '../../domain/row.ts';
import { cellText, quoted } from '../cells.ts';
import { value } from './coercion.ts';
import type { Coercion } from './coercion.ts';
import { numberDisplay } from './number-display.ts';

type NumberCell = Extract<Cell, { kind: 'number' }>;

/** A spreadsheet keeps 15 digits of a number; what stood after them is gone. */
export const DIGITS_KEPT = 15;

/** A number in scientific form, `1.23457E+11`: what stood after its digits is gone. `12E45` and `1E5` may be names. */
export const SCIENTIFIC_TEXT = /^[+-]?(?:\d(?:[.,]\d+)?e\+\d+|\d[.,]\d+e\d+)$/i;

/** Digits with the decimal that some programs write after every number: `12345.0`. */
const WITH_DECIMAL = /^([1-9]\d*)\.0+$/;

/** `12345` for `12345.0`; undefined for every other text. */
export function withoutDecimal(text: string): string | undefined {
  return WITH_DECIMAL.exec(text)?.[1];
}

/** The whole digits that a number cell holds, however its file writes them; undefined where it holds a fraction, a sign, or digits that were lost. */
export function wholeDigits({ raw, value: held }: NumberCell): string | undefined {
  if (/^\d+$/.test(raw)) return raw;
  // Java programs write 12345678 as 1.2345678E7, others as 12345678.0: every digit is there.
  const exact = /^\d+\.\d+(?:E\d+)?$/.test(raw) && Number.isInteger(held) && held < 10 ** DIGITS_KEPT;
  return exact ? String(held) : undefined;
}

/**
 * The digits of a number cell as a name: as its format shows them, `00048213` or `HO-0048213`, unless the format dresses them as an amount.
 * @param why what is said where the cell shows an amount, and only the digits are sent.
 */
export function digitsAsShown(cell: NumberCell, digits: string, why: string): Coercion {
  const shown = cell.format === undefined ? undefined : numberDisplay(cell.value, cell.format);
  if (shown === undefined || shown.text === digits) {
    return value(digits, digits === cell.raw ? undefined : `the file writes the number as ${cell.raw}`);
  }
  if (shown.amount || shown.text === '') return value(digits, `the cell shows ${quoted(shown.text)} by its number format; ${why}`);
  return value(shown.text, `the cell shows ${quoted(shown.text)} by its number format ${cell.format ?? ''}, and holds ${cellText(cell)}`);
}

/** A number cell in a column of words: its digits as its format shows them; a fraction as the file writes it. */
export function numberAsText(cell: NumberCell): Coercion {
  const digits = wholeDigits(cell);
  if (digits !== undefined) return digitsAsShown(cell, digits, 'its digits alone are sent');
  const shown = cell.format === undefined ? undefined : numberDisplay(cell.value, cell.format);
  if (shown === undefined || shown.text === cell.raw) return value(cell.raw);
  return value(cell.raw, `the cell shows ${quoted(shown.text)} by its number format; the number itself is sent`);
}
