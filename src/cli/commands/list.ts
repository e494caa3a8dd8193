import { GleitzeitError } from '../../core/errors.ts';
import { runStatuses } from '../../core/run.ts';
import { didYouMean } from '../../core/suggest.ts';
import { taskStatuses } from '../../core/task.ts';
import type { Client } from '../../sdk/index.ts';
import { withClient } from '../connect.ts';
import { badValue } from '../flags.ts';
import { emitPages, pagingOf } from '../pages.ts';
import { sinceOf } from '../since.ts';
import type { Invocation } from '../spec.ts';
import { runTable } from '../views/run.ts';
import { taskTable } from '../views/task.ts';

/** Runs, or with `--tasks` tasks, the newest first. */
export async function list(call: Invocation): Promise<void> {
  // What is wrong with the command line is told before anybody is asked.
  const listing = call.flags.is('tasks') ? tasksOf(call) : runsOf(call);
  await withClient(call, listing);
}

type Listed = (client: Client) => Promise<void>;

function runsOf(call: Invocation): Listed {
  const { flags } = call;
  if (flags.text('run') !== undefined) throw onlyFor('run', 'tasks', 'gleitzeit list --tasks --run …');
  const name = flags.text('name');
  const filter = {
    ...statusOf(call, runStatuses),
    ...(name === undefined ? {} : { name }),
    ...sinceOf(call),
  };
  const paging = pagingOf(flags);
  return (client) =>
    emitPages(call, {
      what: 'runs',
      page: (at) => client.call('workflow.list', { ...filter, ...at }),
      paging,
      table: runTable,
      name: ({ workflow_id }) => workflow_id,
    });
}

function tasksOf(call: Invocation): Listed {
  const { flags } = call;
  if (flags.text('name') !== undefined) throw onlyFor('name', 'runs', 'leave --tasks out');
  const workflow_id = flags.text('run');
  const about = workflow_id === undefined ? {} : { workflow_id };
  const filter = { ...statusOf(call, taskStatuses), ...about, ...sinceOf(call) };
  const paging = pagingOf(flags);
  return (client) =>
    emitPages(call, {
      what: 'tasks',
      page: (at) => client.call('task.list', { ...filter, ...at }),
      paging,
      table: taskTable,
      name: ({ task_id }) => task_id,
    });
}

/** `--status failed,cancelled`, or given several times. */
function statusOf<Word extends string>({ flags }: Invocation, known: readonly Word[]): { status?: Word[] } {
  const said = flags.list('status').flatMap((text) => text.split(','));
  const status = said.map((text) => {
    const word = known.find((one) => one === text.trim());
    if (word === undefined) throw badValue('status', text, didYouMean(text, known, 'statuses'));
    return word;
  });
  return status.length === 0 ? {} : { status };
}

function onlyFor(name: string, what: string, hint: string): GleitzeitError {
  return new GleitzeitError('GLZ1012', `--${name} is for ${what}`, { field: name, hint });
}
