import { format } from 'date-fns/format';
import { markup } from '../domain/markup.ts';
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

const mailHtml = markup('page/mail');

function itemHtml(item: string | LinkedItem) {
  if (typeof item === 'string') return mailHtml('item', { text: htmlLine(item) });
  const { title, href, text } = item;
  return mailHtml('linked', { title: htmlLine(title), href: html(href), text: htmlLine(text) });
}

function htmlLine(text: string) {
  return html(escapeLine(text));
}

function aligned(lines: readonly (readonly [string, string])[]) {
  const width = Math.max(...lines.map(([name]) => name.length));
  return lines.map(([name, value]) => `${name.padEnd(width)}  ${escapeLine(value)}`).join('\n');
}

const SHORT_LENGTH_MAX = 26;

export function renderHtmlMail({ subject, heading, parts, footer }: MailText) {
  return mailHtml('mail', {
    lineEnd: '\n',
    subject: htmlLine(subject),
    heading: htmlLine(heading),
    parts: parts.map(partHtml).join('\n'),
    footer: html(footer),
  });
}

function partHtml(part: MailPart) {
  switch (part.kind) {
    case 'paragraph':
      return mailHtml('paragraph', { text: html(part.text) });
    case 'list':
      return mailHtml('list', { title: html(part.title), items: part.items.map(itemHtml) });
    case 'figures':
      return tableHtml(part.lines.map(([name, value]) => [cellHtml('name', name), cellHtml('cell', value)]));
    case 'table':
      return tableHtml([
        part.headers.map((text) => mailHtml('header', { text: html(text) })),
        ...part.rows.map((cells) => cells.map((text) => cellHtml('cell', text))),
      ]);
  }
}

function tableHtml(rows: readonly (readonly string[])[]) {
  return mailHtml('table', { rows: rows.map((cells) => `<tr>${cells.join('')}</tr>`) });
}

function cellHtml(kind: 'name' | 'cell', text: string) {
  const line = escapeLine(text);
  const wrap = line.length <= SHORT_LENGTH_MAX ? 'white-space:nowrap' : 'overflow-wrap:anywhere';
  return mailHtml(kind, { text: html(line), wrap });
}

export function formatDay(at: number) {
  return format(at, 'EEEE, MMMM d');
}
