import { writeFile } from 'node:fs/promises';
import { judgedProjects } from '../judged-projects.ts';
import type { ProjectRecord } from '../project-columns.ts';
import type { ResultsInput } from '../results-input.ts';
import { Tallies } from '../tallies.ts';
import { RoofAges } from './roof-ages.ts';
import { chartPainter, type ChartFigure } from './charts.ts';
import { html } from './html-text.ts';
import { PAGE_SCRIPT, PAGE_STYLE } from './page-style.ts';
import { type ProjectPart, projectPart } from './project-card.ts';

/** Photos inside the page, so that it opens fast and can be mailed; the others are a link away. */
const PHOTOS_PER_PROJECT = 3;
const PHOTOS_MAX = 300;

/** Writes the HTML report: one page that needs nothing else, riskiest houses first. `path` should be a temporary name. */
export async function writeHtmlReport(path: string, input: ResultsInput): Promise<void> {
  const { run, writtenAt, overview } = input;
  const withPhotos = await riskiest(judgedProjects(input));
  const parts: ProjectPart[] = [];
  const roofs = new RoofAges();
  const tallies = new Tallies();
  for await (const { record, findings } of judgedProjects(input)) {
    roofs.add(record.record);
    tallies.add(record.record);
    parts.push(projectPart(record, findings, withPhotos.has(record.project.projectId) ? await thumbnailsOf(record) : []));
  }
  parts.sort((a, b) => b.points - a.points);
  const painter = await chartPainter();
  const figures: ChartFigure[] = [
    ...(overview.stages.length === 0 ? [] : [painter.bars('From rows to received', overview.stages, '#3b74c4')]),
    ...(overview.outstandingByAge.length === 0 ? [] : [painter.bars('Outstanding projects, by age', overview.outstandingByAge.map(({ age, count }) => ({ name: age, count })), '#8a6fb0')]),
    ...(tallies.hazards.length === 0 ? [] : [painter.bars('Houses with a hazard, by kind', tallies.hazards, '#c8692b')]),
    ...(roofs.rows.length === 0 ? [] : [painter.stacked('Condition of the roof, by its age', roofs.rows, roofs.parts)]),
  ];
  const at = `${new Date(writtenAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const page = [
    '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'">`,
    `<title>Inspection results, ${html(at)}</title><style>${PAGE_STYLE}</style></head><body><a class="skip" href="#projects">To the projects</a>`,
    `<header><h1>Inspection results</h1><p class="soft">Run ${html(run)}, written ${html(at)}. The workbook beside this page holds every value.</p></header><main>`,
    night(overview),
    needsPerson(overview.needsPerson),
    `<section aria-labelledby="charts-head"><h2 id="charts-head">At a glance</h2><div class="charts">${figures.map(({ title, svg }) => `<figure><figcaption>${html(title)}</figcaption>${svg}</figure>`).join('')}</div></section>\n`,
    projects(parts),
    `</main><script>${PAGE_SCRIPT}</script></body></html>\n`,
  ];
  await writeFile(path, page.join(''));
}

/** The projects whose photos stand in the page: those with most points. */
async function riskiest(judged: AsyncIterable<{ readonly record: ProjectRecord }>): Promise<ReadonlySet<string>> {
  const all: { readonly id: string; readonly points: number; readonly photos: number }[] = [];
  for await (const { record } of judged) all.push({ id: record.project.projectId, points: record.points, photos: Math.min(PHOTOS_PER_PROJECT, record.project.photos.length) });
  const chosen = new Set<string>();
  let left = PHOTOS_MAX;
  for (const { id, photos } of all.toSorted((a, b) => b.points - a.points)) {
    if (photos === 0 || photos > left) continue;
    chosen.add(id);
    left -= photos;
  }
  return chosen;
}

async function thumbnailsOf({ project }: ProjectRecord): Promise<{ bytes: Uint8Array; path: string; description: string }[]> {
  const made: { bytes: Uint8Array; path: string; description: string }[] = [];
  for (const { path, description = '', thumbnail } of project.photos) {
    const bytes = made.length < PHOTOS_PER_PROJECT ? await thumbnail?.() : null;
    if (bytes !== undefined && bytes !== null) made.push({ bytes, path, description });
  }
  return made;
}

function night({ files, byStatus }: ResultsInput['overview']): string {
  const sum = (value: (file: (typeof files)[number]) => number): number => files.reduce((total, file) => total + value(file), 0);
  const tiles = [
    ...(files.length === 0 ? [] : [tile(files.length, 'files'), tile(sum(({ read }) => read), 'rows read'), tile(sum(({ accepted }) => accepted), 'accepted'), tile(sum(({ rejected }) => rejected), 'rejected')]),
    ...byStatus.map(({ status, count }) => tile(count, status)),
  ];
  return `<section aria-labelledby="night-head"><h2 id="night-head">What the night did, and how the projects stand</h2><ul class="tiles">${tiles.join('')}</ul></section>\n`;
}

function tile(count: number, name: string): string {
  return `<li><b>${count.toLocaleString('en-US')}</b>${html(name)}</li>`;
}

function needsPerson(entries: ResultsInput['overview']['needsPerson']): string {
  if (entries.length === 0) return '';
  const items = entries.map(({ title, detail, command }) => `<li><strong>${html(title)}</strong> ${html(detail)}${command === '' ? '' : ` <code>${html(command)}</code>`}</li>`);
  return `<section aria-labelledby="person-head"><h2 id="person-head">What needs a person</h2><ul>${items.join('')}</ul></section>\n`;
}

function projects(parts: readonly ProjectPart[]): string {
  const statuses = [...new Set(parts.map(({ status }) => status))].toSorted();
  const options = (values: readonly string[]): string => ['<option value="">any</option>', ...values.map((value) => `<option>${html(value)}</option>`)].join('');
  return (
    '<section aria-labelledby="projects"><h2 id="projects" tabindex="-1">Projects, the riskiest first</h2><div class="filters" role="search" aria-label="Projects">' +
    '<label>Search <input id="search" type="search" placeholder="policy, name, street, finding" disabled></label>' +
    `<label>Attention <select id="level" disabled>${options(['High', 'Medium', 'Low'])}</select></label><label>Status <select id="status" disabled>${options(statuses)}</select></label>` +
    `<button id="clear" type="button" disabled>Show all</button></div><p id="shown" role="status">${parts.length} projects.</p>` +
    '<div class="scroll" tabindex="0" role="region" aria-label="Table of projects"><table><thead><tr><th scope="col">Attention</th><th scope="col" class="number">Points</th><th scope="col">Project</th><th scope="col">Policy</th>' +
    `<th scope="col">Insured</th><th scope="col">Property</th><th scope="col">Status</th><th scope="col">First reason</th></tr></thead><tbody>\n${parts.map(({ row }) => row).join('')}</tbody></table></div></section>\n` +
    `<section aria-labelledby="cards-head"><h2 id="cards-head">House by house</h2><div class="cards">\n${parts.map(({ card }) => card).join('')}</div></section>`
  );
}
