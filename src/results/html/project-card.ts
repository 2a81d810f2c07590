import { linkTarget } from '../cells.ts';
import { codeInWords } from '../columns.ts';
import type { FlatRecord } from '../flatten.ts';
import { type JudgedProject, type ResultPhoto, THUMBNAIL } from '../model.ts';
import { html } from './page.ts';

/** Reasons that stand open on a card; the others unfold. */
const REASONS_OPEN = 6;

/** A house on the page: its row in the table and its card, ready to be written. */
export interface HouseOnPage {
  readonly points: number;
  readonly status: string;
  readonly row: string;
  readonly card: string;
}

/** A photo that stands small in the page: a JPEG of it, and the photo it opens. */
export interface SmallPhoto {
  readonly bytes: Uint8Array;
  readonly photo: ResultPhoto;
}

/** The page's script goes by the order of rows and cards, and searches `h3`, `.who`, `dd` and `.why`. */
export function houseOnPage(judged: JudgedProject, small: readonly SmallPhoto[]): HouseOnPage {
  const { project, points, findings, level } = judged;
  const { order, status } = project;
  const id = html(project.projectId);
  const property = html(`${order.streetAddress}, ${order.city}, ${order.state} ${order.zipcode}`);
  const badge = level === null ? '' : `<span class="level ${level}">${level}</span>`;
  const first = findings[0]?.reason ?? project.problems[0] ?? '';
  return {
    points,
    status,
    row:
      `<tr><td>${badge}</td><td class="number">${points === 0 ? '' : points}</td><th scope="row"><a href="#p${id}">${id}</a></th>` +
      `<td>${html(order.policyNumber ?? '')}</td><td>${html(order.insuredName)}</td><td>${property}</td><td>${html(status)}</td><td>${html(first)}</td></tr>\n`,
    card:
      `<article id="p${id}" tabindex="-1" data-level="${level ?? ''}" data-status="${html(status)}"><h3>${property} ${badge}</h3><p class="soft who">Project ${id} · ${html(order.insuredName)}</p>${smallPhotos(small)}` +
      `<dl>${entry('Status', status)}${entry('Policy number', order.policyNumber)}${entry('Inspection number', order.inspectionNumber)}${entry('Service', order.serviceName)}${entry('Due', order.dueDate)}${entry('Hazards', hazardsOf(judged.record))}</dl>` +
      `${reasons(findings.map(({ reason }) => reason))}${reasons(project.problems)}${reportLine(judged)}${allPhotos(project)}</article>\n`,
  };
}

/** The kinds that the chart of hazards counts, in the same words. */
function hazardsOf({ lists }: FlatRecord): string {
  const kinds = (lists.get('summary.factors')?.items ?? []).map((item) => item.values.get('name')?.leaf).filter((leaf) => typeof leaf === 'string');
  return [...new Set(kinds.map(codeInWords))].join(', ');
}

function reasons(all: readonly string[]): string {
  const more = all.slice(REASONS_OPEN);
  const folded = more.length === 0 ? '' : `<details class="why"><summary>${more.length === 1 ? '1 more reason' : `${more.length} more reasons`}</summary>${list(more)}</details>`;
  return all.length === 0 ? '' : `<div class="why">${list(all.slice(0, REASONS_OPEN))}</div>${folded}`;
}

function list(texts: readonly string[]): string {
  return `<ul>${texts.map((text) => `<li>${html(text)}</li>`).join('')}</ul>`;
}

function smallPhotos(small: readonly SmallPhoto[]): string {
  if (small.length === 0) return '';
  const links = small.map(
    ({ bytes, photo }) =>
      `<a href="${html(linkTarget(photo.path))}"><img src="data:image/jpeg;base64,${Buffer.from(bytes).toString('base64')}" width="${THUMBNAIL.width}" height="${THUMBNAIL.height}" alt="">${html(nameOf(photo))}</a>`,
  );
  return `<div class="photos">${links.join('')}</div>`;
}

function reportLine({ reports, project }: JudgedProject): string {
  const report = reports.find(({ path }) => path !== null);
  const links = [
    ...(report === undefined ? [] : [link(report.path ?? '', report.type === '' ? 'Report' : report.type)]),
    // Photos that nobody lists, in a folder.
    ...(project.photosPath === null || project.photos.length > 0 ? [] : [link(project.photosPath, counted(project.photoCount))]),
  ];
  return links.length === 0 ? '<p class="soft">No report yet.</p>' : `<p>${links.join(' · ')}</p>`;
}

function allPhotos({ photos }: JudgedProject['project']): string {
  if (photos.length === 0) return '';
  const items = photos.map((photo) => `<li>${link(photo.path, nameOf(photo))}</li>`);
  return `<details class="all"><summary>${photos.length === 1 ? 'The photo' : `All ${counted(photos.length)}`}</summary><ol>${items.join('')}</ol></details>`;
}

function counted(photos: number): string {
  return photos === 1 ? '1 photo' : `${photos} photos`;
}

/** What the service said of it, else the name of its file. */
function nameOf({ path, description }: ResultPhoto): string {
  return description || path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '');
}

function link(path: string, text: string): string {
  return `<a href="${html(linkTarget(path))}">${html(text)}</a>`;
}

function entry(name: string, value: string | undefined): string {
  return value === undefined || value === '' ? '' : `<dt>${name}</dt><dd>${html(value)}</dd>`;
}
