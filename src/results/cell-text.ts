import { visible } from '../domain/visible-text.ts';

/** What Excel holds in a cell. */
const CELL_TEXT_LENGTH_MAX = 32_767;

/** Control characters apart from tab and line feed, and what XML 1.0 cannot carry. */
const ILLEGAL = /[^\t\n\P{Cc}]|[\uFFFE\uFFFF]/gu;

/** Text with none of these is legal as it is. */
const SUSPECT = /[^\t\n\P{Cc}]|[\uFFFE\uFFFF\p{Cs}]/u;

/** `_x0041_` stands for a character in a workbook's XML: its underscore is written out, so that the text stays what it is. */
const ESCAPE_LIKE = /_(?=x[0-9A-Fa-f]{4}_)/g;

/** Text as a cell can hold it: every character legal and to be seen, line feeds as line ends, cut where it is too long, saying so. */
export function cellText(text: string): string {
  const legal = visible(SUSPECT.test(text) ? text.toWellFormed().replaceAll(/\r\n?/g, '\n').replaceAll(ILLEGAL, '') : text);
  const escaped = legal.includes('_x') ? legal.replaceAll(ESCAPE_LIKE, '_x005F_') : legal;
  if (escaped.length <= CELL_TEXT_LENGTH_MAX) return escaped;
  const note = ` … [cut here: the text has ${legal.length} characters]`;
  return escaped.slice(0, CELL_TEXT_LENGTH_MAX - note.length).toWellFormed() + note;
}

/** A relative path as a link's target: each step encoded, so that spaces, `#` and `?` are part of the name. */
export function linkTarget(path: string): string {
  return path.split('/').map((step) => encodeURIComponent(step)).join('/');
}
