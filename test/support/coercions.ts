import type { Cell } from '../../src/domain/cells.ts';
import type { Coercion } from '../../src/intake/values/coercion.ts';

/** A number cell, as a file holds it. */
export function numberCell(raw: string, format?: string): Extract<Cell, { kind: 'number' }> {
  return { kind: 'number', value: Number(raw), raw, ...(format !== undefined && { format }) };
}

/** `=value` as it is, `~value` repaired, `!rule` wrong, `` empty, `~` empty with a repair, `?` undecided; ` +rule` warned. */
export function coercionInShort(read: Coercion): string {
  if (read.kind === 'undecided') return '?';
  if (read.kind === 'wrong') return `!${read.rule}`;
  const sent = read.kind === 'empty' ? '' : typeof read.value === 'string' ? read.value : JSON.stringify(read.value);
  const sign = read.why !== undefined ? '~' : read.kind === 'empty' ? '' : '=';
  return `${sign}${sent}${read.warning === undefined ? '' : ` +${read.warning.rule}`}`;
}
