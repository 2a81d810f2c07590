/** The column's index, from 0, of a reference such as `C7` or `$C$7`; undefined where there is none to read. */
export function columnOfReference(reference: string): number | undefined {
  const letters = /^\s*\$?([A-Za-z]{1,7})\$?\d*\s*$/.exec(reference)?.[1];
  if (letters === undefined) return undefined;
  let column = 0;
  for (const letter of letters.toUpperCase()) column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}
