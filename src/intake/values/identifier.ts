import type { Cell } from '../../domain/row.ts';
import { quoted } from '../cells.ts';
import { value, wrong } from './coercion.ts';
import type { Coercion } from './coercion.ts';
import { DIGITS_KEPT, digitsAsShown, SCIENTIFIC_TEXT, wholeDigits, withoutDecimal } from './digits.ts';
import { numberDisplay } from './number-display.ts';

const PLACEHOLDER = /^(?:0+|x+|new|temp|test)$/i;

function placeholder(text: string): Coercion {
  return wrong('id-placeholder', `${quoted(text)} is a placeholder, and two rows that share it would be taken for the same order. Write the number, or leave the cell empty.`);
}

/** A number cell that stands for an id: its digits without loss, or why they cannot be had. */
export function coerceIdNumber(cell: Extract<Cell, { kind: 'number' }>): Coercion {
  const lost = (how: string): Coercion =>
    wrong(
      'id-lost-digits',
      `the cell holds the number ${quoted(cell.raw)}, ${how}, so what was typed cannot be recovered. Format the cell as text and type the number again.`,
    );
  const scientific = cell.format !== undefined && numberDisplay(cell.value, cell.format)?.scientific === true;
  const digits = wholeDigits(cell);
  if (scientific || (digits === undefined && /e/i.test(cell.raw))) return lost('in scientific form');
  if (digits === undefined) {
    return wrong('id-not-whole', `the cell holds the number ${quoted(cell.raw)}, which is not a whole number. Format the cell as text and type the number again.`);
  }
  if (digits.replace(/^0+/, '').length > DIGITS_KEPT) return lost(`with more than the ${String(DIGITS_KEPT)} digits a spreadsheet keeps`);
  const read = digitsAsShown(cell, digits, 'its digits alone are sent');
  return read.kind === 'value' && PLACEHOLDER.test(String(read.value)) ? placeholder(String(read.value)) : read;
}

/** A policy or inspection number from text: as typed. */
export function coerceIdText(text: string): Coercion {
  const digits = withoutDecimal(text);
  if (SCIENTIFIC_TEXT.test(text) || (digits ?? '').length > DIGITS_KEPT) {
    return wrong(
      'id-lost-digits',
      `${quoted(text)} is a number ${digits === undefined ? 'in scientific form' : `with more than ${String(DIGITS_KEPT)} digits`}: its digits were lost when the file was saved and cannot be recovered. Format the column as text and type the number again.`,
    );
  }
  if (PLACEHOLDER.test(text)) return placeholder(text);
  if (digits !== undefined) return value(digits, 'the decimal was put there by the program that saved the file');
  if (/^\d{15,}$/.test(text) && /^[1-9]\d{14}0+$/.test(text) && text.length > DIGITS_KEPT) {
    const message = `${quoted(text)} has zeros from the 16th digit on: a spreadsheet that saved the file may have put them in place of other digits. Compare it with the policy.`;
    return { kind: 'value', value: text, warning: { rule: 'id-perhaps-lost-digits', message } };
  }
  return value(text);
}
