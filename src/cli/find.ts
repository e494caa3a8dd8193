import { GleitzeitError } from '../core/errors.ts';
import { isRunSettled } from '../core/run.ts';
import { isSettled } from '../core/task.ts';
import { CallError, type Client } from '../sdk/index.ts';
import type { RunWithTasks } from './views/run.ts';
import type { Task } from './views/task.ts';

/** What an id turned out to be. */
export type Found =
  | { readonly kind: 'run'; readonly id: string; readonly run: RunWithTasks }
  | { readonly kind: 'task'; readonly id: string; readonly task: Task };

/** Whether something can still become of it. */
export function isOpen(found: Found): boolean {
  return found.kind === 'run' ? !isRunSettled(found.run.status) : !isSettled(found.task.status);
}

/** A beginning of an id that is shorter is taken for a slip. */
const SHORTEST = 8;
const LOOKED_AT = 200;

/** Finds out whether an id is a run's or a task's. Among the newest a beginning is enough, where it fits only one. */
export async function findId(client: Client, id: string, tasks = 1): Promise<Found> {
  return (
    (await exactly(client, id, tasks)) ??
    (await exactly(client, await completed(client, id), tasks)) ??
    raise(id)
  );
}

async function exactly(client: Client, id: string, limit: number): Promise<Found | null> {
  const [run, task] = await Promise.all([
    orNull(client.call('workflow.status', { workflow_id: id, limit })),
    orNull(client.call('task.status', { task_id: id })),
  ]);
  if (run !== null) return { kind: 'run', id, run };
  return task === null ? null : { kind: 'task', id, task };
}

async function orNull<Answer>(asked: Promise<Answer>): Promise<Answer | null> {
  try {
    return await asked;
  } catch (thrown) {
    if (thrown instanceof CallError && thrown.error_code === 'GLZ1010') return null;
    throw thrown;
  }
}

async function completed(client: Client, beginning: string): Promise<string> {
  if (beginning.length < SHORTEST) return raise(beginning);
  const [runs, tasks] = await Promise.all([
    client.call('workflow.list', { limit: LOOKED_AT }),
    client.call('task.list', { limit: LOOKED_AT }),
  ]);
  const ids = [
    ...runs.items.map(({ workflow_id }) => workflow_id),
    ...tasks.items.map(({ task_id }) => task_id),
  ];
  const [found, another] = ids.filter((id) => id.startsWith(beginning));
  if (found === undefined) return raise(beginning);
  if (another === undefined) return found;
  throw new GleitzeitError('GLZ1010', `several ids begin with "${beginning}"`, {
    field: 'id',
    reason: `${found} and ${another}, for example`,
    hint: 'write more of it',
  });
}

function raise(id: string): never {
  throw new GleitzeitError('GLZ1010', `there is no run and no task "${id}"`, {
    field: 'id',
    reason: 'it may have been removed after its retention time, or be in another store',
    hint: 'gleitzeit list shows runs, gleitzeit list --tasks shows tasks',
  });
}
