import type { SettledTask } from '../../core/changes.ts';
import type { ClaimedTask, CommitAnswer } from '../../core/ports/store.ts';
import type { Verdict } from '../../core/writes.ts';
import { type Shape, taskBody } from './bodies.ts';
import { INPUTS } from './claim.ts';
import type { Committed } from './commit.ts';
import { type InputValues, inputsRecord } from './inputs.ts';
import { TASK_WIDTH, taskRow, type Values } from './rows.ts';

/** An answer on its way back: lists of values instead of records, and what is equal only once. */
export type PackedAnswer = Omit<CommitAnswer, 'claimed' | 'settled'> & {
  readonly settled: readonly unknown[];
  readonly tasks: readonly Values[];
  readonly shapes: ReadonlyMap<number, Shape>;
};

export function packAnswer({ claim, settled, verdicts, ...rest }: Committed): PackedAnswer {
  const flat: unknown[] = [];
  for (const { task_id, workflow_id, status } of settled) flat.push(task_id, workflow_id, status);
  const { lease_lost, tasks, shapes } = claim;
  return { ...rest, verdicts: shareEqual(verdicts), settled: flat, lease_lost, tasks, shapes };
}

/** A copied message keeps references, so verdicts that say the same are made the same. */
function shareEqual(verdicts: readonly Verdict[]): Verdict[] {
  const shared = new Map<string, Verdict>();
  return verdicts.map((verdict) => {
    if (!verdict.ok || 'runs' in verdict.answer) return verdict;
    const key = JSON.stringify(verdict.answer);
    const known = shared.get(key);
    if (known === undefined) shared.set(key, verdict);
    return known ?? verdict;
  });
}

export function unpackAnswer(packed: PackedAnswer, owner: string | null): CommitAnswer {
  const { now, verdicts, lease_lost, settledRuns, revoked, shapes } = packed;
  const settled: SettledTask[] = [];
  for (let at = 0; at < packed.settled.length; at += 3) {
    const [task_id, workflow_id, status] = packed.settled.slice(at, at + 3);
    settled.push({ task_id, workflow_id, status } as SettledTask);
  }
  const claimed = packed.tasks.map((task) => unpackClaimed(task, shapes, owner ?? ''));
  return { now, verdicts, claimed, lease_lost, settled, settledRuns, revoked };
}

function unpackClaimed(values: Values, shapes: ReadonlyMap<number, Shape>, owner: string): ClaimedTask {
  const task = taskRow(values, () => owner);
  const value = values[TASK_WIDTH + 1];
  const shape =
    typeof value === 'number' ? (shapes.get(value) as Shape) : (JSON.parse(value as string) as Shape);
  const params = values[TASK_WIDTH + 4] as string;
  const body = taskBody(task.task_id, values, { at: TASK_WIDTH, shape, params });
  if (values.length === INPUTS) return { task, body, inputs: {}, run_input: null };
  const [inputs, run_input] = values.slice(INPUTS) as [InputValues[] | null, string | null];
  return { task, body, inputs: inputs === null ? null : inputsRecord(inputs), run_input };
}
