const SHEET_NAME_LENGTH_MAX = 31;

/** A name that a spreadsheet takes for a sheet, made of any text, and different from the names taken already, which are given in small letters. */
export function usableSheetName(wanted: string, taken: ReadonlySet<string>): string {
  const clean = wanted.slice(0, 1000).replace(/[\p{Cc}[\]:*?/\\]+/gu, ' ').replace(/^[\s']+|(?<![\s'])[\s']+$/g, '');
  const base = clean === '' || clean.toLowerCase() === 'history' ? 'Orders' : clean;
  for (let turn = 1; ; turn += 1) {
    const ending = turn === 1 ? '' : ` (${String(turn)})`;
    const name = base.slice(0, SHEET_NAME_LENGTH_MAX - ending.length) + ending;
    if (!taken.has(name.toLowerCase())) return name;
  }
}
