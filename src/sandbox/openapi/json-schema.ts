import { z } from 'zod';
import { projectId } from '../../contract/project.ts';
import { FIELD_NOTES } from './field-notes.ts';
import type { JsonSchema } from './openapi-types.ts';

/** An id on the wire. The client's schema takes it as text too; the service sends a JSON number. */
export const INT64: JsonSchema = { type: 'integer', format: 'int64', minimum: 0 };

/** A zod schema as JSON Schema, of what travels (before any transform), with words beside each field; `notes` outrank the usual ones. */
export function jsonSchemaOf(schema: z.ZodType, notes: Readonly<Record<string, string>> = {}): JsonSchema {
  const { $schema: _dialect, ...made } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', override: adapt });
  // A copy: fields of the same zod schema share an object.
  const own = JSON.parse(JSON.stringify(made)) as JsonSchema;
  const words = { ...FIELD_NOTES, ...notes };
  for (const [name, property] of Object.entries(own.properties ?? {})) {
    const note = words[name];
    if (note !== undefined) property.description ??= note;
  }
  return own;
}

export function refTo(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** Says in OpenAPI's words what JSON Schema alone cannot: int32, int64, double. */
function adapt({ zodSchema, jsonSchema }: { readonly zodSchema: z.core.$ZodType; readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (zodSchema === projectId) {
    delete jsonSchema.anyOf;
    Object.assign(jsonSchema, INT64);
  }
  if (jsonSchema.type === 'number') jsonSchema.format = 'double';
  if (jsonSchema.type === 'integer' && jsonSchema.maximum === 2_147_483_647) jsonSchema.format = 'int32';
  // The library's pattern knows leap years, in two hundred characters that nobody reads.
  if (jsonSchema.format === 'date') jsonSchema.pattern = String.raw`^\d{4}-\d{2}-\d{2}$`;
}
