import type { SettledTask } from '../../core/changes.ts';
import { newBody, newRow } from '../../core/decisions/submit.ts';
import type { ClaimedTask, CommitAnswer, CommitRequest } from '../../core/ports/store.ts';
import type { AcceptedRun, NewRun, NewTask, Verdict, Write } from '../../core/writes.ts';
import { type Shape, taskBody } from './bodies.ts';
import { INPUTS } from './carry.ts';
import type { FreshValues } from './claim.ts';
import type { Committed } from './commit.ts';
import { type InputValues, inputsRecord } from './inputs.ts';
import { TASK_WIDTH, taskRow, type Values } from './rows.ts';

/** An answer on its way back: lists of values instead of records, and what is equal only once. */
export type PackedAnswer = Omit<CommitAnswer, 'claimed' | 'settled' | 'verdicts'> & {
  readonly verdicts: readonly PackedVerdict[];
  readonly settled: readonly unknown[];
  readonly tasks: readonly Values[];
  readonly shapes: ReadonlyMap<number, Shape>;
  readonly runInputs: ReadonlyMap<string, string>;
};

export function packAnswer({ claim, settled, verdicts, ...rest }: Committed): PackedAnswer {
  const flat: unknown[] = [];
  for (const { task_id, workflow_id, status } of settled) flat.push(task_id, workflow_id, status);
  return { ...rest, verdicts: packVerdicts(verdicts), settled: flat, ...claim };
}

/** A submission all of whose runs are new is answered with what its sender knows. */
type PackedVerdict = Verdict | typeof ALL_NEW;

const ALL_NEW = 1;

/** A copied message keeps references, so verdicts that say the same are made the same. */
function packVerdicts(verdicts: readonly Verdict[]): PackedVerdict[] {
  const shared = new Map<string, Verdict>();
  return verdicts.map((verdict) => {
    if (!verdict.ok) return verdict;
    if ('runs' in verdict.answer) return verdict.answer.runs.every(isNew) ? ALL_NEW : verdict;
    const key = JSON.stringify(verdict.answer);
    const known = shared.get(key);
    if (known === undefined) shared.set(key, verdict);
    return known ?? verdict;
  });
}

function isNew({ workflow_id, status, created }: AcceptedRun): boolean {
  return created && status === (workflow_id === null ? 'queued' : 'running');
}

function newRuns(write: Write | undefined): Verdict {
  const runs = write?.kind === 'submit' ? write.runs : [];
  return {
    ok: true,
    answer: {
      runs: runs.map(({ workflow, tasks }) => ({
        workflow_id: workflow?.workflow_id ?? null,
        tasks: tasks.map(({ id, task_id }) => [id, task_id] as const),
        status: workflow === null ? 'queued' : 'running',
        created: true,
      })),
    },
  };
}

export function unpackAnswer(packed: PackedAnswer, { writes, claim }: CommitRequest): CommitAnswer {
  const { now, lease_lost, settledRuns, revoked } = packed;
  const verdicts = packed.verdicts.map((verdict, index) =>
    verdict === ALL_NEW ? newRuns(writes[index]) : verdict,
  );
  const settled: SettledTask[] = [];
  for (let at = 0; at < packed.settled.length; at += 3) {
    const [task_id, workflow_id, status] = packed.settled.slice(at, at + 3);
    settled.push({ task_id, workflow_id, status } as SettledTask);
  }
  const owner = claim?.owner ?? '';
  const sent = packed.tasks.some(isFresh) ? sentTasks(writes) : noTasks;
  const claimed = packed.tasks.map((task) =>
    isFresh(task) ? freshClaimed(task, sent, { owner, now }) : unpackClaimed(task, packed, owner),
  );
  return { now, verdicts, claimed, lease_lost, settled, settledRuns, revoked };
}

type Sent = ReadonlyMap<string, readonly [task: NewTask, workflow: NewRun['workflow']]>;

const noTasks: Sent = new Map();

function isFresh(values: Values): values is FreshValues {
  return values.length === 3;
}

function sentTasks(writes: CommitRequest['writes']): Sent {
  const sent = new Map<string, readonly [NewTask, NewRun['workflow']]>();
  for (const write of writes) {
    if (write.kind !== 'submit') continue;
    for (const { workflow, tasks } of write.runs) {
      for (const task of tasks) sent.set(task.task_id, [task, workflow]);
    }
  }
  return sent;
}

/** A task submitted by this very request: only what the store added to it came back. */
function freshClaimed(
  [task_id, seq, params_hash]: FreshValues,
  sent: Sent,
  { owner, now }: { owner: string; now: number },
): ClaimedTask {
  const found = sent.get(task_id);
  if (found === undefined) throw new TypeError(`a claim of ${task_id}, which was not sent`);
  const [task, workflow] = found;
  const run = workflow === null ? null : { workflow_id: workflow.workflow_id, status: 'running' as const };
  return {
    task: { ...newRow(task, run, now), owner, fence: 1, seq },
    body: newBody(task, params_hash),
    payloads: {
      params: task.params,
      inputs: {},
      run_input: task.uses_input && workflow !== null ? workflow.input : null,
    },
  };
}

function unpackClaimed(values: Values, { shapes, runInputs }: PackedAnswer, owner: string): ClaimedTask {
  const task = taskRow(values, () => owner);
  const value = values[TASK_WIDTH + 1];
  const shape =
    typeof value === 'number' ? (shapes.get(value) as Shape) : (JSON.parse(value as string) as Shape);
  const params = values[TASK_WIDTH + 4] as string | null;
  const body = taskBody(task.task_id, values, { at: TASK_WIDTH, shape, params: params ?? '' });
  if (params === null) return { task, body, payloads: null };
  if (values.length === INPUTS) return { task, body, payloads: { params, inputs: {}, run_input: null } };
  const [inputs, readsInput] = values.slice(INPUTS) as [InputValues[], boolean];
  const run_input = readsInput ? (runInputs.get(task.workflow_id ?? '') ?? null) : null;
  return { task, body, payloads: { params, inputs: inputsRecord(inputs), run_input } };
}
