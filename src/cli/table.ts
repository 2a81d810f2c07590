/** Rows of text in aligned columns; numbers (and nothing else) to the right. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows];
  const widths = header.map((_title, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  const isNumeric = header.map((_title, column) => rows.length > 0 && rows.every((row) => /^[\d,]*$/.test(row[column] ?? '')));
  return all
    .map((row) =>
      row
        .map((cell, column) => (isNumeric[column] === true ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
