const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Control characters, and marks that turn the direction of what follows: a text must not change how the rest of the page reads. */
const NOT_SHOWN = /[^\t\n\r\P{Cc}]|[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\p{Cs}]/gu;

/** Text in which every character can be seen, or a sign that one cannot. */
export function visible(text: string): string {
  return text.replaceAll(NOT_SHOWN, '\u{FFFD}');
}

/** Text as it may stand in a page's content and in its attributes. */
export function html(text: string): string {
  return visible(text).replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}
