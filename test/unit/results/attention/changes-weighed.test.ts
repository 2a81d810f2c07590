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

  test('directionSince is worse if a report says so, whatever got better', () => {
    expect(directionSince([stated(5), change('tarp', -90)])).toBe('worse');
    expect([stated(-5), change('tarp', 9)].map((one) => directionSince([one]))).toEqual(['better', 'worse']);
  });
});

describe('describeRiskChanges', () => {
  test('joins what was compared and what a report states', () => {
    const all = [change('tarp', 5), stated(9), change('holes', -5)];
    expect(describeRiskChanges(all).split(', ')).toEqual(['+ tarp', 'Roof', 'as reported', '− holes']);
  });

  test('describeTrend marks worse, better and stated', () => {
    const trends = [change('tarp', 5), change('tarp', -5), change('tarp', 0), stated(5)].map(describeTrend);
    expect(trends).toEqual(['+ tarp', '− tarp', '− tarp', 'Roof, as reported']);
  });
});
