import type { NumberCell } from '../../domain/cells.ts';
import { withoutNumberLabel } from '../../domain/identity.ts';
import { type Coercion, value, wrong } from './coercion.ts';
import { formatReason, DIGITS_MAX, numberShown, describeCell } from './shown.ts';
import { ruleAndMessage, sentence } from '../../domain/sentences.ts';

/** A number in scientific form, such as `1.23457E+11`, has lost digits. `12E45` and `1E5` may be names. */
const SCIENTIFIC_TEXT = /^[+-]?(?:\d(?:[.,]\d+)?e\+\d+|\d[.,]\d+e\d+)$/i;

/** Some programs add a decimal to every number: `12345.0`. */
const WITH_DECIMAL = /^([1-9]\d*)\.0+$/;

/** A number cell's whole digits; undefined for a fraction, a sign, or lost digits. */
export function wholeDigits({ raw, value: held }: NumberCell) {
  if (/^\d+$/.test(raw)) return raw;
  // Java writes 12345678 as 1.2345678E7, others as 12345678.0, without loss.
  const exact = /^\d+\.\d+(?:E\d+)?$/.test(raw) && Number.isInteger(held) && held < 10 ** DIGITS_MAX;
  return exact ? String(held) : undefined;
}

/** `00048213`, `HO-0048213`; of an amount only the digits. */
function digitsAsShown(cell: NumberCell, digits: string) {
  const shown = numberShown(cell);
  if (shown === undefined || shown.text === digits)
    return value(digits, digits === cell.raw ? undefined : `the file writes the number as ${cell.raw}`);
  if (shown.amount || shown.text === '') return value(digits, formatReason(shown, '; only its digits are sent'));
  return value(shown.text, formatReason(shown, ` ${cell.format ?? ''}, and holds ${cell.raw}`));
}

export function numberAsText(cell: NumberCell) {
  const digits = wholeDigits(cell);
  if (digits !== undefined) return digitsAsShown(cell, digits);
  const shown = numberShown(cell);
  if (shown === undefined || shown.text === cell.raw) return value(cell.raw);
  return value(cell.raw, formatReason(shown, '; the number itself is sent'));
}

const ID_PLACEHOLDER = /^(?:0+|x+|new|temp|test|sample|example|tb[da]\b.+)$/i;

const MONTH = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)';
const BECAME_DATE = new RegExp(`^(?:\\d{1,2}-${MONTH}|${MONTH}-\\d{2})(?:-\\d{2}|-\\d{4})?$`, 'i');
/** With slashes; shorter forms may be names. */
const WHOLE_DATE = /^\d{1,2}\/\d{1,2}\/(?:19|20)\d{2}$/;

export function coerceIdNumber(cell: NumberCell) {
  const scientific = numberShown(cell)?.scientific === true;
  const digits = wholeDigits(cell);
  if (digits === undefined && /e/i.test(cell.raw)) return wrong('id-lost-digits', { raw: cell.raw });
  if (scientific) return wrong('id-lost-digits/shown', { cell: describeCell(cell) });
  if (digits === undefined) return wrong('id-not-whole', { raw: cell.raw });
  if (digits.replace(/^0+/, '').length > DIGITS_MAX)
    return wrong('id-lost-digits/long', { raw: cell.raw, digits: DIGITS_MAX });
  const read = digitsAsShown(cell, digits);
  const text = read.kind === 'value' ? String(read.value) : '';
  return ID_PLACEHOLDER.test(text) ? wrong('id-placeholder', { text }) : read;
}

/** A slash without spaces before a digit is part of one number. */
const BETWEEN_NUMBERS = /[;|\r\n]|,(?=[\sa-z])|\s(?:\/|&|and)\s|\/(?=[a-z])/i;

/** Of one form: `I-9, I-10`. Digits alone, or words side by side, must have as many digits: `4411; 4412`, `A-11 A-12`. */
export function holdsSeveralNumbers(text: string) {
  const areAlike = (parts: readonly string[], digits: RegExp) => {
    const numbers = parts.map((part) => part.trim()).filter((part) => part !== '');
    const forms = new Set(numbers.map((number) => number.replaceAll(digits, '9').replaceAll(/[a-z]/gi, 'A')));
    return numbers.length > 1 && forms.size === 1 && numbers.some((number) => /\d\d/.test(number));
  };
  const parts = text.split(BETWEEN_NUMBERS);
  return areAlike(parts, /[a-z]/i.test(text) ? /\d+/g : /\d/g) || areAlike(text.split(/\s(?=[a-z])/i), /\d/g);
}

const NO_POLICY_NUMBER =
  /^(?:bind(?:er|ing)|pend|quoted?|prospect|applied for|not (?:yet )?issued|to be issued|new (?:policy|business)|(?:pending|awaiting|assigned) .*|will advise)$/i;

export function coercePolicyNumber(text: string): Coercion {
  return NO_POLICY_NUMBER.test(text) ? wrong('id-placeholder', { text }) : coerceIdText(text);
}

/** Leaves out a label: `Policy #: HO-7014`. */
export function coerceIdText(text: string): Coercion {
  const unlabeled = withoutNumberLabel(text);
  if (unlabeled !== text) {
    const read = coerceIdText(unlabeled);
    return read.kind === 'value' ? { ...read, why: 'the label before the number is left out' } : read;
  }
  if (holdsSeveralNumbers(text)) return wrong('id-several', { text });
  const digits = WITH_DECIMAL.exec(text)?.[1];
  if (SCIENTIFIC_TEXT.test(text) || (digits ?? '').length > DIGITS_MAX)
    return wrong('id-lost-digits/text', {
      text,
      how: digits === undefined ? 'in scientific form' : `with more than ${DIGITS_MAX} digits`,
    });
  if (ID_PLACEHOLDER.test(text)) return wrong('id-placeholder', { text });
  if (BECAME_DATE.test(text) || WHOLE_DATE.test(text)) return wrong('id-became-date', { text });
  if (/^[1-9]\d{14}0+$/.test(text))
    return { kind: 'value', value: text, warning: ruleAndMessage('id-perhaps-lost-digits', { text }) };
  return withoutDecimal(text);
}

function withoutDecimal(text: string) {
  const digits = WITH_DECIMAL.exec(text)?.[1];
  return value(digits ?? text, digits && sentence('repair/decimal'));
}

export function coercePhoneNumber(cell: NumberCell) {
  const digits = wholeDigits(cell);
  if (digits !== undefined && digits.length <= 15) return digitsAsShown(cell, digits);
  return wrong('phone-format', { raw: cell.raw });
}

export function coercePhoneText(text: string) {
  return SCIENTIFIC_TEXT.test(text) ? wrong('phone-lost-digits', { text }) : withoutDecimal(text);
}
