import type { TemplateParts } from '../../contract/template-data.ts';
import { formatCount, html, upperFirst } from '../../domain/text.ts';
import { type HouseCounts, ROOF_CONDITIONS } from '../house-counts.ts';
import type { Counted, JudgedProjects, ActionItem, ResultsInput } from '../model.ts';
import { POLICY_ENDING_ACTIONS } from '../attention/rules.ts';
import {
  undecidedSince,
  type OpenCase,
  OUTCOMES,
  type Leader,
  type WorstRoof,
  type Highlights,
  ROOFS_MAX,
  describeSinceDelivery,
} from '../highlights.ts';
import { addressOf, renewalLabel } from '../tables/shared-columns.ts';
import { badges } from './house.ts';
import {
  bar,
  dateOf,
  element,
  meaningAttribute,
  explainTerm,
  glossary,
  houseLinkOf,
  dollars,
  pagePart,
  renderSection,
  smallPhoto,
  wrapClass,
} from './markup.ts';

export async function casesPart(highlights: Highlights) {
  const shown = await cards(highlights.cases, caseCard, 'leaders', 'No photo yet', 2);
  return renderSection('risk-head', 'Decide these first', shown && soft('Decide these first') + shown);
}

export async function roofsPart(roofs: readonly WorstRoof[]) {
  const card = (roof: WorstRoof) =>
    `<h3>${houseLink(roof)}</h3><p>${html(roof.reason)}${roof.age === '' ? '' : ` <span class="soft">· age ${html(roof.age)}</span>`}</p>`;
  return renderSection(
    'roofs-head',
    roofs.length < ROOFS_MAX ? 'The worst roofs' : `The ${ROOFS_MAX} worst roofs`,
    roofs.length === 0
      ? ''
      : soft('The worst roofs') + (await cards(roofs, card, 'leaders roofs', 'No photo is labeled as a roof photo')),
  );
}

function soft(term: string) {
  return `<p class="soft">${explainTerm(term)}</p>`;
}

async function cards<Shown extends Leader>(
  leaders: readonly Shown[],
  cardOf: (leader: Shown) => string,
  name: string,
  without: string,
  times: 1 | 2 = 1,
) {
  const made = [];
  for (const leader of leaders) {
    const { photo } = leader;
    const shown =
      photo === undefined
        ? `<p class="photo none">${without}</p>`
        : smallPhoto(photo, (await photo.thumbnail?.(times)) ?? null);
    made.push(`<li>${shown}<div>${cardOf(leader)}</div></li>`);
  }
  return element('ol', made, ` class="${name}"`);
}

function houseLink({ project }: Leader) {
  return `<a href="#p${html(project.projectId)}">${html(addressOf(project.order))}</a>`;
}

function caseCard(shown: OpenCase) {
  const { order, projectId } = shown.project;
  const facts = [
    html(upperFirst(renewalLabel(order))),
    order.dwellingCoverage === undefined ? '' : `Coverage A ${dollars(order.dwellingCoverage)}`,
    order.insuredPhone && `Insured ${phone(order.insuredPhone)}`,
    (order.agentName ?? order.agentPhone) &&
      ['Agent', html(order.agentName ?? ''), phone(order.agentPhone ?? '')].filter(Boolean).join(' '),
  ].filter(Boolean);
  const paragraph = (text: string, name = '') =>
    text === '' ? '' : `<p${name === '' ? '' : ` class="${name}"`}>${text}</p>`;
  return [
    `<h3>${houseLink(shown)}</h3>`,
    paragraph(`${badges(shown)} <span class="soft">${html(order.insuredName)} · project ${html(projectId)}</span>`),
    paragraph(`<strong>${html(shown.reason)}</strong>`, 'action'),
    paragraph(html(shown.shows), 'soft'),
    paragraph(html(shown.others)),
    paragraph(html(shown.riskChanges)),
    paragraph(html(upperFirst(shown.out)), 'action'),
    paragraph(html(upperFirst(undecidedSince(shown)))),
    paragraph(facts.join(' · '), 'soft'),
    pagePart('notice', { notice: html(shown.notice) }),
  ].join('');
}

function phone(number: string) {
  return number === '' ? '' : `<span${wrapClass(number.replaceAll(' ', ''))}>${html(number)}</span>`;
}

export function renderNight(
  { night, overdue, openRows }: ResultsInput['overview'],
  counts: HouseCounts,
  levels: JudgedProjects['levels'],
  { outcomes, reports }: Highlights,
) {
  const button = (count: number, facet: string, value: string, term: string, name: string) =>
    tile(count, term, name, 'tile-button', { facet, value });
  const jump = (count: number, term: string, name: string, target: string) =>
    tile(count, term, name, 'tile-link', { target });
  const tiles = [
    button(counts.fresh, 'fresh', 'yes', 'New', counts.fresh === 1 ? 'new report' : 'new reports'),
    ...OUTCOMES.flatMap((outcome) =>
      outcomes.has(outcome)
        ? [button(outcomes.get(outcome) ?? 0, 'tonight', outcome, upperFirst(outcome), outcome)]
        : [],
    ),
    jump(overdue.length, 'Overdue', 'overdue', 'overdue-head'),
    jump(openRows, 'Rows to fix', openRows === 1 ? 'row to fix' : 'rows to fix', 'back-head'),
    jump(counts.rowsPastDue, 'Not ordered, past due', 'not ordered, past due', 'back-head'),
  ];
  const ofAll = [
    ...POLICY_ENDING_ACTIONS.map((action) =>
      button(counts.suggested(action), 'action', action, 'Suggested', `suggested: ${action}`),
    ),
    button(counts.worse, 'changed', 'worse', 'Changed', 'worse than before'),
    button(counts.better, 'changed', 'better', 'Changed', 'better than before'),
  ];
  const part = pagePart('night', {
    ...levels,
    tiles,
    since: html(describeSinceDelivery(night, counts)),
    inspections: formatCount(levels.High + levels.Medium + levels.Low + levels.below, 'inspection'),
    again: reports.all > reports.isNew ? ` ${explainTerm('Rated again')}` : '',
    ofAll,
    glossary: glossary(),
  });
  return `${part}\n`;
}

function tile(count: number, term: string, name: string, part: string, where: TemplateParts) {
  const shown = { ...where, count: count.toLocaleString('en-US'), name, meaning: meaningAttribute(term) };
  return pagePart(count === 0 ? 'tile' : part, shown);
}

/** Without the commands; each project number links to its house. */
export function actionNeeded(entries: readonly ActionItem[], houses: ReadonlySet<string>) {
  const linked = (text: string) =>
    html(text.replace('on report.html', 'on this page')).replaceAll(DATES_AND_NUMBERS, (part) =>
      part.includes('-') ? dateOf(part) : houseLinkOf(part, houses),
    );
  const items = entries.map(({ title, detail }) => `<li><strong>${linked(title)}.</strong> ${linked(detail)}</li>`);
  const more = items.slice(NEEDS_OPEN);
  return renderSection(
    'person-head',
    'Action needed',
    element('ul', items.slice(0, NEEDS_OPEN)) +
      (more.length === 0 ? '' : pagePart('folded-list', { more: more.length, items: more })),
  );
}

const NEEDS_OPEN = 6;
/** Outside file names and escapes. */
const DATES_AND_NUMBERS = /(?<![#\w/.-])(?:\d{4}-\d\d-\d\d|\d+)(?![\w-]|\.\w)/g;

const BARS_MAX = 15;

export function renderCharts({ byStatus, outstandingByAge }: ResultsInput['overview'], counts: HouseCounts) {
  const drawn = [
    bars('Houses with a hazard, by kind', counts.hazards, 'hazard'),
    bars('Condition of the roof', counts.roofConditions, 'roof', ROOF_CONDITIONS),
    bars('All projects on record, by status', byStatus),
    bars('Overdue projects, by agent', counts.overdueByAgent, 'Overdue'),
    bars('Rows not ordered and past due, by agent', counts.pastDueByAgent, 'Not ordered past due'),
    bars('Outstanding projects, by age', outstandingByAge),
  ].filter(Boolean);
  return renderSection('charts-head', 'At a glance', element('div', drawn, ' class="charts"'));
}

/** By the words that find their rows in the search. */
const LIST_HEADS: Readonly<Record<string, string>> = { Overdue: 'overdue-head', 'Not ordered past due': 'back-head' };

function bars(title: string, counts: readonly Counted[], facet?: string, kinds: readonly string[] = []) {
  const shown = counts.filter(({ count }) => count > 0).slice(0, BARS_MAX);
  if (shown.length === 0) return '';
  const most = Math.max(...shown.map(({ count }) => count));
  const items = shown.map(({ name, count }) => {
    const kind = kinds.includes(name) ? ` class="${name}"` : '';
    const inside = `<span>${html(name)}</span> ${bar(count / most, kind)} <b>${count.toLocaleString('en-US')}</b>`;
    if (facet === undefined) return `<li><div class="bar">${inside}</div></li>`;
    const head = LIST_HEADS[facet];
    return head === undefined
      ? pagePart('chart-button', { facet, value: html(name), inside })
      : pagePart('chart-link', { query: encodeURIComponent(`${facet} ${name}`), head, inside });
  });
  return pagePart('chart', { title, items });
}
