import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseExactJson } from '../../../src/contract/json.ts';
import { readDeliveryIndex, readResults } from '../../../src/ops/read-delivery.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const golden = (night: number, name: string): string =>
  join('test/golden/expected', `night-${night}`, 'delivery', name);

const linesIn = (text: string) => text.trim().split('\n');

describe('readDeliveryIndex', () => {
  test.each([1, 2, 3])('reads each field of the golden delivery of night %i', async (night) => {
    const path = golden(night, 'index.json');
    expect(await readDeliveryIndex(path)).toEqual(JSON.parse(await readFile(path, 'utf8')));
  });

  test('drops a field that it does not know', async () => {
    await using folder = await temporaryFolder();
    const index = await readDeliveryIndex(golden(2, 'index.json'));
    const path = join(folder.path, 'index.json');
    await writeFile(path, JSON.stringify({ ...index, mood: 'calm' }));
    expect(await readDeliveryIndex(path)).toEqual(index);
  });

  test('refuses an index of another version', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'index.json');
    await writeFile(path, JSON.stringify({ ...(await readDeliveryIndex(golden(2, 'index.json'))), version: 2 }));
    await expect(readDeliveryIndex(path)).rejects.toThrow(/version/);
  });
});

describe('readResults', () => {
  test.each([1, 2, 3])('reads each field of the golden delivery of night %i', async (night) => {
    const path = golden(night, 'results.jsonl');
    const lines = linesIn(await readFile(path, 'utf8')).map(parseExactJson);
    expect(lines.length).toBeGreaterThan(0);
    expect(await Array.fromAsync(readResults(path))).toEqual(lines);
  });

  test('keeps the digits of a whole number beyond 2^53', async () => {
    await using folder = await temporaryFolder();
    const [first = ''] = linesIn(await readFile(golden(2, 'results.jsonl'), 'utf8'));
    const path = join(folder.path, 'results.jsonl');
    await writeFile(path, `${first.replace('"values":{', '"values":{"project.parcel":9007199254740993,')}\n`);
    const [line] = await Array.fromAsync(readResults(path));
    expect(line?.values['project.parcel']).toBe(9007199254740993n);
  });

  test('refuses a file that is cut off', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'results.jsonl');
    await writeFile(path, (await readFile(golden(2, 'results.jsonl'), 'utf8')).slice(0, -20));
    await expect(Array.fromAsync(readResults(path))).rejects.toThrow(SyntaxError);
  });
});
