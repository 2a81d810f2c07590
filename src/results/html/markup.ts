import { hash } from 'node:crypto';
import { templateTexts, templateText } from '../../contract/template-data.ts';
import { markup } from '../../domain/markup.ts';
import { html } from '../../domain/text.ts';
import { linkTarget } from '../workbook.ts';
import { type ResultPhoto, THUMBNAIL } from '../model.ts';

export const pagePart = markup('page/parts');

/** Scripts and styles run by hash only; images come from the delivery only. */
export function styleAndScript(...scripts: readonly string[]) {
  const style = `\n${templateText('page/page.css')}`;
  const script = `\n${scripts.map(templateText).join('')}`;
  const byHash = (text: string) => `'sha256-${hash('sha256', text, 'base64')}'`;
  const policy = `default-src 'none'; img-src data: file: 'self'; style-src ${byHash(style)}; script-src ${byHash(script)}; base-uri 'none'; form-action 'none'`;
  return { policy, style, script };
}

export function link(path: string, text: string) {
  return `<a href="${html(linkTarget(path))}">${html(text)}</a>`;
}

export function smallPhoto(photo: ResultPhoto, bytes: Uint8Array | null, isEarlier = false) {
  const name = photo.description || photo.path.slice(photo.path.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '');
  const target = html(linkTarget(photo.path));
  const source = bytes === null ? target : `data:image/jpeg;base64,${Buffer.from(bytes).toString('base64')}`;
  const lazy = bytes === null ? ' loading="lazy"' : '';
  const earlier = isEarlier ? ' <b>(previous inspection)</b>' : '';
  return pagePart('photo', { ...THUMBNAIL, target, source, lazy, name: html(name), earlier });
}

/** Empty without content. */
export function element(name: string, content: readonly string[], attributes = '') {
  return content.length === 0 ? '' : `<${name}${attributes}>${content.join('')}</${name}>`;
}

export function renderSection(id: string, title: string, content: string) {
  return content === ''
    ? ''
    : `<section aria-labelledby="${id}"><h2 id="${id}" tabindex="-1">${html(title)}</h2>${content}</section>\n`;
}

/** `share`: 0 to 1. */
export function bar(share: number, attributes = '') {
  return pagePart('bar', { width: (share * 100).toFixed(1), attributes });
}

export type ListCell = string | { readonly alarm: string };

/** Without empty columns. `cut`: a sentence for an incomplete list. */
export function foldedTable(
  summary: string,
  headers: readonly string[],
  rows: readonly (readonly ListCell[])[],
  houses: ReadonlySet<string>,
  cut: string,
) {
  const shown = headers.flatMap((header, column) =>
    rows.some((cells) => cells[column] !== '') ? [{ header, column }] : [],
  );
  const head = shown.map(({ header }) => `<th scope="col"${meaningAttribute(header)}>${header}</th>`);
  const tableCell = (header: string, cell: ListCell = '') => {
    if (typeof cell !== 'string')
      return `<td data-label="${header}"><span class="level High">${html(cell.alarm)}</span></td>`;
    const inside = header === 'Project' ? houseLinkOf(html(cell), houses) : html(cell);
    return `<td data-label="${header}"${wrapClass(cell)}>${inside}</td>`;
  };
  const body = rows
    .map(
      (cells, index) =>
        `<tr${index < LIST_PRINTED_MAX ? '' : ' class="unprinted"'}>${shown.map(({ header, column }) => tableCell(header, cells[column])).join('')}</tr>`,
    )
    .join('\n');
  return pagePart('folded-table', {
    summary: html(summary),
    cut: cut && `<p class="soft">${html(cut)}</p>`,
    head,
    body,
    paper: rows.length > LIST_PRINTED_MAX ? pagePart('folded-table-printed', { max: LIST_PRINTED_MAX }) : '',
  });
}

const LIST_PRINTED_MAX = 100;

export function houseLinkOf(number: string, houses: ReadonlySet<string>) {
  return houses.has(number) ? `<a href="#p${number}">${number}</a>` : number;
}

const WHOLE_MAX = 24;

export function wrapClass(text = '') {
  const isShort = text.length <= WHOLE_MAX && (!text.includes(' ') || DATE.test(text));
  if (isShort) return ' class="whole"';
  return text.split(/\s/).some((word) => word.length > WHOLE_MAX) ? ' class="breaks"' : '';
}

const DATE = /^\w{3} \d{1,2}, \d{4}$/;

export function dollars(amount: number | undefined) {
  return amount === undefined ? '' : `$${amount.toLocaleString('en-US')}`;
}

const DAY = new Intl.DateTimeFormat('en-US', { year: 'numeric', month: 'short', day: 'numeric', timeZone: 'UTC' });

/** `Nov 9, 2026`, in UTC. */
export function day(epochMs: number) {
  return DAY.format(epochMs);
}

/** `Nov 9, 2026, 07:00`, in UTC. */
export function dayAndTime(epochMs: number) {
  return `${day(epochMs)}, ${new Date(epochMs).toISOString().slice(11, 16)}`;
}

/** For `YYYY-MM-DD`; other texts unchanged. */
export function dateOf(date = '') {
  return /^\d{4}-\d\d-\d\d$/.test(date) && !Number.isNaN(Date.parse(date)) ? day(Date.parse(date)) : date;
}

const terms = templateTexts('page/terms');

export function explainTerm(term: string) {
  const meaning = terms()[term];
  if (meaning === undefined) throw new Error(`the page does not explain ${term}`);
  return meaning;
}

export function meaningAttribute(term: string) {
  return ` title="${explainTerm(term)}"`;
}

export function glossary() {
  const meanings = Object.entries(terms()).map(([term, meaning]) => `<dt>${term}</dt><dd>${meaning}</dd>`);
  return pagePart('glossary', { meanings });
}
