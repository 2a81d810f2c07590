import { expect, test } from 'vitest';
import type { ReportSummary } from '../../../../src/contract/document.ts';
import {
  decidingFinding,
  type Finding,
  findingsOf,
  sortFindings,
  sumPoints,
  type RankedHouse,
  Ranking,
} from '../../../../src/results/attention/judge.ts';
import { loadAttention } from '../../../../src/results/attention/rules.ts';
import { flattenSummary } from '../../../../src/results/flatten.ts';
import { inventImages, type Inspection, reportsOf } from '../../../../src/sandbox/deliverables/inspection.ts';
import { summaryOf } from '../../../../src/sandbox/deliverables/summary.ts';
import { sampleOrder } from '../../../support/full-summary.ts';
import { inProof } from '../../../support/proof-size.ts';

const { rules, levels } = await loadAttention(null);
const SERVICES = ['4-Point', 'Exterior', 'Premium 4-Point', 'Roof Only'] as const;

/** The houses of a night as the sandbox draws them. */
function drawn(seed: string, count: number, accountTemplate: Inspection['accountTemplate']): RankedHouse[] {
  return Array.from({ length: count }, (_, index) => {
    const request = {
      ...sampleOrder,
      serviceName: SERVICES[index % SERVICES.length] ?? '4-Point',
      isRenewal: index % 2 === 0,
    };
    const project = {
      id: BigInt(100_000 + index),
      request,
      policyNumber: String(index),
    } as unknown as Inspection['project'];
    const inspection: Inspection = {
      seed,
      project,
      closeout: false,
      visit: { inspectedAt: 1_760_000_000, returnedAt: 1_760_090_000 },
      accountTemplate,
      unlistedAttributes: 'absent',
      laterReport: 'absent',
      key: String(project.id),
      house: String(project.id),
    };
    const [report] = reportsOf(inspection);
    if (report === undefined) throw new Error('no report');
    const summary = summaryOf(inspection, report, inventImages(inspection)) as unknown as ReportSummary;
    return houseWith(findingsOf(flattenSummary(summary), rules));
  });
}

const findingsIn = (summary: Record<string, unknown>): readonly Finding[] =>
  findingsOf(flattenSummary({ id: 'R', summary }), rules);
const houseWith = (findings: readonly Finding[]): RankedHouse => ({
  points: sumPoints(findings),
  action: decidingFinding(findings)?.action ?? null,
  isInspected: true,
});
const house = (summary: Record<string, unknown>): RankedHouse => houseWith(findingsIn(summary));

function rankingOf(houses: readonly RankedHouse[]): Ranking {
  const ranking = new Ranking(levels);
  for (const each of houses) ranking.add(each);
  return ranking;
}

function counts(houses: readonly RankedHouse[]): Record<string, number> {
  const ranking = rankingOf(houses);
  const found: Record<string, number> = { High: 0, Medium: 0, Low: 0, none: 0 };
  for (const { points, action } of houses) {
    const level = ranking.levelOf(points, action) ?? 'none';
    found[level] = (found[level] ?? 0) + 1;
  }
  return found;
}

test.each(inProof({ share: ['storm'], whole: ['1', '2', 'storm', 'sandbox', '77'] }))(
  'rates a tenth High and lists about a third: seed %s',
  (seed) => {
    for (const template of ['standard', 'slim'] as const) {
      const { High = 0, Medium = 0, Low = 0 } = counts(drawn(seed, 100, template));
      expect(High).toBeGreaterThanOrEqual(7);
      expect(High).toBeLessThanOrEqual(13);
      expect(Medium).toBeGreaterThanOrEqual(12);
      expect(Medium).toBeLessThanOrEqual(25);
      expect(High + Medium + Low).toBeGreaterThanOrEqual(24);
      expect(High + Medium + Low).toBeLessThanOrEqual(43);
    }
  },
);

test('levelOf rates a suggested non-renewal at least Medium', () => {
  const ranking = rankingOf([...Array.from({ length: 12 }, () => BAD), CALM]);
  expect([ranking.levelOf(1), ranking.levelOf(1, 'refer'), ranking.levelOf(1, 'non-renew')]).toEqual([
    null,
    null,
    'Medium',
  ]);
});

test('levelOf rates a suggestion for new business as that for a renewal', () => {
  const ranking = rankingOf([...Array.from({ length: 12 }, () => BAD), CALM]);
  expect(ranking.levelOf(1, 'decline or cancel')).toBe('Medium');
});

const CALM = house({ exterior: { hasMildewOrMoss: true } });
const BAD = house({
  roof: { hasHoles: true },
  interior: { hasVisibleLeaks: true, electric: { hasIneligiblePanel: true } },
});

test('rates a few houses by points alone', () => {
  expect(counts([CALM])).toMatchObject({ High: 0, none: 1 });
  expect(counts([BAD])).toMatchObject({ High: 1 });
  expect(counts([BAD, BAD, CALM, CALM, BAD])).toMatchObject({ High: 3, none: 2 });
  expect(counts([])).toMatchObject({ High: 0 });
});

test('rates nobody High on a calm night, only the worst after storms', () => {
  expect(counts(Array.from({ length: 40 }, () => CALM))).toMatchObject({ High: 0, Medium: 0, Low: 0 });
  const worst = house({
    roof: { hasHoles: true },
    interior: { hasVisibleLeaks: true, electric: { hasIneligiblePanel: true } },
    risk: { vacant: true },
    bldg: { constructionOverWater: true },
    exterior: { hasPoolWithoutFence: true },
  });
  const storm = Array.from({ length: 40 }, (_, index) => (index < 12 ? worst : BAD));
  expect(counts(storm)).toMatchObject({ High: 12 });
});

test('inOrder puts the deciding reason first, then the heaviest', () => {
  const roof = { overallCondition: 'Poor', hasMissingDamagedShingles: true };
  const odd = findingsIn({
    roof,
    bldg: { hasFoundationCracks: true },
    exterior: { hasTreeHouse: true },
  });
  expect(sortFindings(odd).map(({ reason }) => reason)).toEqual([
    'Roof: poor condition overall',
    'Building: foundation cracks',
    'Roof: missing or damaged shingles',
    'Liability: tree house',
  ]);
});

test('remove takes a house out of the ranking and the counts', () => {
  const worst = house({
    roof: { hasHoles: true },
    interior: { hasVisibleLeaks: true, electric: { hasIneligiblePanel: true } },
    risk: { vacant: true },
    bldg: { constructionOverWater: true },
    exterior: { hasPoolWithoutFence: true },
  });
  const houses = [...Array.from({ length: 40 }, () => BAD), CALM, CALM];
  const ranking = rankingOf([...houses, worst, worst]);
  ranking.remove(worst);
  ranking.remove(worst);
  expect(ranking.levelOf(BAD.points)).toBe(rankingOf(houses).levelOf(BAD.points));
  const { none: below, ...told } = counts(houses);
  expect(ranking.counts).toEqual({ ...told, below });
});

test('keeps the level of a house that waits for a decision, unranked', () => {
  const ranking = new Ranking(levels);
  const waiting: RankedHouse = { points: 150, isInspected: true, kept: 'High' };
  for (let count = 0; count < 20; count += 1) ranking.add(waiting);
  for (let points = 1; points <= 100; points += 1) ranking.add({ points, isInspected: true });
  expect(ranking.levelOf(95)).toBe('High');
  expect(ranking.counts.High).toBe(30);
  ranking.remove(waiting);
  expect(ranking.counts.High).toBe(29);
});

test('rates new houses alike whether decided ones are shown again or not', () => {
  const fresh = [142, 74, 52, 48, 47, 5].map((points): RankedHouse => ({ points, isInspected: true }));
  const decided: RankedHouse = { points: 160, isInspected: true, isRanked: false };
  const alone = rankingOf(fresh);
  const shown = rankingOf([...fresh, ...Array.from({ length: 8 }, () => decided)]);
  const levelsOf = (ranking: Ranking) => fresh.map(({ points }) => ranking.levelOf(points));
  expect(levelsOf(shown)).toEqual(levelsOf(alone));
  expect(shown.levelOf(160)).toBe('High');
});
