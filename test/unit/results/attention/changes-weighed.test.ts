import { describe, expect, test } from 'vitest';
import {
  describeTrend,
  describeRiskChanges,
  directionOf,
  directionSince,
} from '../../../../src/results/attention/judge.ts';

type RiskChange = Parameters<typeof describeTrend>[0];

const change = (reason: string, weight: number, path = 'summary.roof.hasTarp'): RiskChange => ({
  reason,
  weight,
  paths: [path],
});
const stated = (weight: number) => change('roof', weight, 'summary.roof.comparison');

describe('directionOf', () => {
  test.each([
    ['worse', [30, -10]],
    ['better', [10, -30]],
    [undefined, [20, -20]],
    [undefined, []],
  ])('is %s for the weights %j', (direction, weights) => {
    expect(directionOf(weights.map((weight) => ({ weight })))).toBe(direction);
  });

  test('directionSince leaves out what a report states', () => {
    expect(directionSince([stated(90), change('tarp', -5)])).toBe('better');
  });
});

describe('describeRiskChanges', () => {
  test('joins all but what a report states', () => {
    expect(describeRiskChanges([change('tarp', 5), stated(9), change('holes', -5)])).toBe('+ tarp, − holes');
  });

  test('describeTrend marks worse, better and stated', () => {
    const trends = [change('tarp', 5), change('tarp', -5), change('tarp', 0), stated(5)].map(describeTrend);
    expect(trends).toEqual(['+ tarp', '− tarp', '− tarp', 'reported: roof']);
  });
});
