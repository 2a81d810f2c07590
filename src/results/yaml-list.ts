import { isMap, isNode, isSeq, LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import type { ExplainedError } from '../domain/errors.ts';

/** A person's file in which `list` names a list. Collects all of its problems with their lines. */
export class YamlList {
  readonly items;
  readonly #document;
  readonly #lines = new LineCounter();
  readonly #problems;

  constructor(text: string, list: string) {
    this.#document = parseDocument(text, { lineCounter: this.#lines });
    this.#problems = this.#document.errors.map(
      (error) => `line ${error.linePos?.[0].line ?? 1}: ${error.message.split('\n')[0] ?? ''}`,
    );
    const items = this.node(list);
    this.items = isSeq(items) ? items.items : [];
    if (this.#problems.length === 0 && !isSeq(items)) this.note(undefined, `there is no list named “${list}”`);
  }

  node(key: string): unknown {
    const root = this.#document.contents;
    return isMap(root) ? root.get(key, true) : undefined;
  }

  /** Notes problems, and returns null, if the node does not fit. */
  read<Data>(node: unknown, schema: z.ZodType<Data>): Data | null {
    const parsed = schema.safeParse(isNode(node) ? node.toJS(this.#document) : node);
    for (const { message } of parsed.error?.issues ?? []) this.note(node, message);
    return parsed.data ?? null;
  }

  note(node: unknown, problem: string) {
    const line = isNode(node) && node.range ? this.#lines.linePos(node.range[0]).line : 1;
    this.#problems.push(`line ${line}: ${problem}`);
  }

  finish<Data>(data: Data | null, error: (problems: string) => ExplainedError): Data {
    if (data !== null && this.#problems.length === 0) return data;
    throw error(this.#problems.map((problem) => `  ${problem}`).join('\n'));
  }
}

export function textSchema(problem: string) {
  return z.string(problem).trim().min(1, problem);
}

/** A map of `what` that has no other keys. `problem`: if it is no map. */
export function mapOf<Shape extends z.ZodRawShape>(what: string, shape: Shape, problem: string) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `the key ${issue.keys.join(', ')} is not known; ${what} has ${Object.keys(shape).join(', ')}`
        : problem,
  });
}
