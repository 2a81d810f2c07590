import { isMap, isNode, isSeq, LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import type { ExplainedError } from '../domain/errors.ts';

/** A person's file in which `list` names a list. Collects all of its problems with their lines. */
export function readYamlList(text: string, list: string) {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const found = document.errors.map(
    (error) => `line ${error.linePos?.[0].line ?? 1}: ${error.message.split('\n')[0] ?? ''}`,
  );
  const named = node(list);
  if (found.length === 0 && !isSeq(named)) note(undefined, `there is no list named “${list}”`);

  function node(key: string): unknown {
    const root = document.contents;
    return isMap(root) ? root.get(key, true) : undefined;
  }

  function note(node: unknown, problem: string) {
    const line = isNode(node) && node.range ? lines.linePos(node.range[0]).line : 1;
    found.push(`line ${line}: ${problem}`);
  }

  return {
    items: isSeq(named) ? named.items : [],
    node,
    /** Notes problems, and returns null, if the node does not fit. */
    read<Data>(node: unknown, schema: z.ZodType<Data>): Data | null {
      const parsed = schema.safeParse(isNode(node) ? node.toJS(document) : node);
      for (const { message } of parsed.error?.issues ?? []) note(node, message);
      return parsed.data ?? null;
    },
    note,
    finish<Data>(data: Data | null, error: (problems: string) => ExplainedError): Data {
      if (data !== null && found.length === 0) return data;
      throw error(found.map((problem) => `  ${problem}`).join('\n'));
    },
  };
}

export function textSchema(problem: string) {
  return z.string(problem).trim().min(1, problem);
}

/** A map of `what` that has no other keys. `problem`: if it is no map. */
export function strictMap<Shape extends z.ZodRawShape>(what: string, shape: Shape, problem: string) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `the key ${issue.keys.join(', ')} is not known; ${what} has ${Object.keys(shape).join(', ')}`
        : problem,
  });
}
