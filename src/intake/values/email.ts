import { value } from './coercion.ts';
import type { Coercion } from './coercion.ts';
import { reasons } from './plain-text.ts';

/** One address and the signs behind it that end a sentence or a list. */
const PUNCTUATION_BEHIND = /^([^\s@,;:]+@[^\s@,;:]*[^\s@,;:.])[.,;:]+$/;

/** An e-mail address: as typed, but for what surely is no part of it. */
export function coerceEmail(text: string): Coercion {
  const isLink = /^mailto:./i.test(text);
  const address = isLink ? text.slice('mailto:'.length) : text;
  const bare = PUNCTUATION_BEHIND.exec(address)?.[1];
  return value(bare ?? address, reasons(isLink ? 'the "mailto:" of a link was taken off' : undefined, bare === undefined ? undefined : 'the punctuation behind the address was taken off'));
}
