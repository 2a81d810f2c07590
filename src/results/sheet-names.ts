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
  changes: 'Changes',
  photos: 'Photos',
  notOrdered: 'Not ordered',
  surprises: 'Surprises',
  fields: 'Fields',
} as const;

/** In order. Excel reserves the name `History`. */
export const LIST_SHEETS: ReadonlyMap<string, { readonly sheet: string; readonly one: string }> = new Map([
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

export function reservedSheetNames() {
  return new Set(
    [...Object.values(FIXED_SHEETS), ...[...LIST_SHEETS.values()].map(({ sheet }) => sheet)].map((name) =>
      name.toLowerCase(),
    ),
  );
}

/** Has no apostrophes, since link formulas contain it. */
export function validSheetName(wanted: string, taken: ReadonlySet<string>): string {
  const words = wanted.replaceAll(/['\s]+/g, ' ').trim();
  return sheetName(words, taken, {
    instead: words.toLowerCase() === 'history' ? `List ${words}` : 'List',
    numbered: (number) => ` ${number}`,
  });
}
