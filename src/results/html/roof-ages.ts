import type { FlatRecord } from '../flatten.ts';

/** The document's words, the worst first; `other` stands for those that it does not have. */
export const CONDITIONS = [
  { name: 'Poor', colour: '#c0392b' },
  { name: 'Fair', colour: '#d99a2b' },
  { name: 'Average', colour: '#8a98ab' },
  { name: 'Good', colour: '#4f9a64' },
  { name: 'Excellent', colour: '#2f7d5b' },
  { name: 'other', colour: '#7a6fb0' },
] as const;

/** Counts roofs by age and condition, where both were assessed. */
export class RoofAges {
  readonly #counts = new Map<string, number[]>();

  /** The conditions; `other` only where there are such. */
  get parts(): readonly { readonly name: string; readonly colour: string }[] {
    const others = [...this.#counts.values()].some((counts) => (counts[CONDITIONS.length - 1] ?? 0) > 0);
    return others ? CONDITIONS : CONDITIONS.slice(0, -1);
  }

  add({ values }: FlatRecord): void {
    const age = values.get('summary.roof.estAge')?.leaf;
    const condition = values.get('summary.roof.overallCondition')?.leaf;
    if (typeof age !== 'string' || typeof condition !== 'string') return;
    const place = CONDITIONS.findIndex(({ name }) => name.toLowerCase() === condition.toLowerCase());
    const counts = this.#counts.get(age) ?? CONDITIONS.map(() => 0);
    const at = place === -1 ? CONDITIONS.length - 1 : place;
    counts[at] = (counts[at] ?? 0) + 1;
    this.#counts.set(age, counts);
  }

  get rows(): readonly { readonly name: string; readonly counts: readonly number[] }[] {
    return [...this.#counts].map(([name, counts]) => ({ name, counts })).toSorted((a, b) => firstNumber(a.name) - firstNumber(b.name));
  }
}

/** `less than 1 year` before `1 ~ 5 years` before `5 - 10 years`. */
function firstNumber(text: string): number {
  const number = Number(/\d+/.exec(text)?.[0] ?? Number.POSITIVE_INFINITY);
  return /^less/i.test(text) ? number - 0.5 : number;
}
