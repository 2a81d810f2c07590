import type { AttentionLevel } from '../../domain/project.ts';
import { lowerFirst, upperFirst } from '../../domain/text.ts';
import { leafText } from '../table-cells.ts';
import { plainName } from '../tables/report-columns.ts';
import { type FlatRecord, isAssessed, type Leaf } from '../flatten.ts';
import { type Comparison, type Condition, passes, pathsOf } from './condition.ts';
import {
  type Action,
  ACTIONS,
  type AttentionLevels,
  type AttentionRule,
  type Category,
  type LevelLimits,
} from './rules.ts';

export type Finding = Readonly<ReturnType<typeof findingOf>>;

export const GRAVE_WEIGHT = 25;
const FURTHER_SHARE = 0.1;

/** The heaviest first. Of findings about one thing only the heaviest counts. */
export function findingsOf(record: FlatRecord, rules: readonly AttentionRule[], values: ProjectValues = new Map()) {
  const found = new Map<string, Found>();
  for (const rule of rules) {
    const { condition, weight, about, show } = rule;
    const evidence = judge(condition, record, values, show);
    if (evidence === null) continue;
    const points =
      weight.kind === 'fixed' ? weight.points : Math.min(weight.max, weight.points * (evidence[0]?.amount ?? 1));
    const before = found.get(about);
    if (points > 0 && (before === undefined || before.weight < points))
      found.set(about, { rule, weight: points, evidence });
  }
  const all = [...found.values()].toSorted((a, b) => b.weight - a.weight);
  const hasOther = all.some(({ rule: { isFallback, category } }) => !isFallback && category !== 'order');
  const counted = new Set<Category>();
  return all
    .filter(({ rule }) => !(rule.isFallback && hasOther))
    .map((one) => {
      const isMostSerious = !counted.has(one.rule.category);
      counted.add(one.rule.category);
      return findingOf(one, isMostSerious);
    });
}

export function sumPoints(findings: readonly Finding[]) {
  return Math.round(findings.reduce((sum, { points }) => sum + points, 0));
}

/**
 * The finding whose action is suggested, or null: of the grave ones that with the strictest action, so that another
 * defect never makes the advice milder; else the heaviest.
 */
export function decidingFinding(findings: readonly Finding[]) {
  const withAction = findings.filter((finding): finding is DecidingFinding => finding.action !== null);
  const most = Math.max(...withAction.map(({ weight }) => weight));
  const [deciding = null] = withAction
    .filter(({ weight }) => weight >= Math.min(GRAVE_WEIGHT, most))
    .toSorted((a, b) => ACTIONS.indexOf(a.action) - ACTIONS.indexOf(b.action) || b.weight - a.weight);
  return deciding;
}

type DecidingFinding = Finding & { readonly action: Action };

const SAID_WITHOUT_CATEGORY = /^(?:Occupancy|Liability): /;

export function suggestionSentence({ action, reason }: DecidingFinding) {
  return `${action}: ${withinSentence(reason).replace(': ', ', ')}`;
}

function withinSentence(reason: string) {
  return lowerFirst(reason.replace(SAID_WITHOUT_CATEGORY, ''));
}

/** What got worse (`weight` above 0) or better since an earlier report. */
type RiskChange = Readonly<{
  reason: string;
  weight: number;
  /** Its attributes, with `summary.`. */
  paths: readonly string[];
}>;

/** By the rules. Both reports must assess it. */
export function riskChangesBetween(
  before: FlatRecord,
  now: FlatRecord,
  rules: readonly AttentionRule[],
): readonly RiskChange[] {
  // Rules about the comparison in a report speak of a change themselves.
  const comparable = rules.filter((rule) => !rule.isFallback && !isStated({ paths: pathsOf(rule.condition) }));
  const compared = new Map(comparable.map((rule) => [rule.when, rule]));
  const byThing = (record: FlatRecord) =>
    new Map(
      findingsOf(record, [...compared.values()]).map((finding) => [compared.get(finding.rule)?.about ?? '', finding]),
    );
  const [was, is] = [byThing(before), byThing(now)];
  const riskChanges = [...new Set(is.keys()).union(was)].flatMap((about) => {
    const weight = (is.get(about)?.weight ?? 0) - (was.get(about)?.weight ?? 0);
    const [shown, own, other] = weight > 0 ? [is.get(about), now, before] : [was.get(about), before, now];
    const paths = pathsOf(compared.get(shown?.rule ?? '')?.condition ?? null).map((path) => `summary.${path}`);
    const assesses = (record: FlatRecord) => (path: string) => isAssessed(record.values.get(path)?.leaf);
    // An inspection of the roof alone says nothing of the foundation.
    const isKnown = paths.some(assesses(other)) && paths.filter(assesses(own)).every(assesses(other));
    return shown === undefined || weight === 0 || !isKnown
      ? []
      : [{ reason: withinSentence(shown.reason), weight, paths }];
  });
  return riskChanges;
}

/** First what got worse, the heaviest first; what a report states before what a comparison shows. */
export function worseFirst(riskChanges: readonly RiskChange[]) {
  return riskChanges.toSorted(
    (a, b) =>
      Math.sign(b.weight) - Math.sign(a.weight) ||
      Number(isStated(b)) - Number(isStated(a)) ||
      Math.abs(b.weight) - Math.abs(a.weight),
  );
}

/** True if the report itself states the change, since an inspection that may be years ago. */
export function isStated({ paths }: Pick<RiskChange, 'paths'>) {
  return paths.some((path) => path.endsWith('.comparison'));
}

export function changesInReport(findings: readonly Finding[], improvements: readonly Finding[]) {
  const changes = (stated: readonly Finding[], sign: 1 | -1) =>
    stated.map(({ reason, weight, paths }) => ({ reason: withinSentence(reason), weight: sign * weight, paths }));
  return [...changes(findings.filter(isStated), 1), ...changes(improvements, -1)];
}

/** A house whose report says that something got worse is worse, whatever got better. */
export function directionSince(riskChanges: readonly RiskChange[]) {
  return riskChanges.some((riskChange) => riskChange.weight > 0 && isStated(riskChange))
    ? 'worse'
    : directionOf(riskChanges);
}

/** Undefined if what got worse weighs as much as what got better. */
export function directionOf(riskChanges: readonly Pick<RiskChange, 'weight'>[]) {
  const sum = riskChanges.reduce((all, { weight }) => all + weight, 0);
  return ([undefined, 'worse', 'better'] as const).at(Math.sign(sum));
}

export function describeRiskChanges(riskChanges: readonly RiskChange[]) {
  return riskChanges.map(describeTrend).join(', ');
}

export function describeTrend({ reason, weight, paths }: RiskChange) {
  if (!isStated({ paths })) return `${weight > 0 ? '+' : '−'} ${reason}`;
  return `${upperFirst(reason.replace(/ \(.*/s, '').replace(':', ''))}, as reported`;
}

type Found = Readonly<{
  rule: AttentionRule;
  weight: number;
  evidence: readonly Evidence[];
}>;

function findingOf({ rule, weight, evidence }: Found, isMostSerious: boolean) {
  const { when, category, because, action } = rule;
  const details = [
    ...new Set(
      evidence
        .map(({ detail }) => detail?.replace(' ~ ', ' to ') ?? '')
        .filter((detail) => !because.toLowerCase().includes(detail.toLowerCase())),
    ),
  ];
  return {
    rule: when,
    category,
    weight,
    points: isMostSerious ? weight : weight * FURTHER_SHARE,
    action,
    reason: details.length === 0 ? because : `${because} (${details.join(', ')})`,
    paths: evidence.map(({ path }) => path),
    source: evidence.map(({ path, text }) => `${path} = ${text}`).join('\n'),
  };
}

/** Of order and project: `status`, `serviceName`, `policyType`, `houseType`, `state`, `overdue`. */
export type ProjectValues = ReadonlyMap<string, Leaf>;

type Evidence = Readonly<{
  /** With `summary.`, or an order's fact. */
  path: string;
  text: string;
  /** For the reason; null if the reason includes it. */
  detail: string | null;
  /** The value, or the number of entries; a weight per entry multiplies it. */
  amount: number;
}>;

/** Null if the condition does not hold. */
function judge(
  condition: Condition,
  record: FlatRecord,
  values: ProjectValues,
  show: readonly string[],
): readonly Evidence[] | null {
  switch (condition.kind) {
    case 'both':
    case 'either': {
      const { kind, conditions } = condition;
      const evidence = conditions.map((part) => judge(part, record, values, show)).filter((held) => held !== null);
      return evidence.length < (kind === 'both' ? conditions.length : 1) ? null : evidence.flat();
    }
    case 'compare':
      return compare(condition, record, values);
    case 'any': {
      const held = itemsOf(record, condition.list).filter(
        ({ item }) => condition.where === null || judge(condition.where, item, values, []) !== null,
      );
      if (held.length === 0) return null;
      const details = [...new Set(held.map((found) => detailsOf(found, condition.where, show)).filter(Boolean))].join(
        ' / ',
      );
      return [
        {
          path: listPath(record, condition.list),
          text: details === '' ? String(held.length) : details,
          detail: show.length === 0 || details === '' ? null : details,
          amount: held.length,
        },
      ];
    }
  }
}

function compare({ path, test }: Extract<Condition, { kind: 'compare' }>, record: FlatRecord, values: ProjectValues) {
  const full = record.values.has(path) ? path : `summary.${path}`;
  const value = record.values.get(full);
  if (value === undefined) {
    const keys = [...record.values.values()].filter(
      (entry) => entry.key !== null && entry.attribute?.path === full && passes(entry.leaf, test),
    );
    const names = keys.map(({ key }) => plainName(key ?? '')).join(', ');
    if (keys.length > 0) return [{ path: full, text: names, detail: names, amount: keys.length }];
  }
  const isFact = value === undefined && values.has(path);
  const leaf = value === undefined ? values.get(path) : value.leaf;
  if (!passes(leaf, test)) return null;
  return [
    {
      path: isFact ? path : full,
      text: leaf === undefined ? 'not in the report' : leafText(leaf),
      detail: detailOf(leaf, test),
      amount: amountOf(leaf),
    },
  ];
}

function detailOf(leaf: Leaf | undefined, test: Comparison) {
  if (leaf == null || typeof leaf === 'boolean') return null;
  if (!Array.isArray(leaf)) return leafText(leaf);
  const passed = leaf.filter((entry) => passes([entry], test));
  return passed.length === 0 ? null : leafText(passed);
}

function amountOf(leaf: Leaf | undefined) {
  if (typeof leaf === 'number') return leaf;
  return Array.isArray(leaf) ? leaf.length : 1;
}

type FoundItem = Readonly<{
  item: FlatRecord;
  inside: readonly FlatRecord[];
}>;

function itemsOf(record: FlatRecord, path: string, prefix = 'summary.', inside: readonly FlatRecord[] = []) {
  const found: FoundItem[] = [];
  for (const list of record.lists.values()) {
    const own = list.path.startsWith(prefix) ? list.path.slice(prefix.length) : list.path;
    if (own === path) found.push(...list.items.map((item) => ({ item, inside })));
    else if (path.startsWith(`${own}.`))
      for (const item of list.items) found.push(...itemsOf(item, path.slice(own.length + 1), '', [...inside, item]));
  }
  return found;
}

/** The outermost list, which has a column in `Results`. */
function listPath(record: FlatRecord, path: string) {
  const outermost = [...record.lists.keys()].find(
    (known) => `summary.${path}` === known || `summary.${path}`.startsWith(`${known}.`),
  );
  return outermost ?? `summary.${path}`;
}

function detailsOf({ item, inside }: FoundItem, where: Condition | null, show: readonly string[]) {
  const paths = show.length > 0 ? show : pathsOf(where);
  const texts = paths.flatMap((path) => {
    const leaf = [item, ...inside.toReversed()].find(({ values }) => values.has(path))?.values.get(path)?.leaf;
    return isAssessed(leaf) ? [leafText(leaf)] : [];
  });
  return texts.join(' ');
}

export type RankedHouse = Readonly<{
  points: number;
  action?: Action | null;
  isInspected: boolean;
  /** A house that is shown again changes no new house's level. */
  isRanked?: boolean;
  /** Its level while it waits for a decision. */
  kept?: AttentionLevel | null;
}>;

/** `below`: inspected houses without a level. */
export type LevelCounts = Readonly<Record<AttentionLevel | 'below', number>>;

export class Ranking {
  readonly #levels;
  readonly #houses = new Map<string, number>();
  readonly #inspected = new Map<number, number>();
  #cuts: Readonly<Record<'high' | 'medium', number>> | null = null;

  constructor(levels: AttentionLevels) {
    this.#levels = levels;
  }

  add(house: RankedHouse) {
    this.#count(house, 1);
  }

  remove(house: RankedHouse) {
    this.#count(house, -1);
  }

  #count({ points, action, isInspected, isRanked = isInspected, kept = null }: RankedHouse, by: 1 | -1) {
    this.#cuts = null;
    countIn(this.#houses, JSON.stringify({ points, action, isInspected, kept }), by);
    if (isRanked && kept === null) countIn(this.#inspected, points, by);
  }

  get counts() {
    const counts = { High: 0, Medium: 0, Low: 0, below: 0 };
    for (const [key, houses] of this.#houses) {
      const { points, action, isInspected, kept } = JSON.parse(key) as RankedHouse;
      const level = kept ?? this.levelOf(points, action);
      if (level !== null || isInspected) counts[level ?? 'below'] += houses;
    }
    return counts;
  }

  levelOf(points: number, action: Action | null = null) {
    const { high, medium, low } = this.#levels;
    this.#cuts ??= cutsOf(this.#inspected, this.#levels);
    const reaches = ({ always, points: least, actions = [] }: LevelLimits, cut: number) =>
      points >= always || (points >= least && points >= cut) || (action !== null && actions.includes(action));
    if (reaches(high, this.#cuts.high)) return 'High';
    if (reaches(medium, this.#cuts.medium)) return 'Medium';
    return points >= low.points ? 'Low' : null;
  }
}

/** The deciding one, then the heaviest: the same order each night. */
export function sortFindings(findings: readonly Finding[]) {
  const deciding = decidingFinding(findings);
  const decides = (finding: Finding) => (finding === deciding ? 1 : 0);
  return findings.toSorted((a, b) => decides(b) - decides(a) || b.weight - a.weight);
}

export function countIn<Key>(counts: Map<Key, number>, key: Key, by = 1) {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

function cutsOf(inspected: ReadonlyMap<number, number>, { high, medium, rankFrom }: AttentionLevels) {
  const houses = [...inspected.values()].reduce((sum, each) => sum + each, 0);
  if (houses < rankFrom) return { high: 0, medium: 0 };
  const byPoints = [...inspected].filter(([, count]) => count > 0).toSorted(([a], [b]) => b - a);
  return { high: cutOf(byPoints, houses * high.share), medium: cutOf(byPoints, houses * (high.share + medium.share)) };
}

/** Houses with equal points stay together; the first ones always count. */
function cutOf(byPoints: readonly (readonly [points: number, houses: number])[], wanted: number) {
  let cut = 0;
  let before = 0;
  for (const [points, houses] of byPoints) {
    const from = before + houses;
    if (before > 0 && Math.abs(from - wanted) > Math.abs(before - wanted)) break;
    cut = points;
    before = from;
  }
  return cut;
}
