import { GleitzeitError } from '../../core/errors.ts';
import type { Client } from '../../sdk/index.ts';
import { withClient } from '../connect.ts';
import { findId } from '../find.ts';
import type { Invocation } from '../spec.ts';
import { statusLine } from '../views/status-line.ts';

/** Starts nothing more of a run; calls under way go on. */
export function pause(call: Invocation): Promise<void> {
  return turn(call, 'pause', (client, workflow_id) => client.call('workflow.pause', { workflow_id }));
}

/** Lets a paused run go on. */
export function resume(call: Invocation): Promise<void> {
  return turn(call, 'resume', (client, workflow_id) => client.call('workflow.resume', { workflow_id }));
}

type Turned = { readonly status: string };

function turn(
  call: Invocation,
  verb: string,
  ask: (client: Client, workflow_id: string) => Promise<Turned>,
): Promise<void> {
  const [named = ''] = call.arguments;
  return withClient(call, async (client) => {
    const found = await findId(client, named);
    if (found.kind === 'task') throw noRun(verb, found.task.workflow_id);
    const told = await ask(client, found.id);
    await call.io.emit(told, statusLine('run', found.id, told.status));
  });
}

function noRun(verb: string, workflow_id: string | null): GleitzeitError {
  const hint =
    workflow_id === null
      ? `gleitzeit queue ${verb} <protocol> holds all tasks of a protocol, gleitzeit cancel ends this one`
      : `gleitzeit ${verb} ${workflow_id} is for the run it belongs to`;
  return new GleitzeitError('GLZ1011', `a task cannot be ${verb}d, a run can`, { field: 'id', hint });
}
