import type { DocumentName } from '../../core/changes.ts';
import { pauseDocument } from '../../core/queue-pause.ts';
import type { Write, WriteKind, WriteOf } from '../../core/writes.ts';

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
  readonly agents: Set<string>;
  /** Names of lines → how many of the best in them. */
  readonly lines: Map<string, number>;
  /** So many lines from somewhere on, and of each so many of the best, by what tells one such list from another. */
  readonly linesAfter: Map<string, LinesAfter>;
  /** The most that is asked for; null for nothing. */
  due: number | null;
  lost: number | null;
  /** How long settled runs are kept → the most that is asked for. */
  readonly prunable: Map<number, number>;
  /** How many tasks and runs may be accepted, each of which needs a number. */
  numbers: number;
};

export type LinesAfter = { readonly after: string | null; readonly limit: number; readonly places: number };

export function linesKey({ after, limit, places }: LinesAfter): string {
  return JSON.stringify([after, limit, places]);
}

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
    agents: new Set(),
    lines: new Map(),
    linesAfter: new Map(),
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

type AddNeeds<K extends WriteKind> = (needs: Needs, write: WriteOf<K>) => void;

const nothing = () => {};
const ofTask: AddNeeds<'cancel_task' | 'retry_task'> = (needs, { task_id }) => {
  needs.tasks.add(task_id);
  needs.dependents.add(task_id);
};
const ofOutcome: AddNeeds<'settle' | 'arrive'> = (needs, { task_id, answer }) => {
  needs.tasks.add(task_id);
  if (answer.word === 'failed') needs.bodies.add(task_id);
  else if (answer.word === 'done') needs.dependents.add(task_id);
};
const ofOpenRun: AddNeeds<'cancel_run' | 'pause_run' | 'resume_run'> = (needs, { workflow_id }) => {
  needs.runs.add(workflow_id);
  needs.openTasks.add(workflow_id);
};
const ofDocument = (needs: Needs, { collection, key }: DocumentName) => {
  needs.documents.set(documentKey({ collection, key }), { collection, key });
};
const ofPause = (needs: Needs) => ofDocument(needs, pauseDocument);

const added: { readonly [K in WriteKind]: AddNeeds<K> } = {
  submit(needs, { runs }) {
    for (const { idempotency_key, workflow, tasks, body_hash } of runs) {
      needs.numbers += tasks.length + (workflow === null ? 0 : 1);
      if (idempotency_key !== null) needs.keys.add(idempotency_key);
      if (workflow !== null) needs.runs.add(workflow.workflow_id);
      // An id that somebody chose may be that of a task.
      if (workflow !== null && body_hash !== '') needs.tasks.add(workflow.workflow_id);
    }
  },
  start: (needs, { task_id }) => void needs.tasks.add(task_id),
  progress: (needs, { task_id }) => void needs.tasks.add(task_id),
  keep: (needs, { task_id }) => void needs.tasks.add(task_id),
  respond: (needs, { task_id }) => void needs.tasks.add(task_id),
  settle: ofOutcome,
  hand_over: (needs, { task_id }) => void needs.tasks.add(task_id),
  start_away: (needs, { task_id }) => void needs.tasks.add(task_id),
  progress_away: (needs, { task_id }) => void needs.tasks.add(task_id),
  keep_away: (needs, { task_id }) => void needs.tasks.add(task_id),
  arrive: ofOutcome,
  release(needs, { leases }) {
    for (const { task_id } of leases) needs.tasks.add(task_id);
  },
  call_line(needs, { line, places }) {
    needs.lines.set(line, Math.max(needs.lines.get(line) ?? 0, places + 1));
  },
  call_lines(needs, { after, limit, places }) {
    const lines = { after, limit, places };
    needs.linesAfter.set(linesKey(lines), lines);
  },
  cancel_task: ofTask,
  retry_task: ofTask,
  cancel_run: ofOpenRun,
  pause_run: ofOpenRun,
  resume_run: ofOpenRun,
  wake_due(needs, { limit }) {
    needs.due = Math.max(needs.due ?? 0, limit);
  },
  rescue(needs, { limit }) {
    needs.lost = Math.max(needs.lost ?? 0, limit);
  },
  reconcile: (needs, { owner }) => void needs.held.add(owner),
  prune(needs, { keep_ms, limit }) {
    needs.prunable.set(keep_ms, Math.max(needs.prunable.get(keep_ms) ?? 0, limit));
  },
  beat: (needs, { owner }) => void needs.engines.add(owner),
  put_document: ofDocument,
  delete_document: ofDocument,
  put_agent: (needs, { agent }) => void needs.agents.add(agent.name),
  delete_agent: (needs, { name }) => void needs.agents.add(name),
  join: ofPause,
  pause_queue: ofPause,
  resume_queue: ofPause,
  leave: nothing,
  announce: nothing,
};

function addNeeds(needs: Needs, write: Write): void {
  const add = added[write.kind] as AddNeeds<typeof write.kind>;
  add(needs, write as never);
}
