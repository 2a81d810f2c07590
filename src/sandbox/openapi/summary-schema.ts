import type { SummaryAttribute } from '../../contract/catalogue-types.ts';
import { SUMMARY_CATALOGUE } from '../../contract/summary-catalogue.ts';
import { INT64 } from './json-schema.ts';
import type { JsonSchema } from './openapi-types.ts';

/**
 * The `project` and `summary` of a report summary, from the catalogue. Nothing is required, because only the attributes of the account's
 * template appear; further attributes and values may occur.
 */
export function summarySchemas(): { readonly project: JsonSchema; readonly summary: JsonSchema } {
  const root: JsonSchema = { type: 'object', properties: {} };
  for (const attribute of SUMMARY_CATALOGUE) place(root, attribute.path, schemaOf(attribute));
  const { project = {}, summary = {} } = root.properties ?? {};
  return { project, summary };
}

function schemaOf(attribute: SummaryAttribute): JsonSchema {
  const { meaning, values, dynamic, unit } = attribute;
  const list = values === undefined ? '' : ` ${dynamic ? 'Values so far' : 'Values'}: ${values.map((value) => `\`${value}\``).join(', ')}.`;
  const description = `${meaning}${unit === undefined ? '' : ` Unit: ${unit}.`}${list}`;
  const shape = attribute.path === 'project.id' ? { ...INT64 } : shapeOf(attribute);
  if (attribute.nullable && typeof shape.type === 'string') shape.type = [shape.type, 'null'];
  return { description, ...shape };
}

function shapeOf({ type, keys = [], items = [] }: SummaryAttribute): JsonSchema {
  switch (type) {
    case 'text':
      return { type: 'string' };
    case 'number':
      return { type: 'number' };
    case 'boolean':
      return { type: 'boolean' };
    case 'texts':
      return { type: 'array', items: { type: 'string' } };
    case 'percentages':
    case 'counts':
      return keyed(keys, 'number');
    case 'flags':
      return keyed(keys, 'boolean');
    case 'details':
      return { type: 'object' };
    case 'objects': {
      const item: JsonSchema = { type: 'object', properties: {} };
      for (const part of items) place(item, part.path, schemaOf(part));
      return { type: 'array', items: item };
    }
  }
}

function keyed(keys: readonly string[], type: string): JsonSchema {
  return { type: 'object', properties: Object.fromEntries(keys.map((key) => [key, { type }])), additionalProperties: { type } };
}

/** Puts a schema where a dotted path leads, making the objects in between. */
function place(root: JsonSchema, path: string, schema: JsonSchema): void {
  const parts = path.split('.');
  const last = parts.pop() ?? path;
  let holder = root;
  for (const part of parts) {
    const properties = (holder.properties ??= {});
    holder = properties[part] ??= { type: 'object', properties: {} };
  }
  (holder.properties ??= {})[last] = schema;
}
