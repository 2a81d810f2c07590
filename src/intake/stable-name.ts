import { parse } from 'node:path';
import { z } from 'zod';
import { pattern, vocabulary } from './vocabulary.ts';

const words = vocabulary('file-names', z.strictObject({ dates: pattern, copies: pattern }));

/** `Smith orders 2026-03-05 (2).xlsx` and `SMITH_ORDERS_March.csv` are both `smith orders`. */
export function stableName(fileName: string) {
  const { dates, copies } = words();
  return parse(fileName)
    .name.normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .replace(/(?<!\p{N})\p{N}+(st|nd|rd|th)?\b/gu, ' ')
    .replace(/\p{N}+/gu, ' ')
    .replace(new RegExp(dates, 'g'), ' ')
    .replace(new RegExp(copies, 'g'), ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
