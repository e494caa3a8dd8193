import { defineConfig } from 'vitest/config';

// What needs a service: everything across rooms, the contract suites, and the Postgres store.
const needsServices = [
  'src/**/*.contract.test.ts',
  'src/**/*.integration.test.ts',
  'src/store/postgres/**/*.test.ts',
];
const withoutServices = ['bench/*.test.ts', 'test/house/**/*.test.ts', 'test/scripts/**/*.test.ts'];

export default defineConfig({
  test: {
    // One process per file: a file may start a server of its own, which must end with the process that started it.
    pool: 'forks',
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', ...withoutServices],
          exclude: needsServices,
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['test/**/*.test.ts', ...needsServices],
          exclude: withoutServices,
          globalSetup: ['test/services/setup.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
    coverage: {
      provider: 'v8',
      include: ['src/core/**/*.ts'],
      exclude: ['src/core/**/*.{test,suite}.ts'],
      reporter: ['text', 'json-summary'],
      reportsDirectory: '.cache/coverage',
      thresholds: { branches: 100, functions: 100, lines: 100, statements: 100 },
    },
  },
});
