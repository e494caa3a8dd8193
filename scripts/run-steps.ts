import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, relative } from 'node:path';
import { projectRoot } from './source/files.ts';
import type { Step } from './steps.ts';
import { add, afterSecondRun, failedFiles, type Tally, tallyOf } from './test-report.ts';

/** More files than this do not fail because the machine was busy. */
const FEW = 5;

type Print = (line: string) => void;

/** Runs the steps in order, stops at the first that fails, and counts the tests of all that ran. */
export async function runSteps(steps: readonly Step[], print: Print): Promise<Tally> {
  let total: Tally = { passed: 0, failed: 0, skipped: 0 };
  for (const step of steps) {
    print(`\n▸ ${step.name}`);
    const started = performance.now();
    const tally = step.counts === 'vitest' ? await runVitest(step, print) : await runOne(step);
    total = add(total, tally);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const result = tally.failed === 0 ? 'passed' : 'FAILED';
    const skipped = tally.skipped === 0 ? '' : `, ${tally.skipped} skipped`;
    print(`▸ ${step.name}: ${result} in ${seconds} s${skipped}`);
    if (tally.failed > 0) break;
  }
  return total;
}

async function runOne({ command: [program, ...args] }: Step): Promise<Tally> {
  const succeeded = await run(program, args);
  return { passed: succeeded ? 1 : 0, failed: succeeded ? 0 : 1, skipped: 0 };
}

/**
 * Tests that share two cores with brokers, databases and browsers can fail for want of time alone. Where a step says so, the
 * few files that failed run once more with the machine to themselves, and the output names them: what fails then is broken.
 */
async function runVitest({ command: [program, ...args], secondRun }: Step, print: Print): Promise<Tally> {
  const { report, succeeded } = await reported(program, args);
  const files = failedFiles(report).map((file) => relative(projectRoot, file));
  if (succeeded || secondRun !== true || files.length === 0 || files.length > FEW) {
    return tallyOf(report, succeeded);
  }
  print(`▸ once more, alone: ${files.join(', ')}`);
  const second = await reported(program, [...args, '--no-file-parallelism', ...files]);
  const tally = tallyOf(second.report, second.succeeded);
  print(`▸ ${tally.failed === 0 ? 'passed only' : 'failed also'} alone: ${files.join(', ')}`);
  return afterSecondRun(report, tally);
}

async function reported(program: string, args: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'gleitzeit-steps-'));
  const file = join(folder, 'report.json');
  const reporting = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  try {
    const succeeded = await run(program, [...args, ...reporting]);
    return { report: readReport(file), succeeded };
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
