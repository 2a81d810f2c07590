import { type Parts, sentence } from '../../domain/sentences.ts';
import { isList, type Leaf } from '../flatten.ts';

/** A parsed condition. Paths are the document's, without `summary.`. */
export type Condition = Readonly<
  | { kind: 'both' | 'either'; conditions: readonly Condition[] }
  | { kind: 'compare'; path: string; test: Comparison }
  | { kind: 'any'; list: string; where: Condition | null }
>;

export type Comparison = Readonly<
  | { kind: 'is' | 'is not'; values: readonly string[] }
  | { kind: 'contains'; text: string }
  | { kind: 'limit'; isWithin: (value: number, limit: number) => boolean; limit: number }
  | { kind: 'yes' | 'no' | 'not assessed' | 'absent' | 'has entries' }
>;

export class ConditionError extends Error {
  constructor(problem: string, parts?: Parts) {
    super(sentence(`condition/${problem}`, parts));
  }
}

type Token = Readonly<{ kind: 'word' | 'text' | 'number' | 'sign'; text: string }>;

const TOKEN = /\s*(?:"((?:[^"\\]|\\.)*)"|(-?\d+(?:\.\d+)?)(?![\w.])|([A-Za-z_][\w.\\]*)|(>=|<=|>|<|=|\(|\)|,))/y;

/**
 * Parses a condition such as `roof.estLife is "less than 1 year"`, `risk.hazardScore > 7`,
 * `exterior.hasPoolWithoutFence is yes`, `any roof.comparison where change contains "Significant"`; joined by `and`,
 * `or` and brackets. Throws ConditionError.
 */
export function parseCondition(text: string): Condition {
  return parserOf(tokensOf(text)).whole();
}

function tokensOf(text: string) {
  const tokens: Token[] = [];
  const scanner = new RegExp(TOKEN);
  const end = text.trimEnd().length;
  while (scanner.lastIndex < end) {
    const at = scanner.lastIndex;
    const match = scanner.exec(text);
    if (match === null) throw new ConditionError('unreadable', { rest: text.slice(at, at + 20).trim() });
    const [, quoted, number, word, sign] = match;
    if (quoted !== undefined)
      tokens.push({ kind: 'text', text: quoted.replaceAll(/\\(.)/g, (_, escaped: string) => escaped) });
    else if (number !== undefined) tokens.push({ kind: 'number', text: number });
    else if (word !== undefined) tokens.push({ kind: 'word', text: word });
    else tokens.push({ kind: 'sign', text: sign ?? '' });
  }
  return tokens;
}

const SIGNS: Readonly<Record<string, (value: number, limit: number) => boolean>> = {
  '>': (value, limit) => value > limit,
  '>=': (value, limit) => value >= limit,
  '<': (value, limit) => value < limit,
  '<=': (value, limit) => value <= limit,
};
const RESERVED = new Set(['and', 'or', 'is', 'has', 'contains', 'where', 'not', 'one', 'of']);

function parserOf(tokens: readonly Token[]) {
  let next = 0;

  function either() {
    return joined('or', 'either', () => both());
  }

  function joined(word: string, kind: 'both' | 'either', part: () => Condition) {
    const conditions = [part()];
    while (take(word)) conditions.push(part());
    const [only] = conditions;
    return conditions.length === 1 && only !== undefined ? only : { kind, conditions };
  }

  function single(): Condition {
    if (take('(')) {
      const inner = either();
      if (!take(')')) throw new ConditionError('bracket');
      return inner;
    }
    if (take('any')) return { kind: 'any', list: path(), where: take('where') ? both() : null };
    return { kind: 'compare', path: path(), test: test() };
  }

  function both() {
    return joined('and', 'both', () => single());
  }

  function path() {
    const token = tokens[next++];
    if (token?.kind !== 'word' || RESERVED.has(token.text)) throw new ConditionError('path', { place: placeOf(token) });
    return token.text.replace(/^summary\./, '');
  }

  function test(): Comparison {
    const token = tokens[next];
    const isWithin = token?.kind === 'sign' ? SIGNS[token.text] : undefined;
    if (isWithin !== undefined) {
      next += 1;
      return { kind: 'limit', isWithin, limit: number() };
    }
    if (take('=')) return { kind: 'is', values: [value()] };
    if (take('contains')) return { kind: 'contains', text: value() };
    if (take('has')) {
      if (!take('entries')) throw new ConditionError('entries');
      return { kind: 'has entries' };
    }
    if (take('is')) return is();
    throw new ConditionError('test');
  }

  function is(): Comparison {
    if (take('not')) return take('assessed') ? { kind: 'not assessed' } : { kind: 'is not', values: values() };
    const kind = (['yes', 'no', 'absent'] as const).find((word) => take(word));
    return kind === undefined ? { kind: 'is', values: values() } : { kind };
  }

  function values() {
    if (take('one') && !take('of')) throw new ConditionError('one-of');
    const values = [value()];
    while (take(',')) values.push(value());
    return values;
  }

  function value() {
    const token = tokens[next++];
    if (token?.kind !== 'text' && token?.kind !== 'number')
      throw new ConditionError('value', { place: placeOf(token) });
    return token.text;
  }

  function number() {
    const token = tokens[next++];
    if (token?.kind !== 'number') throw new ConditionError('number');
    return Number(token.text);
  }

  function take(text: string) {
    const token = tokens[next];
    if (token === undefined || token.kind === 'text' || token.text !== text) return false;
    next += 1;
    return true;
  }

  return {
    whole() {
      const condition = either();
      const rest = tokens[next];
      if (rest !== undefined) throw new ConditionError('end', { rest: rest.text });
      return condition;
    },
  };
}

function placeOf(token: Token | undefined) {
  return token === undefined ? 'at its end' : `in place of “${token.text}”`;
}

/** `undefined` is absent. Ignores case. */
export function passes(leaf: Leaf | undefined, test: Comparison) {
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
      return isAmong(leaf, test.values);
    case 'is not':
      return leaf !== null && !isAmong(leaf, test.values);
    case 'contains':
      return textsOf(leaf).some((text) => text.toLowerCase().includes(test.text.toLowerCase()));
    case 'limit':
      return typeof leaf === 'number' && test.isWithin(leaf, test.limit);
  }
}

function textsOf(leaf: Leaf) {
  return (isList(leaf) ? leaf : [leaf]).flatMap((entry) =>
    typeof entry === 'string' || typeof entry === 'number' || typeof entry === 'bigint' ? [String(entry)] : [],
  );
}

function isAmong(leaf: Leaf, values: readonly string[]) {
  const folded = (text: string) => text.trim().toLowerCase();
  return textsOf(leaf).some((text) => values.some((value) => folded(text) === folded(value)));
}

export function pathsOf(condition: Condition | null): readonly string[] {
  if (condition === null) return [];
  switch (condition.kind) {
    case 'both':
    case 'either':
      return [...new Set(condition.conditions.flatMap(pathsOf))];
    case 'compare':
      return [condition.path];
    case 'any':
      return [condition.list];
  }
}
