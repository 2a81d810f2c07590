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
  test('a finding exactly as heavy as a grave one is grave', () => {
    expect(decides(finding(GRAVE_WEIGHT + 10, MILDER), finding(GRAVE_WEIGHT, STRICTEST))).toBe(
      `weight ${GRAVE_WEIGHT}`,
    );
  });

  test('one that is a hair lighter has no say beside a grave one', () => {
    expect(decides(finding(GRAVE_WEIGHT, MILDER), finding(GRAVE_WEIGHT - 1, STRICTEST))).toBe(`weight ${GRAVE_WEIGHT}`);
  });

  test('without a grave one the heaviest decides', () => {
    expect(decides(finding(9, STRICTEST), finding(10, MILDER))).toBe('weight 10');
  });

  test('of two as heavy without a grave one the stricter decides', () => {
    expect(decidingFinding([finding(10, MILDER), finding(10, STRICTEST)])?.action).toBe(STRICTEST);
  });

  test('of grave ones with one action the heaviest decides, in any order', () => {
    const [a, b] = [finding(GRAVE_WEIGHT, MILDER), finding(GRAVE_WEIGHT + 5, MILDER)];
    expect([decides(a, b), decides(b, a)]).toEqual([b.rule, b.rule]);
  });

  test('a finding without an action has no say, however heavy', () => {
    expect(decides(finding(50, null), finding(1, MILDER))).toBe('weight 1');
    expect(decides(finding(50, null))).toBeNull();
    expect(decides()).toBeNull();
  });
});

describe('fallback rules', () => {
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

  test('a finding about the order does not silence them', () => {
    expect(reasons({ risk })).toEqual(['Order: It is late', expect.stringContaining('There is something')]);
  });

  test('a finding about the house does', () => {
    expect(reasons({ risk, roof: { hasHoles: true } })).toEqual(['Order: It is late', 'Roof: There are holes']);
  });
});
