import type { DocumentName } from '../../core/changes.ts';
import type { Write } from '../../core/writes.ts';

/** Rows that decisions read, and therefore have to be in memory, locked, before they are made. */
export type Needs = {
  /** Tasks by id; their runs come with them. */
  readonly tasks: Set<string>;
  /** Bodies by task id, and with each the tasks that wait for it. */
  readonly bodies: Set<string>;
  /** The same, but only for tasks somebody waits for: nothing else is read of the others. */
  readonly dependents: Set<string>;
  readonly runs: Set<string>;
  readonly openTasks: Set<string>;
  readonly taskIds: Set<string>;
  readonly keys: Set<string>;
  readonly engines: Set<string>;
  /** Owners, all of whose tasks are needed. */
  readonly held: Set<string>;
  readonly documents: Map<string, DocumentName>;
  /** The most that is asked for; null for nothing. */
  due: number | null;
  lost: number | null;
  /** How long settled runs are kept → the most that is asked for. */
  readonly prunable: Map<number, number>;
  /** How many tasks and runs may be accepted, each of which needs a number. */
  numbers: number;
};

export function noNeeds(): Needs {
  return {
    tasks: new Set(),
    bodies: new Set(),
    dependents: new Set(),
    runs: new Set(),
    openTasks: new Set(),
    taskIds: new Set(),
    keys: new Set(),
    engines: new Set(),
    held: new Set(),
    documents: new Map(),
    due: null,
    lost: null,
    prunable: new Map(),
    numbers: 0,
  };
}

export function isSatisfied(needs: Needs): boolean {
  const { due, lost, numbers, ...sets } = needs;
  return due === null && lost === null && Object.values(sets).every(({ size }) => size === 0);
}

export function documentKey({ collection, key }: DocumentName): string {
  return JSON.stringify([collection, key]);
}

/**
 * What the writes of a commit are sure or likely to read. It need not be complete: a decision that meets a row it
 * needs and that is not there says so, and is made again once the row is loaded. It decides how many rounds that takes.
 */
export function needsOf(writes: readonly Write[]): Needs {
  const needs = noNeeds();
  for (const write of writes) addNeeds(needs, write);
  return needs;
}

function addNeeds(needs: Needs, write: Write): void {
  switch (write.kind) {
    case 'submit':
      for (const { idempotency_key, workflow, tasks } of write.runs) {
        needs.numbers += tasks.length + (workflow === null ? 0 : 1);
        if (idempotency_key !== null) needs.keys.add(idempotency_key);
        if (workflow !== null) needs.runs.add(workflow.workflow_id);
      }
      return;
    case 'start':
      needs.tasks.add(write.task_id);
      return;
    case 'settle':
      needs.tasks.add(write.task_id);
      if (write.answer.word === 'failed') needs.bodies.add(write.task_id);
      else if (write.answer.word === 'done') needs.dependents.add(write.task_id);
      return;
    case 'release':
      for (const { task_id } of write.leases) needs.tasks.add(task_id);
      return;
    case 'cancel_task':
    case 'retry_task':
      needs.tasks.add(write.task_id);
      needs.dependents.add(write.task_id);
      return;
    case 'cancel_run':
    case 'pause_run':
    case 'resume_run':
      needs.runs.add(write.workflow_id);
      needs.openTasks.add(write.workflow_id);
      return;
    case 'wake_due':
      needs.due = Math.max(needs.due ?? 0, write.limit);
      return;
    case 'rescue':
      needs.lost = Math.max(needs.lost ?? 0, write.limit);
      return;
    case 'reconcile':
      needs.held.add(write.owner);
      return;
    case 'prune':
      needs.prunable.set(write.keep_ms, Math.max(needs.prunable.get(write.keep_ms) ?? 0, write.limit));
      return;
    case 'beat':
      needs.engines.add(write.owner);
      return;
    case 'put_document':
    case 'delete_document':
      needs.documents.set(documentKey(write), { collection: write.collection, key: write.key });
      return;
    case 'join':
    case 'leave':
    case 'announce':
      return;
  }
}
