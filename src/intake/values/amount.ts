import type { Cell } from '../../domain/row.ts';
import { quoted } from '../cells.ts';
import { value, wrong } from './coercion.ts';
import type { Coercion, DecimalMark } from './coercion.ts';
import { numberDisplay } from './number-display.ts';

export type AmountUnit = 'dollars' | 'square feet';

const DOLLARS = /^(?:us\s?\$|usd|\$)\s*|\s*(?:usd|us\s?dollars|dollars|\$)$/gi;
const SQUARE_FEET = /\s*(?:sq\.?\s*\/?\s*f(?:ee)?t\.?|sqft|s\.?f\.?|square\s+f(?:ee|oo)t|ft2|ft²|sq\.?)$/i;

/** More digits than these are not kept by any spreadsheet, nor by the number that is sent. */
const DIGITS_KEPT = 15;

/**
 * The digits of an amount; or its thousands and its decimals, where three digits after one separator could be either. `250,000` stands for
 * thousands unless its column writes decimals with a comma; `250.000` does where its column writes them with a comma.
 */
type Reading =
  | { readonly kind: 'sure'; readonly digits: string; readonly mark?: 'point' | 'comma' }
  | { readonly kind: 'either'; readonly separator: 'point' | 'comma'; readonly thousands: string; readonly decimals: string };

function readNumber(text: string): Reading | undefined {
  const [dots, commas] = [text.replaceAll('.', ''), text.replaceAll(',', '')];
  if (/^\d+$/.test(text)) return { kind: 'sure', digits: text };
  if (/^[1-9]\d{0,2}\.\d{3}$/.test(text)) return { kind: 'either', separator: 'point', thousands: dots, decimals: text };
  if (/^[1-9]\d{0,2},\d{3}$/.test(text)) return { kind: 'either', separator: 'comma', thousands: commas, decimals: text.replace(',', '.') };
  if (/^\d*\.\d+$/.test(text)) return { kind: 'sure', digits: `0${text}`, mark: 'point' };
  if (/^\d{1,3}(?:,\d{3})+\.\d*$/.test(text) || /^\d{1,3}(?:,\d{3}){2,}$/.test(text)) return { kind: 'sure', digits: commas.replace(/\.$/, ''), mark: 'point' };
  if (/^\d{1,3}(?:\.\d{3}){2,}$/.test(text)) return { kind: 'sure', digits: dots, mark: 'comma' };
  if (/^\d{1,3}(?:\.\d{3})+,\d+$/.test(text)) return { kind: 'sure', digits: dots.replace(',', '.'), mark: 'comma' };
  if (/^\d+,\d{1,2}$/.test(text) || /^\d{4,},\d+$/.test(text)) return { kind: 'sure', digits: text.replace(',', '.'), mark: 'comma' };
  if (/^\d{1,3}(?:[ \u00a0\u202f'’]\d{3})+(?:[.,]\d{1,2})?$/.test(text)) return { kind: 'sure', digits: text.replace(/[ \u00a0\u202f'’]/g, '').replace(',', '.') };
  return undefined;
}

/** Digits that are sent as they stand. */
const PLAIN = /^[1-9]\d{0,14}$/;

/** The number inside `$250,000`, `1,800 sq ft` and `250k`. */
function bareAmount(text: string, unit: AmountUnit): { readonly number: string; readonly thousands: boolean } {
  const bare = (unit === 'dollars' ? text.replace(DOLLARS, '') : text.replace(SQUARE_FEET, '')).trim();
  const thousands = /^(.*\d)\s*k$/i.exec(bare);
  return { number: thousands?.[1] ?? bare, thousands: thousands !== null };
}

/** Which decimal mark an amount shows; undefined where it shows none. */
export function amountEvidence(text: string, unit: AmountUnit): 'point' | 'comma' | undefined {
  const read = readNumber(bareAmount(text, unit).number);
  return read?.kind === 'sure' ? read.mark : undefined;
}

/** Whether the rest of its column has a say in what an amount is: `must` for 250.000, `may` for 250,000. */
export function amountNeedsColumn(text: string, unit: AmountUnit): 'must' | 'may' | undefined {
  const read = readNumber(bareAmount(text, unit).number);
  if (read?.kind !== 'either') return undefined;
  return read.separator === 'point' ? 'must' : 'may';
}

/** An amount in dollars or square feet from text: `$250,000`, `1,800 sq ft`, `250.000,00`, `250k`. */
export function coerceAmountText(text: string, unit: AmountUnit, mark: DecimalMark): Coercion {
  if (PLAIN.test(text)) return value(Number(text));
  const { number, thousands } = bareAmount(text, unit);
  const example = unit === 'dollars' ? '250000' : '1850';
  if (/^[-(]/.test(number) || /^[-(]/.test(text)) {
    return wrong('amount-negative', `${quoted(text)} is less than zero. Write the amount in ${unit}, such as ${example}.`);
  }
  const read = readNumber(number);
  if (read === undefined) return wrong('amount-format', `${quoted(text)} is not an amount in ${unit}.${unitHint(text, unit)} Write digits, such as ${example}.`);
  if (read.kind === 'sure') return amountOf(read.digits, thousands, text, unit, '');
  const sureOfThousands = mark === 'no evidence' ? read.separator === 'comma' : mark !== 'contradictory' && mark !== read.separator;
  if (sureOfThousands) return amountOf(read.thousands, thousands, text, unit, mark === 'no evidence' ? '' : `, as its column writes decimals with a ${mark}`);
  const [first, second] = [read.thousands, read.decimals].map((digits) => String(Number(digits) * (thousands ? 1000 : 1)));
  return wrong('amount-ambiguous', `${quoted(text)} could be ${first ?? ''} or ${second ?? ''}${doubt(mark)}. Write the amount in ${unit} without separators, such as ${example}.`);
}

function doubt(mark: DecimalMark): string {
  switch (mark) {
    case 'no evidence':
      return '';
    case 'contradictory':
      return ', and the other amounts of this column contradict each other';
    case 'point':
    case 'comma':
      return `: the other amounts of this column have a ${mark} before their decimals`;
  }
}

function amountOf(digits: string, thousands: boolean, text: string, unit: AmountUnit, how: string): Coercion {
  if (digits.replace(/^0+|\./g, '').replace(/^0+/, '').length > DIGITS_KEPT) {
    return wrong('amount-too-long', `${quoted(text)} has more than ${String(DIGITS_KEPT)} digits. Write the amount in ${unit}.`);
  }
  const amount = Number((Number(digits) * (thousands ? 1000 : 1)).toPrecision(DIGITS_KEPT));
  return value(amount, String(amount) === text ? undefined : `read as ${String(amount)} ${unit}${how}`);
}

function unitHint(text: string, unit: AmountUnit): string {
  if (text.endsWith('%')) return ' A percentage must be worked out first.';
  if (unit === 'square feet' && /m²|m2|sq\.?\s*m|met(?:er|re)/i.test(text)) return ' Square metres are not square feet: multiply by 10.764.';
  return '';
}

const FOREIGN_CURRENCY = /[€£¥₹]|\b(?:EUR|GBP|CAD|AUD|CHF|MXN|JPY)\b/i;

/** An amount from a number cell. The number is sent; where its format shows another, that is said or asked. */
export function coerceAmountNumber(cell: Extract<Cell, { kind: 'number' }>, unit: AmountUnit): Coercion {
  if (!(Math.abs(cell.value) < 10 ** DIGITS_KEPT)) return wrong('amount-too-long', `${quoted(cell.raw)} has more than ${String(DIGITS_KEPT)} digits. Write the amount in ${unit}.`);
  const shown = cell.format === undefined ? undefined : numberDisplay(cell.value, cell.format);
  const asked = (rule: string, what: string): Coercion =>
    wrong(rule, `the cell shows ${quoted(shown?.text ?? '')} and holds ${cell.raw}${what}. Write the amount in ${unit}, such as ${unit === 'dollars' ? '250000' : '1850'}.`);
  if (cell.value < 0) return wrong('amount-negative', `${quoted(cell.raw)} is less than zero. Write the amount in ${unit}.`);
  if (shown?.percent === true) return asked('amount-percent', ': a percentage is no amount');
  if (shown !== undefined && FOREIGN_CURRENCY.test(shown.literals)) return asked('amount-currency', `: that is not in ${unit}`);
  if (shown !== undefined && /\d|(?<![a-z])(?:m|mm|mio|mil|k|tsd)(?![a-z])|m²|sqm|sq\.? ?m\b/i.test(shown.literals) && shown.thousands === 0) {
    return asked('amount-display', ', which may be two different amounts');
  }
  const held = Number.isSafeInteger(cell.value) ? cell.value : Number(cell.value.toPrecision(DIGITS_KEPT));
  if (shown !== undefined && !showsAll(cell.value, shown.decimals, shown.thousands)) {
    return value(held, `the cell shows ${quoted(shown.text)} by its number format and holds ${cell.raw}; what it holds is sent`);
  }
  return value(held, held === cell.value ? undefined : `a spreadsheet shows ${String(DIGITS_KEPT)} digits of ${cell.raw}`);
}

function showsAll(held: number, decimals: number, thousands: number): boolean {
  return thousands === 0 && (Number.isSafeInteger(held) || Math.abs(held - Number(held.toFixed(Math.min(decimals, DIGITS_KEPT)))) < 1e-9 * Math.max(1, Math.abs(held)));
}

/** A year of four digits. */
export function coerceYear(text: string): Coercion {
  const year = /^(\d{4})(\.0+)?$/.exec(text);
  if (year === null || text.startsWith('0')) {
    return wrong('year-four-digits', `${quoted(text)} is not a year of four digits, such as 1987.`);
  }
  return value(Number(year[1]), year[2] === undefined ? undefined : 'a year has no decimals');
}
