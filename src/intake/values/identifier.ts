import { cellText, quoted } from '../../domain/cells.ts';
import type { Cell } from '../../domain/row.ts';
import { type Coercion, value, wrong } from './coercion.ts';
import { DIGITS_MAX, numberShown, describeCell } from './shown.ts';

type NumberCell = Extract<Cell, { kind: 'number' }>;

/** A number in scientific form, such as `1.23457E+11`, has lost digits. `12E45` and `1E5` may be names. */
const SCIENTIFIC_TEXT = /^[+-]?(?:\d(?:[.,]\d+)?e\+\d+|\d[.,]\d+e\d+)$/i;

/** Some programs add a decimal to every number: `12345.0`. */
const WITH_DECIMAL = /^([1-9]\d*)\.0+$/;

function withoutDecimal(text: string) {
  return WITH_DECIMAL.exec(text)?.[1];
}

/** A number cell's whole digits; undefined for a fraction, a sign, or lost digits. */
export function wholeDigits({ raw, value: held }: NumberCell): string | undefined {
  if (/^\d+$/.test(raw)) return raw;
  // Java writes 12345678 as 1.2345678E7, others as 12345678.0, without loss.
  const exact = /^\d+\.\d+(?:E\d+)?$/.test(raw) && Number.isInteger(held) && held < 10 ** DIGITS_MAX;
  return exact ? String(held) : undefined;
}

/** `00048213`, `HO-0048213`; of an amount only the digits, for the reason `why`. */
function digitsAsShown(cell: NumberCell, digits: string, why: string): Coercion {
  const shown = numberShown(cell);
  if (shown === undefined || shown.text === digits) {
    return value(digits, digits === cell.raw ? undefined : `the file writes the number as ${cell.raw}`);
  }
  if (shown.amount || shown.text === '')
    return value(digits, `the cell shows ${quoted(shown.text)} by its number format; ${why}`);
  return value(
    shown.text,
    `the cell shows ${quoted(shown.text)} by its number format ${cell.format ?? ''}, and holds ${cellText(cell)}`,
  );
}

export function numberAsText(cell: NumberCell): Coercion {
  const digits = wholeDigits(cell);
  if (digits !== undefined) return digitsAsShown(cell, digits, 'only its digits are sent');
  const shown = numberShown(cell);
  if (shown === undefined || shown.text === cell.raw) return value(cell.raw);
  return value(cell.raw, `the cell shows ${quoted(shown.text)} by its number format; the number itself is sent`);
}

const ID_PLACEHOLDER = /^(?:0+|x+|new|temp|test|sample|example)$/i;

const MONTH = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)';
const BECAME_DATE = new RegExp(`^(?:\\d{1,2}-${MONTH}|${MONTH}-\\d{2})(?:-\\d{2}|-\\d{4})?$`, 'i');
/** With slashes; shorter forms may be names. */
const WHOLE_DATE = /^\d{1,2}\/\d{1,2}\/(?:19|20)\d{2}$/;

function placeholder(text: string): Coercion {
  return wrong(
    'id-placeholder',
    `${quoted(text)} is a placeholder, and two rows that share it would be taken for the same order. Write the number, or leave the cell empty.`,
  );
}

export function coerceIdNumber(cell: Extract<Cell, { kind: 'number' }>): Coercion {
  const scientific = numberShown(cell)?.scientific === true;
  const digits = wholeDigits(cell);
  if (digits === undefined && /e/i.test(cell.raw)) {
    return wrong(
      'id-lost-digits',
      `the cell holds the number ${quoted(cell.raw)}, in scientific form: its last digits are lost. Format the cell as text and type the number again.`,
    );
  }
  if (scientific) {
    return wrong(
      'id-lost-digits',
      `the cell shows ${describeCell(cell)}, a number in scientific form: a spreadsheet may have converted a name such as 12E5. Format the cell as text and type the number again as it is on the policy.`,
    );
  }
  if (digits === undefined) {
    return wrong(
      'id-not-whole',
      `the cell holds the number ${quoted(cell.raw)}, which is not a whole number. Format the cell as text and type the number again.`,
    );
  }
  if (digits.replace(/^0+/, '').length > DIGITS_MAX) {
    return wrong(
      'id-lost-digits',
      `the cell holds the number ${quoted(cell.raw)}, but a spreadsheet keeps only ${DIGITS_MAX} digits: those behind them may be wrong. Format the cell as text and type the number again.`,
    );
  }
  const read = digitsAsShown(cell, digits, 'only its digits are sent');
  return read.kind === 'value' && ID_PLACEHOLDER.test(String(read.value)) ? placeholder(String(read.value)) : read;
}

export function coerceIdText(text: string): Coercion {
  const digits = withoutDecimal(text);
  if (SCIENTIFIC_TEXT.test(text) || (digits ?? '').length > DIGITS_MAX) {
    return wrong(
      'id-lost-digits',
      `${quoted(text)} is a number ${digits === undefined ? 'in scientific form' : `with more than ${DIGITS_MAX} digits`}: its last digits were lost when the file was saved. Format the column as text and type the number again.`,
    );
  }
  if (ID_PLACEHOLDER.test(text)) return placeholder(text);
  if (BECAME_DATE.test(text) || WHOLE_DATE.test(text)) {
    return wrong(
      'id-became-date',
      `${quoted(text)} is a date: a spreadsheet may have converted what was typed, such as 3-5. Format the column as text and type the number again.`,
    );
  }
  if (digits !== undefined) return value(digits, 'the decimal was put there by the program that saved the file');
  if (/^\d{15,}$/.test(text) && /^[1-9]\d{14}0+$/.test(text) && text.length > DIGITS_MAX) {
    const message = `${quoted(text)} has zeros from the 16th digit on: a spreadsheet that saved the file may have put them in place of other digits. Compare it with the policy.`;
    return { kind: 'value', value: text, warning: { rule: 'id-perhaps-lost-digits', message } };
  }
  return value(text);
}

export function coercePhoneNumber(cell: Extract<Cell, { kind: 'number' }>): Coercion {
  const digits = wholeDigits(cell);
  if (digits !== undefined && digits.length <= 15) return digitsAsShown(cell, digits, 'only its digits are sent');
  return wrong(
    'phone-format',
    `the cell holds the number ${quoted(cell.raw)}, which is not a phone number. Format the cell as text and type it again.`,
  );
}

export function coercePhoneText(text: string): Coercion {
  if (SCIENTIFIC_TEXT.test(text)) {
    return wrong(
      'phone-lost-digits',
      `${quoted(text)} is a number in scientific form: its digits were lost when the file was saved. Format the column as text and type the phone number again.`,
    );
  }
  const digits = withoutDecimal(text);
  return digits === undefined
    ? value(text)
    : value(digits, 'the decimal was put there by the program that saved the file');
}
