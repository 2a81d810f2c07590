import { CONDITIONS } from '../contract/catalogue/attribute-builders.ts';
import { codeInWords } from './column-title.ts';
import type { FlatRecord } from './flatten.ts';
import type { Counted } from './overview-sheet.ts';

/** Kinds beyond these are too many to be read. */
const KINDS_MAX = 12;
const NOT_ASSESSED = 'not assessed';
const NO_REPORT = 'no report yet';
/** The worst first. */
const ROOF_CONDITIONS: readonly string[] = CONDITIONS.toReversed();
const UNKNOWN: readonly string[] = [NOT_ASSESSED, NO_REPORT];

/** Counts over all houses what the Overview tells: how many have each kind of hazard, how many roofs are in which condition. */
export class Tallies {
  readonly #hazards = new Map<string, number>();
  readonly #roofs = new Map<string, number>();

  add(record: FlatRecord): void {
    const kinds = (record.lists.get('summary.factors')?.items ?? []).map((item) => textOf(item, 'name') || textOf(item, 'component') || textOf(item, 'text'));
    for (const kind of new Set(kinds)) count(this.#hazards, codeInWords(kind));
    count(this.#roofs, record.values.size === 0 ? NO_REPORT : textOf(record, 'summary.roof.overallCondition') || NOT_ASSESSED);
  }

  get hazards(): readonly Counted[] {
    return byNumber(this.#hazards).slice(0, KINDS_MAX);
  }

  /** The worst first, words that the document does not have behind its own, what is not known last; they add up to the houses. Empty where no roof was assessed. */
  get roofConditions(): readonly Counted[] {
    if ([...this.#roofs.keys()].every((name) => UNKNOWN.includes(name))) return [];
    return byNumber(this.#roofs).toSorted((a, b) => placeOf(a) - placeOf(b)).slice(0, KINDS_MAX);
  }
}

function placeOf({ name }: Counted): number {
  if (UNKNOWN.includes(name)) return ROOF_CONDITIONS.length + 1 + UNKNOWN.indexOf(name);
  return ROOF_CONDITIONS.includes(name) ? ROOF_CONDITIONS.indexOf(name) : ROOF_CONDITIONS.length;
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
