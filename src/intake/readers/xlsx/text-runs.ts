import { cellText, isBlank, type Cell } from '../../../domain/cells.ts';
import type { RowRemark } from '../../../domain/row.ts';
import { isXmlTrue, type XmlAttributes } from './xml-events.ts';

export interface TextRun {
  text: string;
  /** Undefined if the run has its cell's font. */
  struck: boolean | undefined;
}

export function isStrikeOn(name: string, attributes: XmlAttributes) {
  return name === 'strike' && (attributes['val'] === undefined || isXmlTrue(attributes['val']));
}

export function readRunFont(run: TextRun | undefined, name: string, attributes: XmlAttributes, below: number) {
  if (run === undefined) return;
  if (below === 1 && name === 'rPr') run.struck = false;
  else if (below === 2 && run.struck === false && isStrikeOn(name, attributes)) run.struck = true;
}

export type StruckRemark = Extract<RowRemark, { kind: 'struck' }>;

/**
 * The cell without its struck-through text; unchanged if all of it is struck (`remark.whole`); undefined if none is.
 * Runs without a font have the cell's, which `isStruck` describes.
 */
export function withoutStruckText(
  cell: Cell,
  column: number,
  runs: readonly TextRun[] | undefined,
  isStruck: boolean,
): Readonly<{ cell: Cell; remark: StruckRemark }> | undefined {
  if ((!isStruck && runs === undefined) || isBlank(cell)) return undefined;
  const [struck, kept] = runs === undefined ? [cellText(cell), ''] : textsOf(runs, isStruck);
  if (struck === '') return undefined;
  const whole = kept === '';
  return {
    cell: whole ? cell : { kind: 'text', text: kept },
    remark: { kind: 'struck', column, text: whole ? cellText(cell) : struck, whole },
  };
}

function textsOf(runs: readonly TextRun[], isStruck: boolean): readonly [struck: string, kept: string] {
  const joined = (wanted: boolean) =>
    unescapeCharacters(
      runs
        .filter(({ struck = isStruck }) => struck === wanted)
        .map(({ text }) => text)
        .join(''),
    )
      .replace(/ {2,}/g, ' ')
      .trim();
  return [joined(true), joined(false)];
}

/** `_x000D_` is a character that XML cannot hold; `_x005F_x000D_` is a literal `_x000D_`. */
export function unescapeCharacters(text: string) {
  if (!text.includes('_x')) return text;
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
