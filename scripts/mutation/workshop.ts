import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../source/files.ts';
import type { Mutant } from './mutants.ts';

export type Outcome = 'passed' | 'failed' | 'too slow';

/** A copy of the project in which one mutant at a time replaces the file it comes from. */
export type Workshop = {
  /** Runs the tests with the mutant in place, or as they are without one. */
  test(tests: readonly string[], limit: number, mutant?: Mutant): Promise<Outcome>;
  close(): void;
};

const config = `import { defineConfig } from 'vitest/config';
export default defineConfig({
  test: { include: ['src/core/**/*.test.ts'], pool: 'forks', maxWorkers: 1, isolate: false, bail: 1, fsModuleCachePath: '.cache' },
});
`;

export function openWorkshop(): Workshop {
  const folder = mkdtempSync(join(tmpdir(), 'gleitzeit-mutate-'));
  for (const part of ['src', 'test', 'package.json', 'tsconfig.json'])
    cpSync(join(projectRoot, part), join(folder, part), { recursive: true });
  symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'), 'junction');
  writeFileSync(join(folder, 'vitest.config.ts'), config);
  return {
    async test(tests, limit, mutant) {
      if (mutant === undefined) return runVitest(folder, tests, limit);
      const file = join(folder, mutant.path);
      const original = readFileSync(file, 'utf8');
      writeFileSync(file, mutant.text);
      try {
        return await runVitest(folder, tests, limit);
      } finally {
        writeFileSync(file, original);
      }
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function runVitest(folder: string, tests: readonly string[], limit: number): Promise<Outcome> {
  const cli = join(projectRoot, 'node_modules', 'vitest', 'vitest.mjs');
  const child = spawn(process.execPath, [cli, 'run', '--reporter=dot', ...tests], {
    cwd: folder,
    stdio: 'ignore',
    detached: process.platform !== 'win32',
  });
  let late = false;
  // A mutant may loop for ever inside a process that vitest started: the whole group has to go.
  const timer = setTimeout(() => {
    late = true;
    if (process.platform === 'win32' || child.pid === undefined) child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
  }, limit);
  const [code] = await once(child, 'close');
  clearTimeout(timer);
  if (late) return 'too slow';
  return code === 0 ? 'passed' : 'failed';
}
