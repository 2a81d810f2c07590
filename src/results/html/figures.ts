import { html } from '../../domain/text.ts';
import type { FlatRecord } from '../flatten.ts';
import type { ResultsInput } from '../model.ts';
import type { Counted, Tallies } from '../sheets/overview.ts';
import type { Facets } from './house.ts';
import { part } from './markup.ts';

/** More than these nobody reads; the workbook has them all. */
const BARS_MAX = 15;

/** What a figure counts; where it has a facet, a click on a bar shows the houses that it counts. */
interface Figure {
  readonly title: string;
  readonly facet: keyof Facets | null;
  readonly counts: readonly Counted[];
  /** What its bars look like where they do not look all the same. */
  readonly kinds?: readonly string[];
}

/** The figures of the page: those that have something to show. */
export function figures({ outstandingByAge }: ResultsInput['overview'], { tallies, ages }: { readonly tallies: Tallies; readonly ages: RoofAges }): string {
  const drawn = [
    bars({ title: 'Houses with a hazard, by kind', facet: 'hazard', counts: tallies.hazards }),
    bars({ title: 'Condition of the roof', facet: 'roof', counts: tallies.roofConditions, kinds: CONDITIONS }),
    ages.asTable(),
    bars({ title: 'Still out, by age', facet: null, counts: outstandingByAge.map(({ age, count }) => ({ name: age, count })) }),
  ].filter((figure) => figure !== '');
  return part('charts-head', 'At a glance', drawn.length === 0 ? '' : `<div class="charts">${drawn.join('')}</div>`);
}

/** The document's words, the worst first. */
const CONDITIONS = ['Poor', 'Fair', 'Average', 'Good', 'Excellent'];

/** A bar for each name, the first on top; empty where nothing is counted. Names are text that wraps: none is cut off, and none lies on another. */
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

/** Counts roofs by age and condition, where both were assessed. */
export class RoofAges {
  readonly #counts = new Map<string, Map<string, number>>();

  add({ values }: FlatRecord): void {
    const age = values.get('summary.roof.estAge')?.leaf;
    const condition = values.get('summary.roof.overallCondition')?.leaf;
    if (typeof age !== 'string' || typeof condition !== 'string') return;
    const known = CONDITIONS.find((name) => name.toLowerCase() === condition.toLowerCase()) ?? 'other';
    const counts = this.#counts.get(age) ?? new Map<string, number>();
    counts.set(known, (counts.get(known) ?? 0) + 1);
    this.#counts.set(age, counts);
  }

  /** A row an age, the newest first, and a column a condition; empty where no roof has both. */
  asTable(): string {
    if (this.#counts.size === 0) return '';
    const columns = [...CONDITIONS, 'other'].filter((name) => name !== 'other' || [...this.#counts.values()].some((counts) => counts.has(name)));
    const rows = [...this.#counts].toSorted(([a], [b]) => firstNumber(a) - firstNumber(b)).slice(0, BARS_MAX);
    const body = rows.map(([age, counts]) => `<tr><th scope="row">${html(age)}</th>${columns.map((name) => `<td class="number${counts.has(name) ? ` ${name}` : ''}">${counts.get(name) ?? '·'}</td>`).join('')}</tr>`);
    return `<figure><table class="ages"><caption>Condition of the roof by its age, where both were assessed</caption><thead><tr><th scope="col">Age</th>${columns.map((name) => `<th scope="col" class="number">${name}</th>`).join('')}</tr></thead><tbody>${body.join('')}</tbody></table></figure>`;
  }
}

/** `less than 1 year` before `1 ~ 5 years` before `5 - 10 years`. */
function firstNumber(text: string): number {
  const number = Number(/\d+/.exec(text)?.[0] ?? Number.POSITIVE_INFINITY);
  return /^less/i.test(text) ? number - 0.5 : number;
}
