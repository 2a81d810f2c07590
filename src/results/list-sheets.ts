import { capitalised, stepsOf, wordsOf } from './column-title.ts';
import { validSheetName } from './sheet-name.ts';

/** The sheets of the workbook that are always there. */
export const FIXED_SHEETS = {
  overview: 'Overview',
  results: 'Results',
  attention: 'Attention',
  roofs: 'Roofs',
  overdue: 'Overdue',
  changes: 'Changes',
  photos: 'Photos',
  notOrdered: 'Not ordered',
  surprises: 'Surprises',
  fields: 'Fields',
} as const;

/** The sheets of known lists, in the order of the workbook. Excel keeps the name `History` for itself. */
const LIST_SHEETS: ReadonlyMap<string, { readonly sheet: string; readonly one: string }> = new Map([
  ['summary.factors', { sheet: 'Factors', one: 'Factor' }],
  ['summary.recommendations', { sheet: 'Recommendations', one: 'Recommendation' }],
  ['summary.interior.appliances', { sheet: 'Appliances', one: 'Appliance' }],
  ['summary.interior.appliances[].recallData', { sheet: 'Recalls', one: 'Recall' }],
  ['summary.interior.appliances[].classActionLawsuit', { sheet: 'Class actions', one: 'Class action' }],
  ['summary.roof.comparison', { sheet: 'Roof comparison', one: 'Slope' }],
  ['summary.exterior.comparison', { sheet: 'Exterior comparison', one: 'Elevation' }],
  ['summary.exterior.pool', { sheet: 'Pools', one: 'Pool' }],
  ['summary.history', { sheet: 'Inspection history', one: 'Inspection' }],
  ['summary.hover.hoverTla', { sheet: '3D model', one: 'Model' }],
  ['summary.hover.hoverTla[].livingAreas.floors.entities', { sheet: 'Floors', one: 'Floor' }],
]);

const ORDER = [...LIST_SHEETS.keys()];

/** Known lists in the workbook's order, then the others as they came. */
export function byListOrder(a: string, b: string): number {
  const place = (path: string) => (LIST_SHEETS.has(path) ? ORDER.indexOf(path) : ORDER.length);
  return place(a) - place(b);
}

/** What one item of a list is called: `Pool`. */
export function itemName(path: string): string {
  return LIST_SHEETS.get(path)?.one ?? capitalised(lastWords(path));
}

/** The name of a list's sheet, unlike any in `taken` (in lower case), which it joins. */
export function listSheetName(path: string, taken: Set<string>): string {
  const named = LIST_SHEETS.get(path)?.sheet;
  const name = named ?? validSheetName(capitalised(lastWords(path)), taken);
  taken.add(name.toLowerCase());
  return name;
}

function lastWords(path: string): string {
  return wordsOf(stepsOf(path.replaceAll('[]', '')).at(-1) ?? '');
}

/** All names that known lists may take, so that no unknown list gets one of them. */
export function reservedSheetNames(): Set<string> {
  return new Set([...Object.values(FIXED_SHEETS), ...[...LIST_SHEETS.values()].map(({ sheet }) => sheet)].map((name) => name.toLowerCase()));
}
