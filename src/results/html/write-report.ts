import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { template, type TemplateParts } from '../../contract/template-data.ts';
import { DECISIONS } from '../../domain/project.ts';
import { formatCount, html } from '../../domain/text.ts';
import type { HouseCounts } from '../house-counts.ts';
import type { JudgedProject, JudgedProjects, ResultProject, ResultsInput, SurveyedProject } from '../model.ts';
import type { Highlights } from '../highlights.ts';
import { earlierPhotos, photosByRelevance } from '../photos.ts';
import { casesPart, renderCharts, actionNeeded, roofsPart, renderNight } from './front.ts';
import { type Facets, type HouseOnPage, houseOnPage } from './house.ts';
import { renderLists } from './lists.ts';
import { day, link, meaningAttribute, pagePart, styleAndScript } from './markup.ts';
import { portfolioPart } from './portfolio.ts';
import { compareBands } from '../tables/roofs.ts';

const PHOTOS_PER_PROJECT = 3;
const PHOTOS_MAX = 300;

/** Of more houses, only High and Medium are printed, of many more only High, unless the reader filters. */
const PRINTED_MAX = 300;
const MEDIUM_PRINTED_MAX = 1000;

const ROWS_SHOWN = 40;
const ROWS_MORE = 200;

const pageTemplate = template('page/page.html');

const HOUSES_MAX = 5000;

export class ReportPage {
  readonly #houses: HouseOnPage[] = [];
  readonly #onPage;
  readonly #withPhotos;
  readonly #workbook: string | undefined;

  constructor(houses: HousesForPage, workbook?: string) {
    this.#workbook = workbook;
    this.#onPage = new Set(houses.chosen.map(({ projectId }) => projectId));
    this.#withPhotos = riskiest(houses.chosen);
  }

  async add(judged: JudgedProject) {
    if (!this.#onPage.has(judged.project.projectId)) return;
    this.#houses.push(houseOnPage(judged, await photosOnPage(judged, this.#withPhotos.has(judged.project.projectId))));
  }

  async write(
    path: string,
    input: ResultsInput,
    counts: HouseCounts,
    levels: JudgedProjects['levels'],
    highlights: Highlights,
  ) {
    const { run, writtenAt, overview, notice, decisionWords = DECISIONS } = input;
    const houses = this.#houses.toSorted((a, b) => b.rank - a.rank);
    const known = new Set(houses.map(({ projectId }) => projectId));
    const parts: TemplateParts = {
      ...listParts(houses, counts.all),
      ...styleAndScript('page/decisions.js', 'page/search.js', 'page/folded.js', 'page/page.js'),
      written: html(day(writtenAt)),
      houses: formatCount(counts.all, 'project'),
      housesHere: formatCount(houses.length, 'project'),
      run: html(run),
      workbook:
        this.#workbook === undefined ? '' : ` Every value is in the ${link(basename(this.#workbook), 'workbook')}.`,
      notice: notice === undefined ? '' : `<p role="note"><strong>${html(notice)}</strong></p>`,
      filters: filters(houses),
      decisions: decisionWords.map(
        (word) => `<button type="button" data-decision="${html(word)}">${html(word)}</button>`,
      ),
      decisionNames: html(decisionWords.join(', ')),
      lastKey: decisionWords.length,
      front: [
        renderNight(overview, counts, levels, highlights),
        await casesPart(highlights),
        actionNeeded(overview.needsPerson, known),
        await renderLists(input, known, counts),
        await roofsPart(highlights.roofs),
        portfolioPart(highlights.portfolio(input.nights), highlights.reports),
        renderCharts(overview, counts),
      ],
      lineEnd: '\n',
    };
    await writeFile(path, ['<!doctype html>\n', ...pageTemplate(parts), '\n']);
  }
}

type HouseForPage = Pick<ResultProject, 'projectId' | 'isNew'> &
  Readonly<{
    points: number;
    photoCount: number;
    hasReport: boolean;
  }>;

export class HousesForPage {
  #houses: HouseForPage[] = [];

  add({ project: { projectId, isNew, photos, reports }, points }: SurveyedProject) {
    this.#houses.push({ projectId, isNew, points, photoCount: photos.length, hasReport: reports.length > 0 });
    if (this.#houses.length === 2 * HOUSES_MAX) this.#houses = this.chosen;
  }

  get chosen() {
    if (this.#houses.length <= HOUSES_MAX) return this.#houses;
    const ranked = this.#houses.toSorted(
      (a, b) => b.points - a.points || Number(b.isNew) - Number(a.isNew) || Number(b.hasReport) - Number(a.hasReport),
    );
    return ranked.slice(0, HOUSES_MAX);
  }
}

function riskiest(all: readonly HouseForPage[]) {
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

async function photosOnPage(judged: JudgedProject, inPage: boolean) {
  const shown = [];
  const earlier = earlierPhotos(judged);
  let left = inPage ? PHOTOS_PER_PROJECT : 0;
  for (const photo of photosByRelevance(judged)) {
    const bytes = left > 0 ? ((await photo.thumbnail?.()) ?? null) : null;
    if (bytes !== null) left -= 1;
    shown.push({ photo, bytes, isEarlier: earlier.has(photo) });
  }
  return shown;
}

function filters(houses: readonly HouseOnPage[]) {
  const held = (facet: keyof Facets) =>
    [...new Set(houses.map(({ facets }) => String(facets[facet])))].filter(Boolean).toSorted();
  const select = (facet: keyof Facets, name: string, any: string, values = held(facet)) =>
    values.length === 0
      ? ''
      : pagePart('filter', { facet, name, any, options: values.map((value) => `<option>${html(value)}</option>`) });
  const levels = held('level');
  return [
    select(
      'level',
      'Attention',
      'any level',
      ['High', 'Medium', 'Low'].filter((level) => levels.includes(level)),
    ),
    select('action', 'Suggested', 'any suggestion'),
    select('state', 'State', 'any state'),
    select('service', 'Service', 'any service'),
    select('status', 'Status', 'any status'),
    select('roofAge', 'Roof age', 'any roof age', held('roofAge').toSorted(compareBands)),
  ].join('');
}

const COLUMNS = ['Attention', 'House', 'Policy', 'Why', 'Suggested', 'Coverage A', 'Service', 'Status', 'Due'];
const LARGEST_FIRST = new Set(['Attention', 'Coverage A']);

/** `all`: houses, including those beyond the page. */
function listParts(houses: readonly HouseOnPage[], all: number) {
  const heads = COLUMNS.map((title, index) =>
    pagePart('list-head', {
      title,
      attributes: (title === 'Coverage A' ? ' class="number"' : '') + (index === 0 ? ' aria-sort="descending"' : ''),
      index,
      first: LARGEST_FIRST.has(title) ? 'down' : '',
      meaning: meaningAttribute(title),
    }),
  );
  const isLong = houses.length > PRINTED_MAX;
  const printed = houses.length > MEDIUM_PRINTED_MAX ? ['High'] : ['High', 'Medium'];
  const left = houses.length - ROWS_SHOWN;
  return {
    listNotes: [
      all > houses.length
        ? pagePart('list-cut', { here: houses.length.toLocaleString('en-US'), all: formatCount(all, 'project') })
        : '',
      isLong ? pagePart('list-printed', { levels: printed.join(' and ') }) : '',
    ],
    long: isLong ? ' class="long"' : '',
    heads,
    rows: [
      '\n',
      ...houses.map(({ row, facets: { level } }, index) =>
        marked(row, [...(index >= ROWS_SHOWN ? ['later'] : []), ...(printed.includes(level) ? [] : ['low'])]),
      ),
    ],
    more: `data-first="${ROWS_SHOWN}" data-step="${ROWS_MORE}"${left > 0 ? ` disabled>Show ${Math.min(left, ROWS_MORE)} more of ${left}` : ' hidden disabled>'}`,
    sections: ['\n', ...houses.map(({ section }) => section)],
  };
}

function marked(row: string, classes: readonly string[]) {
  return classes.length === 0 ? row : `<tr class="${classes.join(' ')}"${row.slice('<tr'.length)}`;
}
