import { CallError } from '../../../src/sdk/index.ts';
import { equal, ok, rejection } from '../check.ts';
import type { Case } from '../world.ts';

const step = { protocol: 'mixed/v1', method: 'step', params: { n: 1 } };

export const accessCases: Readonly<Record<string, Case>> = {
  'a key opens calls, waits and events': async (world) => {
    const client = await world.client('kept', { key: `${world.keys.operator}\n` });
    const events = client.events({ events: 'task:completed' });
    await events.subscribed();
    const { task_id } = await client.call('task.submit', step);
    equal((await client.taskResult(task_id)).status, 'completed', 'the wait');
    equal((await events.next()).value?.task_id, task_id, 'the event');
    client.close();
  },

  'a ticket is asked for with every connection': async (world) => {
    const url = await world.control.proxy({ to: 'kept' });
    const client = world.connect({ url, key: world.keys.operator, reconnect: { first_ms: 5 } });
    const events = client.events({ events: 'task:completed' });
    await events.subscribed();
    for (let round = 0; round < 3; round++) {
      await world.control.cutAll(url);
      const key = `${url} ${round}`;
      const { task_id } = await client.call('task.submit', { ...step, idempotency_key: key });
      equal((await events.next()).value?.task_id, task_id, 'the event');
    }
    client.close();
  },

  'without a key, or with a wrong one, the server says so': async (world) => {
    for (const key of [undefined, 'glz_nobody_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA']) {
      const client = await world.client('kept', { key });
      const asked = [client.call('system.info'), client.taskResult('nobody'), client.events().next()];
      for (const error of await Promise.all(asked.map(rejection)))
        ok(error instanceof CallError && error.error_code === 'GLZ4001', `refused by ${error.stack}`);
      client.close();
    }
  },

  'a role allows what it allows': async (world) => {
    const client = await world.client('kept', { key: world.keys.viewer });
    equal((await client.call('system.info')).caller.role, 'viewer', 'the role');
    const error = await rejection(client.call('task.submit', step));
    ok(error instanceof CallError && error.error_code === 'GLZ4002', `refused by ${error.stack}`);
    client.close();
  },

  'a key is in no error': async (world) => {
    const secret = world.keys.operator.slice(-20);
    const shown = (error: Error): string => `${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`;
    for (const key of [
      `${world.keys.operator}\u2028x`,
      `${world.keys.operator} x`,
      `${world.keys.operator}ü`,
    ]) {
      const refused = await rejection((async () => world.connect({ url: world.nowhere, key }))());
      ok(!shown(refused).includes(secret), 'an invalid key is not quoted');
    }
    const named = await rejection((async () => world.connect({ url: 'http://me:secret@127.0.0.1:1' }))());
    ok(!shown(named).includes('secret'), 'a password in the address is not quoted');
    const client = world.connect({ url: world.nowhere, key: world.keys.operator });
    const asked = [client.call('system.info'), client.taskResult('nobody'), client.events().next()];
    for (const error of await Promise.all(asked.map(rejection)))
      ok(!shown(error).includes(secret), 'an error');
    ok(!JSON.stringify(client).includes(secret), 'the client itself');
    client.close();
  },
};
