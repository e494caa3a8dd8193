import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { echo, strictCaller } from '../testing/caller.suite.ts';
import { type House, openHouse } from '../testing/house.suite.ts';
import { TestSocket } from '../testing/socket.suite.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const { ask, refused, submitted } = strictCaller(() => house);

describe('event and system methods', () => {
  it('tell what happens over a connection, and say so where there is none', async () => {
    const socket = new TestSocket();
    const { subscription_id = '' } = await ask('event.subscribe', { events: 'task:completed' }, { socket });
    const task_id = await submitted(echo);
    await ask('task.result', { task_id, wait: 10_000 });
    await expect
      .poll(() => socket.events)
      .toMatchObject([{ subscription_id, event: 'task:completed', task_id }]);
    expect(await ask('event.unsubscribe', { subscription_id }, { socket })).toEqual({
      subscription_id,
      unsubscribed: true,
    });
    for (const method of ['event.subscribe', 'event.unsubscribe'] as const) {
      expect(await refused(method, {})).toMatchObject({
        code: 4004,
        data: { hint: expect.stringContaining('GET /events') },
      });
    }
    expect(await refused('event.subscribe', { events: [] }, { socket })).toMatchObject({
      data: { error_code: 'GLZ1012', field: 'events', hint: 'leave it out to hear of everything' },
    });
    expect(await refused('event.subscribe', { events: ['task:finished'] }, { socket })).toMatchObject({
      data: { error_code: 'GLZ1012', field: expect.stringContaining('events') },
    });
  });

  it('tell about the system, the API and the caller', async () => {
    expect(await ask('system.info', {}, { role: 'viewer' })).toMatchObject({
      name: 'gleitzeit',
      version: '0.0.0',
      store: 'sqlite',
      ready: true,
      providers: 1,
      caller: { name: 'tester', role: 'viewer' },
    });
    expect(await ask('rpc.discover')).toMatchObject({
      openrpc: '1.3.2',
      servers: [{ url: 'http://127.0.0.1:8000/rpc' }],
    });
    expect(await ask('auth.ticket')).toMatchObject({ ticket: expect.stringMatching(/^glzt_/) });
  });
});
