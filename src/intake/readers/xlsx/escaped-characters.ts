/** Characters that XML cannot hold stand in a workbook as `_x000D_`, and a literal `_x000D_` as `_x005F_x000D_`. */
export function unescapeCharacters(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
