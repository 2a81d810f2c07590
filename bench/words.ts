/** Words for made-up cells; many have characters of two to four bytes. */
export const NAMES = [
  'Marisol Vega',
  'Tomás Ortiz',
  'Renée Beaulieu',
  'Žofie Dvořáková',
  'Søren Ægir',
  'Łukasz Wójcik',
  'Håkon Åsgård',
  '山田 太郎',
  'Ирина Петрова',
  '🏠 Harbor Homes',
  "Colleen O'Rourke",
  'Walter Hobbs',
] as const;
export const STREETS = [
  'Oak Ridge Ln',
  'Calle Peñón',
  'Rue de l’Église',
  'Maple St',
  'Old Mill Rd & Co',
  'Größe Straße',
  'Harbor View Dr',
] as const;
export const CODES = [
  'Homeowners Insurance',
  'Residential Single Family',
  '4-Point',
  'Commercial Property Insurance',
  'MA',
  'FL',
  'Exterior',
  'Granite State Casualty',
] as const;

/** A text of a table's cell: some of its own, some that come again. */
export function tableText(row: number, column: number): string {
  return `${STREETS[(row + column) % STREETS.length] ?? ''}, ${NAMES[(row * 7 + column) % NAMES.length] ?? ''}`;
}
