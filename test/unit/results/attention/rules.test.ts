import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ExplainedError } from '../../../../src/domain/errors.ts';
import { type AttentionRule, loadAttention, readAttention } from '../../../../src/results/attention/rules.ts';

const ATTENTION = await loadAttention(null);
const RULE = { when: 'roof.hasTarp is yes', weight: '10', because: 'It is so' };
const LEVELS =
  'levels: { high: { points: 30, share: 10%, always: 60 }, medium: { points: 15, share: 20 %, always: 40 }, low: { points: 5 }, rankFrom: 12 }';

/** YAML of one rule; a null key is left out. */
function yaml(changes: Readonly<Record<string, string | null>> = {}): string {
  const lines = Object.entries({ ...RULE, ...changes }).flatMap(([key, value]) =>
    value === null ? [] : [`${key}: ${value}`],
  );
  return `rules:\n  - ${lines.join('\n    ')}\n`;
}

const read = (changes: Readonly<Record<string, string | null>> = {}, defaults: typeof ATTENTION | null = ATTENTION) =>
  readAttention(yaml(changes), 'mine.yaml', defaults).rules[0] as AttentionRule;

/** What is wrong, with its lines; any other failure is thrown. */
function problems(text: string, defaults: typeof ATTENTION | null = ATTENTION): string {
  try {
    readAttention(text, 'mine.yaml', defaults);
    return 'none';
  } catch (failure) {
    if (failure instanceof ExplainedError && failure.code === 'attention-rules-wrong') return failure.message;
    throw failure;
  }
}

describe('loadAttention', () => {
  test('reads the named file with its own levels', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'rules-'));
    const path = join(folder.path, 'mine.yaml');
    await writeFile(path, `${yaml()}${LEVELS}\n`);
    expect(await loadAttention(path)).toMatchObject({
      rules: [{ when: RULE.when }],
      levels: {
        high: { points: 30, share: 0.1, always: 60 },
        medium: { points: 15, share: 0.2, always: 40 },
        low: { points: 5 },
        rankFrom: 12,
      },
    });
  });

  test('refuses a missing file', async () => {
    await expect(loadAttention('/nowhere/mine.yaml')).rejects.toMatchObject({
      code: 'attention-rules-not-readable',
      kind: 'usage',
    });
  });

  test('has built-in rules and levels', () => {
    expect([ATTENTION.rules.length > 50, ATTENTION.levels.rankFrom > 0]).toEqual([true, true]);
  });
});

describe('readAttention: a rule', () => {
  test('puts the category before the reason', () => {
    expect(read({ category: 'roof' })).toMatchObject({ category: 'roof', because: 'Roof: It is so' });
  });

  test("keeps the sentence and takes a similar rule's category without one", () => {
    expect(read()).toMatchObject({ category: 'roof', because: 'It is so' });
  });

  test('is about the building without a category or a similar rule', () => {
    expect(read({ when: 'newOnes.thing is yes' })).toMatchObject({ category: 'building', action: null });
  });

  test("takes a similar rule's action only without a category", () => {
    expect([read().action, read({ category: 'roof' }).action]).toEqual(['re-inspect', null]);
  });

  test('is about its reason, or about the thing it names', () => {
    expect([read({ category: 'roof' }).about, read({ about: 'a tarp' }).about]).toEqual(['It is so', 'a tarp']);
  });

  test("is about a similar rule's thing without a category", () => {
    expect(read().about).toBe('tarp');
  });

  test('trims its texts', () => {
    expect(read({ because: '"  It is so "' }).because).toBe('It is so');
  });

  test.each<[string, unknown]>([
    ['10', { kind: 'fixed', points: 10 }],
    ['0.5', { kind: 'fixed', points: 0.5 }],
    ['" 3 each, at most 15 "', { kind: 'each', points: 3, max: 15 }],
    ['12.25 each, at most 100.75', { kind: 'each', points: 12.25, max: 100.75 }],
  ])('weighs %s', (weight, expected) => {
    expect(read({ weight }).weight).toEqual(expected);
  });

  test.each(['0', '-1', 'heavy', 'null', 'x3 each, at most 15', '3 each, at most 15 points', '[1]', 'true'])(
    'cannot weigh %s',
    (weight) => {
      expect(problems(yaml({ weight }))).toContain('line 2: its weight');
    },
  );

  test.each<[string | null, readonly string[]]>([
    [null, []],
    ['null', []],
    ['brand', ['brand']],
    ['" brand , productType,"', ['brand', 'productType']],
  ])('shows %j', (show, expected) => {
    expect(read({ show }).show).toEqual(expected);
  });

  test('cannot show a list', () => {
    expect(problems(yaml({ show: '[brand]' }))).toContain('line 2: its show');
  });

  test.each<[string | null, boolean]>([
    [null, false],
    ['yes', true],
    ['true', true],
    ['no', false],
    ['false', false],
  ])('takes fallback %j as %s', (fallback, expected) => {
    expect(read({ fallback }).isFallback).toBe(expected);
  });

  test('refuses other words for fallback', () => {
    expect(problems(yaml({ fallback: 'maybe' }))).toContain('line 2: its fallback');
  });

  test.each<[string, Readonly<Record<string, string | null>>, string]>([
    ['a condition', { when: null }, 'no when'],
    ['a reason', { because: null }, 'no because'],
    ['a reason that is text', { because: '7' }, 'no because'],
    ['a reason with words', { because: '"  "' }, 'no because'],
  ])('needs %s', (_what, changes, words) => {
    expect(problems(yaml(changes))).toMatch(new RegExp(`line \\d: .*${words}`));
  });

  test('must be a map with keys', () => {
    expect(problems('rules:\n  - a tarp\n')).toMatch(/line 2: .*\bkeys\b/);
  });

  test('is accepted next to a wrong one, which alone is reported', () => {
    const message = problems(`${yaml()}  - { when: a is yes, weight: 0, because: x }\n`);
    expect([message.includes('line 2'), message.includes('line 5')]).toEqual([false, true]);
  });
});

describe('readAttention: the file', () => {
  test('reports only a YAML fault with its line, no consequences', () => {
    const message = problems('rules:\n  - when: "a\n');
    expect(message).not.toContain('no list');
    expect(message).toMatch(/line \d+: \S/);
  });

  test.each(['', 'rules', 'rules: yes', 'roof: []'])('is refused without a list of rules: %j', (text) => {
    expect(problems(text)).toMatch(/line 1: .*\blist\b/);
  });

  test('takes the built-in levels if it has none', () => {
    expect(readAttention(yaml(), 'mine.yaml', ATTENTION).levels).toEqual(ATTENTION.levels);
  });

  test('is refused without levels or defaults', () => {
    expect(problems(yaml(), null)).toContain('no map named “levels”');
  });
});

describe('readAttention: levels', () => {
  const withLevels = (change: (levels: string) => string): string => problems(`${yaml()}${change(LEVELS)}\n`);

  test.each<[string, string, string]>([
    ['a level', 'medium: { points: 15, share: 20 %, always: 40 }, ', ''],
    ['the points of a level', 'points: 30', 'points: many'],
    ['points from 0 on', 'points: 30', 'points: -1'],
    ['a share', 'share: 10%, ', ''],
    ['a share in percent', 'share: 10%', 'share: 0.1'],
    ['a share of at most all', 'share: 10%', 'share: 101%'],
    ['a share without words', 'share: 10%', 'share: about 10%'],
    ['a share with nothing behind', 'share: 10%', 'share: 10% or so'],
    ['the number to rank from', ', rankFrom: 12', ''],
    ['a map for a level', 'low: { points: 5 }', 'low: 5'],
    ['no unknown key', 'rankFrom: 12', 'rankFrom: 12, lowest: 1'],
  ])('need %s', (_what, before, now) => {
    expect(withLevels((levels) => levels.replace(before, () => now))).toMatch(/^mine\.yaml[^]*line \d+: /);
  });

  test.each([
    ['0%', 0],
    ['100%', 1],
    ['" 12.75% "', 0.1275],
  ])('accept a share of %s', (share, expected) => {
    const { levels } = readAttention(`${yaml()}${LEVELS.replace('10%', () => share)}\n`, 'a.yaml', ATTENTION);
    expect(levels.high.share).toBe(expected);
  });

  test('accept 0 points', () => {
    const { levels } = readAttention(
      `${yaml()}${LEVELS.replace('points: 5', () => 'points: 0')}\n`,
      'a.yaml',
      ATTENTION,
    );
    expect(levels.low.points).toBe(0);
  });

  test('must be a map', () => {
    expect(problems(`${yaml()}levels: 7\n`)).toMatch(/line 5: .*\bmap\b/);
  });
});
