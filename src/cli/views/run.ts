import type { ResultOf } from '../../sdk/index.ts';
import { paint, statusStyle } from '../output/paint.ts';
import { type Column, details, SHORTEST_ID, table, type View } from '../output/table.ts';
import { ago, took } from '../output/time.ts';
import { memberTable } from './task.ts';

export type Run = ResultOf<'workflow.list'>['items'][number];
export type RunWithTasks = ResultOf<'workflow.status'>;

const runColumns = (now: number): readonly Column<Run>[] => [
  { title: 'id', value: ({ workflow_id }) => workflow_id, whole: true, shortest: SHORTEST_ID },
  {
    title: 'status',
    value: ({ status }) => status,
    style: ({ status }) => statusStyle(status),
    whole: true,
    kept: true,
  },
  { title: 'name', value: ({ name, version }) => (version === null ? name : `${name} ${version}`) },
  { title: 'created', value: ({ created_at }) => ago(created_at, now) },
  { title: 'took', value: ({ created_at, settled_at }) => took(created_at, settled_at, now), align: 'right' },
];

export function runTable(runs: readonly Run[], view: View): string {
  return table(runs, runColumns(view.now), view);
}

const MOST_ASKING = 5;

/** A run and its tasks. */
export function runText(run: RunWithTasks, view: View): string {
  const { workflow_id, name, version, status, created_at, settled_at, retry_of, total, open, tasks } = run;
  const asking = tasks.filter((task) => task.status === 'input_required').slice(0, MOST_ASKING);
  const head = details(
    [
      ['Run', workflow_id],
      ['Name', version === null ? name : `${name} ${version}`],
      ['Status', status, statusStyle(status)],
      ['Tasks', `${total - open} of ${total} settled`],
      ['Created', `${created_at} (${ago(created_at, view.now)})`],
      ['Settled', settled_at],
      ['Took', took(created_at, settled_at, view.now)],
      ['Retry of', retry_of],
      [
        'Asks',
        asking.length === 0 ? null : asking.map(({ id }) => id).join(', '),
        statusStyle('input_required'),
      ],
      ['Answer', asking[0] === undefined ? null : `gleitzeit status ${asking[0].task_id} shows what it asks`],
    ],
    view,
  );
  const rest = total - tasks.length;
  const more = rest > 0 ? paint(view.colour, 'dim', `and ${rest} more tasks\n`) : '';
  return `${head}\n${memberTable(tasks, view)}${more}`;
}
