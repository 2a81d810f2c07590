import { createHash } from 'node:crypto';
import { parse } from 'node:path';
import type { RowRecord } from '../domain/row.ts';
import { cellText, isBlank } from '../intake/cells.ts';
import { trimmed } from '../intake/values/plain-text.ts';
import type { RowSummary } from '../ledger/rows.ts';

/** A text without what changes when a file is saved anew or a value is repaired: case, spaces, punctuation. */
function bare(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}

/** What a row holds, whatever the order of its columns and the program that saved it. */
export function contentOf({ cells }: RowRecord): string {
  const texts = cells.flatMap((cell) => (isBlank(cell) ? [] : [trimmed(cellText(cell))]));
  return createHash('sha256').update(JSON.stringify(texts.toSorted())).digest('base64');
}

/** What people know a row by: its inspection number; its policy, insured and street together, where at least two of them are there. */
export function namesOf({ inspectionNumber, policyNumber, insuredName, streetAddress }: RowSummary): readonly string[] {
  const number = bare(inspectionNumber);
  const others = [policyNumber, insuredName, streetAddress].map(bare);
  return [...(number === '' ? [] : [`number ${number}`]), ...(others.filter((text) => text !== '').length < 2 ? [] : [`other ${others.join(' ')}`])];
}

/** False where two rows can be compared and have nothing in common: then they are not the same one, whatever a key says. */
export function couldBeTheSame(one: RowSummary, other: RowSummary): boolean {
  const fields = ['inspectionNumber', 'policyNumber', 'insuredName', 'streetAddress'] as const;
  const both = fields.filter((field) => bare(one[field]) !== '' && bare(other[field]) !== '');
  return both.length < 2 || both.some((field) => bare(one[field]) === bare(other[field]));
}

/** The same, whatever the inspection numbers: running numbers begin anew with every file. */
export function couldBeTheSameBesidesNumber(one: RowSummary, other: RowSummary): boolean {
  return couldBeTheSame({ ...one, inspectionNumber: '' }, { ...other, inspectionNumber: '' });
}

/** The part of a file's name that a copy of it keeps: without folder and extension, ` - to fix` and ` (2)`. */
export function keptName(fileName: string): string {
  const { name } = parse(fileName);
  let end = name.length;
  for (const { 0: ending, index } of [...name.matchAll(/(?<!\s)\s+-\s+(?:to fix|refused)|(?<!\s)\s*\(\d+\)/gi)].toReversed()) {
    if (index + ending.length === end) end = index;
  }
  return name.slice(0, end);
}
