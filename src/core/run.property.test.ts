import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { waitOf } from './outside.ts';
import { isRunSettled } from './run.ts';
import { isSettled } from './task.ts';
import { done, responded, settled, submitted } from './testing/builders.suite.ts';
import { Memory } from './testing/memory.suite.ts';
import { loneRun, randomRun, steps, writeOf } from './testing/random-run.suite.ts';
import { settledBeside, violations } from './testing/recount.suite.ts';
import type { Write } from './writes.ts';

/** Commits, and looks at everything afterwards. */
function commitAndCheck(memory: Memory, writes: readonly Write[]): void {
  const before = memory.cursor;
  const { verdicts, changes } = memory.commit(...writes);
  expect(verdicts).toHaveLength(writes.length);
  expect(memory.disagreements()).toEqual([]);
  expect(violations(memory)).toEqual([]);
  const { told, listed } = settledBeside(changes);
  expect(listed).toEqual(told);
  const events = [...memory.log.values()].flat().filter((event) => event.cursor > before);
  expect(events.map((event) => event.cursor).sort((a, b) => a - b)).toEqual(
    events.map((_, index) => before + index + 1),
  );
}

/** What an engine does that meets no trouble any more. */
function driveToTheEnd(memory: Memory): void {
  for (const [workflow_id, run] of memory.runs) {
    if (!isRunSettled(run.status)) commitAndCheck(memory, [{ kind: 'resume_run', workflow_id }]);
  }
  commitAndCheck(memory, [{ kind: 'join', owner: 'last', ttl_ms: 1e12 }]);
  for (let round = 0; round < 100; round++) {
    if ([...memory.tasks.values()].every((row) => isSettled(row.status))) return;
    memory.now += 1_000;
    commitAndCheck(memory, [
      { kind: 'rescue', limit: 100 },
      { kind: 'wake_due', limit: 100 },
      { kind: 'call_lines', places: 100, after: null, limit: 100 },
    ]);
    const asking = [...memory.tasks.values()].filter((task) => waitOf(task) !== null);
    commitAndCheck(
      memory,
      asking.map(({ task_id }) => responded(task_id, '"at last"')),
    );
    commitAndCheck(
      memory,
      memory.claim('last').map((task) => settled(task, done)),
    );
  }
  throw new Error('the run never ends');
}

describe('a run, whatever happens to it', () => {
  it('keeps its counters right, tells everything it does, and ends', () => {
    fc.assert(
      fc.property(randomRun, steps, (run, todo) => {
        const memory = new Memory();
        for (const owner of ['e0', 'e1']) memory.write({ kind: 'join', owner, ttl_ms: 100_000 });
        commitAndCheck(memory, [submitted(run, loneRun)]);
        let waiting: Write[] = [];
        for (const step of todo) {
          const write = writeOf(memory, step);
          if (write !== null) waiting.push(write);
          if (step.joined) continue;
          commitAndCheck(memory, waiting);
          waiting = [];
        }
        memory.engines.clear();
        driveToTheEnd(memory);
      }),
      { numRuns: 200 },
    );
  }, 60_000);
});
