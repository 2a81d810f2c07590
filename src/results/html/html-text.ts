import { visible } from '../../domain/visible-text.ts';

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text as it may stand in a page's content and in its attributes. */
export function html(text: string): string {
  return visible(text).replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}
