/** What Excel holds in a cell. */
const CELL_TEXT_LENGTH_MAX = 32_767;

/** Control characters apart from tab and line feed, and what XML 1.0 cannot carry. */
const ILLEGAL = /[^\t\n\P{Cc}]|[\uFFFE\uFFFF]/gu;

/** `_x0041_` stands for a character in a workbook's XML: its underscore is written out, so that the text stays what it is. */
const ESCAPE_LIKE = /_(?=x[0-9A-Fa-f]{4}_)/g;

/** Text with none of these needs no further look. */
const SUSPECT = /[^\t\n\P{Cc}]|[\uFFFE\uFFFF\p{Cs}]|_x/u;

/** Text as a cell can hold it: legal characters only, line feeds as line ends, cut where it is too long, saying so. */
export function cellText(text: string): string {
  if (text.length <= CELL_TEXT_LENGTH_MAX && !SUSPECT.test(text)) return text;
  const legal = text.toWellFormed().replaceAll(/\r\n?/g, '\n').replaceAll(ILLEGAL, '');
  const escaped = legal.replaceAll(ESCAPE_LIKE, '_x005F_');
  if (escaped.length <= CELL_TEXT_LENGTH_MAX) return escaped;
  const note = ` … [cut here: the text has ${legal.length} characters]`;
  return escaped.slice(0, CELL_TEXT_LENGTH_MAX - note.length).toWellFormed() + note;
}

/** A relative path as a link's target: each step encoded, so that spaces, `#` and `?` are part of the name. */
export function linkTarget(path: string): string {
  return path.split('/').map((step) => encodeURIComponent(step)).join('/');
}
