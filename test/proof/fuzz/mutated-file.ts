import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MadeEntry } from '../../support/made-files.ts';
import { mutatedBytes } from './mutate-bytes.ts';
import { mutatedTextTable } from './mutate-text-table.ts';
import { mutatedWorkbook } from './mutate-workbook.ts';
import { randomOfCase } from './random.ts';
import { unzipped } from './unzipped.ts';

const CORPUS = join(import.meta.dirname, '../../corpus/files');
/** Those that would only make every case slow, and those that no mutation makes more interesting. */
const LEFT_OUT = /bomb|\.(gnumeric|gz|ods|xls|xlsb)$/;

interface Seed {
  readonly name: string;
  readonly bytes: Buffer;
  /** Undefined for what is no zip. */
  readonly entries: readonly MadeEntry[] | undefined;
}

/** The corpus's files, from which the mutated ones are made. */
export function fuzzSeeds(): readonly Seed[] {
  const names = readdirSync(CORPUS)
    .filter((name) => !LEFT_OUT.test(name))
    .toSorted();
  return names.map((name) => {
    const bytes = readFileSync(join(CORPUS, name));
    return {
      name,
      bytes,
      entries:
        bytes.subarray(0, 4).equals(Buffer.from('PK\x03\x04')) && !/truncated|flipped/.test(name)
          ? unzipped(bytes)
          : undefined,
    };
  });
}

/** A mutated file of a run. */
export interface MutatedFile {
  /** The corpus's file that it was made of; it is dropped under this name. */
  readonly name: string;
  readonly mutated: 'bytes' | 'XML' | 'CSV';
  readonly bytes: Buffer;
}

/** Mutations that repeat things can multiply; a run is about many files, not about large ones. */
const BYTES_MAX = 16 * 1024 * 1024;

/** Makes the file of one case: the same for the same seed, index and corpus. */
export function mutatedFile(seeds: readonly Seed[], seed: number, index: number): MutatedFile {
  const made = mutationOf(seeds, seed, index);
  return { ...made, bytes: made.bytes.subarray(0, BYTES_MAX) };
}

function mutationOf(seeds: readonly Seed[], seed: number, index: number): MutatedFile {
  const random = randomOfCase(seed, index);
  const { name, bytes, entries } = random.oneOf(seeds);
  if (random.below(4) === 0 && bytes.length > 0) return { name, mutated: 'bytes', bytes: mutatedBytes(bytes, random) };
  if (entries !== undefined) return { name, mutated: 'XML', bytes: mutatedWorkbook(entries, random) };
  return { name, mutated: 'CSV', bytes: mutatedTextTable(bytes, random) };
}
