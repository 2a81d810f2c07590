import { linkTarget } from '../cell-text.ts';
import type { Finding } from '../attention/findings.ts';
import { levelOf } from '../attention-sheet.ts';
import type { ProjectRecord } from '../project-columns.ts';
import { THUMBNAIL } from '../results-input.ts';
import { html } from './html-text.ts';

/** Findings told in full on a card; further ones are counted. */
const FINDINGS_MAX = 6;

/** A house on the page: its row in the table and its card, ready to be written. */
export interface ProjectPart {
  readonly points: number;
  readonly status: string;
  readonly row: string;
  readonly card: string;
}

/** `thumbnails` are JPEGs with the photos they open. */
export function projectPart(record: ProjectRecord, findings: readonly Finding[], thumbnails: readonly { readonly bytes: Uint8Array; readonly path: string; readonly description: string }[]): ProjectPart {
  const { project, points } = record;
  const { order, status } = project;
  const level = points > 0 ? levelOf(points) : null;
  const data = `data-project="${html(project.projectId)}" data-level="${level ?? ''}" data-status="${html(status)}"`;
  const property = `${order.streetAddress}, ${order.city}, ${order.state} ${order.zipcode}`;
  const badge = level === null ? '' : `<span class="level ${level}">${level}</span>`;
  const report = record.reports.find(({ path }) => path !== null);
  const links = [
    ...(report === undefined ? [] : [link(report.path ?? '', report.type === '' ? 'Report' : report.type)]),
    ...(project.photosPath === null ? [] : [link(project.photosPath, project.photoCount === 1 ? '1 photo' : `${project.photoCount} photos`)]),
  ];
  const first = findings[0]?.reason ?? project.problems[0] ?? '';
  return {
    points,
    status,
    row:
      `<tr ${data}><td>${badge}</td><td class="number">${points === 0 ? '' : points}</td><th scope="row"><a href="#p${html(project.projectId)}">${html(project.projectId)}</a></th>` +
      `<td>${html(order.policyNumber ?? '')}</td><td>${html(order.insuredName)}</td><td>${html(property)}</td><td>${html(status)}</td><td>${html(first)}</td></tr>\n`,
    card:
      `<article id="p${html(project.projectId)}" ${data}><h3>${html(property)} ${badge}</h3><p class="soft">Project ${html(project.projectId)} · ${html(order.insuredName)}</p>${photos(thumbnails)}` +
      `<dl>${entry('Status', status)}${entry('Policy number', order.policyNumber)}${entry('Inspection number', order.inspectionNumber)}${entry('Service', order.serviceName)}${entry('Due', order.dueDate)}</dl>` +
      `${listOf(findings)}${listOf(project.problems.map((reason) => ({ reason })))}${links.length === 0 ? '<p class="soft">No report yet.</p>' : `<p>${links.join(' · ')}</p>`}</article>\n`,
  };
}

function listOf(findings: readonly { readonly reason: string }[]): string {
  if (findings.length === 0) return '';
  const further = findings.length - FINDINGS_MAX;
  const items = findings.slice(0, FINDINGS_MAX).map(({ reason }) => `<li>${html(reason)}</li>`);
  return `<ul>${items.join('')}${further > 0 ? `<li>and ${further} more in the workbook</li>` : ''}</ul>`;
}

function photos(thumbnails: readonly { readonly bytes: Uint8Array; readonly path: string; readonly description: string }[]): string {
  if (thumbnails.length === 0) return '';
  const images = thumbnails.map(
    ({ bytes, path, description }) =>
      `<a href="${html(linkTarget(path))}"><img src="data:image/jpeg;base64,${Buffer.from(bytes).toString('base64')}" width="${THUMBNAIL.width}" height="${THUMBNAIL.height}" alt="${html(description || 'photo')}"></a>`,
  );
  return `<div class="photos">${images.join('')}</div>`;
}

function link(path: string, text: string): string {
  return `<a href="${html(linkTarget(path))}">${html(text)}</a>`;
}

function entry(name: string, value: string | undefined): string {
  return value === undefined || value === '' ? '' : `<dt>${name}</dt><dd>${html(value)}</dd>`;
}
