import { describe, expect, test } from 'vitest';
import { decidingFinding, type Finding, findingsOf, GRAVE_WEIGHT } from '../../../../src/results/attention/judge.ts';
import { ACTIONS, type Action, loadAttention, readAttention } from '../../../../src/results/attention/rules.ts';
import { flattenSummary } from '../../../../src/results/flatten.ts';

const ATTENTION = await loadAttention(null);
const [STRICTEST, MILDER] = ACTIONS as unknown as readonly [Action, Action];

const finding = (weight: number, action: Action | null): Finding => ({
  rule: `weight ${weight}`,
  category: 'roof',
  weight,
  points: weight,
  action,
  reason: '',
  paths: [],
  source: '',
});
const decides = (...findings: readonly Finding[]) => decidingFinding(findings)?.rule ?? null;

describe('decidingFinding', () => {
  test('counts a finding at exactly the grave weight as grave', () => {
    expect(decides(finding(GRAVE_WEIGHT + 10, MILDER), finding(GRAVE_WEIGHT, STRICTEST))).toBe(
      `weight ${GRAVE_WEIGHT}`,
    );
  });

  test('ignores a slightly lighter finding if one is grave', () => {
    expect(decides(finding(GRAVE_WEIGHT, MILDER), finding(GRAVE_WEIGHT - 1, STRICTEST))).toBe(`weight ${GRAVE_WEIGHT}`);
  });

  test('lets the heaviest finding decide without a grave one', () => {
    expect(decides(finding(9, STRICTEST), finding(10, MILDER))).toBe('weight 10');
  });

  test('lets the stricter of two equal findings decide without a grave one', () => {
    expect(decidingFinding([finding(10, MILDER), finding(10, STRICTEST)])?.action).toBe(STRICTEST);
  });

  test('lets the heaviest grave finding of one action decide in any order', () => {
    const [a, b] = [finding(GRAVE_WEIGHT, MILDER), finding(GRAVE_WEIGHT + 5, MILDER)];
    expect([decides(a, b), decides(b, a)]).toEqual([b.rule, b.rule]);
  });

  test('ignores a finding without an action at any weight', () => {
    expect(decides(finding(50, null), finding(1, MILDER))).toBe('weight 1');
    expect(decides(finding(50, null))).toBeNull();
    expect(decides()).toBeNull();
  });
});

describe('findingsOf: fallback rules', () => {
  const { rules } = readAttention(
    `rules:
  - { when: overdue is yes, weight: 5, category: order, because: It is late }
  - { when: roof.hasHoles is yes, weight: 5, category: roof, because: There are holes }
  - { when: risk.hazardScore > 0, weight: 5, category: building, because: There is something, fallback: yes }
`,
    'a.yaml',
    ATTENTION,
  );
  const reasons = (summary: Record<string, unknown>) =>
    findingsOf(flattenSummary({ id: 'R', summary }), rules, new Map([['overdue', true]])).map(({ reason }) => reason);
  const risk = { hazardScore: 2 };

  test('keeps them with a finding about the order', () => {
    expect(reasons({ risk })).toEqual(['Order: It is late', expect.stringContaining('There is something')]);
  });

  test('drops them with a finding about the house', () => {
    expect(reasons({ risk, roof: { hasHoles: true } })).toEqual(['Order: It is late', 'Roof: There are holes']);
  });
});
