import { stringifyExactJson } from '../../contract/json.ts';
import type { Summary } from './summary.ts';

/** A report as XML: the summary's objects as elements, list entries as `<item>`. */
export function reportXml(summary: Summary): Buffer {
  const { id, type, project, summary: findings } = summary;
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n<report id="${escaped(id)}" type="${escaped(type)}">\n${element('project', project, 1)}${element('summary', findings, 1)}</report>\n`;
  return Buffer.from(text);
}

function element(name: string, value: unknown, depth: number): string {
  const indent = '  '.repeat(depth);
  if (value === null || value === undefined) return `${indent}<${name}/>\n`;
  if (typeof value !== 'object') return `${indent}<${name}>${escaped(typeof value === 'string' ? value : stringifyExactJson(value))}</${name}>\n`;
  const children: [string, unknown][] = Array.isArray(value) ? value.map((item: unknown) => ['item', item]) : Object.entries(value);
  return `${indent}<${name}>\n${children.map(([child, held]) => element(child, held, depth + 1)).join('')}${indent}</${name}>\n`;
}

/** XML cannot hold most control characters at all. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^\t\n\r\u0020-\uFFFD\u{10000}-\u{10FFFF}]/gu, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
