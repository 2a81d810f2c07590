import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { ExplainedError, messageOf } from '../../domain/errors.ts';
import { type Condition, ConditionError, parseCondition } from './condition.ts';

/** What a finding weighs: a number, or so much for each unit of what was found, up to a limit. */
export type Weight = { readonly kind: 'fixed'; readonly points: number } | { readonly kind: 'each'; readonly points: number; readonly max: number };

/** One rule of the attention file. */
export interface AttentionRule {
  /** The condition as it was written: what the rule is known by. */
  readonly when: string;
  readonly condition: Condition;
  readonly weight: Weight;
  /** Why it matters, in words. */
  readonly because: string;
  /** Attributes of a list's items that the reason tells. */
  readonly show: readonly string[];
}

const KEYS = ['when', 'weight', 'because', 'show'] as const;
const EACH = /^(\d+(?:\.\d+)?) each, at most (\d+(?:\.\d+)?)$/;

/**
 * Reads attention rules from YAML: a list `rules`, each with `when`, `weight`, `because` and perhaps `show`. `name` is the file's, for
 * messages. Throws ExplainedError (2) that names every problem with its line.
 */
export function readAttentionRules(text: string, name: string): readonly AttentionRule[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const problems = document.errors.map((error) => `line ${error.linePos?.[0].line ?? 1}: ${error.message.split('\n')[0] ?? ''}`);
  const rules: AttentionRule[] = [];
  const root = document.contents;
  const list = isMap(root) ? root.get('rules', true) : undefined;
  if (problems.length === 0 && !isSeq(list)) problems.push('line 1: there is no list named “rules”');
  for (const item of isSeq(list) ? list.items : []) {
    const line = lines.linePos((item as Node).range?.[0] ?? 0).line;
    try {
      rules.push(ruleOf(item));
    } catch (failure) {
      problems.push(`line ${line}: ${messageOf(failure)}`);
    }
  }
  if (problems.length > 0) throw new ExplainedError(`${name} cannot be used:\n${problems.map((problem) => `  ${problem}`).join('\n')}`, { exitCode: 2, hint: 'templates/attention.yaml shows how rules are written.' });
  return rules;
}

function ruleOf(item: unknown): AttentionRule {
  if (!isMap(item)) throw new Error('a rule has the keys when, weight and because');
  const held = new Map<string, unknown>();
  for (const { key, value } of item.items) {
    const known = KEYS.find((candidate) => candidate === (isScalar(key) ? key.value : key));
    if (known === undefined) throw new Error(`the key ${String(isScalar(key) ? key.value : key)} is not known; a rule has ${KEYS.join(', ')}`);
    held.set(known, isScalar(value) ? value.value : value);
  }
  const when = textOf(held, 'when');
  try {
    return { when, condition: parseCondition(when), weight: weightOf(held.get('weight')), because: textOf(held, 'because'), show: showOf(held.get('show')) };
  } catch (failure) {
    if (failure instanceof ConditionError) throw new Error(`the condition “${when}” ${failure.message}`, { cause: failure });
    throw failure;
  }
}

function textOf(held: ReadonlyMap<string, unknown>, key: string): string {
  const value = held.get(key);
  if (typeof value !== 'string' || value.trim() === '') throw new Error(`the rule has no ${key}`);
  return value.trim();
}

function weightOf(value: unknown): Weight {
  if (typeof value === 'number' && value > 0) return { kind: 'fixed', points: value };
  const each = typeof value === 'string' ? EACH.exec(value.trim()) : null;
  if (each === null) throw new Error('its weight is not a number above 0, nor such as “3 each, at most 15”');
  return { kind: 'each', points: Number(each[1]), max: Number(each[2]) };
}

function showOf(value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  if (typeof value !== 'string') throw new Error('its show is not a list of attributes with commas in between');
  return value.split(',').map((path) => path.trim()).filter((path) => path !== '');
}
