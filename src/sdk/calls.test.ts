import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CallError, type Client, ConnectionError, clientOver } from './index.ts';
import { PipePeer } from './pipe-peer.suite.ts';

const reconnect = { first_ms: 100, longest_ms: 1000, give_up_ms: 10_000 };
const step = { protocol: 'p/v1', method: 'm' };

describe('calls over a pipe', () => {
  let peer: PipePeer;
  let client: Client;
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
  const error = (promise: Promise<unknown>) =>
    promise.then(
      () => null,
      (thrown: unknown) => thrown,
    );

  beforeEach(() => {
    vi.useFakeTimers();
    peer = new PipePeer();
    client = clientOver(peer.open, { name: 'the peer', reconnect });
  });
  afterEach(() => {
    client.close();
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  it('are answered in any order, over one pipe that is opened by the first', async () => {
    expect(peer.openings).toBe(0);
    const [one, two] = [client.request('one', { n: 1 }), client.request('two')];
    const [first, second] = [await peer.next('one'), await peer.next('two')];
    expect([first.params, second.params]).toEqual([{ n: 1 }, {}]);
    second.answer('second');
    first.answer(null);
    expect([await one, await two]).toEqual([null, 'second']);
    expect(peer.openings).toBe(1);
  });

  it('reject with what the server says', async () => {
    const refused = error(client.call('task.status', { task_id: 'x' }));
    const { refuse } = await peer.next('task.status');
    refuse({ error_code: 'GLZ1010', hint: 'look elsewhere', retry_after_ms: 5, details: [1] });
    const thrown = await refused;
    expect(thrown).toBeInstanceOf(CallError);
    expect(thrown).toMatchObject({
      message: 'refused',
      method: 'task.status',
      code: 1,
      error_code: 'GLZ1010',
      hint: 'look elsewhere',
      retry_after_ms: 5,
      details: [1],
      field: undefined,
    });
  });

  it('are not made with params that JSON-RPC has no place for', async () => {
    expect(await error(client.request('task.list', 'all'))).toBeInstanceOf(TypeError);
    expect(await error(client.request('task.list', null))).toBeInstanceOf(TypeError);
    expect(await error(client.request('task.list', { n: 1n }))).toBeInstanceOf(TypeError);
    const listed = client.request('task.list', [1]);
    const { params, answer } = await peer.next('task.list');
    answer(1);
    expect([await listed, params]).toEqual([1, [1]]);
  });

  it('are not confused by what is no answer', async () => {
    const call = client.call('system.info');
    const { id, answer } = await peer.next('system.info');
    for (const text of ['', '[]', 'null', '{"id":', '{"jsonrpc":"2.0","result":1,"id":"1"}', `{"id":${id}}`])
      peer.say(text);
    peer.say(`{"id":${id},"error":"no object"}`);
    peer.say(`{"id":${id},"method":"asks.us"}`);
    peer.say('{"method":"event","params":{"subscription_id":"none"}}');
    answer({ name: 'still there' });
    expect(await call).toEqual({ name: 'still there' });
  });

  it('that read, or have a key, are asked again after a cut', async () => {
    const read = client.call('task.list');
    const keyed = client.call('task.submit', { ...step, idempotency_key: 'k' });
    await peer.next('task.list');
    await peer.next('task.submit');
    peer.cut();
    expect(peer.isOpen).toBe(false);
    await pass(100);
    const [list, submit] = [await peer.next('task.list'), await peer.next('task.submit')];
    list.answer({ items: [] });
    submit.answer({ task_id: 'x' });
    expect([await read, await keyed]).toEqual([{ items: [] }, { task_id: 'x' }]);
  });

  it('that write are not: nobody knows whether they were done', async () => {
    const write = error(client.call('task.submit', step));
    await peer.next('task.submit');
    peer.cut();
    const thrown = await write;
    expect(thrown).toBeInstanceOf(ConnectionError);
    expect(thrown).toMatchObject({ outcome: 'unknown', trouble: 'cut', url: 'the peer' });
    await pass(5000);
    expect(peer.untaken).toEqual([]);
  });

  it('that write are sent where they were not sent before', async () => {
    peer.troubles.push(new Error('not yet'));
    const write = client.call('task.submit', step);
    await pass(100);
    (await peer.next('task.submit')).answer({ task_id: 'x' });
    expect(await write).toEqual({ task_id: 'x' });
    expect(peer.openings).toBe(2);
  });

  it('are asked again where the server is about to stop, unless they write', async () => {
    const read = client.call('task.list');
    const write = error(client.call('task.submit', step));
    (await peer.next('task.list')).refuse({ error_code: 'GLZ9002' });
    (await peer.next('task.submit')).refuse({ error_code: 'GLZ9002' });
    expect(await write).toMatchObject({ error_code: 'GLZ9002' });
    await pass(100);
    (await peer.next('task.list')).answer(1);
    expect(await read).toBe(1);
  });

  it('end with their time, also where no pipe ever opens', async () => {
    const call = error(client.call('task.list', {}, { timeout_ms: 70 }));
    await peer.next('task.list');
    await pass(70);
    expect(await call).toMatchObject({ trouble: 'timeout', message: expect.stringContaining('70 ms') });
    const stuck = clientOver(() => new Promise(() => {}), { reconnect });
    const never = error(stuck.call('task.list', {}, { timeout_ms: 90_000 }));
    await pass(60_000);
    expect(await never).toMatchObject({ trouble: 'unreachable' });
    stuck.close();
  });

  it('have the time that they ask the server to wait besides', async () => {
    const call = error(client.call('task.result', { task_id: 'x', wait: 1000 }, { timeout_ms: 100 }));
    const { answer } = await peer.next('task.result');
    await pass(1050);
    answer({ task_id: 'x', status: 'queued' });
    expect(await call).toBeNull();
    const written = error(client.call('task.result', { task_id: 'x', wait: '1s' }, { timeout_ms: 100 }));
    const asked = await peer.next('task.result');
    await pass(1050);
    asked.answer({ task_id: 'x', status: 'queued' });
    expect(await written).toBeNull();
  });

  it('leave nothing at the signal they were given', async () => {
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, 'addEventListener');
    const removed = vi.spyOn(signal, 'removeEventListener');
    const call = client.call('task.list', {}, { signal });
    const wait = client.taskResult('x', { signal });
    const events = client.events({}, { signal });
    const next = events.next();
    (await peer.next('task.list')).answer(1);
    (await peer.next('task.result')).answer({ task_id: 'x', status: 'completed' });
    await Promise.all([call, wait, events.return(), next]);
    expect(added.mock.calls.length).toBe(3);
    expect(new Set(removed.mock.calls.flat())).toEqual(new Set(added.mock.calls.flat()));
  });
});
