import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { echo, strictCaller } from '../testing/caller.suite.ts';
import { type House, openHouse } from '../testing/house.suite.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const { ask, refused, submitted } = strictCaller(() => house);

describe('queue methods', () => {
  it('pause a protocol: what is sent waits and says for what', async () => {
    expect(await ask('queue.pause', { protocol: 'test/v1' })).toEqual({ protocol: 'test/v1', paused: true });
    const task_id = await submitted(echo);
    expect(await ask('queue.list', { limit: 10 })).toMatchObject({ items: [{ task_id, status: 'queued' }] });
    expect(await ask('queue.list', { priority: 'low' })).toEqual({ items: [], next_cursor: null });
    expect(await ask('queue.stats')).toMatchObject({
      tasks: { queued: 1 },
      queued: [{ protocol: 'test/v1', priority: 'normal', count: 1 }],
      paused: { all: false, protocols: ['test/v1'] },
    });
    expect(await ask('task.status', { task_id })).toMatchObject({
      waiting_for: { kind: 'paused', key: 'test/v1' },
    });
    expect(await ask('queue.resume', { protocol: 'test/v1' })).toEqual({
      protocol: 'test/v1',
      paused: false,
    });
    expect(await ask('task.result', { task_id, wait: 10_000 })).toMatchObject({ status: 'completed' });
    expect(await refused('queue.pause', { protocol: 'tst/v1' })).toMatchObject({
      data: { error_code: 'GLZ1003', field: 'protocol', hint: expect.stringContaining('test/v1') },
    });
    expect(await ask('queue.pause')).toEqual({ protocol: null, paused: true });
    expect(await ask('queue.resume')).toEqual({ protocol: null, paused: false });
  });
});
