import { dateToSerial, format as formatValue, type FormatToken, isValidFormat, tokenize } from 'numfmt';
import { cellText, quoted, type Cell, type NumberCell } from '../../domain/cells.ts';
import { memoize } from '../../domain/text.ts';

export function shownText(cell: Cell | undefined) {
  if (cell?.kind === 'number') return numberShown(cell)?.text ?? cellText(cell);
  return cell?.kind === 'date' && cell.format !== undefined ? shownDate(cell.iso, cell.format) : cellText(cell);
}

const MIDNIGHT = / 0?0:00(?::00)?$/;

/** `"3/5/2026"`, or `"5-Mar" (2026-03-05)` if the cell shows something else than it holds. */
export function describeCell(cell: Cell) {
  const held = cellText(cell);
  const shown = cell.kind === 'date' ? shownText(cell).replace(MIDNIGHT, '') : shownText(cell);
  return shown === held ? `"${held}"` : `"${shown}" (it holds ${held})`;
}

type NumberDisplay = Readonly<{
  text: string;
  /**
   * Shown as an amount: with thousands, decimals, percent, a currency or an exponent. A number that is a name has none
   * of these.
   */
  amount: boolean;
  scientific: boolean;
  percent: boolean;
  /** How often it is divided by a thousand: 1 for `#,##0,`. */
  thousands: number;
  decimals: number;
  /** Fixed text around the digits: `$`, `k`, `HO-`. */
  literals: string;
}>;

interface Section extends Omit<NumberDisplay, 'text'> {
  readonly condition: readonly [operator: string, limit: string] | undefined;
}

export const DIGITS_MAX = 15;

const FORMAT_LENGTH_MAX = 255;

const LITERAL_TYPES = new Set(['string', 'escaped', 'char', 'space', 'paren', 'plus', 'minus', 'percent']);
const PLACE_TYPES = new Set(['zero', 'hash', 'qmark']);
const NOT_NUMBER_TYPES = new Set(['slash', 'text', 'datetime', 'duration', 'error']);

/** A placeholder for the digits of `General`: numfmt would fit them to a narrow column, and it caches every pattern. */
const DIGITS = '\u{FDD0}';

/** Without its language, `[$€-407]`. `Standard` means `General`. */
function plainFormat(format: string, general: string) {
  return format.replace(
    /"[^"]{0,255}"|\[\$([^\]"-]{0,9})(?:-[^\]]{0,99})?\]|(general|standard)/gi,
    (whole, symbol: string | undefined, word: string | undefined) => {
      if (word !== undefined) return general;
      return symbol === undefined ? whole : symbol && `"${symbol}"`;
    },
  );
}

/** Undefined if it is not only digits and fixed text. */
function readSection(tokens: readonly FormatToken[]) {
  if (tokens.some(({ type }) => NOT_NUMBER_TYPES.has(type))) return undefined;
  const has = (wanted: string) => tokens.some(({ type }) => type === wanted);
  let [places, thousands, counting] = [0, 0, false];
  for (const { type, raw } of tokens) {
    if (type === 'point') counting = true;
    else if (type === 'exp') counting = false;
    else if (type === 'scale') thousands += raw.length;
    else if (counting && PLACE_TYPES.has(type)) places += 1;
  }
  const literals = tokens.flatMap(({ type, value }) => (LITERAL_TYPES.has(type) ? [String(value)] : [])).join('');
  const [scientific, percent] = [has('exp'), has('percent')];
  return {
    condition: tokens.find(({ type }) => type === 'condition')?.value as Section['condition'],
    scientific,
    percent,
    thousands,
    literals,
    decimals: has('general') ? DIGITS_MAX : places,
    amount: has('group') || thousands > 0 || places > 0 || percent || scientific || /[$€£¥₹]/.test(literals),
  };
}

function holds(value: number, [operator, limit]: NonNullable<Section['condition']>) {
  const [less, equal, greater] = [value < Number(limit), value === Number(limit), value > Number(limit)];
  return (less && operator.includes('<')) || (equal && operator.includes('=')) || (greater && operator.includes('>'));
}

function sectionFor(value: number, sections: readonly Section[]) {
  if (sections.some(({ condition }) => condition !== undefined))
    return sections.find(({ condition }) => condition === undefined || holds(value, condition));
  return (value < 0 ? sections[1] : value === 0 ? sections[2] : undefined) ?? sections[0];
}

function isReadable(plain: string) {
  return plain.length <= FORMAT_LENGTH_MAX && isValidFormat(plain);
}

const readFormat = memoize((format) => {
  const plain = plainFormat(format, 'General');
  const sections: FormatToken[][] = [[]];
  for (const token of isReadable(plain) ? tokenize(plain) : []) {
    if (token.type === 'break') sections.push([]);
    else sections.at(-1)?.push(token);
  }
  // A fourth section is for text.
  const all = sections.slice(0, 3).map(readSection);
  return isReadable(plain) && all.every((section) => section !== undefined) ? all : undefined;
}, 1000);

function shownBy(format: string, value: number) {
  const digits = String(Number(Math.abs(value).toPrecision(DIGITS_MAX)));
  return formatValue(plainFormat(format, `"${DIGITS}"`), value)
    .replace(DIGITS, () => digits)
    .trim();
}

export function numberShown({ value, format }: NumberCell) {
  return format === undefined ? undefined : numberDisplay(value, format);
}

export function formatReason({ text }: Pick<NumberDisplay, 'text'>, rest: string) {
  return `the cell shows ${quoted(text)} by its number format${rest}`;
}

/** Undefined for formats that are not understood, such as fractions. */
export function numberDisplay(value: number, format: string) {
  const sections = readFormat(format);
  if (sections === undefined || !Number.isFinite(value) || Math.abs(value) >= 1e21) return undefined;
  const section = sectionFor(value, sections);
  return (
    section && {
      ...section,
      get text() {
        return shownBy(format, value);
      },
    }
  );
}

/** `iso` is a wall-clock time: `2026-03-05` or `2026-03-05T14:30:00`. */
export function shownDate(iso: string, format: string) {
  const serial = dateToSerial(new Date(iso.includes('T') ? `${iso}Z` : iso), { ignoreTimezone: true });
  return serial === null || serial < 1 || !isReadable(plainFormat(format, 'General')) ? iso : shownBy(format, serial);
}
