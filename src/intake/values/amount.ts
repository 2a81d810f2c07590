import { z } from 'zod';
import { quoted, type NumberCell } from '../../domain/cells.ts';
import { lowerFirst } from '../../domain/text.ts';
import type { FieldName, OrderField } from '../fields.ts';
import { pattern, vocabulary } from '../vocabulary.ts';
import { type Coercion, value, wrong } from './coercion.ts';
import { formatReason, DIGITS_MAX, numberShown } from './shown.ts';
import { ruleAndMessage } from '../../domain/sentences.ts';

const EXAMPLES = { dollars: '250000', 'square feet': '1850' };

export type AmountUnit = keyof typeof EXAMPLES;

const DOLLARS = /^(?:us\s?\$|usd|\$)\s*|(?<!\s)\s*(?:usd|us\s?dollars|dollars|\$)$/gi;
const units = vocabulary(
  'amounts',
  z.strictObject({
    about: pattern,
    remark: pattern,
    squareFeet: pattern,
    living: pattern,
    thousands: pattern,
    millions: pattern,
    letterM: pattern,
    foreignCurrency: pattern,
    foreignDollar: pattern,
    otherDisplay: pattern,
    squareMeters: pattern,
    years: z.array(z.tuple([pattern, z.string().optional()])),
  }),
);

/** `either`: three digits after one separator may be thousands or decimals. `isShort`: `250,00` may lack a digit. */
function readNumber(text: string) {
  const [dots, commas, inPoints] = [text.replaceAll('.', ''), text.replaceAll(',', ''), text.replace(',', '.')];
  const sure = (digits: string, mark?: 'point' | 'comma') =>
    ({ kind: 'sure', digits, mark, isShort: /^[1-9]\d{0,2}[.,]\d{1,2}$/.test(text) }) as const;
  const either = (mark: 'point' | 'comma', thousands: string) =>
    ({ kind: 'either', mark, thousands, decimals: inPoints }) as const;
  if (/^\d+$/.test(text)) return sure(text);
  if (/^[1-9]\d{0,2}\.\d{3}$/.test(text)) return either('point', dots);
  if (/^[1-9]\d{0,2},\d{3}$/.test(text)) return either('comma', commas);
  if (/^\d*\.\d+$/.test(text)) return sure(`0${text}`, 'point');
  if (/^\d{1,3}(?:,\d{3})+\.\d*$|^\d{1,3}(?:,\d{3}){2,}$/.test(text)) return sure(commas.replace(/\.$/, ''), 'point');
  if (/^\d{1,3}(?:\.\d{3}){2,}$/.test(text)) return sure(dots, 'comma');
  if (/^\d{1,3}(?:\.\d{3})+,\d+$/.test(text)) return sure(dots.replace(',', '.'), 'comma');
  if (/^\d+,\d{1,2}$|^\d{4,},\d+$/.test(text)) return sure(inPoints, 'comma');
  return /^\d{1,3}(?:[ \u00a0\u202f'’]\d{3})+(?:[.,]\d{1,2})?$/.test(text)
    ? sure(inPoints.replace(/[ \u00a0\u202f'’]/g, ''))
    : undefined;
}

const NOTHING = /^(?:\(?\$\s*-+\)?|-+\s*\$)$/;

const MILLIONS_SURE_MAX = 20;

function bareAmount(given: string, unit: AmountUnit) {
  const { about, remark, squareFeet, living, thousands, millions, letterM } = units();
  const text = given.replace(about, '').replace(remark, '');
  const bare = (
    unit === 'dollars'
      ? text.replace(DOLLARS, '')
      : text.replace(living, '').replace(squareFeet, '').replace(living, '')
  ).trim();
  const scales: readonly (readonly [RegExp, number])[] = [
    [thousands, 1000],
    [millions, 1_000_000],
    [letterM, 1_000_000],
  ];
  for (const [form, times] of unit === 'dollars' ? scales : scales.slice(0, 1)) {
    const number = form.exec(bare)?.[1];
    if (number !== undefined)
      return { number, times, perhapsThousands: form === letterM && !(Number(number) <= MILLIONS_SURE_MAX) };
  }
  return { number: bare, times: 1, perhapsThousands: false };
}

/** The mark before its decimals, if that is certain. */
export function decimalMark(text: string, unit: AmountUnit) {
  const { number, times } = bareAmount(text, unit);
  const read = readNumber(number);
  return read?.kind === 'sure' && times === 1 && !(read.isShort && read.mark === 'comma') ? read.mark : undefined;
}

/** Whether decimal commas in its column make it unclear. */
export function dependsOnColumn(text: string, unit: AmountUnit) {
  const read = readNumber(bareAmount(text, unit).number);
  return read?.kind === 'either' ? read.mark === 'comma' : read?.isShort === true && read.mark === 'point';
}

/** Three digits after a comma are thousands, as is usual in the United States, unless the column has decimal commas. */
export function coerceAmountText(text: string, unit: AmountUnit, hasCommas: boolean): Coercion {
  if (unit === 'dollars' && NOTHING.test(text))
    return { kind: 'empty', why: `${quoted(text)} is how accounting formats show nothing` };
  const { number, times, perhapsThousands } = bareAmount(text, unit);
  const example = EXAMPLES[unit];
  if (/^[-(]/.test(number) || /^[-(]/.test(text)) return wrong('amount-negative', { text, unit, example });
  const read = readNumber(number);
  if (read === undefined) return wrong('amount-format', { text, unit, hint: unitHint(text, unit), example });
  if (perhapsThousands) return wrong('amount-ambiguous/letter', { text, number, unit, example });
  if (read.kind === 'sure')
    return read.isShort && times === 1 && (hasCommas || read.mark === 'comma')
      ? wrong('amount-ambiguous/short', { text, amount: String(Number(read.digits)), unit })
      : amountOf(read.digits, times, text, unit);
  if (read.mark === 'comma' && !hasCommas) return amountOf(read.thousands, times, text, unit);
  // Shortened numbers (k, M) have no thousands separator.
  if (times > 1 && read.mark === 'point') return amountOf(read.decimals, times, text, unit);
  const [first = '', second = ''] = [read.thousands, read.decimals].map((digits) => String(Number(digits) * times));
  return wrong('amount-ambiguous', { text, first, second, doubt: '', unit, example });
}

const THOUSANDS_MAX = 20_000;

export function coerceThousands(text: string, hasCommas: boolean) {
  const read = coerceAmountText(`${text}k`, 'dollars', hasCommas);
  if (read.kind !== 'value' || Number(read.value) <= THOUSANDS_MAX * 1000) return read;
  const first = String(Number(read.value) / 1000);
  const doubt = ', as its header says thousands';
  return wrong('amount-ambiguous', { text, first, second: String(read.value), doubt, unit: 'dollars', example: '250' });
}

function amountOf(digits: string, times: number, text: string, unit: AmountUnit) {
  const rounded = Number(Number(digits).toFixed(6));
  // `80.90000000000001` is what a formula leaves of 80.9.
  const plain = Math.abs(Number(digits) - rounded) < 1e-9 ? String(rounded) : digits;
  if (plain.replace(/^0+|\./g, '').replace(/^0+/, '').length > DIGITS_MAX)
    return wrong('amount-too-long', { text, digits: DIGITS_MAX, unit });
  const amount = Number((Number(digits) * times).toPrecision(DIGITS_MAX));
  return value(amount, String(amount) === text ? undefined : `an amount in ${unit}`);
}

const NEVER_ZERO = new Set<FieldName>(['dwellingCoverage', 'carrierProvidedLivingArea']);

export function zeroAsUnknown(read: Coercion, held: string, { name, title }: OrderField): Coercion {
  if (read.kind !== 'value' || read.value !== 0 || !NEVER_ZERO.has(name)) return read;
  return {
    kind: 'empty',
    why: `${quoted(held)} means not known`,
    warning: ruleAndMessage('amount-zero', { held, title: lowerFirst(title) }),
  };
}

function unitHint(text: string, unit: AmountUnit) {
  if (text.endsWith('%')) return ' A percentage must be worked out first.';
  if (units().foreignCurrency.test(text)) return ' Another currency must be converted first.';
  if (unit === 'square feet' && units().squareMeters.test(text))
    return ' Square meters are not square feet: multiply by 10.764.';
  return '';
}

export function coerceAmountNumber(cell: NumberCell, unit: AmountUnit) {
  if (!(Math.abs(cell.value) < 10 ** DIGITS_MAX))
    return wrong('amount-too-long', { text: cell.raw, digits: DIGITS_MAX, unit });
  const shown = numberShown(cell);
  const example = EXAMPLES[unit];
  const asked = (code: string) => wrong(code, { text: shown?.text ?? '', raw: cell.raw, unit, example });
  if (cell.value < 0) return wrong('amount-negative/number', { text: cell.raw, unit });
  if (shown?.percent === true) return asked('amount-percent');
  if (units().foreignCurrency.test(shown?.literals ?? '') || units().foreignDollar.test(cell.format ?? ''))
    return asked(unit === 'dollars' ? 'amount-currency/dollars' : 'amount-currency');
  if (shown?.thousands === 0 && units().otherDisplay.test(shown.literals)) return asked('amount-display');
  const held = Number.isSafeInteger(cell.value) ? cell.value : Number(cell.value.toPrecision(DIGITS_MAX));
  if (shown !== undefined && !showsAll(cell.value, shown.decimals, shown.thousands))
    return value(held, formatReason(shown, ` and holds ${cell.raw}, which is sent`));
  return value(held, held === cell.value ? undefined : `a spreadsheet shows ${DIGITS_MAX} digits of ${cell.raw}`);
}

function showsAll(held: number, decimals: number, thousands: number) {
  return (
    thousands === 0 &&
    (Number.isSafeInteger(held) ||
      Math.abs(held - Number(held.toFixed(Math.min(decimals, DIGITS_MAX)))) < 1e-9 * Math.max(1, Math.abs(held)))
  );
}

export function coerceYear(text: string) {
  for (const [form, why] of units().years) {
    const year = form.exec(text)?.[1]?.replace(',', '');
    if (year !== undefined) return value(Number(year), why);
  }
  return wrong('year-four-digits', { text });
}
