import { parse } from 'node:path';

const DATE_WORDS =
  /\b(jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?|oct(ober)?|nov(ember)?|dec(ember)?|mon(day)?|tue(s(day)?)?|wed(nesday)?|thu(rs(day)?)?|fri(day)?|sat(urday)?|sun(day)?)\b/g;
const COPY_WORDS = /\b(copy( of)?|final|new)\b/g;

/**
 * What stays the same in the names of files that are sent again and again: without the ending, digits, the names of months and
 * weekdays, and words such as "copy". `Smith orders 2026-03-05 (2).xlsx` and `SMITH_ORDERS_March.csv` are both `smith orders`.
 */
export function stableName(fileName: string): string {
  return parse(fileName)
    .name.normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .replace(/(?<!\p{N})\p{N}+(st|nd|rd|th)?\b/gu, ' ')
    .replace(/\p{N}+/gu, ' ')
    .replace(DATE_WORDS, ' ')
    .replace(COPY_WORDS, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
