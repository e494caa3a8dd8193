import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runSteps } from '../../scripts/run-steps.ts';
import type { Step } from '../../scripts/steps.ts';
import { afterSecondRun, failedFiles, tallyOf } from '../../scripts/test-report.ts';

const node = (name: string, code: string): Step => ({ name, command: ['node', '-e', code], counts: 'one' });

describe('runSteps', () => {
  it('runs every step and counts them', async () => {
    const lines: string[] = [];
    const tally = await runSteps([node('one', ''), node('two', '')], (line) => lines.push(line));
    expect(tally).toEqual({ passed: 2, failed: 0, skipped: 0 });
    expect(lines.filter((line) => /: passed in \d+\.\d s$/.test(line))).toHaveLength(2);
  });

  it('stops at the first step that fails', async () => {
    const tally = await runSteps(
      [node('good', ''), node('bad', 'process.exit(3)'), node('never', '')],
      () => {},
    );
    expect(tally).toEqual({ passed: 1, failed: 1, skipped: 0 });
  });

  it('counts a program that is not there as a failure', async () => {
    await expect(
      runSteps([{ name: 'x', command: ['no-such-program'], counts: 'one' }], () => {}),
    ).rejects.toThrow();
  });
});

describe('tallyOf', () => {
  const report = { numPassedTests: 7, numFailedTests: 0, numPendingTests: 1, numTodoTests: 1 };

  it('reads the report', () => expect(tallyOf(report, true)).toEqual({ passed: 7, failed: 0, skipped: 2 }));

  it('counts a failed run without failed tests', () => {
    expect(tallyOf(report, false)).toEqual({ passed: 7, failed: 1, skipped: 2 });
    expect(tallyOf(undefined, false)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });
});

const file = (name: string, ...statuses: string[]) => ({
  name,
  status: statuses.includes('failed') ? 'failed' : 'passed',
  assertionResults: statuses.map((status) => ({ status })),
});

describe('a run whose failed files are run once more', () => {
  const first = {
    testResults: [
      file('a', 'passed', 'pending'),
      file('b', 'passed', 'failed'),
      { ...file('c'), status: 'failed' },
    ],
  };

  it('names the files in which something failed', () => expect(failedFiles(first)).toEqual(['b', 'c']));

  it('counts what they gave the second time', () => {
    const counted = (passed: number, failed: number) => afterSecondRun(first, { passed, failed, skipped: 0 });
    expect(counted(3, 0)).toEqual({ passed: 4, failed: 0, skipped: 1 });
    expect(counted(2, 1)).toEqual({ passed: 3, failed: 1, skipped: 1 });
  });
});

/** Stands in for vitest: fails its one file as long as `good` says so, and notes how it was called. */
function failing(good: (files: readonly string[]) => boolean, files: readonly string[]) {
  const calls = join(mkdtempSync(join(tmpdir(), 'gleitzeit-steps-test-')), 'calls');
  writeFileSync(calls, '');
  const code = `
    const { appendFileSync, writeFileSync } = require('node:fs');
    const args = process.argv.slice(1);
    const given = args.filter((arg) => !arg.startsWith('--'));
    appendFileSync(${JSON.stringify(calls)}, JSON.stringify(given) + '\\n');
    const good = (${good.toString()})(given);
    const out = args.find((arg) => arg.startsWith('--outputFile.json=')).slice(18);
    const status = good ? 'passed' : 'failed';
    const testResults = ${JSON.stringify(files)}.map((name) => ({ name, status, assertionResults: [{ status }] }));
    writeFileSync(out, JSON.stringify({ numPassedTests: good ? 1 : 0, numFailedTests: good ? 0 : 1, testResults }));
    process.exit(good ? 0 : 1);`;
  const step: Step = { name: 'x', command: ['node', '-e', code, '--'], counts: 'vitest', secondRun: true };
  return { step, calls: () => readFileSync(calls, 'utf8').trim().split('\n') };
}

describe('a step that gives failed files a second run', () => {
  it('runs them alone, says so, and passes where they pass', async () => {
    const lines: string[] = [];
    const { step, calls } = failing((given) => given.length > 0, ['one.test.ts']);
    expect(await runSteps([step], (line) => lines.push(line))).toMatchObject({ passed: 1, failed: 0 });
    expect(calls()).toHaveLength(2);
    expect(lines.join('\n')).toMatch(/passed only alone: .*one\.test\.ts/);
  });

  it('fails where they fail again', async () => {
    const { step, calls } = failing(() => false, ['one.test.ts']);
    expect(await runSteps([step], () => {})).toMatchObject({ failed: 1 });
    expect(calls()).toHaveLength(2);
  });

  it('does not where many fail, or where the step does not say so', async () => {
    const many = failing(() => false, ['a', 'b', 'c', 'd', 'e', 'f']);
    expect(await runSteps([many.step], () => {})).toMatchObject({ failed: 1 });
    expect(many.calls()).toHaveLength(1);
    const strict = failing(() => false, ['a']);
    expect(await runSteps([{ ...strict.step, secondRun: false }], () => {})).toMatchObject({ failed: 1 });
    expect(strict.calls()).toHaveLength(1);
  });
});
