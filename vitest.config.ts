import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { SlowFirst } from './test/slow-first.ts';

// What needs a service, or opens sockets, processes and databases of its own: everything across rooms, the contract
// suites, the stores, the carriers and what is served over them.
const needsServices = [
  'src/**/*.contract.test.ts',
  'src/**/*.integration.test.ts',
  'src/store/{postgres,sqlite}/**/*.test.ts',
  'src/rpc/{http,websocket,stdio,listener}/**/*.test.ts',
  'src/rpc/*.fuzz.test.ts',
  'src/dialects/jsonrpc/**/*.test.ts',
  'src/server/**/*.test.ts',
];
const withoutServices = ['bench/*.test.ts', 'test/house/**/*.test.ts', 'test/scripts/**/*.test.ts'];

export default defineConfig({
  test: {
    // One process per file: a file may start a server of its own, which must end with the process that started it.
    pool: 'forks',
    // Most files wait for servers, timers and disks: with one process for each core but one, machines stand idle.
    maxWorkers: Math.max(3, availableParallelism()),
    sequence: { sequencer: SlowFirst },
    setupFiles: ['test/seed.setup.ts'],
    // What is polled for comes when it comes: how long a busy machine takes for it is no finding.
    expect: { poll: { timeout: 30_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', ...withoutServices],
          exclude: needsServices,
          // Properties run long where the machine is busy.
          testTimeout: 30_000,
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
