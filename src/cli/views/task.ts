import type { ResultOf } from '../../sdk/index.ts';
import { jsonText } from '../output/json-text.ts';
import { statusStyle } from '../output/paint.ts';
import { type Column, details, SHORTEST_ID, table, type View } from '../output/table.ts';
import { ago, took } from '../output/time.ts';
import { answerCommand, askText } from '../progress/ask.ts';
import { tailOf, tellingOf } from '../progress/told.ts';

export type TaskItem = ResultOf<'task.list'>['items'][number];
export type Task = ResultOf<'task.status'>;

/** So much of the end of an output is shown. */
const OUTPUT = 200;

type Columns = readonly Column<TaskItem>[];

const id: Column<TaskItem> = {
  title: 'id',
  value: (task) => task.task_id,
  whole: true,
  shortest: SHORTEST_ID,
};
const short: Column<TaskItem> = {
  title: 'task',
  value: (task) => (task.id === task.task_id ? '-' : task.id),
};
const status: Column<TaskItem> = {
  title: 'status',
  value: (task) => task.status,
  style: (task) => statusStyle(task.status),
  whole: true,
  kept: true,
};
const protocol: Column<TaskItem> = { title: 'protocol', value: (task) => task.protocol };
const attempts: Column<TaskItem> = {
  title: 'attempts',
  value: ({ attempt_count }) => String(attempt_count),
  align: 'right',
};
const progress: Column<TaskItem> = {
  title: 'progress',
  value: ({ progress: told }) => (told === null ? '' : tellingOf(told)),
};
const error: Column<TaskItem> = {
  title: 'error',
  value: (task) => task.error?.message ?? '',
  style: () => 'red',
};
const run: Column<TaskItem> = { title: 'run', value: ({ workflow_id }) => workflow_id ?? '-', whole: true };
const tookFor = (now: number): Column<TaskItem> => ({
  title: 'took',
  value: ({ created_at, settled_at }) => took(created_at, settled_at, now),
  align: 'right',
});

/** Errors and progress only where there are any: the room is needed. */
function someOf(tasks: readonly TaskItem[]): Columns {
  const told = tasks.some((task) => task.progress !== null) ? [progress] : [];
  return tasks.some((task) => task.error !== null) ? [...told, error] : told;
}

/** Tasks of one run, which people know by their short ids. */
export function memberTable(tasks: readonly TaskItem[], view: View): string {
  const columns = [short, status, attempts, tookFor(view.now), ...someOf(tasks), id, protocol];
  return table(tasks, columns, view);
}

export function taskTable(tasks: readonly TaskItem[], view: View): string {
  const columns = [id, status, short, protocol, attempts, tookFor(view.now), ...someOf(tasks), run];
  return table(tasks, columns, view);
}

/** Everything about a task but its result. */
export function taskText(task: Task, view: View): string {
  const { task_id, workflow_id, name, waiting_for, created_at } = task;
  const head = details(
    [
      ['Task', task_id],
      ['Name', task.id === task_id || task.id === name ? name : `${task.id} (${name})`],
      ['Run', workflow_id],
      ['Agent', task.agent],
      ['Call', `${task.protocol} ${task.method}`],
      ['Status', task.status, statusStyle(task.status)],
      ['Waits for', waiting_for === null ? null : waitText(waiting_for)],
      ['Asks', waiting_for?.ask === undefined ? null : askText(waiting_for.ask) || null],
      ['Answer', mayAnswer(task) ? answerCommand(task_id) : null],
      ['Progress', task.progress === null ? null : tellingOf(task.progress) || null],
      ['Output', task.progress === null ? null : tailOf(task.progress.text, OUTPUT) || null],
      ['Priority', task.priority],
      ['Attempts', attemptsOf(task)],
      ['Created', `${created_at} (${ago(created_at, view.now)})`],
      ['Settled', task.settled_at],
      ['Took', took(created_at, task.settled_at, view.now)],
      ['Error', errorText(task), 'red'],
      ['Hint', task.error?.data.hint],
      ['Params', JSON.stringify(task.params)],
    ],
    view,
  );
  return task.attempts.length === 0 ? head : `${head}\n${attemptTable(task, view)}`;
}

/** Those that ended without failure, because somebody outside had to do something first, do not count against the most. */
function attemptsOf({ attempt_count, retry_config: { max_attempts } }: Task): string {
  return attempt_count > max_attempts ? String(attempt_count) : `${attempt_count} of ${max_attempts}`;
}

function mayAnswer({ status }: Task): boolean {
  return status === 'input_required';
}

function errorText(task: Task): string | null {
  return task.error === null ? null : `${task.error.message} (${task.error.data.error_code})`;
}

function waitText({ kind, key, until }: NonNullable<Task['waiting_for']>): string {
  const what = key === null ? kind : `${kind} ${key}`;
  return until === null ? what : `${what} until ${until}`;
}

function attemptTable({ attempts }: Task, view: View): string {
  const columns: readonly Column<Task['attempts'][number]>[] = [
    { title: 'attempt', value: ({ attempt }) => String(attempt), align: 'right' },
    { title: 'started', value: ({ started_at }) => started_at, whole: true },
    {
      title: 'took',
      value: ({ started_at, ended_at }) => took(started_at, ended_at, view.now),
      align: 'right',
    },
    { title: 'provider', value: ({ provider }) => provider ?? '-' },
    { title: 'error', value: ({ error }) => error?.message ?? '', style: () => 'red' },
  ];
  return table(attempts, columns, view);
}

/** A result as people read it: text as it is, anything else as indented JSON. */
export function valueText(value: unknown): string {
  return `${jsonText(value)}\n`;
}
