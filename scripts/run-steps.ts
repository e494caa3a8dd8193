import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { projectRoot } from './source/files.ts';
import type { Step } from './steps.ts';

export type Tally = { readonly passed: number; readonly failed: number; readonly skipped: number };

/** Runs the steps in order, stops at the first that fails, and counts the tests of all that ran. */
export async function runSteps(steps: readonly Step[], print: (line: string) => void): Promise<Tally> {
  let total: Tally = { passed: 0, failed: 0, skipped: 0 };
  for (const step of steps) {
    print(`\n▸ ${step.name}`);
    const started = performance.now();
    const tally = await runStep(step);
    total = add(total, tally);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const result = tally.failed === 0 ? 'passed' : 'FAILED';
    const skipped = tally.skipped === 0 ? '' : `, ${tally.skipped} skipped`;
    print(`▸ ${step.name}: ${result} in ${seconds} s${skipped}`);
    if (tally.failed > 0) break;
  }
  return total;
}

async function runStep(step: Step): Promise<Tally> {
  const folder = mkdtempSync(join(tmpdir(), 'gleitzeit-steps-'));
  const report = join(folder, 'report.json');
  const [program, ...args] = step.command;
  const reporting = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  try {
    const succeeded = await run(program, step.counts === 'vitest' ? [...args, ...reporting] : args);
    return step.counts === 'vitest' ? tallyOf(readReport(report), succeeded) : single(succeeded);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function run(program: string, args: readonly string[]): Promise<boolean> {
  const PATH = [join(projectRoot, 'node_modules', '.bin'), process.env['PATH'] ?? ''].join(delimiter);
  const windows = process.platform === 'win32';
  const child = spawn(program, [...args], {
    cwd: projectRoot,
    stdio: 'inherit',
    env: { ...process.env, PATH },
    // The programs of node_modules/.bin are batch files there.
    shell: windows,
  });
  const [code] = await once(child, 'close');
  return code === 0;
}

function readReport(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** A run that fails without a failed test (coverage, a set-up, an error outside tests) counts as one that failed. */
export function tallyOf(report: unknown, succeeded: boolean): Tally {
  const passed = numberIn(report, 'numPassedTests');
  const failed = numberIn(report, 'numFailedTests');
  const skipped = numberIn(report, 'numPendingTests') + numberIn(report, 'numTodoTests');
  return { passed, failed: succeeded ? failed : Math.max(failed, 1), skipped };
}

function numberIn(report: unknown, field: string): number {
  if (typeof report !== 'object' || report === null) return 0;
  const value: unknown = Reflect.get(report, field);
  return typeof value === 'number' ? value : 0;
}

function single(succeeded: boolean): Tally {
  return { passed: succeeded ? 1 : 0, failed: succeeded ? 0 : 1, skipped: 0 };
}

function add(a: Tally, b: Tally): Tally {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped };
}
