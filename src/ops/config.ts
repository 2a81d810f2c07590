import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlias, isMap, isNode, isScalar, LineCounter, parseDocument, type Document, type YAMLMap } from 'yaml';
import type { z } from 'zod';
import { ExplainedError, messageOf } from '../domain/errors.ts';
import { allowedAt, configSchema, groupOfEach, keysOf, knownPaths, takesNull, type Config } from './config-schema.ts';
import { nearestName } from '../domain/nearest-name.ts';
import { hasCode } from './system-error.ts';

export type { Config } from './config-schema.ts';
export { COMMENTED_CONFIG } from './commented-config.ts';

/**
 * Reads `config.yaml` of a workspace; without one, everything has its default.
 * Throws ExplainedError (exit code 2) that lists every problem with its line: unknown keys with the nearest known one, values
 * that are not allowed with what is.
 */
export async function loadConfig(workspaceDir: string): Promise<Config> {
  const path = join(workspaceDir, 'config.yaml');
  const text = await readText(path);
  return text === null ? configSchema.parse({}) : parseConfig(text, path);
}

/** The config that a text stands for. `path` is for the messages only. Throws as loadConfig does. */
export function parseConfig(text: string, path: string): Config {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const reader: ConfigReader = { document, lineAt: (offset) => lines.linePos(offset).line, problems: [] };
  for (const fault of [...document.errors, ...document.warnings]) {
    reader.problems.push({ line: reader.lineAt(fault.pos[0]), message: syntaxMessage(fault.code, fault.message) });
  }
  // A key given twice leaves the rest readable; after any other fault the rest would be guesswork.
  if (document.errors.some((fault) => fault.code !== 'DUPLICATE_KEY')) throw explained(path, reader.problems);

  const parsed = configSchema.safeParse(plainGroup(reader, document.contents, configSchema, []) ?? {});
  for (const issue of parsed.error?.issues ?? []) reader.problems.push(valueProblem(reader, issue));
  if (parsed.success && reader.problems.length === 0) return parsed.data;
  throw explained(path, reader.problems);
}

interface ConfigProblem {
  readonly line: number;
  readonly message: string;
}

interface ConfigReader {
  readonly document: Document;
  readonly lineAt: (offset: number) => number;
  readonly problems: ConfigProblem[];
}

/** The known keys of a group as a plain object; unknown ones become problems. Null where the group is left empty. */
function plainGroup(reader: ConfigReader, node: unknown, schema: z.core.$ZodType, path: readonly string[]): object | null {
  const group = followed(reader, node);
  const each = groupOfEach(schema);
  if (each !== null && isMap(group)) return new Map(group.items.map((pair) => [keyText(pair.key), plainGroup(reader, pair.value, each, [...path, keyText(pair.key)]) ?? {}]));
  const keys = keysOf(schema);
  if (isEmpty(group) || keys === null) return null;
  if (!isMap(group)) {
    const where = path.length === 0 ? 'the file' : path.join('.');
    const known = [...keys.keys()].join(', ');
    const needed = known === '' ? 'nothing can be set here yet' : `needed: keys, of which these are known: ${known}`;
    reader.problems.push({ line: lineOf(reader, node, 1), message: `${where} holds ${shown(reader, group)}; ${needed}` });
    return null;
  }
  const plain: Record<string, unknown> = {};
  for (const pair of group.items) {
    const key = keyText(pair.key);
    const inner = keys.get(key);
    if (inner === undefined) reader.problems.push(unknownKey(reader, pair.key, [...path, key], keys));
    else if (keysOf(inner) === null && (groupOfEach(inner) === null || !isMap(followed(reader, pair.value)))) plain[key] = toPlain(reader, pair.value);
    else plain[key] = plainGroup(reader, pair.value, inner, [...path, key]) ?? (takesNull(inner) ? null : undefined);
  }
  return plain;
}

/** A single value. Maps stay Maps, so that a key such as `__proto__` is just text. */
function toPlain(reader: ConfigReader, node: unknown): unknown {
  const value = followed(reader, node);
  return isNode(value) ? value.toJS(reader.document, { mapAsMap: true }) : value;
}

function unknownKey(reader: ConfigReader, key: unknown, path: readonly string[], beside: ReadonlyMap<string, unknown>): ConfigProblem {
  const name = path.join('.');
  const paths = new Set([...knownPaths(), ...[...beside.keys()].map((known) => [...path.slice(0, -1), known].join('.'))]);
  return { line: lineOf(reader, key, 1), message: `${name} is not a known key; the nearest is ${nearestName(name, [...paths])}` };
}

/** zod knows what is wrong, the description what is allowed, and the file where it stands. */
function valueProblem(reader: ConfigReader, issue: z.core.$ZodIssue): ConfigProblem {
  const path = issue.path.map(String);
  const found = nodeAt(reader, path);
  const allowed = allowedAt(path) ?? issue.message;
  const name = path.slice(0, found.complete ? found.depth : path.length).join('.');
  return found.complete
    ? { line: found.line, message: `${name} is ${shown(reader, found.node)}; allowed: ${allowed}` }
    : { line: found.line, message: `${name} is missing; needed: ${allowed}` };
}

/** The node at a path, or the innermost one on the way there, with its line and how many keys lead to it. */
function nodeAt(reader: ConfigReader, path: readonly string[]): { node: unknown; line: number; depth: number; complete: boolean } {
  let node: unknown = reader.document.contents;
  let line = lineOf(reader, node, 1);
  for (const [depth, key] of path.entries()) {
    const group = followed(reader, node);
    const pair = isMap(group) ? pairOf(group, key) : undefined;
    // An entry of a list has no key: the list as a whole is what is wrong.
    if (pair === undefined) return { node, line, depth, complete: !isMap(group) };
    line = lineOf(reader, pair.key, line);
    node = pair.value;
  }
  return { node, line, depth: path.length, complete: true };
}

function pairOf(group: YAMLMap, key: string) {
  return group.items.find((pair) => keyText(pair.key) === key);
}

function followed(reader: ConfigReader, node: unknown): unknown {
  return isAlias(node) ? node.resolve(reader.document) : node;
}

function isEmpty(node: unknown): boolean {
  return node === null || node === undefined || (isScalar(node) && node.value === null);
}

function keyText(key: unknown): string {
  return isScalar(key) ? String(key.value) : String(key);
}

function lineOf(reader: ConfigReader, node: unknown, otherwise: number): number {
  return isNode(node) && node.range ? reader.lineAt(node.range[0]) : otherwise;
}

const SHOWN_LENGTH_MAX = 60;

function shown(reader: ConfigReader, node: unknown): string {
  const value = followed(reader, node);
  if (isEmpty(value)) return 'empty';
  if (isMap(value)) return 'a group of keys';
  const text = JSON.stringify(isNode(value) ? value.toJS(reader.document) : value) ?? 'empty';
  return text.length > SHOWN_LENGTH_MAX ? `${text.slice(0, SHOWN_LENGTH_MAX)}…` : text;
}

/** The first line of what the yaml library says; the rest is a picture of the place, which the line number names. */
function syntaxMessage(code: string, message: string): string {
  if (code === 'DUPLICATE_KEY') return 'this key stands here for the second time; keep one of them';
  const [first = message] = message.split('\n');
  return `not readable as YAML: ${first.replace(/ at line \d+, column \d+:?$/, '')}`;
}

function explained(path: string, problems: readonly ConfigProblem[]): ExplainedError {
  const lines = problems.toSorted((a, b) => a.line - b.line).map(({ line, message }) => `  line ${line}: ${message}`);
  const count = lines.length === 1 ? 'a problem' : `${lines.length} problems`;
  return new ExplainedError([`${path} has ${count}:`, ...lines].join('\n'), {
    exitCode: 2,
    hint: 'Correct these lines, or take them out: every key has a default.',
  });
}

async function readText(path: string): Promise<string | null> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (thrown) {
    if (hasCode(thrown, 'ENOENT')) return null;
    throw new ExplainedError(`${path} cannot be read: ${messageOf(thrown)}`, { exitCode: 2, hint: 'Make it a file that this user may read.', cause: thrown });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (thrown) {
    throw new ExplainedError(`${path} is not UTF-8 text.`, { exitCode: 2, hint: 'Save it again as UTF-8.', cause: thrown });
  }
}
