import { statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// A busy machine takes its time; a test that waits for something sees it as soon as it is there.
const patient = { testTimeout: 180_000, hookTimeout: 180_000, expect: { poll: { timeout: 60_000, interval: 20 } } };

// These call the built command: it must be the one that src/ stands for.
const built = { globalSetup: ['test/build-once.ts'], ...patient };

// What a test writes need not survive a power cut: where memory has room for it, no test waits for a disk.
const MEMORY = '/dev/shm';
const ROOM_BYTES = 4e9;
if (freeBytes(MEMORY) > ROOM_BYTES) process.env['TMPDIR'] ??= MEMORY;

function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}

/** Of src, what its own tests put in its place. */
const replaced = (find: RegExp, by: string) => ({ find, replacement: join(import.meta.dirname, 'test/support', by) });

// A command that a test calls in its own process reads files there too: a process for each takes a second, most of it to read the sources.
const filesHere = replaced(/^(?:\.|\.\.\/night)\/isolated-file-worker\.ts$/, 'files-in-this-process.ts');
const schemaAtOnce = replaced(/^\.\/migrations\.ts$/, 'ledger-schema-at-once.ts');

export default defineConfig({
  test: {
    // Half as many again as there are cores: the slowest files wait for child processes most of the time.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    projects: [
      {
        // What src imports so, and a test does not.
        resolve: { alias: [filesHere, schemaAtOnce] },
        // A worker loads a module once for all of its files; a test that needs a process of its own starts one.
        test: {
          name: 'unit',
          include: ['test/{unit,surface,golden,corpus,conformance,simulation}/**/*.test.ts'],
          isolate: false,
          setupFiles: ['test/support/property-seed.ts'],
          ...patient,
        },
      },
      {
        resolve: { alias: [filesHere] },
        test: { name: 'main', include: ['test/end-to-end/**/*.test.ts'], isolate: false, ...built },
      },
      {
        resolve: { alias: [filesHere] },
        test: {
          name: 'proof',
          include: ['test/proof/**/*.test.ts'],
          isolate: false,
          ...built,
          globalSetup: [...built.globalSetup, 'test/proof-day.ts'],
        },
      },
    ],
  },
});
