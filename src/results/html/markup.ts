import { html } from '../../domain/text.ts';
import { linkTarget } from '../cells.ts';
import { type ResultPhoto, THUMBNAIL } from '../model.ts';
import { explained, type Term } from './glossary.ts';

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

/** A table of texts that a person unfolds, without the columns that are empty in every row; `headers` and cells are text, not markup. In the first column stand projects or policies. */
export function foldedTable(summary: string, headers: readonly Term[], rows: readonly (readonly string[])[], houses: ReadonlySet<string>): string {
  const shown = headers.flatMap((header, column) => (rows.some((cells) => cells[column] !== '') ? [{ header, column }] : []));
  const head = shown.map(({ header }) => `<th scope="col"${explained(header)}>${header}</th>`).join('');
  const body = rows.map((cells) => `<tr>${shown.map(({ header, column }) => `<td data-label="${header}"${whole(cells[column])}>${column === 0 ? houseLinkOf(html(cells[0] ?? ''), houses) : html(cells[column] ?? '')}</td>`).join('')}</tr>`).join('\n');
  return `<details class="folded"><summary>${html(summary)}</summary><table class="plain"><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>${rows.length > LIST_PRINTED_MAX ? `<p class="paper" hidden>Only the first ${LIST_PRINTED_MAX} are printed; the workbook has all of them.</p>` : ''}</details>`;
}

/** Of a longer list the rest is not printed: the page's style counts the rows. */
export const LIST_PRINTED_MAX = 100;

/** A number in a page, linked where it is a project whose house the page has. */
export function houseLinkOf(number: string, houses: ReadonlySet<string>): string {
  return houses.has(number) ? `<a href="#p${number}">${number}</a>` : number;
}

/** Longer ones do not fit into a column: they may break, rather than push others off the page. */
const WHOLE_MAX = 24;

/** The class of a cell: numbers, identifiers and dates stay on one line, and a word that is too long for its column breaks. */
export function whole(text = '', others = ''): string {
  const isShort = text.length <= WHOLE_MAX && (!text.includes(' ') || DATE.test(text));
  const names = [others, isShort ? 'whole' : text.split(/\s/).some((word) => word.length > WHOLE_MAX) ? 'breaks' : ''].filter((name) => name !== '');
  return names.length === 0 ? '' : ` class="${names.join(' ')}"`;
}

const DATE = /^\w{3} \d{1,2}, \d{4}$/;

export function money(amount: number | undefined): string {
  return amount === undefined ? '' : `$${amount.toLocaleString('en-US')}`;
}

/** `Nov 9, 2026`, in UTC. */
export function day(epochMs: number): string {
  return new Date(epochMs).toLocaleDateString('en-US', { year: 'numeric', month: 'short', day: 'numeric', timeZone: 'UTC' });
}

/** The same of `YYYY-MM-DD`; of anything else itself. */
export function dateOf(date = ''): string {
  return /^\d{4}-\d\d-\d\d$/.test(date) && !Number.isNaN(Date.parse(date)) ? day(Date.parse(date)) : date;
}

/** `1 house`, `12 houses`. */
export function counted(count: number, one: string, more = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : more}`;
}
