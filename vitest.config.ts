import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

// These call the built command: it must be the one that src/ stands for.
const built = { globalSetup: ['test/build-once.ts'], testTimeout: 180_000, hookTimeout: 180_000 };

export default defineConfig({
  test: {
    // Half as many again as there are cores: the slowest files wait for child processes most of the time.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    projects: [
      // A worker loads a module once for all of its files; a test that needs a process of its own starts one.
      { test: { name: 'unit', include: ['test/unit/**/*.test.ts'], isolate: false, testTimeout: 60_000, hookTimeout: 60_000 } },
      { test: { name: 'main', include: ['test/**/*.test.ts'], exclude: ['test/unit/**', 'test/proof/**'], ...built } },
      { test: { name: 'proof', include: ['test/proof/**/*.test.ts'], ...built } },
    ],
  },
});
