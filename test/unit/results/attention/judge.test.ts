import { describe, expect, test } from 'vitest';
import {
  type Finding,
  findingsOf,
  sortFindings,
  type ProjectValues,
  Ranking,
  suggestionSentence,
} from '../../../../src/results/attention/judge.ts';
import { type AttentionLevels, loadAttention, readAttention } from '../../../../src/results/attention/rules.ts';
import { flattenSummary } from '../../../../src/results/flatten.ts';

const ATTENTION = await loadAttention(null);

/** What one rule finds in a summary. */
function found(
  when: string,
  summary: Record<string, unknown>,
  { more = '', weight = '10', values }: { more?: string; weight?: string; values?: ProjectValues } = {},
): readonly Finding[] {
  const text = `rules:\n  - when: ${JSON.stringify(when)}\n    weight: ${weight}\n    because: It is so\n${more}`;
  const { rules } = readAttention(text, 'a.yaml', ATTENTION);
  return findingsOf(flattenSummary({ id: 'R', summary }), rules, values);
}

describe('suggestionSentence', () => {
  const suggestion = (reason: string) => {
    const [one] = found('roof.hasTarp is yes', { roof: { hasTarp: true } });
    if (one === undefined) throw new Error('nothing found');
    return suggestionSentence({ ...one, action: 'refer', reason });
  };

  test.each([
    ['Roof: poor condition', 'refer: roof, poor condition'],
    ['Occupancy: vacant', 'refer: vacant'],
    ['Liability: dog', 'refer: dog'],
    ['Roof: near Liability: dog', 'refer: roof, near Liability: dog'],
    ['HVAC: old', 'refer: HVAC, old'],
    ['a Pool: open', 'refer: a Pool, open'],
  ])('writes %s within a sentence', (reason, said) => {
    expect(suggestion(reason)).toBe(said);
  });
});

describe('findingsOf: a list', () => {
  const NESTED = {
    interior: {
      appliances: [
        { brand: 'A', recallData: [{ recallNumber: '7' }, { recallNumber: '8' }] },
        { brand: 'B', recallData: [{ recallNumber: '8' }] },
      ],
    },
  };

  test('points to the outermost list, where a person finds it', () => {
    const [one] = found('any interior.appliances.recallData where recallNumber is "8"', NESTED);
    expect(one?.paths).toEqual(['summary.interior.appliances']);
  });

  test('points to the list itself if it is outermost', () => {
    const [one] = found('any interior.appliances where brand is "A"', NESTED);
    expect(one?.paths).toEqual(['summary.interior.appliances']);
  });

  test('points to the right one of two lists', () => {
    const [one] = found('any interior.appliances where brand is "A"', {
      roof: { comparison: [{ direction: 'Rear', change: 'No' }] },
      ...NESTED,
    });
    expect(one?.paths).toEqual(['summary.interior.appliances']);
  });

  test('counts the items that match if their values say nothing', () => {
    const [one] = found('any interior.appliances.recallData where recallNumber is not "x"', NESTED, {
      more: '    show: brand\n',
    });
    expect(one?.source).toBe('summary.interior.appliances = A / B');
    const [bare] = found('any interior.appliances.recallData', NESTED);
    expect(bare).toMatchObject({ source: 'summary.interior.appliances = 3', reason: 'It is so' });
  });

  test('leaves empty and null values out of the reason', () => {
    const rooms = { roof: { comparison: [{ direction: null, comment: '', change: 'Bad' }] } };
    const [one] = found('any roof.comparison where change is "Bad"', rooms, {
      more: '    show: direction, comment, change\n',
    });
    expect(one?.reason).toBe('It is so (Bad)');
  });

  test('names equal items once', () => {
    const rooms = { roof: { comparison: [{ change: 'Bad' }, { change: 'Bad' }] } };
    const [one] = found('any roof.comparison where change is "Bad"', rooms, { more: '    show: change\n' });
    expect(one?.reason).toBe('It is so (Bad)');
  });

  test('finds nothing in a list of another name', () => {
    expect(
      found('any roof.comparison where change is "Bad"', { exterior: { comparison: [{ change: 'Bad' }] } }),
    ).toEqual([]);
  });
});

describe('findingsOf: a fact of the order', () => {
  test('names the fact without the summary', () => {
    const values = new Map([['status', 'Project Canceled']]);
    expect(found('status is "Project Canceled"', {}, { values })).toMatchObject([
      { paths: ['status'], source: 'status = Project Canceled' },
    ]);
  });

  test('prefers the report to a fact of the same name', () => {
    const values = new Map([['roof.shape', 'Flat']]);
    expect(found('roof.shape is "Hip"', { roof: { shape: 'Hip' } }, { values })).toMatchObject([
      { paths: ['summary.roof.shape'] },
    ]);
  });

  test('says that an absent attribute is not in the report', () => {
    expect(found('roof.shape is absent', {})).toMatchObject([
      { paths: ['summary.roof.shape'], source: 'summary.roof.shape = not in the report', reason: 'It is so' },
    ]);
  });
});

describe('findingsOf: a weight by amount', () => {
  test('multiplies by the number that was found', () => {
    expect(
      found('exterior.numDogPresent > 1', { exterior: { numDogPresent: 3 } }, { weight: '5 each, at most 50' }),
    ).toMatchObject([{ weight: 15 }]);
  });

  test('stops at the limit', () => {
    expect(
      found('exterior.numDogPresent > 1', { exterior: { numDogPresent: 30 } }, { weight: '5 each, at most 50' }),
    ).toMatchObject([{ weight: 50 }]);
  });

  test('counts a text once', () => {
    expect(found('roof.shape is "Hip"', { roof: { shape: 'Hip' } }, { weight: '5 each, at most 50' })).toMatchObject([
      { weight: 5 },
    ]);
  });

  test('finds nothing if the points are zero', () => {
    expect(
      found('exterior.numDogPresent < 5', { exterior: { numDogPresent: 0 } }, { weight: '5 each, at most 50' }),
    ).toEqual([]);
  });
});

describe('findingsOf: the same thing', () => {
  test('keeps the first rule of two with equal weight', () => {
    const text = ['roof.hasTarp', 'roof.hasHoles']
      .map((path) => `  - when: ${path} is yes\n    weight: 10\n    because: ${path}\n    about: hole\n`)
      .join('');
    const { rules } = readAttention(`rules:\n${text}`, 'a.yaml', ATTENTION);
    const record = flattenSummary({ id: 'R', summary: { roof: { hasTarp: true, hasHoles: true } } });
    expect(findingsOf(record, rules).map(({ rule }) => rule)).toEqual(['roof.hasTarp is yes']);
  });
});

describe('Ranking', () => {
  const LEVELS: AttentionLevels = {
    high: { always: 60, points: 25, share: 0.1 },
    medium: { always: 40, points: 10, share: 0.4 },
    low: { points: 5 },
    rankFrom: 10,
  };
  const house = (points: number, isInspected = true) => ({ points, isInspected });
  const rankingOf = (...points: readonly number[]): Ranking => {
    const ranking = new Ranking(LEVELS);
    for (const each of points) ranking.add(house(each));
    return ranking;
  };

  test.each([
    [60, 'High'],
    [40, 'Medium'],
    [5, 'Low'],
    [4, null],
  ] as const)('gives %i points of many high houses their level', (points, level) => {
    expect(rankingOf(...Array.from({ length: 20 }, () => 100)).levelOf(points)).toBe(level);
  });

  test.each([
    [25, 'High'],
    [10, 'Medium'],
    [24, 'Medium'],
    [9, 'Low'],
  ] as const)('gives %i points of few houses their level by points alone', (points, level) => {
    expect(rankingOf(1, 2, 3).levelOf(points)).toBe(level);
  });

  test('ranks from ten houses up', () => {
    const nine = [30, 29, 28, 27, 26, 5, 5, 5, 5];
    expect([rankingOf(...nine).levelOf(26), rankingOf(...nine, 5).levelOf(26)]).toEqual(['High', 'Medium']);
  });

  test('counts the house at the cut as high', () => {
    expect(rankingOf(30, 29, 28, 27, 26, 5, 5, 5, 5, 5).levelOf(30)).toBe('High');
  });

  test('leaves houses without a report out of the ranking', () => {
    const ranking = rankingOf(30, 5, 5, 5, 5);
    for (let index = 0; index < 20; index += 1) ranking.add(house(99, false));
    expect(ranking.levelOf(26)).toBe('High');
  });

  test('forgets a house that was removed', () => {
    const ranking = rankingOf(50, 30, 5, 5, 5, 5, 5, 5, 5, 5, 5);
    ranking.remove(house(50));
    expect(ranking.levelOf(30)).toBe('High');
  });

  const finding = (rule: string, weight: number, action: Finding['action'] = null): Finding => ({
    rule,
    category: 'roof',
    weight,
    points: weight,
    action,
    reason: rule,
    paths: [],
    source: '',
  });
  const order = (...findings: readonly Finding[]) => sortFindings(findings).map(({ rule }) => rule);

  test('shows the deciding finding first', () => {
    expect(order(finding('heavy', 60), finding('mild', 30, 'refer'))).toEqual(['mild', 'heavy']);
  });

  test('shows grave findings before others', () => {
    expect(order(finding('small', 5), finding('grave', 25))).toEqual(['grave', 'small']);
  });

  test('shows the heavier of two findings first, and keeps equal ones', () => {
    expect(order(finding('one', 30), finding('other', 30))).toEqual(['one', 'other']);
    expect(order(finding('lighter', 30), finding('heavier', 40))).toEqual(['heavier', 'lighter']);
  });
});
