import { GleitzeitError } from '../../core/errors.ts';
import { isObject } from '../../core/json.ts';
import { priorities } from '../../core/priority.ts';
import type { Client, ParamsOf } from '../../sdk/index.ts';
import { withClient } from '../connect.ts';
import { ourError } from '../connect-errors.ts';
import { readData, readInput } from '../read-input.ts';
import { readRunnable } from '../runnable.ts';
import type { Invocation } from '../spec.ts';
import { statusLine } from '../views/status-line.ts';

/** Accepts a workflow or a single task, and does not wait for it. */
export function submit(call: Invocation): Promise<void> {
  const [named] = call.arguments;
  const { flags } = call;
  const alone = flags.text('protocol') !== undefined || flags.text('method') !== undefined;
  if (named !== undefined && alone) throw wrong('a file and --protocol say two different things');
  if (named === undefined && !alone) throw wrong('there is nothing to submit');
  return withClient(call, (client) =>
    named === undefined ? task(call, client) : workflow(call, client, named),
  );
}

async function task(call: Invocation, client: Client): Promise<void> {
  const { flags, io } = call;
  const protocol = flags.text('protocol');
  const method = flags.text('method');
  if (protocol === undefined || method === undefined) throw wrong('a task takes --protocol and --method');
  const given = flags.text('params');
  const params = given === undefined ? {} : await readData(call, given, 'params');
  if (!isObject(params)) throw wrong('--params takes an object');
  const priority = priorities.find((one) => one === flags.text('priority'));
  const name = flags.text('name');
  const told = await client.call('task.submit', {
    task: {
      protocol,
      method,
      params,
      ...(priority === undefined ? {} : { priority }),
      ...(name === undefined ? {} : { name }),
    } as Task,
    ...keyOf(call),
  });
  await io.emit(told, statusLine('task', told.task_id, told.status));
  next(call, told.task_id);
}

type Task = NonNullable<ParamsOf<'task.submit'>['task']>;

async function workflow(call: Invocation, client: Client, named: string): Promise<void> {
  const { io } = call;
  const input = await readInput(call);
  const { what, placed } = await readRunnable(call, named);
  const given = {
    ...(what as Pick<ParamsOf<'workflow.submit'>, 'workflow' | 'name'>),
    ...(input === undefined ? {} : { input }),
    ...keyOf(call),
  };
  const told = await client.call('workflow.submit', given).catch((thrown: unknown) => {
    throw placed(ourError(thrown));
  });
  await io.emit(told, statusLine('run', told.workflow_id, told.status));
  next(call, told.workflow_id);
}

function keyOf({ flags }: Invocation): { idempotency_key?: string } {
  const key = flags.text('key');
  return key === undefined ? {} : { idempotency_key: key };
}

function next({ io }: Invocation, id: string): void {
  if (io.format === 'table')
    io.say(`gleitzeit watch ${id} follows it, gleitzeit result ${id} --wait prints what comes of it`);
}

function wrong(message: string): GleitzeitError {
  return new GleitzeitError('GLZ1012', message, {
    hint: 'gleitzeit submit workflow.yaml, or gleitzeit submit --protocol echo/v1 --method say --params \'{"text":"hello"}\'',
  });
}
