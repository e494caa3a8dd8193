import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CallError, type Client, clientOver } from './index.ts';
import type { PipeReceiver } from './pipe.ts';
import { PipePeer } from './pipe-peer.suite.ts';

const reconnect = { first_ms: 100, longest_ms: 1000, give_up_ms: 10_000 };
const step = { protocol: 'p/v1', method: 'm' };

describe('callers and their pipe', () => {
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

  it('are told when nobody is there', async () => {
    const cause = new Error('nobody home');
    peer.troubles.push(cause, cause, cause);
    const calls = [error(client.call('task.list')), error(client.call('task.submit', step))];
    await pass(1000);
    for (const call of calls)
      expect(await call).toMatchObject({
        message: 'the peer cannot be reached: nobody home',
        trouble: 'unreachable',
        outcome: 'not_sent',
        cause,
      });
    const later = client.call('task.list');
    await pass(0);
    (await peer.next('task.list')).answer('here now');
    expect(await later).toBe('here now');
  });

  it('hear once that a server that was there is away, and that it is back', async () => {
    const heard: string[] = [];
    const when_away = { away: ({ message }: Error) => heard.push(message), back: () => heard.push('back') };
    const told = clientOver(peer.open, { name: 'the peer', reconnect, when_away });
    peer.troubles.push(new Error('not yet'));
    const first = told.call('task.list');
    await pass(200);
    (await peer.next('task.list')).answer(1);
    await first;
    expect(heard).toEqual([]);
    peer.troubles.push(new Error('away'), new Error('away'));
    const waiting = told.call('task.list', {}, { timeout_ms: 60_000 });
    await peer.next('task.list');
    peer.cut();
    await pass(0);
    expect(heard).toEqual([expect.stringContaining('the peer cannot be reached')]);
    await pass(2000);
    (await peer.next('task.list')).answer(2);
    expect(await waiting).toBe(2);
    expect(heard.slice(1)).toEqual(['back']);
    told.close();
  });

  it('are told when a server that was there stays away', async () => {
    const first = client.call('task.list');
    (await peer.next('task.list')).answer(1);
    await first;
    peer.troubles.push(...Array.from({ length: 100 }, () => new Error('away')));
    peer.cut();
    const call = error(client.call('task.list', {}, { timeout_ms: 60_000 }));
    await pass(9000);
    const until = peer.openings;
    expect(until).toBeGreaterThan(8);
    await pass(3000);
    expect(await call).toMatchObject({ trouble: 'unreachable' });
    await pass(30_000);
    expect(peer.openings - until).toBeLessThan(4);
  });

  it('are told at once what the server says when it opens no pipe', async () => {
    peer.troubles.push(new CallError({ method: 'auth.ticket', code: 4001, error_code: 'GLZ4001' }, 'no key'));
    expect(await error(client.call('task.list'))).toMatchObject({ error_code: 'GLZ4001' });
    expect(peer.openings).toBe(1);
  });

  it('try again where the server is about to be there', async () => {
    peer.troubles.push(new CallError({ method: 'auth.ticket', code: 9002, error_code: 'GLZ9002' }, 'soon'));
    const call = client.call('task.list');
    await pass(100);
    (await peer.next('task.list')).answer(1);
    expect(await call).toBe(1);
  });

  it('leave a pipe that nobody needs', async () => {
    const call = client.call('task.list');
    (await peer.next('task.list')).answer(1);
    await call;
    await pass(900);
    expect(peer.isOpen).toBe(true);
    await pass(200);
    expect(peer.isOpen).toBe(false);
    const again = client.call('task.list');
    (await peer.next('task.list')).answer(2);
    expect(await again).toBe(2);
  });

  it('leave a pipe that nobody needs any more when it opens', async () => {
    const stop = new AbortController();
    const call = error(client.call('task.list', {}, { signal: stop.signal }));
    stop.abort('enough');
    expect(await call).toBe('enough');
    await pass(1100);
    expect([peer.openings, peer.isOpen, peer.untaken]).toEqual([1, false, []]);
  });

  it('find out that a pipe is dead', async () => {
    const call = client.call('task.list', {}, { timeout_ms: 100_000 });
    await peer.next('task.list');
    await pass(20_000);
    expect(peer.untaken).toEqual(['system.info']);
    (await peer.next('system.info')).answer({});
    await pass(40_000);
    await peer.next('system.info');
    expect(peer.openings).toBe(1);
    await pass(20_000 + 100);
    (await peer.next('task.list')).answer(1);
    expect([await call, peer.openings]).toEqual([1, 2]);
  });

  it('do not listen to a pipe that is gone', async () => {
    const receivers: PipeReceiver[] = [];
    const other = clientOver(async (receiver, signal) => {
      receivers.push(receiver);
      return peer.open(receiver, signal);
    });
    const call = other.call('task.list');
    const { id } = await peer.next('task.list');
    peer.cut();
    await pass(100);
    const { answer } = await peer.next('task.list');
    receivers[0]?.message(`{"jsonrpc":"2.0","id":${id},"result":"old"}`);
    receivers[0]?.closed('once more');
    answer('new');
    expect([await call, peer.openings]).toEqual(['new', 2]);
    other.close();
  });

  it('do not wait for a pipe that is not opened in time, and close it when it comes', async () => {
    const late = Promise.withResolvers<void>();
    const signals: AbortSignal[] = [];
    const closed: number[] = [];
    const other = clientOver(async (receiver, signal) => {
      const turn = signals.push(signal);
      if (turn === 1) await late.promise;
      const pipe = await peer.open(receiver, signal);
      return { ...pipe, close: () => void closed.push(turn) };
    });
    const call = other.call('task.list', {}, { timeout_ms: 60_000 });
    await pass(15_000 + 200);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    const { answer } = await peer.next('task.list');
    answer('by the second');
    expect(await call).toBe('by the second');
    late.resolve();
    await pass(0);
    expect(closed).toEqual([1]);
    other.close();
    expect(closed).toEqual([1, 2]);
  });

  it('survive a pipe that cannot send', async () => {
    let broken = true;
    const other = clientOver(async (receiver, signal) => {
      const pipe = await peer.open(receiver, signal);
      const send = (text: string) => {
        if (broken) throw new Error('broken');
        pipe.send(text);
      };
      return { ...pipe, send };
    });
    const call = other.call('task.submit', step);
    await pass(10);
    broken = false;
    await pass(100);
    (await peer.next('task.submit')).answer({ task_id: 'x' });
    expect(await call).toEqual({ task_id: 'x' });
    other.close();
  });
});
