import { z } from 'zod';
import { US_STATES } from '../../contract/document.ts';
import type { NumberCell } from '../../domain/cells.ts';
import { nearestOf } from '../../domain/text.ts';
import { vocabulary, wordsByForm } from '../vocabulary.ts';
import { type Coercion, suggestion, value, wrong } from './coercion.ts';
import { wholeDigits } from './identifier.ts';
import { formatReason, numberShown } from './shown.ts';

function lettersOnly(text: string) {
  return text.toLowerCase().replace(/[^a-z]+/g, '');
}

const places = vocabulary(
  'places',
  z.strictObject({
    names: wordsByForm,
    zipPrefixes: z.record(z.string(), z.string().regex(/^\d{3}(?:[ -]\d{3})*$/)),
  }),
)();

const CODES_BY_NAME = new Map([
  ...Object.entries(US_STATES).map(([code, name]) => [lettersOnly(name), code] as const),
  ...places.names,
]);

const STATE_NAMES = new Set(Object.values(US_STATES).map(lettersOnly));

/** True for a state's full name, which may also be a city's: Washington, Nevada, Delaware. */
export function isStateName(text: string) {
  return STATE_NAMES.has(lettersOnly(text));
}

export function stateCode(text: string) {
  const bare = lettersOnly(text);
  const code = bare.toUpperCase();
  return code.length === 2 && code in US_STATES ? code : CODES_BY_NAME.get(bare);
}

export function coerceState(text: string) {
  const code = stateCode(text);
  if (code === text) return value(text);
  if (code !== undefined) return value(code, 'sent as the two-letter code');
  const near = nearestOf(text, Object.values(US_STATES));
  return wrong('state-unknown', { text, hint: suggestion(near && `${stateCode(near)} (${near})`) });
}

const UNITED_STATES = new Set(['us', 'usa', 'unitedstates', 'unitedstatesofamerica', 'theunitedstates', 'america']);

export function coerceCountry(text: string) {
  if (UNITED_STATES.has(lettersOnly(text)))
    return value('US', text === 'US' ? undefined : 'the United States are sent as US');
  return wrong('country-us-only', { text });
}

const WHOLE_ZIP = /^\d{5}(?:-\d{4})?$/;

function withLostZeros(held: string, digits: string, state: string | undefined): Coercion {
  const length = digits.length <= 5 ? 5 : 9;
  const restored = digits.padStart(length, '0');
  const isShort = length === 5 || restored.endsWith('0000');
  const zip = isShort ? restored.slice(0, 5) : `${restored.slice(0, 5)}-${restored.slice(5)}`;
  if (state === undefined) return { kind: 'undecided' };
  if (!statesOfZip(restored).includes(state))
    return wrong('zipcode-lost-zero', { held, digits: digits.length, zip, state: US_STATES[state] ?? state });
  return value(zip, `its leading zero was lost; ${zip} is in ${US_STATES[state] ?? state}`);
}

export function coerceZipNumber(cell: NumberCell, state: string | undefined) {
  const shown = numberShown(cell);
  if (shown !== undefined && !shown.amount && shown.text !== cell.raw && WHOLE_ZIP.test(shown.text))
    return value(shown.text, formatReason(shown, ` ${cell.format ?? ''}, and holds ${cell.raw}`));
  const digits = wholeDigits(cell);
  if (digits === undefined) return wrong('zipcode-format', { held: cell.raw });
  const read = coerceZipText(digits, state);
  if (read.kind !== 'value' || read.why !== undefined) return read;
  if (digits !== cell.raw) return value(read.value, `the file writes the number as ${cell.raw}`);
  return shown === undefined || shown.text === digits
    ? read
    : value(read.value, formatReason(shown, '; only its digits are sent'));
}

export function coerceZipText(held: string, state: string | undefined) {
  const [, five, other] = /^(\d{5})[\s-]*0000$|^(\d{5})\s*-(?:\s*0{1,3})?$/.exec(held) ?? [];
  if (five !== undefined || other !== undefined)
    return value(five ?? other ?? '', 'the empty end of a nine-digit ZIP code was removed');
  if (WHOLE_ZIP.test(held)) return value(held);
  const digits = held.replace(/\.0+$/, '');
  if (/^\d{5}$/.test(digits)) return value(digits, 'a ZIP code has no decimals');
  if (/^\d{3,4}$|^\d{7,8}$/.test(digits)) return withLostZeros(held, digits, state);
  const short = /^(\d{3,4})\s*-\s*(\d{4})$/.exec(held);
  if (short !== null) return withLostZeros(held, `${short[1] ?? ''}${short[2] ?? ''}`, state);
  const nine = /^(\d{5})[\s-]*(\d{4})$/.exec(digits);
  if (nine !== null)
    return value(`${nine[1] ?? ''}-${nine[2] ?? ''}`, 'nine digits are written with a hyphen after the fifth');
  return wrong('zipcode-format', { held });
}

const ZIP_RANGES = Object.entries(places.zipPrefixes).flatMap(([state, ranges]) =>
  ranges.split(' ').map((range) => ({ state, from: range.slice(0, 3), to: range.slice(-3) })),
);

/** Empty if no ZIP code begins like this. */
export function statesOfZip(zipcode: string) {
  const prefix = zipcode.slice(0, 3);
  return ZIP_RANGES.flatMap(({ state, from, to }) => (from <= prefix && prefix <= to ? state : []));
}
