import { describe, expect, it } from 'vitest';
import { runSteps, tallyOf } from '../../scripts/run-steps.ts';
import type { Step } from '../../scripts/steps.ts';

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
