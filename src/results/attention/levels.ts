import type { Finding } from './judge.ts';
import { GRAVE_WEIGHT } from './judge.ts';
import type { AttentionLevels } from './rules.ts';

/** How urgently a house needs a look. */
export type AttentionLevel = 'High' | 'Medium' | 'Low';

/** What the levels go by. */
export interface RankedHouse {
  readonly points: number;
  readonly findings: readonly Finding[];
  /** Whether there is a report on the house. */
  readonly isInspected: boolean;
}

/** The houses of a workbook beside each other: which level each has, and which of its reasons sets it apart. */
export class Ranking {
  readonly #levels: AttentionLevels;
  /** So many points are a place among the share of a level. */
  readonly #cuts: Readonly<Record<'high' | 'medium', number>>;
  /** In how many houses each rule found something. */
  readonly #frequencies = new Map<string, number>();

  constructor(houses: readonly RankedHouse[], levels: AttentionLevels) {
    this.#levels = levels;
    const inspected = houses.filter(({ isInspected }) => isInspected).map(({ points }) => points);
    const { high, medium, rankFrom } = levels;
    this.#cuts = inspected.length < rankFrom ? { high: 0, medium: 0 } : { high: cutOf(inspected, high.share), medium: cutOf(inspected, high.share + medium.share) };
    for (const { rule } of houses.flatMap(({ findings }) => findings)) this.#frequencies.set(rule, (this.#frequencies.get(rule) ?? 0) + 1);
  }

  /** The level of a house with so many points; null where it is not worth a line. */
  levelOf(points: number): AttentionLevel | null {
    const { high, medium, low } = this.#levels;
    if (points >= high.always || (points >= high.points && points >= this.#cuts.high)) return 'High';
    if (points >= medium.always || (points >= medium.points && points >= this.#cuts.medium)) return 'Medium';
    return points >= low.points ? 'Low' : null;
  }

  /** The reasons in the order to tell them: grave ones first, and among those the one that the fewest other houses have. */
  inOrder(findings: readonly Finding[]): readonly Finding[] {
    const frequency = ({ rule }: Finding): number => this.#frequencies.get(rule) ?? 0;
    const isGrave = ({ weight }: Finding): number => (weight >= GRAVE_WEIGHT ? 1 : 0);
    return findings.toSorted((a, b) => isGrave(b) - isGrave(a) || frequency(a) - frequency(b) || b.weight - a.weight);
  }
}

/** The points from which on about that share of the houses are. Houses with the same points stay together; the first ones are always among it. */
function cutOf(points: readonly number[], share: number): number {
  const wanted = points.length * share;
  const distinct = [...new Set(points)].toSorted((a, b) => b - a);
  let cut = distinct[0] ?? 0;
  let before = 0;
  for (const candidate of distinct) {
    const from = points.filter((one) => one >= candidate).length;
    if (before > 0 && Math.abs(from - wanted) > Math.abs(before - wanted)) break;
    cut = candidate;
    before = from;
  }
  return cut;
}
