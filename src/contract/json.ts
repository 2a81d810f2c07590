/**
 * JSON with whole numbers kept exact: those beyond 2^53 become bigint (READING 18: ids are int64).
 * Throws SyntaxError on anything that is not JSON.
 */
export function parseExactJson(text: string): unknown {
  // A reviver costs time: without sixteen digits in a row there is nothing for it to do.
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  return (JSON.parse as ExactParse)(text, (_key, value, context) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && context?.source !== undefined && /^-?\d+$/.test(context.source)
      ? BigInt(context.source)
      : value,
  );
}

/** JSON in which bigint is written as a whole number. */
export function stringifyExactJson(value: unknown, indent?: number): string {
  const { rawJSON } = JSON as unknown as { rawJSON(this: void, text: string): unknown };
  return JSON.stringify(value, (_key, held: unknown) => (typeof held === 'bigint' ? rawJSON(held.toString()) : held), indent);
}

type ExactParse = (text: string, reviver: (key: string, value: unknown, context?: { source?: string }) => unknown) => unknown;
