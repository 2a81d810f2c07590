import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Document, isAlias, isMap, isNode, isScalar, LineCounter, parseDocument, visit } from 'yaml';
import type { z } from 'zod';
import { messageOf, usageError, nullIfMissing, usageErrorOf } from '../domain/errors.ts';
import { nearestName } from '../domain/text.ts';
import { sentence } from '../domain/sentences.ts';
import { configSchema, knownPaths, settingAt } from './config-schema.ts';

/** Relative paths start at the workspace. */
export type Config = Readonly<z.output<typeof configSchema>>;

/** Throws ExplainedError (`usage`) with every problem and its line. */
export async function loadConfig(workspaceDir: string): Promise<Config> {
  const path = join(workspaceDir, 'config.yaml');
  const text = await readText(path);
  return text === null ? configSchema.parse({}) : parseConfig(text, path);
}

const QUARANTINE_SECONDS_SAFE = 60;

export function configWarnings({ intake, collect, submit: { quarantineSeconds } }: Config) {
  const warnings: string[] = [];
  if (collect.patienceNights !== undefined) warnings.push(sentence('settings/patience-nights'));
  if ([intake, ...intake.senders.values()].some(({ hold }) => hold.changedLayout !== undefined))
    warnings.push(sentence('settings/changed-layout'));
  if (quarantineSeconds < QUARANTINE_SECONDS_SAFE)
    warnings.push(sentence('settings/quarantine', { quarantineSeconds, safe: QUARANTINE_SECONDS_SAFE }));
  return warnings;
}

/** A folder `0012` or a header `007` must stay text. */
function keysAsWritten(document: Document) {
  visit(document, {
    Pair(_index, { key }) {
      if (isScalar(key) && typeof key.value !== 'string' && key.source !== undefined) key.value = key.source;
    },
  });
}

export function parseConfig(text: string, path: string): Config {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const reader: ConfigReader = { document, lineAt: (offset) => lines.linePos(offset).line, problems: [] };
  for (const { pos, code, message } of [...document.errors, ...document.warnings])
    reader.problems.push({ line: reader.lineAt(pos[0]), message: syntaxMessage(code, message) });
  // After a repeated key the rest is readable; after other faults it is not.
  if (document.errors.some((fault) => fault.code !== 'DUPLICATE_KEY')) throw explained(path, reader.problems);

  keysAsWritten(document);
  const parsed = configSchema.safeParse(document.toJS({ mapAsMap: true }));
  for (const issue of parsed.error?.issues ?? []) reader.problems.push(...problemsOf(reader, issue));
  if (parsed.success && reader.problems.length === 0) return parsed.data;
  throw explained(path, reader.problems);
}

type ConfigProblem = Readonly<{
  line: number;
  message: string;
}>;

type ConfigReader = Readonly<{
  document: Document;
  lineAt: (offset: number) => number;
  problems: ConfigProblem[];
}>;

function problemsOf(reader: ConfigReader, issue: z.core.$ZodIssue) {
  const path = issue.path.map(String);
  const place = settingAt(path);
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => unknownKey(reader, [...path, key], place?.keys ?? []));
  const { node, line, depth, complete } = nodeAt(reader, path);
  if (place?.keys != null && place.path.length === path.length) {
    const holds = `${path.join('.') || 'the file'} holds ${shown(reader, node)}`;
    return [{ line, message: `${holds}; expected keys; the known ones are: ${place.keys.join(', ')}` }];
  }
  const allowed = place?.allowed ?? issue.message;
  if (!complete) return [{ line, message: `${path.join('.')} is missing; needed: ${allowed}` }];
  return [{ line, message: `${path.slice(0, depth).join('.')} is ${shown(reader, node)}; allowed: ${allowed}` }];
}

function unknownKey(reader: ConfigReader, path: readonly string[], siblings: readonly string[]) {
  const name = path.join('.');
  const known = new Set([...knownPaths(), ...siblings.map((key) => [...path.slice(0, -1), key].join('.'))]);
  return {
    line: nodeAt(reader, path).line,
    message: `${name} is not a known key; the nearest is ${nearestName(name, [...known])}`,
  };
}

function nodeAt(reader: ConfigReader, path: readonly string[]) {
  let node: unknown = reader.document.contents;
  let line = lineOf(reader, node, 1);
  for (const [depth, key] of path.entries()) {
    const group = followed(reader, node);
    const pair = isMap(group)
      ? group.items.find((each) => String(isScalar(each.key) ? each.key.value : each.key) === key)
      : undefined;
    // An entry of a list has no key: the list is wrong.
    if (pair === undefined) return { node, line, depth, complete: !isMap(group) };
    line = lineOf(reader, pair.key, line);
    node = pair.value;
  }
  return { node, line, depth: path.length, complete: true };
}

function followed(reader: ConfigReader, node: unknown) {
  return isAlias(node) ? node.resolve(reader.document) : node;
}

function lineOf(reader: ConfigReader, node: unknown, otherwise: number) {
  return isNode(node) && node.range ? reader.lineAt(node.range[0]) : otherwise;
}

const SHOWN_LENGTH_MAX = 60;

function shown(reader: ConfigReader, node: unknown) {
  const value = followed(reader, node);
  if (value == null || (isScalar(value) && value.value === null)) return 'empty';
  if (isMap(value)) return 'a group of keys';
  const text = JSON.stringify(isNode(value) ? value.toJS(reader.document) : value) ?? 'empty';
  return text.length > SHOWN_LENGTH_MAX ? `${text.slice(0, SHOWN_LENGTH_MAX)}…` : text;
}

function syntaxMessage(code: string, message: string) {
  if (code === 'DUPLICATE_KEY') return 'this key appears twice; keep one of them';
  const [first = message] = message.split('\n');
  return `not readable as YAML: ${first.replace(/ at line \d+, column \d+:?$/, '')}`;
}

function explained(path: string, problems: readonly ConfigProblem[]) {
  const lines = problems
    .toSorted((a, b) => a.line - b.line)
    .map(({ line, message }) => `\n  line ${line}: ${message}.`);
  const count = lines.length === 1 ? 'a problem' : `${lines.length} problems`;
  return usageErrorOf('config-wrong', { path, count, lines: lines.join('') });
}

export function notReadable(code: string, path: string) {
  return (thrown: unknown) => {
    const message = `${path} cannot be read: ${messageOf(thrown)}`;
    throw usageError(code, message, 'Make it a file that this user may read.', thrown);
  };
}

async function readText(path: string) {
  const bytes = await nullIfMissing(readFile(path)).catch(notReadable('config-not-readable', path));
  try {
    return bytes && new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (thrown) {
    throw usageError('config-not-utf8', `${path} is not UTF-8 text.`, 'Save it again as UTF-8.', thrown);
  }
}
