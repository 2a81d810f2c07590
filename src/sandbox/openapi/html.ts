const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text as HTML. */
export function html(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}

/** Text as HTML, what stands between backticks as code. */
export function inline(text: string): string {
  return html(text).replaceAll(/`([^`]+)`/g, (_, code: string) => `<code>${code}</code>`);
}

/** Text as paragraphs; an empty line parts them. */
export function paragraphs(text: string): string {
  return text.split('\n\n').map((part) => `<p>${inline(part)}</p>`).join('');
}
