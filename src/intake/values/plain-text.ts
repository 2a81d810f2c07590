import { value } from './coercion.ts';
import type { Coercion } from './coercion.ts';

/** Most texts: nothing but visible ASCII and spaces inside. */
const PLAIN = /^[!-~](?:[ -~]*[!-~])?$/;
/** Space, and what looks like space or like nothing at all. */
const EDGES = /^[\s\u200b\u200e\u200f\u2060\ufeff]+|[\s\u200b\u200e\u200f\u2060\ufeff]+$/g;
const CONTROL = /(?![\t\n\v\f\r\u0085])[\p{Cc}\u200b\u200e\u200f\u2060\ufeff]/gu;
/** A run of white space with more in it than plain spaces. */
const BREAKS = /[ ]*[\t\n\v\f\r\u0085\u00a0\u2007\u202f\u2028\u2029][\s\u0085]*/g;

/** A text without the blanks around it. */
export function trimmed(text: string): string {
  return text.replace(EDGES, '');
}

/** A text on one line: line breaks, tabs and no-break spaces become a space; `why` says so when something inside changed. */
export function oneLine(text: string): { readonly text: string; readonly why?: string } {
  if (PLAIN.test(text)) return { text };
  const held = trimmed(text);
  const visible = held.replace(CONTROL, '');
  const line = visible.replace(BREAKS, ' ');
  if (line === held) return { text: held };
  return { text: line, why: visible === held ? 'line breaks, tabs and no-break spaces became plain spaces' : 'invisible control characters were taken out' };
}

/** Text is sent as it stands, but for the blanks around it and line breaks inside. */
export function coerceText(text: string): Coercion {
  const line = oneLine(text);
  return value(line.text, line.why);
}
