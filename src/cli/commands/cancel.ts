import { withClient } from '../connect.ts';
import { findId } from '../find.ts';
import type { Invocation } from '../spec.ts';
import { statusLine } from '../views/status-line.ts';

/** Cancels a run with everything that is open in it, or one task. */
export function cancel(call: Invocation): Promise<void> {
  const [named = ''] = call.arguments;
  const { io, flags } = call;
  const reason = flags.text('reason');
  const why = reason === undefined ? {} : { reason };
  return withClient(call, async (client) => {
    const { kind, id } = await findId(client, named);
    if (kind === 'task') {
      const told = await client.call('task.cancel', { task_id: id, ...why });
      await io.emit(told, statusLine('task', id, told.status));
      if (!told.cancelled) io.say('it had settled before; nothing was changed');
      return;
    }
    const told = await client.call('workflow.cancel', { workflow_id: id, ...why });
    await io.emit(told, statusLine('run', id, told.status));
    io.say(told.cancelled === 0 ? 'nothing was open in it' : `${told.cancelled} open tasks were cancelled`);
  });
}
