import type { AttemptName } from '../../../src/core/attempt-name.ts';
import type { EngineRow, KeyRow } from '../../../src/core/changes.ts';
import type { Happening } from '../../../src/core/events.ts';
import type { RunRow, TaskBody, TaskRow } from '../../../src/core/records.ts';
import type { Write, WriteKind, WriteOf } from '../../../src/core/writes.ts';
import type { Committed, SimulatedData } from '../../../src/store/simulated/data.ts';

/** What one commit did to one task: before it, after its writes (and before its claim), and what it told. */
export type TaskStep = {
  readonly before: TaskRow | null;
  readonly after: TaskRow;
  readonly body: TaskBody;
  readonly events: readonly Happening[];
  readonly commit: Committed;
};

export type Report = (invariant: string, detail: string) => void;

/** The state as it was before the commit that is looked at, kept apart from the store's own. */
export class Shadow {
  readonly data: SimulatedData;
  readonly tasks = new Map<string, TaskRow>();
  readonly runs = new Map<string, RunRow>();
  readonly engines = new Map<string, EngineRow>();
  readonly keys = new Map<string, KeyRow>();
  readonly results = new Map<string, string>();
  /** Claims that their engine does not know of, because they took effect after it was told that they failed. */
  readonly unheard = new Set<string>();
  /** Names that a late join brought into the store when nobody went by them any more: they run out by themselves. */
  readonly revived = new Set<string>();

  constructor(data: SimulatedData) {
    this.data = data;
  }

  steps(commit: Committed): TaskStep[] {
    const told = new Map<string, Happening[]>();
    for (const { events } of commit.changes.happenings) {
      for (const event of events) {
        if (event.task_id === undefined) continue;
        const list = told.get(event.task_id);
        if (list === undefined) told.set(event.task_id, [event]);
        else list.push(event);
      }
    }
    const rows = [...commit.changes.newTasks.map(({ row }) => row), ...commit.changes.tasks];
    return rows.map((after) => ({
      before: this.tasks.get(after.task_id) ?? null,
      after,
      body: this.data.bodies.get(after.task_id) as TaskBody,
      events: told.get(after.task_id) ?? [],
      commit,
    }));
  }

  move({ changes, claimed }: Committed): void {
    for (const { row } of changes.newTasks) this.tasks.set(row.task_id, row);
    for (const row of changes.tasks) this.tasks.set(row.task_id, row);
    for (const row of claimed) this.tasks.set(row.task_id, row);
    for (const { row } of changes.newRuns) this.runs.set(row.workflow_id, row);
    for (const row of changes.runs) this.runs.set(row.workflow_id, row);
    for (const row of changes.engines) this.engines.set(row.owner, row);
    for (const owner of changes.goneEngines) this.engines.delete(owner);
    for (const row of changes.keys) this.keys.set(row.key, row);
    for (const row of changes.results) this.results.set(row.task_id, row.result);
  }

  /** Whether others may take an engine's tasks. */
  isLost(owner: string, now: number): boolean {
    const engine = this.engines.get(owner);
    return engine === undefined || engine.alive_until < now;
  }

  forget(run_key: string, task_ids: readonly string[]): void {
    this.runs.delete(run_key);
    for (const task_id of task_ids) {
      this.tasks.delete(task_id);
      this.results.delete(task_id);
    }
    for (const [key, row] of this.keys) if (row.run_key === run_key) this.keys.delete(key);
  }
}

export function writesOf<K extends WriteKind>(writes: readonly Write[], kind: K): WriteOf<K>[] {
  return writes.filter((write) => write.kind === kind) as unknown as WriteOf<K>[];
}

/** The settle of a commit that came from whoever held the task, if there is one. */
export function settleBy({ before, commit }: TaskStep): WriteOf<'settle'> | undefined {
  return writesOf(commit.writes, 'settle').find((write) => holds(before, write));
}

type Answered = Pick<WriteOf<'settle'>, 'answer' | 'chance'>;

/** The same, or what came back of a call that was handed over, from whomever: what came first counts. */
export function answerBy(step: TaskStep): Answered | undefined {
  const { before, commit } = step;
  for (const write of commit.writes) {
    if (write.kind === 'wake_due' && isOverdue(before, commit.at)) return undefined;
    if (write.kind === 'settle' && holds(before, write)) return write;
    if (write.kind === 'arrive' && names(before, write)) return write;
  }
  return undefined;
}

export function arriveBy(step: TaskStep): WriteOf<'arrive'> | undefined {
  const answered = answerBy(step);
  return writesOf(step.commit.writes, 'arrive').find((write) => write === answered);
}

/** Whether a call that was handed over has stayed away for too long. */
export function isOverdue(row: TaskRow | null, now: number): boolean {
  if (row === null || row.owner !== null || row.due_at === null || row.due_at > now) return false;
  return row.status === 'routed' || (row.status === 'executing' && row.attempts.at(-1)?.ended_at === null);
}

/** Whether that is the attempt that a task was at. */
export function names(row: TaskRow | null, { task_id, generation, attempt }: AttemptName): boolean {
  if (row === null || row.task_id !== task_id || row.generation !== generation) return false;
  if (row.status === 'queued' || row.status === 'routed') return row.attempt_count + 1 === attempt;
  return (
    row.status === 'executing' && row.attempt_count === attempt && row.attempts.at(-1)?.ended_at === null
  );
}

export function leaseKey({ task_id, fence }: Pick<TaskRow, 'task_id' | 'fence'>): string {
  return `${task_id} ${fence}`;
}

export function holds(
  row: TaskRow | null,
  lease: { task_id: string; owner: string; fence: number },
): boolean {
  return row?.task_id === lease.task_id && row.owner === lease.owner && row.fence === lease.fence;
}
