import { GleitzeitError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import type { Client } from '../../sdk/index.ts';
import { withClient } from '../connect.ts';
import { type Found, findId } from '../find.ts';
import { readData, readInput } from '../read-input.ts';
import type { Invocation } from '../spec.ts';
import { statusLine } from '../views/status-line.ts';

const LOOKED_AT = 20;

/** Answers what a task asks, or the one task of a run that asks something. */
export function respond(call: Invocation): Promise<void> {
  const [named = ''] = call.arguments;
  return withClient(call, async (client) => {
    const response = await answerOf(call);
    const task_id = await askingTask(client, await findId(client, named));
    const { waiting_for } = await client.call('task.status', { task_id });
    const attempt = waiting_for?.attempt;
    const told = await client.call('task.respond', {
      task_id,
      response,
      ...(attempt === undefined ? {} : { attempt }),
    });
    await call.io.emit(told, statusLine('task', task_id, told.status));
    if (call.io.format === 'table') call.io.say(`gleitzeit watch ${named} follows it`);
  });
}

/** As text, as JSON, or as single values: one of the three. */
async function answerOf(call: Invocation): Promise<Json> {
  const [, text] = call.arguments;
  const json = call.flags.text('json');
  const input = await readInput(call);
  const given = [text, json, input].filter((one) => one !== undefined);
  if (given.length !== 1)
    throw wrong(given.length === 0 ? 'there is no answer' : 'there is more than one answer');
  if (json !== undefined) return readData(call, json, 'json');
  return input ?? text ?? null;
}

async function askingTask(client: Client, found: Found): Promise<string> {
  if (found.kind === 'task') return found.id;
  const { items } = await client.call('task.list', {
    workflow_id: found.id,
    status: 'input_required',
    limit: LOOKED_AT,
  });
  const [first, another] = items;
  if (first !== undefined && another === undefined) return first.task_id;
  throw new GleitzeitError(
    'GLZ1011',
    first === undefined
      ? `no task of the run ${found.id} asks anything`
      : `several tasks of the run ${found.id} ask something`,
    first === undefined
      ? { hint: `gleitzeit status ${found.id} shows what it does` }
      : { hint: items.map(({ task_id, id }) => `${id}: gleitzeit respond ${task_id}`).join(', ') },
  );
}

function wrong(message: string): GleitzeitError {
  return new GleitzeitError('GLZ1012', message, {
    hint: `gleitzeit respond <id> "the second one", --input choice=2, or --json '{"choice":2}'`,
  });
}
