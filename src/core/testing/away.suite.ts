import type { Answer } from '../answer.ts';
import type { AttemptName } from '../attempt-name.ts';
import type { TaskRow } from '../records.ts';
import type { NewRun, WriteOf } from '../writes.ts';
import { done, leaseOf, lone, submitted, taskRow } from './builders.suite.ts';
import { Memory } from './memory.suite.ts';

type Claimed = Pick<TaskRow, 'task_id' | 'owner' | 'fence' | 'generation' | 'attempt_count'>;

/** The call of the next attempt of a claimed task is handed over. */
export function handedOver(
  task: Claimed,
  { provider = 'p1', bound_ms = 60_000 }: { provider?: string | null; bound_ms?: number } = {},
): WriteOf<'hand_over'> {
  const start = { attempt: task.attempt_count + 1, provider, ago_ms: 0 };
  return { kind: 'hand_over', ...leaseOf(task), generation: task.generation, start, bound_ms };
}

/** The name of the next attempt of a task, as it stands in the queue or was handed over. */
export function nameOf({ task_id, generation, attempt_count }: Claimed): AttemptName {
  return { task_id, generation, attempt: attempt_count + 1 };
}

export function arrived(
  name: AttemptName,
  answer: Answer = done,
  fields: Partial<Pick<WriteOf<'arrive'>, 'provider' | 'ago_ms' | 'chance'>> = {},
): WriteOf<'arrive'> {
  const { task_id, generation, attempt } = name;
  const came = { provider: 'p1', ago_ms: 0, answer, chance: 0, ...fields };
  return { kind: 'arrive', task_id, generation, attempt, ...came };
}

export function startedAway(
  { task_id, generation, attempt }: AttemptName,
  ago_ms = 0,
): WriteOf<'start_away'> {
  return { kind: 'start_away', task_id, generation, attempt, ago_ms };
}

/** A task that engine `e` has claimed. */
export function claimedTask(run: NewRun = lone('t')): { memory: Memory; task: TaskRow } {
  const memory = new Memory();
  memory.write({ kind: 'join', owner: 'e', ttl_ms: 1e9 });
  memory.write(submitted(run));
  return { memory, task: memory.claim('e')[0] ?? taskRow() };
}

/** The same with its call away. */
export function awayTask(run: NewRun = lone('t'), how: Parameters<typeof handedOver>[1] = {}) {
  const { memory, task } = claimedTask(run);
  memory.write(handedOver(task, how));
  return { memory, task, name: nameOf(task) };
}
