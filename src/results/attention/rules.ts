import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, type YAMLMap } from 'yaml';
import { inWords } from '../../domain/cells.ts';
import { ExplainedError, messageOf } from '../../domain/errors.ts';
import { packageFolder } from '../../ops/system.ts';
import { type Condition, ConditionError, parseCondition, pathsOf } from './condition.ts';

export const CATEGORIES = ['roof', 'building', 'liability', 'occupancy', 'fire', 'water', 'order'] as const;
export type Category = (typeof CATEGORIES)[number];

/** The strictest first. */
export const ACTIONS = ['non-renew', 'refer', 're-inspect', 'recommend repairs'] as const;
export type Action = (typeof ACTIONS)[number];

export type Weight =
  | { readonly kind: 'fixed'; readonly points: number }
  | { readonly kind: 'each'; readonly points: number; readonly max: number };

export interface AttentionRule {
  /** As written; identifies the rule. */
  readonly when: string;
  readonly condition: Condition;
  readonly weight: Weight;
  readonly category: Category;
  readonly because: string;
  readonly action: Action | null;
  /** Of findings about one thing only the heaviest counts. */
  readonly about: string;
  /** Attributes of list items for the reason. */
  readonly show: readonly string[];
  /** Counts only if no other rule about the report does. */
  readonly isFallback: boolean;
}

export interface LevelLimits {
  readonly points: number;
  /** Of the houses, 0 to 1. */
  readonly share: number;
  /** At any rank. */
  readonly always: number;
}

export interface AttentionLevels {
  readonly high: LevelLimits;
  readonly medium: LevelLimits;
  readonly low: { readonly points: number };
  readonly rankFrom: number;
}

export interface Attention {
  readonly rules: readonly AttentionRule[];
  readonly levels: AttentionLevels;
}

export const DEFAULT_RULES_FILE = join(packageFolder(), 'templates/attention.yaml');

/** By default the program's own. Throws ExplainedError (2). */
export async function loadAttention(path: string | null): Promise<Attention> {
  const own = readAttention(await readFile(DEFAULT_RULES_FILE, 'utf8'), 'templates/attention.yaml', null);
  if (path === null) return own;
  const text = await readFile(path, 'utf8').catch((failure: unknown) => {
    throw new ExplainedError(
      'attention-rules-not-readable',
      `The attention rules cannot be read: ${messageOf(failure)}`,
      {
        kind: 'usage',
        hint: 'Check results.attention in config.yaml.',
        cause: failure,
      },
    );
  });
  return readAttention(text, path, own);
}

/**
 * `name` is for messages. `defaults` fill gaps of older files, by the rule's attribute. Throws ExplainedError (2) that
 * lists every problem with its line.
 */
export function readAttention(text: string, name: string, defaults: Attention | null): Attention {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const problems = document.errors.map(
    (error) => `line ${error.linePos?.[0].line ?? 1}: ${error.message.split('\n')[0] ?? ''}`,
  );
  const rules: AttentionRule[] = [];
  const root = document.contents;
  const list = isMap(root) ? root.get('rules', true) : undefined;
  if (problems.length === 0 && !isSeq(list)) problems.push('line 1: there is no list named “rules”');
  const attempt = <Read>(node: unknown, read: () => Read): Read | null => {
    try {
      return read();
    } catch (failure) {
      problems.push(`line ${lines.linePos((node as Node | undefined)?.range?.[0] ?? 0).line}: ${messageOf(failure)}`);
      return null;
    }
  };
  for (const item of isSeq(list) ? list.items : []) {
    const rule = attempt(item, () => ruleOf(item, defaults?.rules ?? []));
    if (rule !== null) rules.push(rule);
  }
  const held = isMap(root) ? root.get('levels', true) : undefined;
  const levels = attempt(held, () => (held === undefined && defaults !== null ? defaults.levels : levelsOf(held)));
  if (problems.length > 0 || levels === null)
    throw new ExplainedError(
      'attention-rules-wrong',
      `${name} cannot be used:\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
      {
        kind: 'usage',
        hint: 'templates/attention.yaml shows how rules are written.',
      },
    );
  return { rules, levels };
}

const KEYS = ['when', 'weight', 'category', 'because', 'action', 'about', 'show', 'fallback'] as const;

function ruleOf(item: unknown, defaults: readonly AttentionRule[]): AttentionRule {
  if (!isMap(item)) throw new Error('a rule has the keys when, weight and because');
  const held = heldBy(item, KEYS, 'a rule');
  const when = textOf(held, 'when');
  try {
    const condition = parseCondition(when);
    const asked = pathsOf(condition);
    const like = defaults.find((rule) => pathsOf(rule.condition).some((path) => asked.includes(path)));
    const because = textOf(held, 'because');
    const category = choiceOf(held, 'category', CATEGORIES);
    return {
      when,
      condition,
      weight: weightOf(held.get('weight')),
      category: category ?? like?.category ?? 'building',
      because: category === null ? because : `${category.slice(0, 1).toUpperCase()}${category.slice(1)}: ${because}`,
      action: choiceOf(held, 'action', ACTIONS) ?? (category === null ? (like?.action ?? null) : null),
      about: held.has('about') ? textOf(held, 'about') : category === null && like !== undefined ? like.about : because,
      show: showOf(held.get('show')),
      isFallback: flagOf(held.get('fallback')),
    };
  } catch (failure) {
    if (failure instanceof ConditionError)
      throw new Error(`the condition “${when}” ${failure.message}`, { cause: failure });
    throw failure;
  }
}

function heldBy(map: YAMLMap, keys: readonly string[], what: string): ReadonlyMap<string, unknown> {
  const held = new Map<string, unknown>();
  for (const { key, value } of map.items) {
    const known = keys.find((candidate) => candidate === (isScalar(key) ? key.value : key));
    if (known === undefined)
      throw new Error(
        `the key ${String(isScalar(key) ? key.value : key)} is not known; ${what} has ${keys.join(', ')}`,
      );
    held.set(known, isScalar(value) ? value.value : value);
  }
  return held;
}

function textOf(held: ReadonlyMap<string, unknown>, key: string): string {
  const value = held.get(key);
  if (typeof value !== 'string' || value.trim() === '') throw new Error(`the rule has no ${key}`);
  return value.trim();
}

function choiceOf<Choice extends string>(
  held: ReadonlyMap<string, unknown>,
  key: string,
  choices: readonly Choice[],
): Choice | null {
  if (!held.has(key)) return null;
  const value = held.get(key);
  const choice = choices.find((candidate) => candidate === value);
  if (choice === undefined) throw new Error(`its ${key} is none of ${inWords(choices, 'or')}`);
  return choice;
}

const EACH = /^(\d+(?:\.\d+)?) each, at most (\d+(?:\.\d+)?)$/;

function weightOf(value: unknown): Weight {
  if (typeof value === 'number' && value > 0) return { kind: 'fixed', points: value };
  const each = typeof value === 'string' ? EACH.exec(value.trim()) : null;
  if (each === null) throw new Error('its weight is not a number above 0, nor such as “3 each, at most 15”');
  return { kind: 'each', points: Number(each[1]), max: Number(each[2]) };
}

function showOf(value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  if (typeof value !== 'string') throw new Error('its show is not a list of attributes with commas in between');
  return value
    .split(',')
    .map((path) => path.trim())
    .filter((path) => path !== '');
}

/** `yes` is a text in YAML 1.2 and true in 1.1. */
function flagOf(value: unknown): boolean {
  if (value === undefined || value === false || value === 'no') return false;
  if (value === true || value === 'yes') return true;
  throw new Error('its fallback is neither yes nor no');
}

function levelsOf(node: unknown): AttentionLevels {
  if (!isMap(node)) throw new Error('there is no map named “levels”');
  const held = heldBy(node, ['high', 'medium', 'low', 'rankFrom'], 'levels');
  const limits = (name: string): LevelLimits => {
    const level = mapOf(held, name, ['points', 'share', 'always']);
    return {
      points: numberOf(level, 'points', name),
      share: shareOf(level.get('share'), name),
      always: numberOf(level, 'always', name),
    };
  };
  return {
    high: limits('high'),
    medium: limits('medium'),
    low: { points: numberOf(mapOf(held, 'low', ['points']), 'points', 'low') },
    rankFrom: numberOf(held, 'rankFrom', 'levels'),
  };
}

function mapOf(
  held: ReadonlyMap<string, unknown>,
  name: string,
  keys: readonly string[],
): ReadonlyMap<string, unknown> {
  const level = held.get(name);
  if (!isMap(level)) throw new Error(`the level ${name} is missing; it has ${inWords(keys)}`);
  return heldBy(level, keys, `the level ${name}`);
}

function numberOf(held: ReadonlyMap<string, unknown>, key: string, of: string): number {
  const value = held.get(key);
  if (typeof value !== 'number' || !(value >= 0)) throw new Error(`${key} of ${of} is not a number from 0 on`);
  return value;
}

function shareOf(value: unknown, of: string): number {
  const percent = typeof value === 'string' ? /^(\d{1,3}(?:\.\d+)?)\s?%$/.exec(value.trim())?.[1] : undefined;
  const share = percent === undefined ? Number.NaN : Number(percent) / 100;
  if (!(share >= 0 && share <= 1)) throw new Error(`share of ${of} is not a percentage, such as 10%`);
  return share;
}
