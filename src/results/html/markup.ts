import { html } from '../../domain/text.ts';
import { linkTarget } from '../cells.ts';
import { type ResultPhoto, THUMBNAIL } from '../model.ts';

/** A link to a file of the delivery. */
export function link(path: string, text: string): string {
  return `<a href="${html(linkTarget(path))}">${html(text)}</a>`;
}

/** A photo in small: with its bytes, it stands in the page; without them, its file is read when it comes into sight. A click shows it large. */
export function smallPhoto(photo: ResultPhoto, bytes: Uint8Array | null): string {
  const target = html(linkTarget(photo.path));
  const source = bytes === null ? target : `data:image/jpeg;base64,${Buffer.from(bytes).toString('base64')}`;
  return `<a class="photo" href="${target}"><img src="${source}" width="${THUMBNAIL.width}" height="${THUMBNAIL.height}"${bytes === null ? ' loading="lazy"' : ''} alt=""><span>${html(photoName(photo))}</span></a>`;
}

/** What the service said of it, else the name of its file. */
function photoName({ path, description }: ResultPhoto): string {
  return description || path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '');
}

/** A part of the page with its heading; empty where it has nothing to show. */
export function part(id: string, title: string, content: string): string {
  return content === '' ? '' : `<section aria-labelledby="${id}"><h2 id="${id}" tabindex="-1">${html(title)}</h2>${content}</section>\n`;
}

/** A table of texts that a person unfolds; `headers` and cells are text, not markup. */
export function foldedTable(summary: string, headers: readonly string[], rows: readonly (readonly string[])[], isOpen = false): string {
  const head = headers.map((header) => `<th scope="col">${html(header)}</th>`).join('');
  const body = rows.map((cells) => `<tr>${cells.map((cell, index) => `<td data-label="${html(headers[index] ?? '')}">${html(cell)}</td>`).join('')}</tr>`).join('\n');
  return `<details class="folded"${isOpen ? ' open' : ''}><summary>${html(summary)}</summary><table class="plain"><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></details>`;
}

export function money(amount: number | undefined): string {
  return amount === undefined ? '' : `$${amount.toLocaleString('en-US')}`;
}

/** `November 9, 2026`, in UTC. */
export function day(epochMs: number): string {
  return new Date(epochMs).toLocaleDateString('en-US', { year: 'numeric', month: 'long', day: 'numeric', timeZone: 'UTC' });
}

/** `1 house`, `12 houses`. */
export function counted(count: number, one: string, more = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : more}`;
}
