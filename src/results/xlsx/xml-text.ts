const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text as it stands in XML, in content and in attributes. It must be legal already: see cell-text.ts. */
export function xmlText(text: string): string {
  return /[&<>"]/.test(text) ? text.replaceAll(/[&<>"]/g, (character) => ESCAPES[character] ?? character) : text;
}

const letters: string[] = [];

/** The letters of a column, from 0: A, B, … Z, AA … */
export function columnLetters(index: number): string {
  return (letters[index] ??= index < 26 ? String.fromCodePoint(65 + index) : columnLetters(Math.floor(index / 26) - 1) + columnLetters(index % 26));
}

export const XML_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
