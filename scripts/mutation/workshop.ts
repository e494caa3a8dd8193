import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../source/files.ts';

export type Outcome = 'passed' | 'failed' | 'too slow';

/** A file as it would be after a change. */
export type Changed = { readonly path: string; readonly text: string };

/** A copy of the project in which one mutant at a time replaces the file it comes from. */
export type Workshop = {
  /** Runs the tests with the mutant in place, or as they are without one. What follows the files are options of vitest. */
  test(tests: readonly string[], limit: number, mutant?: Changed): Promise<Outcome>;
  close(): void;
};

const configFor = (include: string) => `import { defineConfig } from 'vitest/config';
export default defineConfig({
  test: { include: ['${include}'], pool: 'forks', maxWorkers: 1, isolate: false, bail: 1, fsModuleCachePath: '.cache' },
});
`;

/** `include`: the tests that are run there. */
export function openWorkshop(include = 'src/core/**/*.test.ts'): Workshop {
  const folder = mkdtempSync(join(tmpdir(), 'gleitzeit-mutate-'));
  for (const part of ['src', 'test', 'package.json', 'tsconfig.json'])
    cpSync(join(projectRoot, part), join(folder, part), { recursive: true });
  symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'), 'junction');
  writeFileSync(join(folder, 'vitest.config.ts'), configFor(include));
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
