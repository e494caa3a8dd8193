import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** A simple-a2a agent that answers at once, or holds everybody until it is told to answer. */
export async function startHeldAgent() {
  const tasks: string[] = [];
  const held: (() => void)[] = [];
  const listeners = new Set<() => void>();
  let holds = false;
  const answer = (response: ServerResponse, task_id: string) =>
    response.end(JSON.stringify({ task_id, status: 'success', output: { text: `did ${task_id}` } }));
  const server = createServer(async (request, response) => {
    const { task_id } = (await json(request)) as { task_id: string };
    response.setHeader('content-type', 'application/json');
    if (holds) held.push(() => answer(response, task_id));
    else answer(response, task_id);
    tasks.push(task_id);
    for (const look of listeners) look();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Who called, in the order in which they came. */
    tasks,
    hold: () => {
      holds = true;
    },
    release: () => {
      holds = false;
      for (const go of held.splice(0)) go();
    },
    until: (holdsOf: (tasks: readonly string[]) => boolean) =>
      new Promise<void>((resolve) => {
        const look = () => holdsOf(tasks) && listeners.delete(look) && resolve();
        listeners.add(look);
        look();
      }),
    stop: () => {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
