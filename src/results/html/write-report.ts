import { hash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import type { JudgedProject, ResultPhoto, ResultsInput } from '../model.ts';
import type { Tallies } from '../sheets/overview.ts';
import { photosByRelevance } from '../sheets/photos.ts';
import { type ChartFigure, figuresOf, type RoofAges } from './charts.ts';
import { html, PAGE_SCRIPT, PAGE_STYLE } from './page.ts';
import { type HouseOnPage, houseOnPage, type SmallPhoto } from './project-card.ts';

/** Photos inside the page, so that it opens fast and can be mailed; the others are a link away. */
const PHOTOS_PER_PROJECT = 3;
const PHOTOS_MAX = 300;

/** Nothing runs and nothing styles but what is known by its hash; nothing is asked of any network. */
const POLICY = `default-src 'none'; img-src data:; style-src ${byHash(PAGE_STYLE)}; script-src ${byHash(PAGE_SCRIPT)}; base-uri 'none'; form-action 'none'`;

function byHash(text: string): string {
  return `'sha256-${hash('sha256', text, 'base64')}'`;
}

/** The HTML report as it grows: one page that needs nothing else, the riskiest houses first. */
export class ReportPage {
  readonly #houses: HouseOnPage[] = [];
  readonly #withPhotos: ReadonlySet<string>;

  /** `all`: the projects that are to come, so that the riskiest have photos. */
  constructor(all: readonly PhotoWish[]) {
    this.#withPhotos = riskiest(all);
  }

  async add(judged: JudgedProject): Promise<void> {
    const photos = this.#withPhotos.has(judged.project.projectId) ? photosByRelevance(judged) : [];
    this.#houses.push(houseOnPage(judged, await smallPhotos(photos)));
  }

  /** Writes the page to `path`, which should be a temporary name. */
  async write(path: string, { run, writtenAt, overview }: ResultsInput, counts: { readonly tallies: Tallies; readonly ages: RoofAges }): Promise<void> {
    const houses = this.#houses.toSorted((a, b) => b.points - a.points);
    const figures = await figuresOf(overview, counts);
    const at = `${new Date(writtenAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
    const page = [
      '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
      `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`,
      `<title>Inspection results, ${html(at)}</title><style>${PAGE_STYLE}</style></head><body><a class="skip" href="#projects">To the projects</a>`,
      `<header><h1>Inspection results</h1><p class="soft">Run ${html(run)}, written ${html(at)}. The workbook beside this page holds every value.</p></header>`,
      finder(houses),
      '<main>',
      night(overview),
      needsPerson(overview.needsPerson),
      charts(figures),
      ...projects(houses),
      `</main><script>${PAGE_SCRIPT}</script></body></html>\n`,
    ];
    // Piece by piece: as one text it would take its length in memory several times.
    await writeFile(path, page);
  }
}

/** A project that may have photos in the page. */
export interface PhotoWish {
  readonly projectId: string;
  readonly points: number;
  readonly photoCount: number;
}

/** The projects whose photos stand in the page: those with most points. */
function riskiest(all: readonly PhotoWish[]): ReadonlySet<string> {
  const chosen = new Set<string>();
  let left = PHOTOS_MAX;
  for (const { projectId, photoCount } of all.toSorted((a, b) => b.points - a.points)) {
    const photos = Math.min(PHOTOS_PER_PROJECT, photoCount);
    if (photos === 0 || photos > left) continue;
    chosen.add(projectId);
    left -= photos;
  }
  return chosen;
}

async function smallPhotos(photos: readonly ResultPhoto[]): Promise<readonly SmallPhoto[]> {
  const made: SmallPhoto[] = [];
  for (const photo of photos) {
    if (made.length === PHOTOS_PER_PROJECT) break;
    const bytes = await photo.thumbnail?.();
    if (bytes !== undefined && bytes !== null) made.push({ bytes, photo });
  }
  return made;
}

function night({ files, byStatus }: ResultsInput['overview']): string {
  const sum = (value: (file: (typeof files)[number]) => number): number => files.reduce((total, file) => total + value(file), 0);
  const tiles = [
    ...(files.length === 0 ? [] : [tile(files.length, files.length === 1 ? 'file' : 'files'), tile(sum(({ read }) => read), 'rows read'), tile(sum(({ accepted }) => accepted), 'accepted'), tile(sum(({ rejected }) => rejected), 'rejected')]),
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

function charts(figures: readonly ChartFigure[]): string {
  if (figures.length === 0) return '';
  const shown = figures.map(({ title, svg, note }) => `<figure><figcaption>${html(title)}</figcaption>${svg}${note === undefined ? '' : `<p class="soft">${html(note)}</p>`}</figure>`);
  return `<section aria-labelledby="charts-head"><h2 id="charts-head">At a glance</h2><div class="charts">${shown.join('')}</div></section>\n`;
}

/** The bar that stays in sight. The script switches it on. */
function finder(houses: readonly HouseOnPage[]): string {
  const statuses = [...new Set(houses.map(({ status }) => status))].toSorted();
  const options = (any: string, values: readonly string[]): string => [`<option value="">${any}</option>`, ...values.map((value) => `<option>${html(value)}</option>`)].join('');
  return (
    '<form id="find" class="bar" role="search" aria-label="Projects" autocomplete="off"><div>' +
    '<label class="find"><span>Search</span><input id="search" type="search" placeholder="reason, policy, name, address" disabled></label><button id="clear" type="button" disabled>Show all</button>' +
    `<label><span>Attention</span><select id="level" disabled>${options('any attention', ['High', 'Medium', 'Low'])}</select></label>` +
    `<label><span>Status</span><select id="status" disabled>${options('any status', statuses)}</select></label>` +
    `<p><span id="shown" role="status">${houses.length} projects.</span><a href="#projects">To the projects</a><a href="#cards-head">House by house</a></p></div></form>`
  );
}

function projects(houses: readonly HouseOnPage[]): readonly string[] {
  return [
    '<section aria-labelledby="projects"><h2 id="projects" tabindex="-1">Projects, the riskiest first</h2>',
    '<table><thead><tr><th scope="col">Attention</th><th scope="col" class="number">Points</th><th scope="col">Project</th><th scope="col">Policy</th>',
    '<th scope="col">Insured</th><th scope="col">Property</th><th scope="col">Status</th><th scope="col">First reason</th></tr></thead><tbody>\n',
    ...houses.map(({ row }) => row),
    '</tbody></table></section>\n<section aria-labelledby="cards-head"><h2 id="cards-head" tabindex="-1">House by house</h2><div class="cards">\n',
    ...houses.map(({ card }) => card),
    '</div></section>',
  ];
}
