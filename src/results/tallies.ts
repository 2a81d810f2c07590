import { CONDITIONS } from '../contract/catalogue/attribute-builders.ts';
import { capitalised } from './column-title.ts';
import type { FlatRecord } from './flatten.ts';
import type { Counted } from './overview-sheet.ts';

/** Kinds beyond these are too many to be read. */
const KINDS_MAX = 12;
const NOT_ASSESSED = 'not assessed';
/** The worst first; what is none of these comes behind them, what nobody assessed is last. */
const ROOF_CONDITIONS: readonly string[] = CONDITIONS.toReversed();

/** Counts over all houses what the Overview tells: how many have each kind of hazard, how many roofs are in which condition. */
export class Tallies {
  readonly #hazards = new Map<string, number>();
  readonly #roofs = new Map<string, number>();

  add(record: FlatRecord): void {
    const kinds = (record.lists.get('summary.factors')?.items ?? []).map((item) => textOf(item, 'name') || textOf(item, 'component') || textOf(item, 'text'));
    for (const kind of new Set(kinds)) count(this.#hazards, inWords(kind));
    count(this.#roofs, textOf(record, 'summary.roof.overallCondition') || NOT_ASSESSED);
  }

  get hazards(): readonly Counted[] {
    return byNumber(this.#hazards).slice(0, KINDS_MAX);
  }

  get roofConditions(): readonly Counted[] {
    if (this.#roofs.size === 1 && this.#roofs.has(NOT_ASSESSED)) return [];
    return byNumber(this.#roofs).toSorted((a, b) => placeOf(a) - placeOf(b)).slice(0, KINDS_MAX);
  }
}

function placeOf({ name }: Counted): number {
  if (name === NOT_ASSESSED) return ROOF_CONDITIONS.length + 1;
  return ROOF_CONDITIONS.includes(name) ? ROOF_CONDITIONS.indexOf(name) : ROOF_CONDITIONS.length;
}

/** The service's name of a kind of hazard as people write it: `ROOF_TARP` is `Roof tarp`. */
function inWords(kind: string): string {
  return /^[A-Z\d]+(_[A-Z\d]+)*$/.test(kind) ? capitalised(kind.toLowerCase().replaceAll('_', ' ')) : kind;
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
