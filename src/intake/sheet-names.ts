const SHEET_NAME_LENGTH_MAX = 31;

/** A name that a spreadsheet takes for a sheet, made of any text, and different from the names taken already. */
export function usableSheetName(wanted: string, taken: readonly string[]): string {
  const clean = wanted.slice(0, 1000).replace(/[\p{Cc}[\]:*?/\\]+/gu, ' ').replace(/^[\s']+|[\s']+$/g, '');
  const base = clean === '' || clean.toLowerCase() === 'history' ? 'Orders' : clean;
  const used = new Set(taken.map((name) => name.toLowerCase()));
  for (let turn = 1; ; turn += 1) {
    const ending = turn === 1 ? '' : ` (${String(turn)})`;
    const name = base.slice(0, SHEET_NAME_LENGTH_MAX - ending.length) + ending;
    if (!used.has(name.toLowerCase())) return name;
  }
}
