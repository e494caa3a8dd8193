import type { Client } from '../../sdk/index.ts';
import type { ExitName } from '../exits.ts';
import { findId, isOpen } from '../find.ts';
import { followAndReport } from '../following/command.ts';
import { whileConnected } from '../following/connected.ts';
import type { Invocation } from '../spec.ts';

/** Shows what happened to a run or task and what happens from now on, until it has ended. */
export function watch(call: Invocation): Promise<ExitName | undefined> {
  const [id = ''] = call.arguments;
  const look = async (client: Client) => isOpen(await findId(client, id));
  return whileConnected(call, {
    works: true,
    look,
    unanswered: 'Left before there was an answer.',
    begin: ({ client }) => findId(client, id),
    follow: (following, found) => {
      if (found.kind === 'task')
        return followAndReport(call, following, { subject: { kind: 'task', task_id: found.id }, name: null });
      const subject = { kind: 'run', workflow_id: found.id } as const;
      return followAndReport(call, following, { subject, name: found.run.name });
    },
  });
}
