import { z } from 'zod';
import { templateData } from '../contract/template-data.ts';
import { sheetName } from '../domain/cells.ts';

export const FIXED_SHEETS = {
  overview: 'Overview',
  results: 'Results',
  reports: 'Reports',
  attention: 'Attention',
  decisions: 'Decisions',
  roofs: 'Roofs',
  overdue: 'Overdue',
  ended: 'Ended',
  portfolio: 'Portfolio',
  changes: 'Changes',
  photos: 'Photos',
  notOrdered: 'Not ordered',
  surprises: 'Surprises',
  fields: 'Fields',
} as const;

/** For each list of the document, by path and in order: its sheet, and the name of one entry. */
export const listSheets: () => Readonly<Record<string, Readonly<{ sheet: string; one: string }>>> = templateData(
  'workbook/list-sheets',
  z.record(z.string(), z.strictObject({ sheet: z.string(), one: z.string() })),
);

export function reservedSheetNames() {
  return new Set(
    [...Object.values(FIXED_SHEETS), ...Object.values(listSheets()).map(({ sheet }) => sheet)].map((name) =>
      name.toLowerCase(),
    ),
  );
}

/** Has no apostrophes, since link formulas contain it. Adds it to `taken` in lower case. */
export function validSheetName(wanted: string, taken: Set<string>) {
  const words = wanted.replaceAll(/['\s]+/g, ' ').trim();
  const name = sheetName(words, taken, {
    instead: words.toLowerCase() === 'history' ? `List ${words}` : 'List',
    numbered: (number) => ` ${number}`,
  });
  taken.add(name.toLowerCase());
  return name;
}
