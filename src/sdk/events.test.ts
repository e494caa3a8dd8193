import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Client, clientOver, type EventStream } from './index.ts';
import { PipePeer } from './pipe-peer.suite.ts';

describe('events over a pipe', () => {
  let peer: PipePeer;
  let client: Client;
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

  beforeEach(() => {
    vi.useFakeTimers();
    peer = new PipePeer();
    client = clientOver(peer.open, { reconnect: { first_ms: 100 } });
  });
  afterEach(() => {
    client.close();
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  /** Answers the next subscription, and tells with which cursor it was asked for. */
  async function subscribe(subscription_id: string, cursor: number): Promise<unknown> {
    const { params, answer } = await peer.next('event.subscribe');
    answer({ subscription_id, cursor });
    return params['cursor'];
  }
  const cursors = async (events: EventStream, count: number): Promise<unknown[]> => {
    const taken = [];
    for (let n = 0; n < count; n++) taken.push((await events.next()).value?.cursor);
    return taken;
  };

  it('are asked for with the filter, and not before they are wanted', async () => {
    const events = client.events({ events: ['task:failed'], workflow_id: 'w' });
    await pass(10);
    expect(peer.openings).toBe(0);
    const begun = events.subscribed();
    const { params, answer } = await peer.next('event.subscribe');
    expect(params).toEqual({ events: ['task:failed'], workflow_id: 'w' });
    answer({ subscription_id: 's', cursor: 7 });
    expect(await begun).toBe(7);
  });

  it('may follow the answer at once', async () => {
    const events = client.events({ cursor: 0 });
    const next = events.next();
    const { id } = await peer.next('event.subscribe');
    peer.say(JSON.stringify({ jsonrpc: '2.0', id, result: { subscription_id: 's', cursor: 0 } }));
    peer.event('s', 1);
    peer.event('s', 2);
    peer.event('other', 3);
    expect((await next).value).toEqual({
      cursor: 1,
      event: 'task:queued',
      at: '2026-01-05T09:30:00.000Z',
      data: {},
    });
    expect(await cursors(events, 1)).toEqual([2]);
  });

  it('go on after a cut from the newest that arrived', async () => {
    const events = client.events();
    const taken = cursors(events, 5);
    expect(await subscribe('a', 10)).toBeUndefined();
    peer.event('a', 11);
    peer.event('a', 12);
    peer.cut();
    peer.event('a', 13);
    await pass(100);
    expect(await subscribe('b', 12)).toBe(12);
    peer.event('a', 99);
    peer.event('b', 12);
    peer.event('b', 13);
    peer.cut();
    await pass(100);
    expect(await subscribe('c', 13)).toBe(13);
    peer.event('c', 14);
    peer.event('c', 15);
    expect(await taken).toEqual([11, 12, 13, 14, 15]);
  });

  it('go on from their beginning where none arrived before the cut', async () => {
    const events = client.events();
    const begun = events.subscribed();
    await subscribe('a', 10);
    expect(await begun).toBe(10);
    peer.cut();
    await pass(100);
    expect(await subscribe('b', 10)).toBe(10);
  });

  it('are asked for once with each connection, also where the last was lost before it answered', async () => {
    const begun = client.events().subscribed();
    await peer.next('event.subscribe');
    peer.cut();
    await pass(100);
    expect(peer.untaken).toEqual(['event.subscribe']);
    await subscribe('a', 3);
    expect(await begun).toBe(3);
  });

  it('are not taken where there is no room, and asked for again when there is', async () => {
    const events = client.events({ cursor: 0 });
    const begun = events.subscribed();
    await subscribe('a', 0);
    await begun;
    for (let cursor = 1; cursor <= 1100; cursor++) peer.event('a', cursor);
    (await peer.next('event.unsubscribe')).answer({ subscription_id: 'a', unsubscribed: true });
    expect(await cursors(events, 767)).toEqual(Array.from({ length: 767 }, (_, index) => index + 1));
    await pass(10);
    expect(peer.untaken).toEqual([]);
    expect(await cursors(events, 1)).toEqual([768]);
    expect(await subscribe('b', 1024)).toBe(1024);
    peer.event('b', 1025);
    const rest = await cursors(events, 257);
    expect([rest[0], rest.at(-1)]).toEqual([769, 1025]);
  });

  it('are not asked for after a cut while there is no room', async () => {
    const events = client.events({ cursor: 0 });
    void events.subscribed();
    await subscribe('a', 0);
    for (let cursor = 1; cursor <= 1024; cursor++) peer.event('a', cursor);
    peer.cut();
    await pass(200);
    expect([peer.isOpen, peer.untaken.includes('event.subscribe')]).toEqual([true, false]);
    await cursors(events, 1024);
    expect(await subscribe('b', 1024)).toBe(1024);
  });

  it('are asked for again where the server cannot at the moment', async () => {
    const next = client.events().next();
    (await peer.next('event.subscribe')).refuse({ error_code: 'GLZ3001' });
    await pass(500);
    (await peer.next('event.subscribe')).refuse({ error_code: 'GLZ4003', retry_after_ms: 5000 });
    await pass(4900);
    expect(peer.untaken).toEqual([]);
    await pass(100);
    await subscribe('a', 0);
    peer.event('a', 1);
    expect((await next).value?.cursor).toBe(1);
  });

  it('are asked for soon again when the server could in between', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.999);
    const events = client.events({ cursor: 0 });
    const next = events.next();
    for (let n = 0; n < 6; n++) {
      (await peer.next('event.subscribe')).refuse({ error_code: 'GLZ3001' });
      await pass(10_000);
    }
    await subscribe('a', 0);
    peer.cut();
    await pass(1000);
    (await peer.next('event.subscribe')).refuse({ error_code: 'GLZ3001' });
    await pass(600);
    await subscribe('b', 0);
    peer.event('b', 1);
    expect((await next).value?.cursor).toBe(1);
    vi.restoreAllMocks();
  });

  it('fail with what the server says to stay', async () => {
    for (const error_code of ['GLZ1012', 'GLZ4002', 'GLZ4003']) {
      const events = client.events();
      const next = events.next().catch((error: unknown) => error);
      (await peer.next('event.subscribe')).refuse({ error_code });
      expect(await next).toMatchObject({ error_code });
      expect(await events.next()).toEqual({ done: true, value: undefined });
    }
  });

  it('that were taken before an error come before it', async () => {
    const events = client.events();
    void events.subscribed();
    await subscribe('a', 0);
    peer.event('a', 1);
    peer.cut();
    await pass(100);
    (await peer.next('event.subscribe')).refuse({ error_code: 'GLZ1012' });
    expect(await cursors(events, 1)).toEqual([1]);
    await expect(events.next()).rejects.toMatchObject({ error_code: 'GLZ1012' });
  });

  it('are unsubscribed from when they end, also where that was only asked for', async () => {
    const events = client.events();
    void events.subscribed();
    await subscribe('a', 0);
    await events.return();
    const { params, answer } = await peer.next('event.unsubscribe');
    answer({ subscription_id: 'a', unsubscribed: true });
    expect(params).toEqual({ subscription_id: 'a' });
    const early = client.events();
    const begun = early.subscribed().catch((error: unknown) => error);
    const asked = await peer.next('event.subscribe');
    await early.return();
    asked.answer({ subscription_id: 'b', cursor: 0 });
    expect((await peer.next('event.unsubscribe')).params).toEqual({ subscription_id: 'b' });
    expect(await begun).toMatchObject({ trouble: 'closed' });
    const refused = client.events();
    const next = refused.next();
    const last = await peer.next('event.subscribe');
    await refused.return();
    last.refuse({ error_code: 'GLZ3001' });
    expect((await next).done).toBe(true);
  });

  it('end with a signal at once, and drop what was not taken', async () => {
    const stop = new AbortController();
    const events = client.events({ cursor: 0 }, { signal: stop.signal });
    void events.subscribed();
    await subscribe('a', 0);
    peer.event('a', 1);
    stop.abort(new Error('enough'));
    await expect(events.next()).rejects.toThrow('enough');
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });
});
