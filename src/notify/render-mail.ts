import { format } from 'date-fns/format';
import { html, escapeInvisible, escapeLine } from '../domain/text.ts';

export type MailText = Readonly<{
  subject: string;
  heading: string;
  parts: readonly MailPart[];
  footer: string;
}>;

type LinkedItem = Readonly<Record<'title' | 'href' | 'text', string>>;

export type MailPart = Readonly<
  | { kind: 'paragraph'; text: string }
  | { kind: 'list'; title: string; items: readonly (string | LinkedItem)[] }
  | { kind: 'figures'; lines: readonly (readonly [string, string])[] }
  | { kind: 'table'; headers: readonly string[]; rows: readonly (readonly string[])[] }
>;

export function renderPlainMail({ heading, parts, footer }: MailText) {
  return escapeInvisible(
    [escapeLine(heading), ...parts.map(partText), '-- ', footer].join('\n\n').replace('-- \n\n', '-- \n'),
  ).concat('\n');
}

function partText(part: MailPart) {
  switch (part.kind) {
    case 'paragraph':
      return part.text;
    case 'list':
      return [`${part.title}:`, ...part.items.map(itemText)].join('\n');
    case 'figures':
      return aligned(part.lines);
    case 'table':
      return part.rows
        .map((cells) =>
          [
            escapeLine(cells[0] ?? ''),
            aligned(cells.slice(1).map((cell, index) => [`  ${part.headers[index + 1] ?? ''}`, cell])),
          ].join('\n'),
        )
        .join('\n\n');
  }
}

function itemText(item: string | LinkedItem) {
  if (typeof item === 'string') return `- ${escapeLine(item)}`;
  const link = item.href.startsWith('file:') ? '' : `\n  ${item.href}`;
  return `- ${escapeLine(`${item.title}: ${item.text}`)}${link}`;
}

function itemHtml(item: string | LinkedItem) {
  if (typeof item === 'string') return `<li>${htmlLine(item)}</li>`;
  return `<li style="margin:0 0 6px"><a href="${html(item.href)}">${htmlLine(item.title)}</a><br>${htmlLine(item.text)}</li>`;
}

function htmlLine(text: string) {
  return html(escapeLine(text));
}

function aligned(lines: readonly (readonly [string, string])[]) {
  const width = Math.max(...lines.map(([name]) => name.length));
  return lines.map(([name, value]) => `${name.padEnd(width)}  ${escapeLine(value)}`).join('\n');
}

const FONT = 'font:15px/1.5 -apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif';
const CELL = 'padding:6px 14px 6px 0;border-bottom:1px solid #9aa5b455;text-align:left;vertical-align:top';
const SHORT_LENGTH_MAX = 26;
const HEADER_CELL = `${CELL};white-space:nowrap;font-weight:600`;

/** Styles on the elements (mail programs drop others), colors for light and dark, nothing external. */
export function renderHtmlMail({ subject, heading, parts, footer }: MailText) {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${htmlLine(subject)}</title></head>
<body style="margin:0;padding:20px;${FONT}"><div style="max-width:640px">
<h1 style="font-size:20px;line-height:1.3;margin:0 0 12px">${htmlLine(heading)}</h1>
${parts.map(partHtml).join('\n')}
<p style="margin:24px 0 0;font-size:13px;opacity:.75;overflow-wrap:anywhere">${html(footer)}</p>
</div></body></html>
`;
}

function partHtml(part: MailPart) {
  switch (part.kind) {
    case 'paragraph':
      return `<p style="margin:0 0 14px">${html(part.text)}</p>`;
    case 'list':
      return `<p style="margin:0 0 4px;font-weight:600">${html(part.title)}</p><ul style="margin:0 0 14px;padding-left:20px;overflow-wrap:anywhere">${part.items.map(itemHtml).join('')}</ul>`;
    case 'figures':
      return tableHtml(null, part.lines);
    case 'table':
      return tableHtml(part.headers, part.rows);
  }
}

function tableHtml(headers: readonly string[] | null, rows: readonly (readonly string[])[]) {
  const head =
    headers === null
      ? ''
      : `<tr>${headers.map((header) => `<th scope="col" style="${HEADER_CELL}">${html(header)}</th>`).join('')}</tr>`;
  const body = rows
    .map(
      (cells) =>
        `<tr>${cells.map((cell, index) => cellHtml(escapeLine(cell), headers === null && index === 0)).join('')}</tr>`,
    )
    .join('');
  return `<table style="border-collapse:collapse;margin:0 0 14px;${FONT}">${head}${body}</table>`;
}

function cellHtml(text: string, isName: boolean) {
  const style = `${CELL};${text.length <= SHORT_LENGTH_MAX ? 'white-space:nowrap' : 'overflow-wrap:anywhere'}`;
  return isName
    ? `<th scope="row" style="${style};font-weight:400">${html(text)}</th>`
    : `<td style="${style}">${html(text)}</td>`;
}

export function formatDay(at: number) {
  return format(at, 'EEEE, MMMM d');
}
