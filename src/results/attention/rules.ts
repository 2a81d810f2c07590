import { readFile } from 'node:fs/promises';
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { ExplainedError, messageOf } from '../../domain/errors.ts';
import type { Leaf } from '../flatten.ts';

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
  if (problems.length > 0) throw new ExplainedError(`${name} cannot be used:\n${problems.map((problem) => `  ${problem}`).join('\n')}`, { kind: 'usage', hint: 'templates/attention.yaml shows how rules are written.' });
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

/** The rules that come with the program, for underwriters to start from. */
export const DEFAULT_RULES_FILE = new URL('../../../templates/attention.yaml', import.meta.url);

/** The rules of this file; those that come with the program where none is named. Throws ExplainedError (2). */
export async function loadAttentionRules(path: string | null): Promise<readonly AttentionRule[]> {
  const text = await readFile(path ?? DEFAULT_RULES_FILE, 'utf8').catch((failure: unknown) => {
    throw new ExplainedError(`The attention rules cannot be read: ${messageOf(failure)}`, { kind: 'usage', hint: 'Check results.attention in config.yaml.', cause: failure });
  });
  return readAttentionRules(text, path ?? 'templates/attention.yaml');
}

/** What a rule asks for, as it was parsed. Paths are those of the document, without `summary.`. */
export type Condition =
  | { readonly kind: 'both' | 'either'; readonly conditions: readonly Condition[] }
  | { readonly kind: 'compare'; readonly path: string; readonly test: Comparison }
  /** An item of a list for which the condition holds. */
  | { readonly kind: 'any'; readonly list: string; readonly where: Condition | null };

export type Comparison =
  | { readonly kind: 'is' | 'is not'; readonly values: readonly string[] }
  | { readonly kind: 'contains'; readonly text: string }
  | { readonly kind: 'more' | 'at least' | 'less' | 'at most'; readonly limit: number }
  | { readonly kind: 'yes' | 'no' | 'not assessed' | 'absent' | 'has entries' };

/** Why a condition cannot be read, for whoever wrote it. */
class ConditionError extends Error {}

type Token = { readonly kind: 'word' | 'text' | 'number' | 'sign'; readonly text: string };

const TOKEN = /\s*(?:"((?:[^"\\]|\\.)*)"|(-?\d+(?:\.\d+)?)(?![\w.])|([A-Za-z_][\w.\\]*)|(>=|<=|>|<|=|\(|\)|,))/y;

/**
 * Reads a condition such as `roof.estLife is "less than 1 year"`, `risk.hazardScore > 7`, `exterior.hasPoolWithoutFence is yes`,
 * `any roof.comparison where change contains "Significant"`, joined by `and`, `or` and brackets. Throws ConditionError.
 */
export function parseCondition(text: string): Condition {
  return new Parser(tokensOf(text)).whole();
}

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  const scanner = new RegExp(TOKEN);
  const end = text.trimEnd().length;
  while (scanner.lastIndex < end) {
    const at = scanner.lastIndex;
    const match = scanner.exec(text);
    if (match === null) throw new ConditionError(`cannot be read from “${text.slice(at, at + 20).trim()}” on; texts stand between double quotes`);
    const [, quoted, number, word, sign] = match;
    if (quoted !== undefined) tokens.push({ kind: 'text', text: quoted.replaceAll(/\\(.)/g, (_, escaped: string) => escaped) });
    else if (number !== undefined) tokens.push({ kind: 'number', text: number });
    else if (word !== undefined) tokens.push({ kind: 'word', text: word });
    else tokens.push({ kind: 'sign', text: sign ?? '' });
  }
  return tokens;
}

const SIGNS: Readonly<Record<string, 'more' | 'at least' | 'less' | 'at most'>> = { '>': 'more', '>=': 'at least', '<': 'less', '<=': 'at most' };
const RESERVED: ReadonlySet<string> = new Set(['and', 'or', 'is', 'has', 'contains', 'where', 'not', 'one', 'of']);

class Parser {
  readonly #tokens: readonly Token[];
  #next = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  whole(): Condition {
    const condition = this.#either();
    const rest = this.#tokens[this.#next];
    if (rest !== undefined) throw new ConditionError(`has “${rest.text}” where it should end, or go on with “and” or “or”`);
    return condition;
  }

  #either(): Condition {
    return this.#joined('or', 'either', () => this.#joined('and', 'both', () => this.#single()));
  }

  #joined(word: string, kind: 'both' | 'either', part: () => Condition): Condition {
    const conditions = [part()];
    while (this.#take(word)) conditions.push(part());
    const [only] = conditions;
    return conditions.length === 1 && only !== undefined ? only : { kind, conditions };
  }

  #single(): Condition {
    if (this.#take('(')) {
      const inner = this.#either();
      if (!this.#take(')')) throw new ConditionError('has a bracket that is not closed');
      return inner;
    }
    if (this.#take('any')) {
      const list = this.#path();
      return { kind: 'any', list, where: this.#take('where') ? this.#both() : null };
    }
    return { kind: 'compare', path: this.#path(), test: this.#test() };
  }

  /** What follows `where` goes as far as `and` reaches; brackets make it shorter or longer. */
  #both(): Condition {
    return this.#joined('and', 'both', () => this.#single());
  }

  #path(): string {
    const token = this.#tokens[this.#next];
    if (token?.kind !== 'word' || RESERVED.has(token.text)) throw new ConditionError(`needs the path of an attribute, such as roof.hasTarp, ${token === undefined ? 'at its end' : `where “${token.text}” stands`}`);
    this.#next += 1;
    return token.text.replace(/^summary\./, '');
  }

  #test(): Comparison {
    const token = this.#tokens[this.#next];
    const sign = token?.kind === 'sign' ? SIGNS[token.text] : undefined;
    if (sign !== undefined) {
      this.#next += 1;
      return { kind: sign, limit: this.#number() };
    }
    if (this.#take('=')) return { kind: 'is', values: [this.#value()] };
    if (this.#take('contains')) return { kind: 'contains', text: this.#value() };
    if (this.#take('has')) {
      if (!this.#take('entries')) throw new ConditionError('says “has” and then not “entries”');
      return { kind: 'has entries' };
    }
    if (this.#take('is')) return this.#is();
    throw new ConditionError('needs “is”, “contains”, “has entries” or one of > >= < <= behind the attribute');
  }

  #is(): Comparison {
    if (this.#take('not')) return this.#take('assessed') ? { kind: 'not assessed' } : { kind: 'is not', values: this.#values() };
    if (this.#take('yes')) return { kind: 'yes' };
    if (this.#take('no')) return { kind: 'no' };
    if (this.#take('absent')) return { kind: 'absent' };
    return { kind: 'is', values: this.#values() };
  }

  #values(): readonly string[] {
    if (this.#take('one') && !this.#take('of')) throw new ConditionError('says “one” and then not “of”');
    const values = [this.#value()];
    while (this.#take(',')) values.push(this.#value());
    return values;
  }

  #value(): string {
    const token = this.#tokens[this.#next];
    if (token?.kind !== 'text' && token?.kind !== 'number') throw new ConditionError(`needs a value, ${token === undefined ? 'at its end' : `where “${token.text}” stands`}: a number, a text between double quotes, yes or no`);
    this.#next += 1;
    return token.text;
  }

  #number(): number {
    const token = this.#tokens[this.#next];
    if (token?.kind !== 'number') throw new ConditionError('needs a number to compare with');
    this.#next += 1;
    return Number(token.text);
  }

  #take(text: string): boolean {
    const token = this.#tokens[this.#next];
    if (token === undefined || token.kind === 'text' || token.text !== text) return false;
    this.#next += 1;
    return true;
  }
}

/** Whether a value passes; `undefined` is an absent one. Texts are compared without regard to case. */
export function passes(leaf: Leaf | undefined, test: Comparison): boolean {
  if (test.kind === 'absent') return leaf === undefined;
  if (leaf === undefined) return false;
  switch (test.kind) {
    case 'not assessed':
      return leaf === null;
    case 'yes':
      return leaf === true;
    case 'no':
      return leaf === false;
    case 'has entries':
      return isList(leaf) ? leaf.length > 0 : typeof leaf === 'number' && leaf > 0;
    case 'is':
      return textsOf(leaf).some((text) => test.values.some((value) => sameText(text, value)));
    case 'is not':
      return leaf !== null && !textsOf(leaf).some((text) => test.values.some((value) => sameText(text, value)));
    case 'contains':
      return textsOf(leaf).some((text) => text.toLowerCase().includes(test.text.toLowerCase()));
    case 'more':
      return typeof leaf === 'number' && leaf > test.limit;
    case 'at least':
      return typeof leaf === 'number' && leaf >= test.limit;
    case 'less':
      return typeof leaf === 'number' && leaf < test.limit;
    case 'at most':
      return typeof leaf === 'number' && leaf <= test.limit;
  }
}

function isList(leaf: Leaf): leaf is Extract<Leaf, readonly unknown[]> {
  return Array.isArray(leaf);
}

function textsOf(leaf: Leaf): readonly string[] {
  return (isList(leaf) ? leaf : [leaf]).flatMap((entry) => (typeof entry === 'string' || typeof entry === 'number' || typeof entry === 'bigint' ? [String(entry)] : []));
}

function sameText(a: string, b: string): boolean {
  return a.trim().toLowerCase() === b.trim().toLowerCase();
}
