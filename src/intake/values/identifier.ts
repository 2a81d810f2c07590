import type { Cell } from '../../domain/row.ts';
import { quoted } from '../cells.ts';
import { value, wrong } from './coercion.ts';
import type { Coercion } from './coercion.ts';
import { oneLine } from './plain-text.ts';

/** Excel keeps 15 digits of a number; what stood after them is gone. */
const DIGITS_KEPT = 15;

const SCIENTIFIC_TEXT = /^[+-]?\d(?:[.,]\d+)?e\+\d+$/i;
const PLACEHOLDER = /^(?:0+|\?+|tbd|tba|pending|unknown|not known|to be determined|to follow|new|temp)$/i;

/** How a spreadsheet shows whole digits under a format of zeros and fixed text, such as `00000` or `"HO-"000000`; undefined for other formats. */
function shownByZeros(digits: string, format: string): string | undefined {
  const section = format.split(';')[0] ?? '';
  const parts = [...section.matchAll(/"([^"]*)"|\\(.)|(0)|([ ()/-])|(.)/g)];
  if (parts.some(([, , , , , other]) => other !== undefined)) return undefined;
  const zeros = parts.filter(([, , , zero]) => zero !== undefined).length;
  if (zeros < 2) return undefined;
  const padded = digits.padStart(zeros, '0');
  let used = 0;
  let shown = '';
  for (const [, quotedText, escaped, zero, literal] of parts) {
    if (zero === undefined) shown += quotedText ?? escaped ?? literal ?? '';
    else {
      const take = used === 0 ? padded.length - zeros + 1 : 1;
      shown += padded.slice(used, used + take);
      used += take;
    }
  }
  return shown;
}

/** A number cell that stands for an id: its digits without loss, or why they cannot be had. */
function numberAsId(cell: Extract<Cell, { kind: 'number' }>): Coercion {
  const lost = (how: string): Coercion =>
    wrong(
      'id-lost-digits',
      `the cell holds the number ${quoted(cell.raw)}, ${how}, so what was typed cannot be recovered. Format the cell as text and type the number again.`,
    );
  if (/e/i.test(cell.raw) || (cell.format !== undefined && /0E[+-]/i.test(cell.format))) return lost('in scientific form');
  if (!/^\d+$/.test(cell.raw)) {
    return wrong('id-not-whole', `the cell holds the number ${quoted(cell.raw)}, which is not a whole number. Format the cell as text and type the number again.`);
  }
  if (cell.raw.replace(/^0+/, '').length > DIGITS_KEPT) return lost(`with more than the ${String(DIGITS_KEPT)} digits a spreadsheet keeps`);
  const shown = cell.format === undefined ? undefined : shownByZeros(cell.raw, cell.format);
  if (shown !== undefined && shown !== cell.raw) {
    return value(shown, `the cell shows ${quoted(shown)} by its number format ${cell.format ?? ''}, and holds ${cell.raw}`);
  }
  return value(cell.raw);
}

/** A policy or inspection number: text as typed, or the digits of a number cell without loss. */
export function coerceId(cell: Extract<Cell, { kind: 'text' | 'number' }>): Coercion {
  if (cell.kind === 'number') return numberAsId(cell);
  const line = oneLine(cell.text);
  if (SCIENTIFIC_TEXT.test(line.text)) {
    return wrong(
      'id-lost-digits',
      `${quoted(line.text)} is a number in scientific form: its digits were lost when the file was saved and cannot be recovered. Format the column as text and type the number again.`,
    );
  }
  if (PLACEHOLDER.test(line.text)) {
    return wrong('id-placeholder', `${quoted(line.text)} is a placeholder, and two rows that share it would be taken for the same order. Write the number, or leave the cell empty.`);
  }
  return value(line.text, line.why);
}
