import { SUMMARY_CATALOGUE } from '../../contract/summary-catalogue.ts';
import { leafText } from '../cells.ts';
import { catalogueIndex, type FlatRecord, type Leaf } from '../flatten.ts';
import { type AttentionRule, type Condition, passes, type Weight } from './rules.ts';

/** Why a house needs an underwriter's eye. */
export interface Finding {
  /** The condition of the rule that found it. */
  readonly rule: string;
  /** How much it weighs: 25 and more is grave. */
  readonly weight: number;
  /** The attributes it rests on, with `summary.`. */
  readonly paths: readonly string[];
  /** In words, with the attributes and their values. */
  readonly reason: string;
}

/** From here on a finding, or a house, is marked as grave. */
export const GRAVE_WEIGHT = 25;

const NO_VALUES: ProjectValues = new Map();

/**
 * What the rules find in one house, the heaviest first. Of rules that say the same about the same attributes only the heaviest counts:
 * `less than 1 year` and `up to 5 years` are one finding.
 */
export function findingsOf(record: FlatRecord, rules: readonly AttentionRule[], values: ProjectValues = NO_VALUES): readonly Finding[] {
  const found = new Map<string, Finding>();
  for (const { when, condition, weight, because, show } of rules) {
    const evidence = judge(condition, record, values, show);
    if (evidence === null) continue;
    const points = pointsOf(weight, evidence[0]?.amount ?? 1);
    if (points <= 0) continue;
    const told = evidence.map(({ title, text }) => `${title} = ${text}`).join(', ');
    const finding = { rule: when, weight: points, paths: evidence.map(({ path }) => path), reason: told === '' ? because : `${because} (${told})` };
    const key = `${because} ${finding.paths.join(' ')}`;
    const before = found.get(key);
    if (before === undefined || before.weight < points) found.set(key, finding);
  }
  return [...found.values()].toSorted((a, b) => b.weight - a.weight);
}

function pointsOf(weight: Weight, amount: number): number {
  return weight.kind === 'fixed' ? weight.points : Math.min(weight.max, weight.points * amount);
}

/** What an order and its project say beside the report: `status`, `serviceName`, `policyType`, `houseType`, `state`, `overdue`. */
export type ProjectValues = ReadonlyMap<string, Leaf>;

/** What a condition rested on where it held. */
export interface Evidence {
  /** With `summary.`, as the columns name it. */
  readonly path: string;
  readonly title: string;
  readonly text: string;
  /** The number that a rule may weigh by: the value itself, or how many entries or items there are. */
  readonly amount: number;
}

/** Judges a condition over one house: null where it does not hold. `show` names attributes of a list's items that are told. */
function judge(condition: Condition, record: FlatRecord, values: ProjectValues, show: readonly string[]): readonly Evidence[] | null {
  switch (condition.kind) {
    case 'both': {
      const evidence = condition.conditions.map((part) => judge(part, record, values, show));
      return evidence.includes(null) ? null : evidence.flatMap((held) => held ?? []);
    }
    case 'either': {
      const held = condition.conditions.flatMap((part) => judge(part, record, values, show) ?? []);
      const any = held.length > 0 || condition.conditions.some((part) => judge(part, record, values, show) !== null);
      return any ? held : null;
    }
    case 'compare':
      return compare(condition, record, values);
    case 'any': {
      const items = itemsOf(record, condition.list);
      const held = items.filter(({ item }) => condition.where === null || judge(condition.where, item, values, []) !== null);
      if (held.length === 0) return null;
      const told = held.map((found) => toldOf(found, condition.where, show)).filter((text) => text !== '');
      const path = `summary.${condition.list}`;
      return [{ path: listPath(record, condition.list), title: titleOf(path), text: told.length === 0 ? String(held.length) : [...new Set(told)].join(' / '), amount: held.length }];
    }
  }
}

function compare({ path, test }: Extract<Condition, { kind: 'compare' }>, record: FlatRecord, values: ProjectValues): readonly Evidence[] | null {
  const full = record.values.has(path) ? path : `summary.${path}`;
  const value = record.values.get(full);
  if (value === undefined) {
    const keys = [...record.values.values()].filter((entry) => entry.key !== null && entry.attribute?.path === full && passes(entry.leaf, test));
    if (keys.length > 0) return [{ path: full, title: titleOf(full), text: keys.map(({ key }) => key ?? '').join(', '), amount: keys.length }];
  }
  const leaf = value === undefined ? values.get(path) : value.leaf;
  if (!passes(leaf, test)) return null;
  return [{ path: full, title: titleOf(full), text: leaf === undefined ? 'not in the report' : leafText(leaf), amount: amountOf(leaf) }];
}

function amountOf(leaf: Leaf | undefined): number {
  if (typeof leaf === 'number') return leaf;
  return Array.isArray(leaf) ? leaf.length : 1;
}

interface FoundItem {
  readonly item: FlatRecord;
  /** The items it stands in, the outermost first. */
  readonly inside: readonly FlatRecord[];
}

/** The items of a list; of a list inside another list's items, those of all of them. */
function itemsOf(record: FlatRecord, path: string, prefix = 'summary.', inside: readonly FlatRecord[] = []): readonly FoundItem[] {
  const found: FoundItem[] = [];
  for (const list of record.lists.values()) {
    const own = list.path.startsWith(prefix) ? list.path.slice(prefix.length) : list.path;
    if (own === path) found.push(...list.items.map((item) => ({ item, inside })));
    else if (path.startsWith(`${own}.`)) for (const item of list.items) found.push(...itemsOf(item, path.slice(own.length + 1), '', [...inside, item]));
  }
  return found;
}

/** The outermost list: where a person finds it in the row of the house. */
function listPath(record: FlatRecord, path: string): string {
  const outermost = [...record.lists.keys()].find((known) => `summary.${path}` === known || `summary.${path}`.startsWith(`${known}.`));
  return outermost ?? `summary.${path}`;
}

function toldOf({ item, inside }: FoundItem, where: Condition | null, show: readonly string[]): string {
  const paths = show.length > 0 ? show : pathsOf(where);
  const texts = paths.flatMap((path) => {
    const value = [item, ...inside.toReversed()].flatMap((holder) => holder.values.get(path) ?? [])[0];
    return value === undefined || value.leaf === null || value.leaf === '' ? [] : [leafText(value.leaf)];
  });
  return texts.join(' ');
}

/** The attributes a condition asks about. */
export function pathsOf(condition: Condition | null): readonly string[] {
  if (condition === null) return [];
  switch (condition.kind) {
    case 'both':
    case 'either':
      return [...new Set(condition.conditions.flatMap(pathsOf))];
    case 'compare':
      return [condition.path];
    case 'any':
      return [condition.list];
  }
}

function titleOf(path: string): string {
  const { attributes } = catalogueIndex(SUMMARY_CATALOGUE);
  for (let at = path; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('.')))) {
    const known = attributes.get(at);
    if (known !== undefined) return known.attribute.title;
  }
  return path.replace(/^summary\./, '');
}
