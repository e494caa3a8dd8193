import fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';
import { drive, type Step } from './drive.ts';
import { type Operation, operations } from './operations.ts';
import { postgresSubject } from './postgres.ts';
import { simulatedSubject } from './simulated.ts';
import { sqliteSubject } from './sqlite.ts';
import type { Subject } from './subject.ts';

/** How many sequences to try, and the seed they are drawn from: the same ones each time, or others by `random`. */
const RUNS = Number(process.env['DIFFERENTIAL_RUNS'] ?? 15);

const pairs: readonly (readonly [Subject, Subject])[] = [
  [simulatedSubject(true), sqliteSubject],
  [simulatedSubject(false), postgresSubject(() => inject('postgresUrl'))],
];

/** After this a failing sequence is shown as far as it has been shrunk by then. */
const TIME_LIMIT = 60_000 + RUNS * 10_000;

describe.each(pairs.map(([model, real]) => ({ model, real })))('$real.name', ({ model, real }) => {
  it(`answers ${RUNS} random sequences as "${model.name}" does`, {
    timeout: TIME_LIMIT + 60_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(operations, async (sequence) => {
        await compare(model, real, sequence);
      }),
      {
        numRuns: RUNS,
        interruptAfterTimeLimit: TIME_LIMIT,
        markInterruptAsFailure: true,
      },
    );
  });
});

async function compare(model: Subject, real: Subject, sequence: readonly Operation[]): Promise<void> {
  const expected = await drive(model, sequence);
  const actual = await drive(real, sequence);
  for (const [index, step] of expected.entries()) {
    expect(carried(actual[index]), titleOf(step, index)).toEqual(carried(step));
  }
}

/**
 * What a claim carries along and what is left to be read is a matter of how a store counts, in characters or in bytes;
 * what there is to be read is compared at the end of each sequence.
 */
function carried(step: Step | undefined): unknown {
  const claimed = (step?.answer as { claimed?: readonly object[] } | undefined)?.claimed;
  if (!Array.isArray(claimed)) return step;
  const without = claimed.map(({ payloads: _, ...task }: { payloads?: unknown }) => task);
  return { ...step, answer: { ...(step?.answer as object), claimed: without } };
}

function titleOf(step: Step, index: number): string {
  return `step ${index}: ${JSON.stringify(step.operation)}`;
}
