import { open, readFile } from 'node:fs/promises';
import { parseExactJson } from '../contract/json.ts';
import { type DeliveryIndex, deliveryIndex, type ResultLine, resultLine } from '../domain/delivery.ts';

/** Throws SyntaxError or ZodError for another file. */
export async function readDeliveryIndex(path: string): Promise<DeliveryIndex> {
  return deliveryIndex.parse(JSON.parse(await readFile(path, 'utf8')));
}

/**
 * A project at a time. Throws SyntaxError or ZodError for another file, and JsonBeyondLimits for a line that is too
 * large.
 */
export async function* readResults(path: string): AsyncGenerator<ResultLine, void, undefined> {
  await using file = await open(path);
  for await (const line of file.readLines()) yield resultLine.parse(parseExactJson(line));
}
