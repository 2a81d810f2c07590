import { link, mkdtempDisposable, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { moveWithReason } from '../../../src/ops/durable-files.ts';

async function bench() {
  const from = await mkdtempDisposable(join(tmpdir(), 'from-'));
  const to = await mkdtempDisposable(join(tmpdir(), 'to-'));
  const move = async (content: string, name: string, words = 'why'): Promise<string> => {
    await writeFile(join(from.path, 'x'), content);
    return moveWithReason(join(from.path, 'x'), to.path, name, (placed) => `${placed}: ${words}`);
  };
  const there = async (): Promise<Record<string, string>> => {
    const names = (await readdir(to.path)).toSorted();
    return Object.fromEntries(
      await Promise.all(names.map(async (name) => [name, await readFile(join(to.path, name), 'utf8')] as const)),
    );
  };
  return {
    from: from.path,
    to: to.path,
    move,
    there,
    [Symbol.asyncDispose]: async () => void (await Promise.all([from.remove(), to.remove()])),
  };
}

describe('moveWithReason', () => {
  test('each file has its own page, and none replaces another', async () => {
    await using at = await bench();
    await at.move('1', 'a.csv');
    expect(await at.move('2', 'a.csv')).toBe(join(at.to, 'a (2).csv'));
    expect(await at.there()).toEqual({
      'a.csv': '1',
      'a.csv.txt': 'a.csv: why',
      'a (2).csv': '2',
      'a (2).csv.txt': 'a (2).csv: why',
    });
  });

  test('a page never takes the place of a file of that name', async () => {
    await using at = await bench();
    await at.move('a text', 'a.csv.txt');
    await at.move('1', 'a.csv');
    expect(await at.there()).toEqual({
      'a.csv.txt': 'a text',
      'a.csv.txt.txt': 'a.csv.txt: why',
      'a (2).csv': '1',
      'a (2).csv.txt': 'a (2).csv: why',
    });
  });

  test('a move killed at any step is finished once', async () => {
    await using at = await bench();
    await writeFile(join(at.to, 'a.csv.txt'), 'a.csv: why');
    await at.move('1', 'a.csv');
    const expected = { 'a.csv': '1', 'a.csv.txt': 'a.csv: why' };
    expect(await at.there()).toEqual(expected);
    await link(join(at.to, 'a.csv'), join(at.from, 'again'));
    await moveWithReason(join(at.from, 'again'), at.to, 'a.csv', (placed) => `${placed}: why`);
    expect([await at.there(), await readdir(at.from)]).toEqual([expected, []]);
  });

  test('the name is one that every system takes', async () => {
    await using at = await bench();
    expect(await at.move('1', `../<b>\n${'x'.repeat(300)}.csv`)).toMatch(/to-[^/]+\/b- x+\.csv$/);
  });
});
