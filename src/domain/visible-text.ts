/**
 * What can be in a text without being seen, or changes how the text around it is shown: control characters (ESC and its kin among them), marks
 * that turn the direction of writing, zero-width and other ignorable characters, ends of lines that are none, halves of characters. The
 * selectors that make a heart red are left.
 */
const UNSEEN = /(?!\t|\n|\uFE0E|\uFE0F)[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Cs}\u2028\u2029\uFFF9-\uFFFB\uFFFE\uFFFF]/gu;
const ANY_UNSEEN = new RegExp(UNSEEN.source, 'u');

/**
 * A text of others (a file's name, a sender's, the service's words) as it may be shown: on a terminal, in a log, on a page, in a cell. What
 * cannot be seen stands there as `\u202e`. Line feeds and tabs stay. A text that is JSON stays the same JSON.
 */
export function visible(text: string): string {
  return ANY_UNSEEN.test(text) ? text.replaceAll('\r\n', '\n').replaceAll(UNSEEN, (character) => escaped(character)) : text;
}

/** The same as one line: a name must not look like a line of ours. */
export function visibleLine(text: string): string {
  return visible(text).replaceAll(/[\t\n]/g, (character) => escaped(character));
}

function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
}
