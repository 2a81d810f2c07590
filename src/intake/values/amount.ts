import { quoted } from '../cells.ts';
import { value, wrong } from './coercion.ts';
import type { Coercion } from './coercion.ts';

export type AmountUnit = 'dollars' | 'square feet';

const DOLLARS = /^(?:us\s?\$|usd|\$)\s*|\s*(?:usd|us\s?dollars|dollars|\$)$/gi;
const SQUARE_FEET = /\s*(?:sq\.?\s*\/?\s*f(?:ee)?t\.?|sqft|s\.?f\.?|square\s+f(?:ee|oo)t|ft2|ft²|sq\.?)$/i;

/** The digits of a number with its separators read, or what it could be when it could be two things. */
type Reading = { readonly kind: 'number'; readonly digits: string } | { readonly kind: 'ambiguous'; readonly readings: readonly [string, string] } | undefined;

function readNumber(text: string): Reading {
  const plain = /^(\d+)(?:\.(\d+))?$/.exec(text);
  if (plain !== null) {
    const [, whole = '', decimals] = plain;
    if (decimals?.length === 3 && whole.length <= 3 && !whole.startsWith('0')) {
      return { kind: 'ambiguous', readings: [`${whole}${decimals}`, String(Number(text))] };
    }
    return { kind: 'number', digits: text };
  }
  if (/^\.\d+$/.test(text)) return { kind: 'number', digits: `0${text}` };
  if (/^\d{1,3}(?:,\d{3})+(?:\.\d*)?$/.test(text)) return { kind: 'number', digits: text.replaceAll(',', '').replace(/\.$/, '') };
  // The European way round is taken only where it cannot be the American one.
  if (/^\d{1,3}(?:\.\d{3}){2,}$/.test(text)) return { kind: 'number', digits: text.replaceAll('.', '') };
  if (/^\d{1,3}(?:\.\d{3})+,\d+$/.test(text)) return { kind: 'number', digits: text.replaceAll('.', '').replace(',', '.') };
  if (/^\d+,\d{1,2}$/.test(text)) return { kind: 'number', digits: text.replace(',', '.') };
  if (/^\d{1,3}(?:[ \u00a0\u202f'’]\d{3})+(?:[.,]\d{1,2})?$/.test(text)) {
    return { kind: 'number', digits: text.replace(/[ \u00a0\u202f'’]/g, '').replace(',', '.') };
  }
  return undefined;
}

/** An amount in dollars or square feet from text: `$250,000`, `1,800 sq ft`, `250.000,00`, `250k`. */
export function coerceAmountText(text: string, unit: AmountUnit): Coercion {
  const bare = (unit === 'dollars' ? text.replace(DOLLARS, '') : text.replace(SQUARE_FEET, '')).trim();
  const example = unit === 'dollars' ? '250000' : '1850';
  if (/^[-\u2212(]/.test(bare) || /^[-\u2212(]/.test(text)) {
    return wrong('amount-negative', `${quoted(text)} is less than zero. Write the amount in ${unit}, such as ${example}.`);
  }
  const thousands = /^(.*\d)\s*k$/i.exec(bare);
  const reading = readNumber(thousands?.[1] ?? bare);
  if (reading === undefined) {
    return wrong('amount-format', `${quoted(text)} is not an amount in ${unit}. Write digits, such as ${example}.`);
  }
  if (reading.kind === 'ambiguous') {
    const [first, second] = reading.readings;
    return wrong('amount-ambiguous', `${quoted(text)} could be ${first} or ${second}. Write the amount in ${unit} without separators, such as ${example}.`);
  }
  const amount = Number(reading.digits) * (thousands === null ? 1 : 1000);
  return value(amount, String(amount) === text ? undefined : `read as ${String(amount)} ${unit}`);
}

/** An amount from a number cell. */
export function coerceAmountNumber(held: number, unit: AmountUnit): Coercion {
  if (!Number.isFinite(held)) return wrong('amount-format', `the cell does not hold an amount in ${unit}.`);
  return held < 0 ? wrong('amount-negative', `${quoted(String(held))} is less than zero. Write the amount in ${unit}.`) : value(held);
}

/** A year of four digits. */
export function coerceYear(text: string): Coercion {
  const year = /^(\d{4})(\.0+)?$/.exec(text);
  if (year === null || text.startsWith('0')) {
    return wrong('year-four-digits', `${quoted(text)} is not a year of four digits, such as 1987.`);
  }
  return value(Number(year[1]), year[2] === undefined ? undefined : 'a year has no decimals');
}
