import { equal, ok, rejection } from '../check.ts';
import type { Case } from '../world.ts';

const echo = (text: string) => ({ protocol: 'echo/v1', method: 'say', params: { text } });

export const closeCases: Readonly<Record<string, Case>> = {
  'close ends everything that is under way': async (world) => {
    const url = await world.control.proxy({ to: 'open' });
    const client = world.connect({ url });
    const events = client.events();
    await events.subscribed();
    const { task_id } = await client.call('task.submit', echo('closed'));
    const calls = [
      client.call('task.result', { task_id, wait: 60_000 }),
      ...Array.from({ length: 100 }, () => client.taskResult(task_id)),
      client.runResults(task_id),
      client.call('system.info'),
    ].map(rejection);
    const begun = client.events({ cursor: 0 });
    const iteration = (async () => {
      for await (const _ of events);
    })();
    const first = begun.next();
    client.close();
    const began = Date.now();
    for (const error of await Promise.all(calls)) equal(error['trouble'], 'closed', error.message);
    await iteration;
    ok((await first).done === true, 'events that had not begun');
    ok(Date.now() - began < 1000, 'it should take no time');
    await world.until('no connection is left', async () => (await world.control.webSockets()) === 0);
    await world.until('no subscription is left', async () => (await world.control.subscriptions()) === 0);
    client.close();
    const after = [client.call('system.info'), client.taskResult(task_id), client.events().subscribed()];
    for (const error of await Promise.all(after.map(rejection)))
      equal(error['trouble'], 'closed', 'after the end');
    await world.control.answer('closed');
  },

  'close ends what is still being opened, and what tries again': async (world) => {
    const url = await world.control.proxy({ to: 'open' });
    const opening = world.connect({ url });
    const wait = rejection(opening.taskResult('nobody'));
    opening.close();
    equal((await wait)['trouble'], 'closed', 'a wait for which the connection was being opened');
    const trying = world.connect({ url: world.nowhere });
    const events = trying.events().next();
    const call = rejection(trying.call('system.info'));
    trying.close();
    equal([(await events).done, (await call)['trouble']], [true, 'closed'], 'what tried again');
    await world.until('no connection is left', async () => (await world.control.webSockets()) === 0);
  },

  'a connection nobody needs is let go': async (world) => {
    const url = await world.control.proxy({ to: 'open' });
    const client = world.connect({ url });
    const { task_id } = await client.call('task.submit', echo('let go'));
    const wait = client.taskResult(task_id);
    await world.control.answer('let go');
    await wait;
    await world.until('no connection is left', async () => (await world.control.webSockets()) === 0);
    equal((await client.taskResult(task_id)).status, 'completed', 'and opened again when it is needed');
    client.close();
  },
};
