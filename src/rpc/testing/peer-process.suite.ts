import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { quiet } from './quiet.suite.ts';
import { systemTimers } from './timers.suite.ts';

type Started = {
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
};

/**
 * A program of this folder as a child process. Run once in advance, so that its types are stripped once and not at each
 * of the starts that follow.
 */
export function programOf(file: string): (...args: string[]) => Started {
  const script = fileURLToPath(new URL(file, import.meta.url));
  const cache = mkdtempSync(join(tmpdir(), 'gleitzeit-rpc-'));
  const env = { NODE_COMPILE_CACHE: cache };
  const { status, stderr } = spawnSync(process.execPath, [script], { input: '', env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${file} does not run: ${stderr}`);
  afterAll(() => rmSync(cache, { recursive: true, force: true }));
  return (...args) => ({ command: [process.execPath, script, ...args], env });
}

/** What every stdio channel of a test is given. */
export const surroundings = { ...quiet, timers: systemTimers, environment: process.env };
