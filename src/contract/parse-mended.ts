import type { z } from 'zod';

/**
 * Parses by a schema of the document. Where it does not fit, it is tried once more with each odd field mended: a number or a boolean where text
 * is due becomes text, any other odd field is left out. A project that exists must not be lost to a latitude that came as text.
 * Undefined where what is odd cannot be spared: the envelope, an item, an id. `json` is changed.
 */
export function parseMended<Schema extends z.ZodType>(schema: Schema, json: unknown): z.infer<Schema> | undefined {
  const read = schema.safeParse(json);
  if (read.success) return read.data;
  for (const issue of read.error.issues) mend(json, issue);
  const again = schema.safeParse(json);
  return again.success ? again.data : undefined;
}

function mend(json: unknown, issue: z.core.$ZodIssue): void {
  const field = issue.path.at(-1);
  const owner = issue.path.slice(0, -1).reduce<unknown>((held, key) => (isObject(held) ? held[String(key)] : undefined), json);
  if (typeof field !== 'string' || !isObject(owner)) return;
  const held = owner[field];
  const textIsDue = issue.code === 'invalid_type' && issue.expected === 'string';
  if (textIsDue && (typeof held === 'number' || typeof held === 'bigint' || typeof held === 'boolean')) owner[field] = String(held);
  else delete owner[field];
}

function isObject(held: unknown): held is Record<string, unknown> {
  return typeof held === 'object' && held !== null;
}
