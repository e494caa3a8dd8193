import { GleitzeitError } from '../../core/errors.ts';
import { didYouMean } from '../../core/suggest.ts';
import type { Client, ResultOf } from '../../sdk/index.ts';
import { withClient } from '../connect.ts';
import type { ExitName } from '../exits.ts';
import { type Found, findId, isOpen } from '../find.ts';
import type { Io } from '../io.ts';
import { exitOfStatus } from '../outcome.ts';
import type { Invocation } from '../spec.ts';
import { valueText } from '../views/task.ts';

/** What a run or a task came to, waited for where that is asked. */
export function result(call: Invocation): Promise<ExitName | undefined> {
  const [id = ''] = call.arguments;
  const wait = call.flags.is('wait');
  const tell = async (client: Client) => {
    const found = await findId(client, id);
    const status =
      found.kind === 'task' ? await ofTask(call, client, found) : await ofRun(call, client, found);
    return wait ? exitOfStatus(status) : undefined;
  };
  // Where nobody else works on it, waiting would be in vain.
  const look = async (client: Client) => isOpen(await findId(client, id));
  return withClient(call, tell, { works: wait, look });
}

async function ofTask({ flags, io }: Invocation, client: Client, { id }: Found): Promise<string> {
  const told = flags.is('wait')
    ? await client.taskResult(id)
    : await client.call('task.result', { task_id: id });
  await io.emit(told, {
    table: () => ('result' in told ? valueText(told.result) : ''),
    names: [id],
  });
  if (told.error !== undefined) io.say(`task ${id} ${told.status}: ${told.error.message}`);
  else if (told.stored_at === undefined) sayOpen(io, 'task', told);
  return told.status;
}

async function ofRun({ flags, io }: Invocation, client: Client, { id }: Found): Promise<string> {
  const tasks = flags.list('task');
  const chosen = tasks.length > 0 ? { tasks } : {};
  if (tasks.length > 0) await checkShortIds(client, id, tasks);
  const told = flags.is('wait')
    ? await client.runResults(id, chosen)
    : await client.call('workflow.results', { workflow_id: id, ...chosen });
  await io.emit(told, { table: () => valueText(told.results), names: [id] });
  if (told.status === 'running' || told.status === 'paused') sayOpen(io, 'run', told);
  else if (told.status !== 'completed') io.say(`run ${id} ${told.status}; gleitzeit status ${id} says why`);
  return told.status;
}

/** A task that the run does not have would look like one without a result, and be waited for in vain. */
async function checkShortIds(client: Client, workflow_id: string, wanted: readonly string[]): Promise<void> {
  const known: string[] = [];
  let cursor: string | null = null;
  do {
    const at: { cursor?: string } = cursor === null ? {} : { cursor };
    const page: ResultOf<'task.list'> = await client.call('task.list', { workflow_id, limit: 1000, ...at });
    for (const { id } of page.items) if (typeof id === 'string') known.push(id);
    cursor = page.next_cursor;
  } while (cursor !== null);
  const missing = wanted.find((id) => !known.includes(id));
  if (missing === undefined) return;
  throw new GleitzeitError('GLZ1010', `there is no task "${missing}" in run ${workflow_id}`, {
    field: 'task',
    hint: didYouMean(missing, known, 'it has'),
  });
}

type Told = Pick<ResultOf<'task.result'> | ResultOf<'workflow.results'>, 'status'>;

function sayOpen(io: Io, what: 'task' | 'run', { status }: Told): void {
  io.say(`the ${what} is ${status}; --wait waits for its end`);
}
