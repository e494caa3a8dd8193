import { withClient } from '../connect.ts';
import { findId } from '../find.ts';
import type { Invocation } from '../spec.ts';
import { runText } from '../views/run.ts';
import { taskText } from '../views/task.ts';

/** How many tasks of a run are shown without `--all`. */
const SHOWN = 200;
const MOST = 10_000;

/** How far a run or a task is. */
export function status(call: Invocation): Promise<void> {
  const [id = ''] = call.arguments;
  const { flags, io } = call;
  return withClient(call, async (client) => {
    const found = await findId(client, id, flags.is('all') ? MOST : SHOWN);
    if (found.kind === 'run')
      await io.emit(found.run, { table: (view) => runText(found.run, view), names: [found.id] });
    else await io.emit(found.task, { table: (view) => taskText(found.task, view), names: [found.id] });
  });
}
