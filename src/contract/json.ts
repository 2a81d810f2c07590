import type { z } from 'zod';

/** Far above the document's. */
export const JSON_LIMITS = {
  depth: 64,
  /** Characters of a text or name. */
  text: 1024 * 1024,
  /** Characters of a number. */
  number: 400,
  members: 20_000,
  /** Members in total. */
  values: 100_000,
} as const;

/** The message names the limit. */
export class JsonBeyondLimits extends Error {
  override readonly name = 'JsonBeyondLimits';
}

/**
 * Parses JSON with exact whole numbers: beyond 2^53 they become bigint. A number too large for JavaScript becomes text,
 * a lone surrogate U+FFFD. Throws SyntaxError or JsonBeyondLimits.
 */
export function parseExactJson(text: string): unknown {
  checkLimits(text);
  if (!/\d{16}|\d[eE]\+?\d{3}|\\u[dD][89a-fA-F]/.test(text)) return JSON.parse(text);
  return (JSON.parse as ExactParse)(text, (_key, value, context) => {
    if (typeof value === 'string') return value.toWellFormed();
    if (typeof value !== 'number' || Number.isSafeInteger(value) || context?.source === undefined) return value;
    if (/^-?\d+$/.test(context.source)) return BigInt(context.source);
    return Number.isFinite(value) ? value : context.source;
  });
}

export function stringifyExactJson(value: unknown, indent?: number) {
  const { rawJSON } = JSON as unknown as { rawJSON(this: void, text: string): unknown };
  return JSON.stringify(
    value,
    (_key, held: unknown) => (typeof held === 'bigint' ? rawJSON(held.toString()) : held),
    indent,
  );
}

type ExactParse = (
  text: string,
  reviver: (key: string, value: unknown, context?: { source?: string }) => unknown,
) => unknown;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const LIST = 0x5b;
const LIST_END = 0x5d;
const OBJECT = 0x7b;
const OBJECT_END = 0x7d;

/** Runs before parsing, because parsers recurse. Throws JsonBeyondLimits. */
function checkLimits(text: string) {
  const open = [];
  let members = 0;
  let values = 0;
  let mark = -1;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (
      code !== QUOTE &&
      code !== COMMA &&
      code !== LIST &&
      code !== OBJECT &&
      code !== LIST_END &&
      code !== OBJECT_END
    )
      continue;
    checkBare(text, mark + 1, at);
    if (code === QUOTE) {
      const end = endOfText(text, at);
      if (end - at > JSON_LIMITS.text) throw beyond('text', 'a text in it is longer than # characters');
      at = end;
    } else if (code === COMMA) {
      members += 1;
      values += 1;
      if (members >= JSON_LIMITS.members) throw beyond('members', 'a list or an object in it has more than # members');
      if (values >= JSON_LIMITS.values) throw beyond('values', 'it has more than # values');
    } else if (code === LIST || code === OBJECT) {
      if (open.push(members) > JSON_LIMITS.depth) throw beyond('depth', 'it is nested more than # deep');
      members = 0;
      values += 1;
    } else members = open.pop() ?? 0;
    mark = at;
  }
  checkBare(text, mark + 1, text.length);
}

function checkBare(text: string, from: number, to: number) {
  if (to - from > JSON_LIMITS.number && text.slice(from, to).trim().length > JSON_LIMITS.number)
    throw beyond('number', 'a number in it has more than # digits');
}

function beyond(limit: keyof typeof JSON_LIMITS, words: string) {
  return new JsonBeyondLimits(words.replace('#', () => JSON_LIMITS[limit].toLocaleString('en-US')));
}

function endOfText(text: string, from: number) {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    // After an even number of backslashes it is a quote.
    if ((at - before) % 2 === 1) return at;
  }
  return text.length;
}

/**
 * If the JSON does not fit, corrects it first: numbers and booleans become text if needed, other wrong values are left
 * out, so that one value costs no project. Undefined if the envelope, an item or an ID does not fit. Changes `json`.
 */
export function parseLenient<Schema extends z.ZodType>(schema: Schema, json: unknown) {
  const read = schema.safeParse(json);
  if (read.success) return read.data;
  for (const issue of read.error.issues) repair(json, issue);
  const again = schema.safeParse(json);
  return again.success ? again.data : undefined;
}

function repair(json: unknown, issue: z.core.$ZodIssue) {
  const field = issue.path.at(-1);
  const owner = issue.path
    .slice(0, -1)
    .reduce<unknown>((held, key) => (isObject(held) ? held[String(key)] : undefined), json);
  if (typeof field !== 'string' || !isObject(owner)) return;
  const held = owner[field];
  const textIsDue = issue.code === 'invalid_type' && issue.expected === 'string';
  if (textIsDue && (typeof held === 'number' || typeof held === 'bigint' || typeof held === 'boolean'))
    owner[field] = String(held);
  else delete owner[field];
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isObject(held: unknown): held is Record<string, unknown> {
  return typeof held === 'object' && held !== null;
}
