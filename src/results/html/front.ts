import { houseKey } from '../../domain/identity.ts';
import type { NightCounts } from '../../domain/project.ts';
import { html } from '../../domain/text.ts';
import { type Counted, type HouseCounts, NOT_ASSESSED, type Tally } from '../house-counts.ts';
import type { JudgedProject, JudgedProjects, PersonNote, ResultPhoto, ResultsInput } from '../model.ts';
import { photosByRelevance, roofPhotos } from '../photos.ts';
import { addressOf } from '../tables/project-columns.ts';
import { roofFindings, roofPoints } from '../tables/roofs.ts';
import { badges, type Facets, reasonsOf } from './house.ts';
import { dateOf, day, explained, glossary, houseLinkOf, part, smallPhoto } from './markup.ts';

const LEADERS = 10;
const REASONS_TOLD = 3;

interface Leader {
  readonly house: string;
  readonly rank: number;
  readonly card: string;
  readonly photo: ResultPhoto | undefined;
}

/** `inspectedAt` is 0 without an inspection. */
interface FrontHouse {
  readonly inspectedAt: number;
  readonly risk: Leader | null;
  readonly roof: Leader | null;
}

export class FrontHouses {
  /** By house and service; a later inspection replaces an earlier one. */
  readonly #houses = new Map<string, FrontHouse>();

  add(judged: JudgedProject): void {
    const { project, record, level } = judged;
    const house = houseKey(project.order);
    const visit = `${house}|${project.order.serviceName}`;
    const inspectedAt = record.values.size === 0 || judged.closedOut !== null ? 0 : (project.returnedAt ?? 0);
    const before = this.#houses.get(visit);
    if (judged.replacedBy !== null || inspectedAt < (before?.inspectedAt ?? 0)) return;
    const risk =
      level === null
        ? null
        : { house, rank: judged.points, card: riskCard(judged), photo: photosByRelevance(judged)[0] };
    const roof = roofOf(judged, house);
    if (before === undefined && inspectedAt === 0 && risk === null && roof === null) return;
    this.#houses.set(visit, { inspectedAt, risk, roof });
  }

  async riskiest(): Promise<string> {
    const leaders = this.#leaders(({ risk }) => risk);
    return part(
      'risk-head',
      leaders.length < LEADERS ? 'The houses to look at' : `The ${LEADERS} riskiest houses`,
      await cards(leaders, 'leaders', 'No photo yet'),
    );
  }

  async roofs(): Promise<string> {
    const leaders = this.#leaders(({ roof }) => roof);
    const ranked =
      '<p class="soft">Ranked by everything that is wrong with the roof; attention points count the heaviest reason in full and a tenth of the others.</p>';
    return part(
      'roofs-head',
      leaders.length < LEADERS ? 'The worst roofs' : `The ${LEADERS} worst roofs`,
      leaders.length === 0 ? '' : ranked + (await cards(leaders, 'leaders roofs', 'No photo shows this roof')),
    );
  }

  /** Each house once: its gravest service. */
  #leaders(of: (house: FrontHouse) => Leader | null): readonly Leader[] {
    const ranked = [...this.#houses.values()].flatMap((house) => of(house) ?? []).toSorted((a, b) => b.rank - a.rank);
    const seen = new Set<string>();
    return ranked.filter(({ house }) => !seen.has(house) && seen.add(house)).slice(0, LEADERS);
  }
}

function roofOf(judged: JudgedProject, house: string): Leader | null {
  const [worst] = roofFindings(judged);
  if (worst === undefined) return null;
  return {
    house,
    rank: roofPoints(judged),
    card: `<h3>${houseLink(judged)}</h3><p>${html(worst.reason)}</p>`,
    photo: roofPhotos(judged)[0],
  };
}

async function cards(leaders: readonly Leader[], name: string, without: string): Promise<string> {
  const made = [];
  for (const { card, photo } of leaders) {
    const shown =
      photo === undefined
        ? `<p class="photo none">${without}</p>`
        : smallPhoto(photo, (await photo.thumbnail?.()) ?? null);
    made.push(`<li>${shown}<div>${card}</div></li>`);
  }
  return made.length === 0 ? '' : `<ol class="${name}">${made.join('')}</ol>`;
}

function houseLink(judged: JudgedProject): string {
  return `<a href="#p${html(judged.project.projectId)}">${html(addressOf(judged.project.order))}</a>`;
}

function riskCard(judged: JudgedProject): string {
  const [first = '', ...others] = reasonsOf(judged).slice(0, REASONS_TOLD);
  const further = judged.findings.length - REASONS_TOLD;
  const more = [...others.map(html), ...(further > 0 ? [`${further} more`] : [])].join(' · ');
  return (
    `<h3>${houseLink(judged)}</h3><p>${badges(judged)} <span class="soft">${judged.points} points · ${html(judged.project.order.insuredName)}</span></p>` +
    `<p><strong>${html(first)}</strong>${more === '' ? '' : `<br>${more}`}</p>${judged.suggestion === null ? '' : `<p class="action">Suggested: ${html(judged.suggestion)}</p>`}`
  );
}

export function tonight(
  { night, byStatus, overdue, openRows }: ResultsInput['overview'],
  counts: HouseCounts,
  levels: JudgedProjects['levels'],
): string {
  const filter = (facet: string, value: string): string =>
    `type="button" data-facet="${facet}" data-value="${value}" aria-pressed="false" disabled`;
  const tiles = [
    tile(counts.fresh, 'New', counts.fresh === 1 ? 'new report' : 'new reports', filter('fresh', 'yes')),
    tile(levels.High, 'High', 'High', filter('level', 'High')),
    tile(levels.Medium, 'Medium', 'Medium', filter('level', 'Medium')),
    tile(counts.nonRenew, 'Suggested', 'suggested: non-renew', filter('action', 'non-renew')),
    tile(counts.changed, 'Changed', 'changed since the previous report', filter('changed', 'yes')),
    tile(overdue.length, 'Overdue', 'overdue', null, 'overdue-head'),
    tile(openRows, 'Rows to fix', openRows === 1 ? 'row to fix' : 'rows to fix', null, 'back-head'),
  ];
  const record = byStatus.map(({ status, count }) => `${count.toLocaleString('en-US')} ${html(status)}`).join(', ');
  const told = `<p>${html(sinceThen(night, counts))}</p>${record === '' ? '' : `<p class="soft">All projects on record: ${record}.</p>`}`;
  return `<section aria-labelledby="night-head"><h2 id="night-head">Last night</h2><ul class="tiles">${tiles.join('')}</ul>${told}${glossary()}</section>\n`;
}

function tile(count: number, term: string, name: string, button: string | null, target?: string): string {
  const inside = `<b>${count.toLocaleString('en-US')}</b> ${name}`;
  if (count === 0) return `<li><span${explained(term)}>${inside}</span></li>`;
  return `<li>${button === null ? `<a href="#${target}"${explained(term)}>${inside}</a>` : `<button ${button}${explained(term)}>${inside}</button>`}</li>`;
}

function sinceThen(night: NightCounts, { fresh, closedOut }: HouseCounts): string {
  const told = [
    [night.ordered, 'ordered'],
    [fresh - closedOut, 'inspected'],
    [night.returned - fresh, 'returned without a report yet'],
    [night.canceled, 'canceled'],
    [night.closedOut, 'closed out without an inspection'],
    [night.wentBack, night.wentBack === 1 ? 'row went back to be fixed' : 'rows went back to be fixed'],
    [night.fixed, night.fixed === 1 ? 'row came back fixed' : 'rows came back fixed'],
    [night.changed, 'changed after they were ordered'],
    [night.decided, night.decided === 1 ? 'house decided' : 'houses decided'],
  ] as const;
  const happened = told
    .filter(([count]) => count > 0)
    .map(([count, name]) => `${count.toLocaleString('en-US')} ${name}`);
  const since = night.since === null ? 'This is the first delivery' : `Since your last delivery on ${day(night.since)}`;
  return `${since}: ${happened.length === 0 ? 'no report, order, row to fix or decision is new' : happened.join(', ')}.`;
}

/** Without commands; links projects on the page. */
export function needsPerson(entries: readonly PersonNote[], houses: ReadonlySet<string>): string {
  const items = entries.map(
    ({ title, detail }) =>
      `<li><strong>${html(title)}.</strong> ${html(detail).replaceAll(DATES_AND_NUMBERS, (text) => (text.includes('-') ? dateOf(text) : houseLinkOf(text, houses)))}</li>`,
  );
  if (items.length <= NEEDS_OPEN)
    return part('person-head', 'What needs a person', items.length === 0 ? '' : `<ul>${items.join('')}</ul>`);
  const more = `<details class="folded"><summary>${items.length - NEEDS_OPEN} more</summary><ul>${items.slice(NEEDS_OPEN).join('')}</ul></details>`;
  return part('person-head', 'What needs a person', `<ul>${items.slice(0, NEEDS_OPEN).join('')}</ul>${more}`);
}

const NEEDS_OPEN = 6;
/** Outside file names and escapes. */
const DATES_AND_NUMBERS = /(?<![#\w/.-])(?:\d{4}-\d\d-\d\d|\d+)(?![\w-]|\.\w)/g;

const BARS_MAX = 15;

interface Figure {
  readonly title: string;
  readonly facet: keyof Facets | null;
  readonly counts: readonly Counted[];
  readonly kinds?: readonly string[];
}

export function figures({ outstandingByAge }: ResultsInput['overview'], counts: HouseCounts): string {
  const drawn = [
    bars({ title: 'Houses with a hazard, by kind', facet: 'hazard', counts: counts.hazards }),
    bars({ title: 'Condition of the roof', facet: 'roof', counts: counts.roofConditions, kinds: CONDITIONS }),
    roofAges(counts.tallies),
    bars({
      title: 'Outstanding projects, by age',
      facet: null,
      counts: outstandingByAge.map(({ age, count }) => ({ name: age, count })),
    }),
  ].filter((figure) => figure !== '');
  return part('charts-head', 'At a glance', drawn.length === 0 ? '' : `<div class="charts">${drawn.join('')}</div>`);
}

const CONDITIONS = ['Poor', 'Fair', 'Average', 'Good', 'Excellent'];

function bars({ title, facet, counts, kinds = [] }: Figure): string {
  const shown = counts.filter(({ count }) => count > 0).slice(0, BARS_MAX);
  if (shown.length === 0) return '';
  const most = Math.max(...shown.map(({ count }) => count));
  const items = shown.map(({ name, count }) => {
    const kind = kinds.includes(name) ? ` class="${name}"` : '';
    const inside = `<span>${html(name)}</span> <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect width="${((count / most) * 100).toFixed(1)}" height="10"${kind}/></svg> <b>${count.toLocaleString('en-US')}</b>`;
    return `<li>${facet === null ? `<div class="bar">${inside}</div>` : `<button type="button" class="bar" data-facet="${facet}" data-value="${html(name)}" aria-pressed="false" disabled>${inside}</button>`}</li>`;
  });
  return `<figure><figcaption>${html(title)}</figcaption><ol>${items.join('')}</ol></figure>`;
}

/** Empty if no roof has both. */
function roofAges(tallies: readonly Tally[]): string {
  const byAge = Map.groupBy(
    tallies.filter(({ roof, roofAge }) => roofAge !== '' && roof !== NOT_ASSESSED),
    ({ roofAge }) => roofAge,
  );
  if (byAge.size === 0) return '';
  const conditionOf = ({ roof }: Tally): string =>
    CONDITIONS.find((name) => name.toLowerCase() === roof.toLowerCase()) ?? 'other';
  const rows = [...byAge].toSorted(([a], [b]) => firstNumber(a) - firstNumber(b)).slice(0, BARS_MAX);
  const columns = [...CONDITIONS, 'other'].filter(
    (name) => name !== 'other' || [...byAge.values()].flat().some((tally) => conditionOf(tally) === name),
  );
  const cell = (atAge: readonly Tally[], name: string): string => {
    const count = atAge.reduce((sum, tally) => sum + (conditionOf(tally) === name ? tally.houses : 0), 0);
    return `<td class="number${count > 0 ? ` ${name}` : ''}">${count > 0 ? count : '·'}</td>`;
  };
  const body = rows.map(
    ([age, atAge]) => `<tr><th scope="row">${html(age)}</th>${columns.map((name) => cell(atAge, name)).join('')}</tr>`,
  );
  return `<figure><table class="ages"><caption>Condition of the roof by its age, where both were assessed</caption><thead><tr><th scope="col">Age</th>${columns.map((name) => `<th scope="col" class="number">${name}</th>`).join('')}</tr></thead><tbody>${body.join('')}</tbody></table></figure>`;
}

/** Sorts `less than 1 year`, `1 ~ 5 years`, `5 - 10 years`. */
function firstNumber(text: string): number {
  const number = Number(/\d+/.exec(text)?.[0] ?? Number.POSITIVE_INFINITY);
  return /^less/i.test(text) ? number - 0.5 : number;
}
