import type { FlatRecord } from './flatten.ts';
import type { Counted } from './overview-sheet.ts';

/** Kinds beyond these are too many to be read. */
const KINDS_MAX = 12;

/** Counts over all houses what the Overview tells: how many have each kind of hazard, how many roofs are in which condition. */
export class Tallies {
  readonly #hazards = new Map<string, number>();
  readonly #roofs = new Map<string, number>();

  add(record: FlatRecord): void {
    const kinds = (record.lists.get('summary.factors')?.items ?? []).map((item) => textOf(item, 'name') || textOf(item, 'component') || textOf(item, 'text'));
    for (const kind of new Set(kinds)) count(this.#hazards, kind);
    count(this.#roofs, textOf(record, 'summary.roof.overallCondition'));
  }

  get hazards(): readonly Counted[] {
    return byNumber(this.#hazards).slice(0, KINDS_MAX);
  }

  get roofConditions(): readonly Counted[] {
    return byNumber(this.#roofs).slice(0, KINDS_MAX);
  }
}

function textOf(record: FlatRecord, path: string): string {
  const leaf = record.values.get(path)?.leaf;
  return typeof leaf === 'string' ? leaf : '';
}

function count(counts: Map<string, number>, name: string): void {
  if (name !== '') counts.set(name, (counts.get(name) ?? 0) + 1);
}

function byNumber(counts: ReadonlyMap<string, number>): readonly Counted[] {
  return [...counts].map(([name, number]) => ({ name, count: number })).toSorted((a, b) => b.count - a.count || a.name.localeCompare(b.name));
}
