import type { SheetLayout } from '../domain/row.ts';
import { type LayoutChange, layoutChanges } from '../intake/layout-changes.ts';
import { stableName } from '../intake/stable-name.ts';
import type { EarlierFile, SenderBook } from '../ledger/files.ts';
import type { ClaimedFile } from './take-in-parts.ts';

/** A file beside those that its sender sent before. */
export interface Comparison {
  /** What makes later files of this kind known as such; null for a corrections workbook, whose layout is ours and whose rows are few. */
  readonly kind: string | null;
  /** The latest file of this kind, or null for the first. */
  readonly before: EarlierFile | null;
  readonly changes: readonly LayoutChange[];
  /** How many rows such files usually hold; null for the first. */
  readonly usualRows: number | null;
}

/** How many earlier files say what is usual. */
const EARLIER_FILES = 10;

/**
 * Compares a file with the sender's latest one of the same kind: of the same folder and the same stable part of the name; in a named
 * sender's folder, where that name is new, with the sender's latest file whatever its name.
 */
export async function compareWithEarlier({ name, sender }: Pick<ClaimedFile, 'name' | 'sender'>, layouts: readonly SheetLayout[], book: Pick<SenderBook, 'filesLike'>): Promise<Comparison> {
  if (layouts.some(({ keyColumn }) => keyColumn !== undefined)) return { kind: null, before: null, changes: [], usualRows: null };
  const kind = stableName(name);
  const earlier = await book.filesLike({ sender, kind }, EARLIER_FILES);
  const before = earlier[0] ?? null;
  return { kind, before, changes: before === null ? [] : layoutChanges(before.layouts, layouts), usualRows: usualRows(earlier) };
}

/** The median of the files before. */
function usualRows(earlier: readonly EarlierFile[]): number | null {
  const counts = earlier.map(({ rows }) => rows).filter((rows) => rows > 0).toSorted((a, b) => a - b);
  return counts[Math.floor(counts.length / 2)] ?? null;
}

/** The differences, `atMost` so many, as one text that says what they are differences from; null where there are none. */
export function layoutChangesInWords({ before, changes }: Comparison, atMost = Number.POSITIVE_INFINITY): string | null {
  if (before === null || changes.length === 0) return null;
  const told = changes.slice(0, atMost).map(({ sentence }) => sentence);
  const more = changes.length > atMost ? ` And ${changes.length - atMost} more differences.` : '';
  return `The layout is not that of the file before (${before.name}). ${told.join(' ')}${more}`;
}
