import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { StartReport } from './system.ts';

const project = fileURLToPath(new URL('../', import.meta.url));
const program = join(project, 'bin', 'gleitzeit.js');

/** In turns, so that what else the machine does slows all of them down alike. */
export function startUp(rounds: number): StartReport {
  // As an installation of this clone leaves it; sources that were changed since run as they are, and slower.
  took(project, [join(project, 'scripts', 'bundle.ts')]);
  const folder = mkdtempSync(join(tmpdir(), 'gleitzeit-start-'));
  try {
    cpSync(join(project, 'templates', 'hello'), folder, { recursive: true });
    const run = [program, 'run', 'hello.gleitzeit.yaml', '-o', 'json'];
    took(folder, run);
    const samples: Record<keyof StartReport, number[]> = { bare_ms: [], version_ms: [], run_ms: [] };
    for (let round = 0; round < rounds; round++) {
      samples.bare_ms.push(took(folder, ['-e', '0']));
      samples.version_ms.push(took(folder, [program, '--version']));
      samples.run_ms.push(took(folder, run));
    }
    return samples;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function took(cwd: string, args: readonly string[]): number {
  const began = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  return performance.now() - began;
}
