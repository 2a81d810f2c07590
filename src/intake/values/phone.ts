import type { Cell } from '../../domain/row.ts';
import { quoted } from '../cells.ts';
import { value, wrong } from './coercion.ts';
import type { Coercion } from './coercion.ts';
import { digitsAsShown, SCIENTIFIC_TEXT, wholeDigits, withoutDecimal } from './digits.ts';

/** A phone number from a number cell: its digits, as its format shows them. */
export function coercePhoneNumber(cell: Extract<Cell, { kind: 'number' }>): Coercion {
  const digits = wholeDigits(cell);
  if (digits !== undefined && digits.length <= 15) return digitsAsShown(cell, digits, 'its digits alone are sent');
  return wrong('phone-format', `the cell holds the number ${quoted(cell.raw)}, which is no phone number. Format the cell as text and type it again.`);
}

/** A phone number from text: as typed, unless its digits were lost. */
export function coercePhoneText(text: string): Coercion {
  if (SCIENTIFIC_TEXT.test(text)) {
    return wrong('phone-lost-digits', `${quoted(text)} is a number in scientific form: its digits were lost when the file was saved. Format the column as text and type the phone number again.`);
  }
  const digits = withoutDecimal(text);
  return digits === undefined ? value(text) : value(digits, 'the decimal was put there by the program that saved the file');
}
