import { isDeepStrictEqual } from 'node:util';
import { ORDER_FIELDS } from '../../src/intake/fields.ts';
import { headersOf } from '../../src/intake/header/header-words.ts';
import { readSource } from '../../src/intake/read-orders.ts';
import { collected, inMemorySource } from './in-memory-source.ts';

/** The fields of an order whose columns a file names, and an order's texts for them. */
export const TITLES = ORDER_FIELDS.filter(({ name }) => name !== 'country');
export const EXAMPLE = TITLES.map(({ example }) => example);

export async function readTable(headers: readonly string[], rows: readonly (readonly string[])[]) {
  const options = { headers: {}, today: '2026-11-01' };
  return collected((await readSource(inMemorySource({ S: [headers, ...rows] }), 'orders.xlsx', options)).rows());
}

/** Of a field's headers those that are chosen, in a file each: which of them are not read as the field. */
export async function unreadHeaders(
  field: (typeof TITLES)[number],
  chosenOf: (headers: readonly string[]) => readonly string[],
): Promise<readonly string[]> {
  const at = TITLES.indexOf(field);
  const payloadUnder = async (header: string) => {
    const headers = TITLES.map(({ title }) => title).with(at, header);
    const [outcome] = await readTable(headers, [EXAMPLE]);
    return outcome?.kind === 'order' ? outcome.payload : null;
  };
  const expected = await payloadUnder(field.title);
  if (expected === null) throw new Error(`the example of ${field.name} is no order`);
  const { names, ifAlone } = headersOf(field.name);
  const unread: string[] = [];
  for (const header of chosenOf([...names, ...ifAlone]))
    if (!isDeepStrictEqual(await payloadUnder(header), expected)) unread.push(header);
  return unread;
}
