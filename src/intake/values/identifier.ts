import type { Cell } from '../../domain/row.ts';
import { quoted } from '../cells.ts';
import { value, wrong } from './coercion.ts';
import type { Coercion } from './coercion.ts';
import { DIGITS_KEPT, digitsAsShown, SCIENTIFIC_TEXT, wholeDigits, withoutDecimal } from './digits.ts';
import { numberDisplay } from './number-display.ts';
import { shownAndHeld } from './shown.ts';

const PLACEHOLDER = /^(?:0+|x+|new|temp|test)$/i;

const MONTH = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)';
/** `5-Mar`, `Mar-05`: what a spreadsheet makes of a number such as 5-3, MAR5 or 3-05, and saves so. */
const BECAME_DATE = new RegExp(`^(?:\\d{1,2}-${MONTH}|${MONTH}-\\d{2})(?:-\\d{2}|-\\d{4})?$`, 'i');
/** A whole date. Numbers with slashes and fewer digits may be names. */
const WHOLE_DATE = /^\d{1,2}\/\d{1,2}\/(?:19|20)\d{2}$/;

function placeholder(text: string): Coercion {
  return wrong('id-placeholder', `${quoted(text)} is a placeholder, and two rows that share it would be taken for the same order. Write the number, or leave the cell empty.`);
}

/** A number cell that stands for an id: its digits without loss, or why they cannot be had. */
export function coerceIdNumber(cell: Extract<Cell, { kind: 'number' }>): Coercion {
  const scientific = cell.format !== undefined && numberDisplay(cell.value, cell.format)?.scientific === true;
  const digits = wholeDigits(cell);
  if (digits === undefined && /e/i.test(cell.raw)) {
    return wrong('id-lost-digits', `the cell holds the number ${quoted(cell.raw)}, in scientific form: its last digits are lost. Format the cell as text and type the number again.`);
  }
  if (scientific) {
    return wrong('id-lost-digits', `the cell shows ${shownAndHeld(cell)}, a number in scientific form: a spreadsheet may have made it of a name such as 12E5. Format the cell as text and type again what stands on the policy.`);
  }
  if (digits === undefined) {
    return wrong('id-not-whole', `the cell holds the number ${quoted(cell.raw)}, which is not a whole number. Format the cell as text and type the number again.`);
  }
  if (digits.replace(/^0+/, '').length > DIGITS_KEPT) {
    return wrong('id-lost-digits', `the cell holds the number ${quoted(cell.raw)}, but a spreadsheet keeps only ${String(DIGITS_KEPT)} digits: those behind them may be wrong. Format the cell as text and type the number again.`);
  }
  const read = digitsAsShown(cell, digits, 'its digits alone are sent');
  return read.kind === 'value' && PLACEHOLDER.test(String(read.value)) ? placeholder(String(read.value)) : read;
}

/** A policy or inspection number from text: as typed. */
export function coerceIdText(text: string): Coercion {
  const digits = withoutDecimal(text);
  if (SCIENTIFIC_TEXT.test(text) || (digits ?? '').length > DIGITS_KEPT) {
    return wrong(
      'id-lost-digits',
      `${quoted(text)} is a number ${digits === undefined ? 'in scientific form' : `with more than ${String(DIGITS_KEPT)} digits`}: its last digits were lost when the file was saved. Format the column as text and type the number again.`,
    );
  }
  if (PLACEHOLDER.test(text)) return placeholder(text);
  if (BECAME_DATE.test(text) || WHOLE_DATE.test(text)) {
    return wrong('id-became-date', `${quoted(text)} is a date: a spreadsheet may have made it of what was typed, such as 3-5. Format the column as text and type the number again.`);
  }
  if (digits !== undefined) return value(digits, 'the decimal was put there by the program that saved the file');
  if (/^\d{15,}$/.test(text) && /^[1-9]\d{14}0+$/.test(text) && text.length > DIGITS_KEPT) {
    const message = `${quoted(text)} has zeros from the 16th digit on: a spreadsheet that saved the file may have put them in place of other digits. Compare it with the policy.`;
    return { kind: 'value', value: text, warning: { rule: 'id-perhaps-lost-digits', message } };
  }
  return value(text);
}
