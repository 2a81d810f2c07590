import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { inTurn } from '../../support/proof-size.ts';
import { judge } from './judge.ts';
import { fuzzSeeds, mutatedFile } from './mutated-file.ts';

/** In a share, one of four each day. `npm run fuzz` tries as many as one likes, under limits of time and memory. */
const CASES = inTurn([...Array(400).keys()], 4);
const SEED = 20_261_015;

test(`reads ${String(CASES.length)} mutated files of seed ${String(SEED)} as rows or a message`, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fuzz-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const seeds = fuzzSeeds();
  const path = join(folder, 'dropped');
  const counts = { rows: 0, sentence: 0 };
  for (const index of CASES) {
    const { name, bytes } = mutatedFile(seeds, SEED, index);
    await writeFile(path, bytes);
    const verdict = await judge(path, name);
    if (verdict.kind === 'broken')
      throw new Error(
        `case ${String(index)} (${name}): ${verdict.why}\nnpx node scripts/fuzz.ts --seed ${String(SEED)} --only ${String(index)}`,
      );
    counts[verdict.kind] += 1;
  }
  // A campaign that only ever sees one of the two ends proves little.
  expect(counts.rows).toBeGreaterThan(CASES.length / 10);
  expect(counts.sentence).toBeGreaterThan(CASES.length / 10);
});

test('mutatedFile makes the same file for the same seed only', () => {
  const seeds = fuzzSeeds();
  const [first, again, other] = [mutatedFile(seeds, 1, 7), mutatedFile(seeds, 1, 7), mutatedFile(seeds, 2, 7)];
  expect(again).toEqual(first);
  expect(other.bytes.equals(first.bytes)).toBe(false);
});
