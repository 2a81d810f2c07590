import { US_STATES } from '../../contract/document.ts';
import type { Cell } from '../../domain/row.ts';
import { quoted } from '../cells.ts';
import { type Coercion, value, wrong } from './coercion.ts';
import { wholeDigits } from './digits.ts';
import { numberDisplay } from './number-display.ts';
import { statesOfZip } from './zip-prefixes.ts';

const ALLOWED = 'A ZIP code has five digits, such as 33609, or nine, such as 33609-1204.';

const ZIP = /^\d{5}(?:-\d{4})?$/;

function notAZip(held: string): Coercion {
  return wrong('zipcode-format', `${quoted(held)} is not a ZIP code. ${ALLOWED}`);
}

/** Digits that are short of a zero or more: they come back only where the state agrees. */
function withLostZeros(held: string, digits: string, state: string | undefined): Coercion {
  const length = digits.length <= 5 ? 5 : 9;
  const restored = digits.padStart(length, '0');
  const zip = length === 5 ? restored : `${restored.slice(0, 5)}-${restored.slice(5)}`;
  if (state === undefined) return { kind: 'undecided' };
  if (!statesOfZip(restored).includes(state)) {
    return wrong(
      'zipcode-lost-zero',
      `${quoted(held)} has ${String(digits.length)} digits, and ${zip}, which it would be with its zero, is not in ${US_STATES[state] ?? state}. ${ALLOWED}`,
    );
  }
  return value(zip, `the zero in front was lost; ${US_STATES[state] ?? state} agrees with ${zip}`);
}

/** A ZIP code from a number: as its format shows it, such as `00000`; otherwise its digits. */
export function coerceZipNumber(cell: Extract<Cell, { kind: 'number' }>, state: string | undefined): Coercion {
  const shown = cell.format === undefined ? undefined : numberDisplay(cell.value, cell.format);
  if (shown !== undefined && !shown.amount && shown.text !== cell.raw && ZIP.test(shown.text)) {
    return value(shown.text, `the cell shows ${quoted(shown.text)} by its number format ${cell.format ?? ''}, and holds ${cell.raw}`);
  }
  const digits = wholeDigits(cell);
  if (digits === undefined) return notAZip(cell.raw);
  const read = coerceZipText(digits, state);
  if (read.kind !== 'value' || read.why !== undefined) return read;
  if (digits !== cell.raw) return value(read.value, `the file writes the number as ${cell.raw}`);
  return shown === undefined || shown.text === digits ? read : value(read.value, `the cell shows ${quoted(shown.text)} by its number format; its digits alone are sent`);
}

/** A ZIP code from text: lost zeros come back where the state agrees, nine digits get their hyphen. */
export function coerceZipText(held: string, state: string | undefined): Coercion {
  if (ZIP.test(held)) return value(held);
  // Some programs write every number with a decimal: 2139.0, 33609.0.
  const digits = held.replace(/\.0+$/, '');
  if (/^\d{5}$/.test(digits)) return value(digits, 'a ZIP code has no decimals');
  if (/^\d{3,4}$|^\d{7,8}$/.test(digits)) return withLostZeros(held, digits, state);
  const short = /^(\d{3,4})\s*-\s*(\d{4})$/.exec(held);
  if (short !== null) return withLostZeros(held, `${short[1] ?? ''}${short[2] ?? ''}`, state);
  const nine = /^(\d{5})[\s-]*(\d{4})$/.exec(digits);
  if (nine !== null) return value(`${nine[1] ?? ''}-${nine[2] ?? ''}`, 'nine digits are written with a hyphen after the fifth');
  const five = /^(\d{5})\s*-(?:\s*0{1,4})?$/.exec(held);
  if (five !== null) return value(five[1] ?? '', 'the empty end of a nine-digit ZIP code was taken off');
  return notAZip(held);
}
