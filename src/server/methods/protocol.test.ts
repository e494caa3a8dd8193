import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { strictCaller } from '../testing/caller.suite.ts';
import { type House, openHouse } from '../testing/house.suite.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const { ask, refused, submitted } = strictCaller(() => house);

describe('protocol.stats', () => {
  it('tells what calls came to, by protocol, provider and method', async () => {
    const own = await openHouse();
    const caller = strictCaller(() => own);
    expect(await caller.ask('protocol.stats', { name: 'test/v1' })).toMatchObject({ items: [] });
    for (const method of ['echo', 'echo', 'refuse']) {
      const task_id = await caller.submitted({
        protocol: 'test/v1',
        method,
        retry_config: { max_attempts: 1 },
      });
      await caller.ask('task.result', { task_id, wait: 5000 });
    }
    const told = await caller.ask('protocol.stats', { window: 'day' });
    const figures = { calls: 3, errors: 1, retries: 0, hedges: 0, cost: {} };
    expect(told).toMatchObject({
      window: 'day',
      step_seconds: 3600,
      items: [
        {
          protocol: 'test/v1',
          total: { ...figures, latency: { p50_ms: expect.any(Number), p99_ms: expect.any(Number) } },
          providers: [{ provider: 'test-1', total: figures }],
          methods: [
            { method: 'echo', total: { calls: 2, errors: 0 } },
            { method: 'refuse', total: { calls: 1, errors: 1 } },
          ],
        },
      ],
    });
    expect(await caller.refused('protocol.stats', { name: 'tset/v1' })).toMatchObject({
      data: { error_code: 'GLZ1003', hint: 'did you mean "test/v1"?' },
    });
    await own.close();
  });
});

describe('protocol and provider methods', () => {
  it('register, list and show', async () => {
    const protocol = {
      name: 'new/v2',
      description: 'new',
      methods: { do: { params: { a: { type: 'string' } } } },
    };
    expect(await ask('protocol.register', { protocol })).toEqual({
      name: 'new/v2',
      version: 'v2',
      methods: ['do'],
    });
    expect(await ask('protocol.list')).toMatchObject({
      items: [
        { name: 'test/v1', providers: ['test-1'] },
        { name: 'new/v2', methods: ['do'], providers: [] },
      ],
    });
    expect(await ask('protocol.get', { name: 'new/v2' })).toMatchObject({
      methods: { do: { deprecated: false } },
    });
    expect(await refused('protocol.get', { name: 'nwe/v2' })).toMatchObject({
      data: { error_code: 'GLZ1003', field: 'name', hint: 'did you mean "new/v2"?' },
    });
    expect(await refused('protocol.register', { protocol: { name: 'x' } })).toMatchObject({
      data: { error_code: 'GLZ1008', field: '/protocol/version' },
    });
    const waits = await submitted({ protocol: 'new/v2', method: 'do' });
    expect(await ask('task.status', { task_id: waits })).toMatchObject({
      waiting_for: { kind: 'provider', key: 'new/v2' },
    });
    await ask('task.cancel', { task_id: waits });
  });

  it('tell how providers do', async () => {
    const task_id = await submitted({ protocol: 'test/v1', method: 'refuse' });
    await ask('task.result', { task_id, wait: 10_000 });
    expect(await ask('provider.list', { protocol: 'test/v1' })).toMatchObject({
      items: [{ id: 'test-1', state: 'connected', latency: { p50_ms: expect.any(Number) } }],
    });
    expect(await ask('provider.list', { protocol: 'other' })).toEqual({ items: [], next_cursor: null });
    expect(await ask('provider.status', { id: 'test-1' })).toMatchObject({
      calls: expect.any(Number),
      last_error: { error_code: 'GLZ2010', remote_code: -32602 },
    });
    expect(await refused('provider.status', { id: 'tset-1' })).toMatchObject({
      code: 1010,
      data: { hint: 'did you mean "test-1"?' },
    });
  });

  it('take a provider out, let it back in, and ask it something', async () => {
    expect(await ask('provider.drain', { id: 'test-1' })).toEqual({
      id: 'test-1',
      state: 'drained',
      in_flight: 0,
    });
    const task_id = await submitted({ protocol: 'test/v1', method: 'echo' });
    expect(await ask('provider.test', { id: 'test-1', method: 'echo', params: { a: 1 } })).toMatchObject({
      id: 'test-1',
      well: true,
      method: 'echo',
      error: null,
    });
    expect(await ask('task.result', { task_id, wait: 100 })).toMatchObject({ status: 'queued' });
    expect(await ask('task.status', { task_id })).toMatchObject({
      waiting_for: { kind: 'drained', key: 'provider test-1 for echo' },
    });
    expect(await ask('provider.resume', { id: 'test-1' })).toMatchObject({ state: 'connected' });
    expect(await ask('task.result', { task_id, wait: 10_000 })).toMatchObject({ status: 'completed' });
    for (const method of ['provider.drain', 'provider.resume', 'provider.test'] as const)
      expect(await refused(method, { id: 'tset-1' })).toMatchObject({ code: 1010 });
  });
});
