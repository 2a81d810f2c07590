import { houseKey } from '../../domain/identity.ts';
import type { NightCounts } from '../../domain/project.ts';
import { formatCount, html } from '../../domain/text.ts';
import { describeTurn, GRAVE_WEIGHT, withinSentence } from '../attention/judge.ts';
import { type Counted, type HouseCounts, NOT_ASSESSED, type Tally } from '../house-counts.ts';
import type { JudgedProject, JudgedProjects, PersonNote, ResultPhoto, ResultsInput } from '../model.ts';
import { photosByRelevance, roofPhotos } from '../photos.ts';
import { addressOf } from '../tables/project-columns.ts';
import { roofFindings, roofPoints } from '../tables/roofs.ts';
import { badges, type Facets, reasonsOf, tonightOf } from './house.ts';
import { dateOf, day, meaningAttribute, glossary, houseLinkOf, money, part, smallPhoto } from './markup.ts';

const LEADERS = 10;
const CASES = 5;
const REASONS_SHOWN = 3;
const NOTICE_REASONS_MAX = 6;

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
  /** New reports, by what became of them. */
  readonly #tonight = new Map<string, number>();

  add(judged: JudgedProject): void {
    const { project, record, level } = judged;
    const tonight = tonightOf(judged);
    if (tonight !== undefined) this.#tonight.set(tonight, (this.#tonight.get(tonight) ?? 0) + 1);
    const house = houseKey(project.order);
    const visit = `${house}|${project.order.serviceName}`;
    const inspectedAt = record.values.size === 0 || judged.closedOut !== null ? 0 : (project.returnedAt ?? 0);
    const before = this.#houses.get(visit);
    if (judged.replacedBy !== null || inspectedAt < (before?.inspectedAt ?? 0)) return;
    const risk =
      level === null || (project.decision?.decision ?? '') !== ''
        ? null
        : { house, rank: judged.points, card: caseCard(judged), photo: photosByRelevance(judged)[0] };
    const roof = roofOf(judged, house);
    if (before === undefined && inspectedAt === 0 && risk === null && roof === null) return;
    this.#houses.set(visit, { inspectedAt, risk, roof });
  }

  get tonight(): ReadonlyMap<string, number> {
    return this.#tonight;
  }

  async cases(): Promise<string> {
    const cases = this.#leaders(({ risk }) => risk).slice(0, CASES);
    return part('risk-head', 'Decide these first', await cards(cases, 'leaders', 'No photo yet', 2));
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
  #leaders(of: (house: FrontHouse) => Leader | null) {
    const ranked = [...this.#houses.values()].flatMap((house) => of(house) ?? []).toSorted((a, b) => b.rank - a.rank);
    const seen = new Set<string>();
    return ranked.filter(({ house }) => !seen.has(house) && seen.add(house)).slice(0, LEADERS);
  }
}

function roofOf(judged: JudgedProject, house: string) {
  const [worst] = roofFindings(judged);
  if (worst === undefined) return null;
  return {
    house,
    rank: roofPoints(judged),
    card: `<h3>${houseLink(judged)}</h3><p>${html(worst.reason)}</p>`,
    photo: roofPhotos(judged)[0],
  };
}

async function cards(leaders: readonly Leader[], name: string, without: string, times: 1 | 2 = 1) {
  const made = [];
  for (const { card, photo } of leaders) {
    const shown =
      photo === undefined
        ? `<p class="photo none">${without}</p>`
        : smallPhoto(photo, (await photo.thumbnail?.(times)) ?? null);
    made.push(`<li>${shown}<div>${card}</div></li>`);
  }
  return made.length === 0 ? '' : `<ol class="${name}">${made.join('')}</ol>`;
}

function houseLink(judged: JudgedProject) {
  return `<a href="#p${html(judged.project.projectId)}">${html(addressOf(judged.project.order))}</a>`;
}

function caseCard(judged: JudgedProject) {
  const { project, findings, action, turns } = judged;
  const { order, projectId } = project;
  const [first = '', ...others] = reasonsOf(judged).slice(0, REASONS_SHOWN);
  const further = findings.length - REASONS_SHOWN;
  const more = [...others.map(html), ...(further > 0 ? [`${further} more`] : [])].join(' · ');
  const facts = [
    order.dwellingCoverage === undefined ? '' : `Coverage A ${money(order.dwellingCoverage)}`,
    order.insuredPhone && `Insured ${order.insuredPhone}`,
    (order.agentName ?? order.agentPhone) && ['Agent', order.agentName, order.agentPhone].filter(Boolean).join(' '),
  ].filter(Boolean);
  const paragraph = (text: string, name = '') =>
    text === '' ? '' : `<p${name === '' ? '' : ` class="${name}"`}>${text}</p>`;
  return [
    `<h3>${houseLink(judged)}</h3>`,
    paragraph(`${badges(judged)} <span class="soft">${html(order.insuredName)} · project ${html(projectId)}</span>`),
    paragraph(`<strong>${html(first)}${action === null ? '' : ` → ${action}`}</strong>`, 'action'),
    paragraph(more),
    paragraph(html(turns.map(describeTurn).join(', '))),
    paragraph(html(facts.join(' · ')), 'soft'),
    `<p class="notice"><q>${html(noticeOf(judged))}</q> <button type="button" data-copy disabled>Copy</button></p>`,
  ].join('');
}

/** A sentence for a notice to the insured. */
function noticeOf({ project, findings, reports }: JudgedProject) {
  const inspectedAt = reports[0]?.inspectedAt ?? null;
  const grave = findings.filter(({ weight }) => weight >= GRAVE_WEIGHT);
  const found = (grave.length > 0 ? grave : findings).slice(0, NOTICE_REASONS_MAX);
  const when = inspectedAt === null ? '' : ` on ${day(inspectedAt * 1000)}`;
  return `Our inspection of ${addressOf(project.order)}${when} found: ${found.map(({ reason }) => withinSentence(reason)).join('; ')}.`;
}

export function tonight(
  { night, overdue, openRows }: ResultsInput['overview'],
  counts: HouseCounts,
  levels: JudgedProjects['levels'],
  fates: ReadonlyMap<string, number>,
): string {
  const button = (count: number, facet: string, value: string, term: string, name: string) =>
    tile(count, term, name, `type="button" data-facet="${facet}" data-value="${value}" aria-pressed="false" disabled`);
  const tiles = [
    button(counts.fresh, 'fresh', 'yes', 'New', counts.fresh === 1 ? 'new report' : 'new reports'),
    ...TONIGHT.flatMap(([value, term]) =>
      fates.has(value) ? [button(fates.get(value) ?? 0, 'tonight', value, term, value)] : [],
    ),
    tile(overdue.length, 'Overdue', 'overdue', null, 'overdue-head'),
    tile(openRows, 'Rows to fix', openRows === 1 ? 'row to fix' : 'rows to fix', null, 'back-head'),
  ];
  const ofAll = [
    button(counts.nonRenew, 'action', 'non-renew', 'Suggested', 'suggested: non-renew'),
    button(counts.worse, 'changed', 'worse', 'Changed', 'worse than before'),
    button(counts.better, 'changed', 'better', 'Changed', 'better than before'),
  ].join('');
  const listed = levels.High + levels.Medium + levels.Low;
  const summary = [
    `<p>${html(sinceThen(night, counts))} ${formatCount(listed, 'house')} of this delivery ${listed === 1 ? 'needs' : 'need'} a look (${levels.High} High, ${levels.Medium} Medium, ${levels.Low} Low); ${levels.below.toLocaleString('en-US')} more inspected ${levels.below === 1 ? 'house is' : 'houses are'} below the line.</p>`,
    `<ul class="tiles small">${ofAll}</ul>`,
  ].join('');
  return `<section aria-labelledby="night-head"><h2 id="night-head">Last night</h2><ul class="tiles">${tiles.join('')}</ul>${summary}${glossary()}</section>\n`;
}

/** They add up to the new reports. */
const TONIGHT = [
  ['High', 'High'],
  ['Medium', 'Medium'],
  ['Low', 'Low'],
  ['below the line', 'Below the line'],
  ['closed out', 'Closed out'],
] as const;

function tile(count: number, term: string, name: string, button: string | null, target?: string) {
  const inside = `<b>${count.toLocaleString('en-US')}</b> ${name}`;
  if (count === 0) return `<li><span${meaningAttribute(term)}>${inside}</span></li>`;
  return `<li>${button === null ? `<a href="#${target}"${meaningAttribute(term)}>${inside}</a>` : `<button ${button}${meaningAttribute(term)}>${inside}</button>`}</li>`;
}

function sinceThen(night: NightCounts, { fresh, closedOut }: HouseCounts) {
  const summary = [
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
  const happened = summary
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

export function figures({ byStatus, outstandingByAge }: ResultsInput['overview'], counts: HouseCounts): string {
  const drawn = [
    bars({ title: 'Houses with a hazard, by kind', facet: 'hazard', counts: counts.hazards }),
    bars({ title: 'Condition of the roof', facet: 'roof', counts: counts.roofConditions, kinds: CONDITIONS }),
    roofAges(counts.tallies),
    bars({
      title: 'All projects on record, by status',
      facet: null,
      counts: byStatus.map(({ status, count }) => ({ name: status, count })),
    }),
    bars({
      title: 'Outstanding projects, by age',
      facet: null,
      counts: outstandingByAge.map(({ age, count }) => ({ name: age, count })),
    }),
  ].filter((figure) => figure !== '');
  return part('charts-head', 'At a glance', drawn.length === 0 ? '' : `<div class="charts">${drawn.join('')}</div>`);
}

const CONDITIONS = ['Poor', 'Fair', 'Average', 'Good', 'Excellent'];

function bars({ title, facet, counts, kinds = [] }: Figure) {
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
function roofAges(tallies: readonly Tally[]) {
  const byAge = Map.groupBy(
    tallies.filter(({ roof, roofAge }) => roofAge !== '' && roof !== NOT_ASSESSED),
    ({ roofAge }) => roofAge,
  );
  if (byAge.size === 0) return '';
  const conditionOf = ({ roof }: Tally) =>
    CONDITIONS.find((name) => name.toLowerCase() === roof.toLowerCase()) ?? 'other';
  const rows = [...byAge].toSorted(([a], [b]) => firstNumber(a) - firstNumber(b)).slice(0, BARS_MAX);
  const columns = [...CONDITIONS, 'other'].filter(
    (name) => name !== 'other' || [...byAge.values()].flat().some((tally) => conditionOf(tally) === name),
  );
  const cell = (atAge: readonly Tally[], name: string) => {
    const count = atAge.reduce((sum, tally) => sum + (conditionOf(tally) === name ? tally.houses : 0), 0);
    return `<td class="number${count > 0 ? ` ${name}` : ''}">${count > 0 ? count : '·'}</td>`;
  };
  const body = rows.map(
    ([age, atAge]) => `<tr><th scope="row">${html(age)}</th>${columns.map((name) => cell(atAge, name)).join('')}</tr>`,
  );
  return `<figure><table class="ages"><caption>Condition of the roof by its age, where both were assessed</caption><thead><tr><th scope="col">Age</th>${columns.map((name) => `<th scope="col" class="number">${name}</th>`).join('')}</tr></thead><tbody>${body.join('')}</tbody></table></figure>`;
}

/** Sorts `less than 1 year`, `1 ~ 5 years`, `5 - 10 years`. */
function firstNumber(text: string) {
  const number = Number(/\d+/.exec(text)?.[0] ?? Number.POSITIVE_INFINITY);
  return /^less/i.test(text) ? number - 0.5 : number;
}
