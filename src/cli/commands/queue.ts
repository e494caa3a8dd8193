import { priorities } from '../../core/priority.ts';
import { didYouMean } from '../../core/suggest.ts';
import type { ResultOf } from '../../sdk/index.ts';
import { withClient } from '../connect.ts';
import { unknownProtocol } from '../connect-errors.ts';
import { badValue } from '../flags.ts';
import { details, table, type View } from '../output/table.ts';
import { ago } from '../output/time.ts';
import { emitPages, pagingOf } from '../pages.ts';
import type { Invocation } from '../spec.ts';
import { taskTable } from '../views/task.ts';

/** What is queued, the oldest first. */
export async function queueList(call: Invocation): Promise<void> {
  const paging = pagingOf(call.flags);
  const priority = call.flags.list('priority').map((text) => {
    const word = priorities.find((one) => one === text);
    if (word === undefined) throw badValue('priority', text, didYouMean(text, priorities, 'priorities'));
    return word;
  });
  await withClient(call, (client) =>
    emitPages(call, {
      what: 'queued tasks',
      page: (at) => client.call('queue.list', { ...(priority.length > 0 ? { priority } : {}), ...at }),
      paging,
      table: taskTable,
      name: ({ task_id }) => task_id,
    }),
  );
}

/** How many tasks and runs there are, by what becomes of them. */
export function queueStats(call: Invocation): Promise<void> {
  return withClient(call, async (client) => {
    const stats = await client.call('queue.stats');
    const names = [...new Set(stats.queued.map(({ protocol }) => protocol))];
    await call.io.emit(stats, { table: (view) => statsText(stats, view), names });
  });
}

type Stats = ResultOf<'queue.stats'>;

function statsText({ tasks, runs, queued, paused }: Stats, view: View): string {
  const counted = (counts: object) =>
    Object.entries(counts)
      .map(([status, count]) => `${count} ${status}`)
      .join(', ') || 'none';
  const stopped = [...(paused.all ? ['all'] : []), ...paused.protocols];
  const head = details(
    [
      ['Tasks', counted(tasks)],
      ['Runs', counted(runs)],
      ['Paused', stopped.join(', '), 'yellow'],
    ],
    view,
  );
  if (queued.length === 0) return head;
  const columns = [
    { title: 'queue', value: ({ protocol }: Stats['queued'][number]) => protocol },
    { title: 'priority', value: ({ priority }: Stats['queued'][number]) => priority },
    {
      title: 'queued',
      value: ({ count }: Stats['queued'][number]) => String(count),
      align: 'right' as const,
    },
    { title: 'oldest', value: (entry: Stats['queued'][number]) => ago(entry.oldest_created_at, view.now) },
  ];
  return `${head}\n${table(queued, columns, view)}`;
}

export function queuePause(call: Invocation): Promise<void> {
  return turn(call, 'queue.pause');
}

export function queueResume(call: Invocation): Promise<void> {
  return turn(call, 'queue.resume');
}

function turn(call: Invocation, method: 'queue.pause' | 'queue.resume'): Promise<void> {
  const [protocol] = call.arguments;
  return withClient(call, async (client) => {
    const told = await client.call(method, protocol === undefined ? {} : { protocol }).catch(unknownProtocol);
    const name = told.protocol ?? 'all';
    const line = `queue ${name} ${told.paused ? 'paused' : 'goes on'}\n`;
    await call.io.emit(told, { table: () => line, names: [name] });
  });
}
