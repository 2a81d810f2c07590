import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const ROOT = join(import.meta.dirname, '../..');

// Unit tests alone, as Stryker runs them (run-mutation.ts). MUTATION_TESTS: of which folders and files, separated by commas.
const tests = process.env['MUTATION_TESTS']?.split(',') ?? ['test/unit'];

export default defineConfig({
  root: ROOT,
  resolve: {
    alias: [
      {
        find: /^(?:\.|\.\.\/night)\/isolated-file-worker\.ts$/,
        replacement: join(ROOT, 'test/support/files-in-this-process.ts'),
      },
    ],
  },
  test: {
    include: tests.map((path) => (path.endsWith('.ts') ? path : `${path}/**/*.test.ts`)),
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
