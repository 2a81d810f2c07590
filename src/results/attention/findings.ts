import type { FlatRecord } from '../flatten.ts';
import { judge, type ProjectFacts } from './judge.ts';
import type { AttentionRule, Weight } from './rules-file.ts';

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

const NO_FACTS: ProjectFacts = new Map();

/**
 * What the rules find in one house, the heaviest first. Of rules that say the same about the same attributes only the heaviest counts:
 * `less than 1 year` and `up to 5 years` are one finding.
 */
export function findingsOf(record: FlatRecord, rules: readonly AttentionRule[], facts: ProjectFacts = NO_FACTS): readonly Finding[] {
  const found = new Map<string, Finding>();
  for (const { when, condition, weight, because, show } of rules) {
    const evidence = judge(condition, record, facts, show);
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
