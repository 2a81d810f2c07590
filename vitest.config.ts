import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // The slowest files wait for child processes most of the time.
    maxWorkers: '100%',
    projects: [
      { test: { name: 'unit', include: ['test/unit/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 60_000 } },
      {
        test: {
          name: 'built',
          include: ['test/**/*.test.ts'],
          exclude: ['test/unit/**'],
          // These call the built command: it must be the one that src/ stands for.
          globalSetup: ['test/build-once.ts'],
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
