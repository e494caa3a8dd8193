import { isObject, type JsonObject, own } from '../../core/json.ts';
import type { TaskStatus } from '../../core/task.ts';
import { askText } from './ask.ts';
import { afterTelling, type Told } from './told.ts';

/** An event as it comes over the API. */
export type ProgressEvent = {
  readonly cursor: number;
  readonly event: string;
  readonly at: string;
  readonly task_id?: string;
  readonly workflow_id?: string;
  readonly data: unknown;
};

/** How far one task is. Times are milliseconds of the server's clock. */
export type TaskProgress = {
  readonly task_id: string;
  /** The short id. */
  readonly id: string;
  readonly protocol: string;
  readonly dependencies: readonly string[];
  readonly status: TaskStatus;
  readonly attempt: number;
  /** Null until somebody asked. */
  readonly max_attempts: number | null;
  readonly queued_at: number | null;
  /** Of the first attempt. */
  readonly started_at: number | null;
  readonly ended_at: number | null;
  readonly retry_at: number | null;
  readonly error: string | null;
  /** The result is that of an earlier run. */
  readonly reused: boolean;
  /** Short id of the task because of which it was skipped. */
  readonly because: string | null;
  /** What a task that could start waits for, in words. */
  readonly waits: string | null;
  /** What the attempt that runs has told of itself; null where it has told nothing, or none runs. */
  readonly told: Told | null;
};

export type RunProgressStatus = 'running' | 'paused' | 'completed' | 'failed' | 'cancelled';

/** What asking for a task tells beyond its events. */
export type Learned = Partial<Pick<TaskProgress, 'max_attempts' | 'waits'>>;

/**
 * A run, or a task alone, as its events tell it. The same events in the same order give the same picture, whether they
 * are old or just happened; an event that was seen before changes nothing.
 */
export class Progress {
  readonly #tasks = new Map<string, TaskProgress>();
  workflow_id: string | null = null;
  name: string | null = null;
  status: RunProgressStatus = 'running';
  total = 0;
  cursor = 0;
  started_at: number | null = null;
  ended_at: number | null = null;
  reason: string | null = null;

  /** In the order of the definition. */
  get tasks(): readonly TaskProgress[] {
    return [...this.#tasks.values()];
  }

  get settled(): boolean {
    return this.status !== 'running' && this.status !== 'paused';
  }

  task(task_id: string): TaskProgress | undefined {
    return this.#tasks.get(task_id);
  }

  count(status: TaskStatus): number {
    let count = 0;
    for (const task of this.#tasks.values()) if (task.status === status) count++;
    return count;
  }

  learn(task_id: string, learned: Learned): void {
    const task = this.#tasks.get(task_id);
    if (task !== undefined) this.#tasks.set(task_id, { ...task, ...learned });
  }

  /** The task that it changed; null where it is about the run, or about nothing here. */
  take(event: ProgressEvent): TaskProgress | null {
    if (event.cursor <= this.cursor) return null;
    this.cursor = event.cursor;
    const data = isObject(event.data) ? event.data : {};
    const at = timeOf(event.at) ?? 0;
    if (event.event === 'workflow:started') this.workflow_id = event.workflow_id ?? null;
    if (event.event.startsWith('workflow:')) this.#takeRun(event.event, data, at);
    if (!event.event.startsWith('task:') || event.task_id === undefined) return null;
    return this.#takeTask(event.task_id, event.event, data, at);
  }

  #takeRun(name: string, data: JsonObject, at: number): void {
    const word = name.slice('workflow:'.length);
    if (word === 'started') {
      this.name = textOf(own(data, 'name'));
      this.total = numberOf(own(data, 'total')) ?? 0;
      this.started_at = at;
    } else if (word === 'resumed' || word === 'reopened') {
      this.status = 'running';
      this.ended_at = null;
    } else if (word === 'paused') this.status = 'paused';
    else if (word === 'completed' || word === 'failed' || word === 'cancelled') {
      this.status = word;
      this.ended_at = at;
      this.reason = textOf(own(data, 'reason'));
    }
  }

  #takeTask(task_id: string, name: string, data: JsonObject, at: number): TaskProgress {
    const before = this.#tasks.get(task_id) ?? introduced(task_id, own(data, 'task'));
    const because = textOf(own(data, 'because'));
    const change = changeBy(name.slice('task:'.length), data, at);
    const task = {
      ...before,
      ...change,
      // What is told once stays: the first start, and whose fault it is by the name people know.
      ...(change.started_at === undefined ? {} : { started_at: before.started_at ?? change.started_at }),
      ...(because === null ? {} : { because: this.#tasks.get(because)?.id ?? because }),
      // Whatever else happens to a task ends the attempt, or begins one.
      told:
        name === 'task:progress' ? afterTelling(before.told, data) : beside.has(name) ? before.told : null,
    };
    this.#tasks.set(task_id, task);
    return task;
  }
}

/** What happens to a task while its attempt goes on. */
const beside = new Set(['task:kept', 'task:responded']);

type Change = { -readonly [Key in keyof TaskProgress]?: TaskProgress[Key] };

function changeBy(word: string, data: JsonObject, at: number): Change {
  const attempt = numberOf(own(data, 'attempt'));
  const tried = attempt === null ? {} : { attempt };
  const error = messageOf(own(data, 'error'));
  switch (word) {
    case 'waiting':
      return { status: 'waiting', ended_at: null, because: null, waits: null };
    case 'queued':
      return { status: 'queued', ended_at: null, retry_at: null, queued_at: at, waits: null };
    case 'started':
      return {
        ...tried,
        status: 'executing',
        started_at: timeOf(own(data, 'started_at')) ?? at,
        retry_at: null,
        waits: null,
      };
    case 'input_required':
      return { ...tried, status: 'input_required', waits: askText(own(data, 'ask')), error: null };
    case 'retrying':
      return { ...tried, status: 'retrying', retry_at: timeOf(own(data, 'due_at')), error };
    case 'interrupted':
      return { ...tried, status: 'queued', queued_at: at, error };
    case 'completed':
      return { ...tried, status: 'completed', ended_at: at, error: null };
    case 'reused':
      return { status: 'completed', ended_at: at, reused: true };
    case 'failed':
      return { ...tried, status: 'failed', ended_at: at, error };
    case 'cancelled':
      return { status: 'cancelled', ended_at: at, error: textOf(own(data, 'reason')) };
    case 'skipped':
      return { status: 'skipped', ended_at: at };
    default:
      return {};
  }
}

function introduced(task_id: string, task: unknown): TaskProgress {
  const told = isObject(task) ? task : {};
  const dependencies = own(told, 'dependencies');
  return {
    task_id,
    id: textOf(own(told, 'id')) ?? task_id,
    protocol: textOf(own(told, 'protocol')) ?? '',
    dependencies: Array.isArray(dependencies) ? dependencies.map(String) : [],
    status: 'queued',
    attempt: 0,
    max_attempts: null,
    queued_at: null,
    started_at: null,
    ended_at: null,
    retry_at: null,
    error: null,
    reused: false,
    because: null,
    waits: null,
    told: null,
  };
}

/** Of an agent that failed, its own reason too: that it failed says nothing to whoever has to do something about it. */
function messageOf(error: unknown): string | null {
  if (!isObject(error)) return null;
  const message = textOf(own(error, 'message'));
  const data = own(error, 'data');
  if (message === null || !isObject(data)) return message;
  const [reason, details] = [textOf(own(data, 'reason')), own(data, 'details')];
  const judged = isObject(details) && ['state', 'status'].some((name) => textOf(own(details, name)) !== null);
  return judged && reason !== null ? `${message}: ${reason}` : message;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

function timeOf(value: unknown): number | null {
  if (typeof value !== 'string') return null;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? null : ms;
}
