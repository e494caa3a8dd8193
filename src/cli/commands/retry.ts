import { GleitzeitError } from '../../core/errors.ts';
import { withClient } from '../connect.ts';
import { findId } from '../find.ts';
import { foldLines } from '../output/fold.ts';
import { readInput } from '../read-input.ts';
import type { Invocation } from '../spec.ts';
import { statusLine } from '../views/status-line.ts';

/** A task once more in its run; or a run anew, with what was finished before the task it goes on from. */
export function retry(call: Invocation): Promise<void> {
  const [named = ''] = call.arguments;
  const { io, flags } = call;
  const from = flags.text('from');
  const idempotency_key = flags.text('key');
  return withClient(call, async (client) => {
    const input = await readInput(call);
    const { kind, id } = await findId(client, named);
    if (kind === 'task') {
      if (from !== undefined || input !== undefined || idempotency_key !== undefined) throw onlyForRuns();
      const told = await client.call('task.retry', { task_id: id });
      await io.emit(told, statusLine('task', id, told.status));
      return;
    }
    const told = await client.call('workflow.retry', {
      workflow_id: id,
      ...(from === undefined ? {} : { from }),
      ...(input === undefined ? {} : { input }),
      ...(idempotency_key === undefined ? {} : { idempotency_key }),
    });
    await io.emit(told, statusLine('run', told.workflow_id, told.status));
    const said = `a new run, in place of ${told.retry_of}\n  gleitzeit watch ${told.workflow_id}`;
    io.say(foldLines(said, io.stderr.columns));
  });
}

function onlyForRuns(): GleitzeitError {
  return new GleitzeitError('GLZ1012', 'this is the id of a task: it is tried again as it is', {
    hint: '--from, --input and --key go with the id of a run',
  });
}
