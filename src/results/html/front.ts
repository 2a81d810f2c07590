import { html } from '../../domain/text.ts';
import type { JudgedProject, NightOverview, NotOrderedRow, ResultPhoto, ResultsInput } from '../model.ts';
import { photosByRelevance, roofPhotos } from '../sheets/photos.ts';
import { badges, propertyOf, reasonsOf } from './house.ts';
import { counted, day, foldedTable, part, smallPhoto } from './markup.ts';

/** Houses on the first screen. */
const LEADERS = 10;
const REASONS_TOLD = 3;

/** A house that may stand on the first screen, by what it is ranked. */
interface Leader {
  readonly rank: number;
  readonly property: string;
  readonly returnedAt: number;
  readonly card: string;
  readonly photo: ResultPhoto | undefined;
}

/** What the first screens show of the houses: how many are new or changed, the riskiest, and the worst roofs. */
export class FrontHouses {
  #riskiest: Leader[] = [];
  #roofs: Leader[] = [];
  readonly counts = { all: 0, fresh: 0, changed: 0, High: 0, Medium: 0, nonRenew: 0 };

  add(judged: JudgedProject): void {
    const { counts } = this;
    counts.all += 1;
    if (judged.project.isNew) counts.fresh += 1;
    if (judged.changes.length > 0) counts.changed += 1;
    if (judged.level === 'High' || judged.level === 'Medium') counts[judged.level] += 1;
    if (judged.action === 'non-renew') counts.nonRenew += 1;
    const house = { property: propertyOf(judged), returnedAt: judged.project.returnedAt ?? 0 };
    if (judged.level !== null) this.#riskiest = withLeader(this.#riskiest, { ...house, rank: judged.points, card: riskCard(judged), photo: photosByRelevance(judged)[0] });
    const aboutRoof = judged.findings.filter(({ category }) => category === 'roof');
    const [photo] = roofPhotos(judged);
    if (aboutRoof.length > 0 && photo !== undefined) this.#roofs = withLeader(this.#roofs, { ...house, rank: aboutRoof.reduce((sum, { weight }) => sum + weight, 0), card: roofCard(judged, aboutRoof[0]?.reason ?? ''), photo });
  }

  async riskiest(): Promise<string> {
    return part('risk-head', this.#riskiest.length < LEADERS ? 'The houses to look at' : `The ${LEADERS} riskiest houses`, await cards(this.#riskiest, 'leaders'));
  }

  async roofs(): Promise<string> {
    return part('roofs-head', this.#roofs.length < LEADERS ? 'The worst roofs' : `The ${LEADERS} worst roofs`, await cards(this.#roofs, 'leaders roofs'));
  }
}

/** A house that was inspected twice stands there once, by its latest inspection. */
function withLeader(leaders: readonly Leader[], leader: Leader): Leader[] {
  const same = leaders.find(({ property }) => property === leader.property);
  if (same !== undefined && same.returnedAt > leader.returnedAt) return [...leaders];
  return [...leaders.filter((one) => one !== same), leader].toSorted((a, b) => b.rank - a.rank).slice(0, LEADERS);
}

async function cards(leaders: readonly Leader[], name: string): Promise<string> {
  const made = [];
  for (const { card, photo } of leaders) {
    const bytes = (await photo?.thumbnail?.()) ?? null;
    made.push(`<li>${photo === undefined || bytes === null ? '' : smallPhoto(photo, bytes)}<div>${card}</div></li>`);
  }
  return made.length === 0 ? '' : `<ol class="${name}">${made.join('')}</ol>`;
}

function houseLink(judged: JudgedProject): string {
  return `<a href="#p${html(judged.project.projectId)}">${html(propertyOf(judged))}</a>`;
}

function riskCard(judged: JudgedProject): string {
  const [first = '', ...others] = reasonsOf(judged).slice(0, REASONS_TOLD);
  const further = judged.findings.length - REASONS_TOLD;
  const more = [...others.map(html), ...(further > 0 ? [`${further} more`] : [])].join(' · ');
  return (
    `<h3>${houseLink(judged)}</h3><p>${badges(judged)} <span class="soft">${judged.points} points · ${html(judged.project.order.insuredName)}</span></p>` +
    `<p><strong>${html(first)}</strong>${more === '' ? '' : `<br>${more}`}</p>${judged.action === null ? '' : `<p class="action">Suggested: ${html(judged.action)}</p>`}`
  );
}

function roofCard(judged: JudgedProject, reason: string): string {
  return `<h3>${houseLink(judged)}</h3><p>${html(reason)}</p>`;
}

/** The night in numbers: what is new first, and apart from it what is on record. A number that counts houses shows them when it is clicked. */
export function tonight({ night, byStatus, overdue, openRows }: ResultsInput['overview'], { counts }: FrontHouses): string {
  const houses = [
    filterTile(counts.fresh, counts.fresh === 1 ? 'new house' : 'new houses', 'fresh', 'yes'),
    filterTile(counts.High, 'High', 'level', 'High'),
    filterTile(counts.Medium, 'Medium', 'level', 'Medium'),
    filterTile(counts.nonRenew, 'suggested: non-renew', 'action', 'non-renew'),
    filterTile(counts.changed, 'changed since before', 'changed', 'yes'),
    linkTile(overdue.length, 'overdue', 'overdue-head'),
    linkTile(openRows, openRows === 1 ? 'row to fix' : 'rows to fix', 'back-head'),
  ];
  const record = byStatus.map(({ status, count }) => `${count.toLocaleString('en-US')} ${html(status)}`).join(', ');
  const told = `<p>${html(sinceThen(night))}</p>${record === '' ? '' : `<p class="soft">All projects on record: ${record}.</p>`}`;
  return `<section aria-labelledby="night-head"><h2 id="night-head">Tonight</h2><ul class="tiles">${houses.join('')}</ul>${told}</section>\n`;
}

function filterTile(count: number, name: string, facet: string, value: string): string {
  return count === 0 ? '' : `<li><button type="button" data-facet="${facet}" data-value="${value}" aria-pressed="false" disabled><b>${count.toLocaleString('en-US')}</b> ${name}</button></li>`;
}

function linkTile(count: number, name: string, target: string): string {
  return count === 0 ? '' : `<li><a href="#${target}"><b>${count.toLocaleString('en-US')}</b> ${name}</a></li>`;
}

/** `Since your last delivery on November 9, 2026: 62 ordered, 64 came back.` */
function sinceThen(night: NightOverview): string {
  const told = [
    [night.ordered, 'ordered'], [night.returned, 'came back'], [night.canceled, 'canceled'], [night.closedOut, 'closed out without an inspection'],
    [night.wentBack, night.wentBack === 1 ? 'row went back to be fixed' : 'rows went back to be fixed'], [night.fixed, night.fixed === 1 ? 'row came back fixed' : 'rows came back fixed'], [night.changed, 'changed after they were ordered'],
  ] as const;
  const happened = told.filter(([count]) => count > 0).map(([count, name]) => `${count.toLocaleString('en-US')} ${name}`);
  const since = night.since === null ? 'This is the first delivery' : `Since your last delivery on ${day(night.since)}`;
  return `${since}: ${happened.length === 0 ? 'nothing has happened' : happened.join(', ')}.`;
}

/** In words for underwriters; the commands belong to the operator's `status`. */
export function needsPerson(entries: ResultsInput['overview']['needsPerson']): string {
  const items = entries.map(({ title, detail }) => `<li><strong>${html(title)}.</strong> ${html(detail)}</li>`);
  if (items.length <= NEEDS_OPEN) return part('person-head', 'What needs a person', items.length === 0 ? '' : `<ul>${items.join('')}</ul>`);
  const more = `<details class="folded"><summary>${items.length - NEEDS_OPEN} more</summary><ul>${items.slice(NEEDS_OPEN).join('')}</ul></details>`;
  return part('person-head', 'What needs a person', `<ul>${items.slice(0, NEEDS_OPEN).join('')}</ul>${more}`);
}

const NEEDS_OPEN = 6;

/** Lists that are unfolded by whoever wants them: what is overdue, what ended without an inspection, what went back. */
export function lists({ overdue, ended }: ResultsInput['overview'], notOrdered: readonly NotOrderedRow[]): string {
  const place = ({ streetAddress, city, state }: { readonly streetAddress: string; readonly city: string; readonly state: string }): string => `${streetAddress}, ${city}, ${state}`;
  const late = overdue.map(({ projectId, order, dueDate, status, why }) => [dueDate, place(order), order.policyNumber ?? '', order.insuredName, status, why, projectId]);
  const over = ended.flatMap(({ kind, reason, projects }) => projects.map(({ projectId, order, at }) => [kind, reason, place(order), order.policyNumber ?? '', order.insuredName, day(at), projectId]));
  const back = notOrdered.filter(({ kind }) => kind !== 'duplicate').map((row) => [day(row.openSince), row.isNew ? 'new' : '', row.sender ?? '', `${row.file}, row ${row.rowNumber}`, row.insuredName, row.policyNumber || row.inspectionNumber, row.reasons.join(' '), row.corrections ?? '']);
  return [
    part('overdue-head', 'Overdue', late.length === 0 ? '' : foldedTable(`${counted(late.length, 'project')} not back though the due date has passed`, ['Due', 'Property', 'Policy', 'Insured', 'Status', 'Why', 'Project'], late)),
    part('ended-head', 'Canceled or closed out since the last delivery', over.length === 0 ? '' : foldedTable(`${counted(over.length, 'project')} without an inspection`, ['What', 'Reason', 'Property', 'Policy', 'Insured', 'When', 'Project'], over)),
    part('back-head', 'Not ordered yet', back.length === 0 ? '' : foldedTable(`${counted(back.length, 'row')} went back or wait for a decision`, ['Since', 'New', 'Sender', 'Where', 'Insured', 'Policy or inspection', 'Why', 'To fix in'], back)),
  ].join('');
}
