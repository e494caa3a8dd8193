import { GleitzeitError } from './errors.ts';
import type { Event, EventMap, EventName } from './events.ts';
import { type FoldedTask, foldTask, introduced, type TaskEventName } from './fold-task.ts';
import type { RunRow } from './records.ts';

/** A run as the log alone tells it. */
export type FoldedRun = {
  /** Null for a task submitted alone. */
  readonly run: FoldedWorkflow | null;
  readonly seq: number;
  readonly tasks: ReadonlyMap<string, FoldedTask>;
};

export type FoldedWorkflow = Pick<
  RunRow,
  | 'workflow_id'
  | 'name'
  | 'version'
  | 'status'
  | 'total'
  | 'input_hash'
  | 'created_at'
  | 'settled_at'
  | 'retry_of'
>;

export function emptyRun(): FoldedRun {
  return { run: null, seq: 0, tasks: new Map() };
}

/** State is the fold of the events (invariant 3): all events of one run, in order, from the first one on. */
export function fold(events: Iterable<Event>): FoldedRun {
  let state = emptyRun();
  for (const event of events) state = foldEvent(state, event);
  return state;
}

/**
 * The state after one more event. The state handed in is used up: its map of tasks moves on into the new one, so that
 * a long log folds in the time it takes to read it.
 */
export function foldEvent(state: FoldedRun, event: Event): FoldedRun {
  if (event.seq !== state.seq + 1) {
    throw corrupt(event, `follows number ${state.seq} of its run: the log has a gap or is out of order`);
  }
  const seq = event.seq;
  if (event.task_id === undefined) return { ...state, seq, run: foldWorkflow(state.run, event) };
  const tasks = state.tasks as Map<string, FoldedTask>;
  tasks.set(event.task_id, nextTask(tasks.get(event.task_id), event, event.task_id));
  return { ...state, seq, tasks };
}

function nextTask(task: FoldedTask | undefined, event: Event, task_id: string): FoldedTask {
  const introduction = 'task' in event.data ? event.data.task : undefined;
  if (introduction === undefined) {
    if (task === undefined)
      throw corrupt(event, `is about the task ${task_id}, which the log never introduced`);
    return foldTask[event.event as TaskEventName](task, event.data as never, event.at);
  }
  if (task !== undefined) throw corrupt(event, `introduces the task ${task_id} a second time`);
  return introduced(introduction, { task_id, at: event.at, waits: event.event === 'task:waiting' });
}

function foldWorkflow(run: FoldedWorkflow | null, event: Event): FoldedWorkflow {
  if (event.event === 'workflow:started') return startedWorkflow(event.data, event);
  if (run === null) throw corrupt(event, 'comes before the start of its run');
  const { at } = event;
  switch (event.event) {
    case 'workflow:paused':
      return { ...run, status: 'paused' };
    case 'workflow:resumed':
      return { ...run, status: 'running' };
    case 'workflow:reopened':
      return { ...run, status: 'running', settled_at: null };
    case 'workflow:completed':
      return { ...run, status: 'completed', settled_at: at };
    case 'workflow:failed':
      return { ...run, status: 'failed', settled_at: at };
    case 'workflow:cancelled':
      return { ...run, status: 'cancelled', settled_at: at };
    default:
      throw corrupt(event, 'does not belong to a run');
  }
}

function startedWorkflow(told: EventMap['workflow:started'], { workflow_id, at }: Event): FoldedWorkflow {
  const { name, version, total, input_hash, retry_of = null } = told;
  return {
    workflow_id: workflow_id ?? '',
    name,
    version,
    status: 'running',
    total,
    input_hash,
    created_at: at,
    settled_at: null,
    retry_of,
  };
}

function corrupt(event: { event: EventName; seq: number }, why: string): GleitzeitError {
  return new GleitzeitError('GLZ3005', `event ${event.seq} (${event.event}) ${why}`, {
    reason: 'the log of a run cannot be read',
  });
}
