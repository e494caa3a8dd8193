import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../../core/errors.ts';
import { seededRandom, type World } from '../../engine/testing/world.suite.ts';
import { openHub, runTasks, stored } from '../testing/hub.suite.ts';
import { TestSocket } from '../testing/socket.suite.ts';
import { eventStream } from './stream.ts';
import { Subscriptions } from './subscriptions.ts';

describe('many who follow', () => {
  it('cost the store one reader, whatever their number', async () => {
    const { world, site, subscriptions, readsMade } = await openHub();
    const sockets = Array.from({ length: 1000 }, () => new TestSocket());
    for (const [index, socket] of sockets.entries()) {
      await world.time.until(
        subscriptions.subscribe(socket, index < 10 ? {} : { workflow_id: `nobody-${index}` }),
      );
    }
    let feedReads = 0;
    site.faults.beforeRead = (name) => {
      if (name === 'events') feedReads++;
    };
    await runTasks(world, site, 20);
    expect(readsMade()).toBe(0);
    expect(feedReads).toBeGreaterThan(0);
    expect(feedReads).toBeLessThan(100);
    expect(sockets[0]?.sent.length).toBe(100);
    expect(sockets[10]?.sent.length).toBe(0);
  });

  it('and do not read hold nobody up, and nothing is kept for them', async () => {
    const { world, site, subscriptions } = await openHub({ recent: { events: 20, characters: 100_000 } });
    const silent = new TestSocket(4);
    const quick = new TestSocket();
    await world.time.until(subscriptions.subscribe(silent, {}));
    await world.time.until(subscriptions.subscribe(quick, {}));
    await runTasks(world, site, 50);
    expect(silent.sent).toHaveLength(4);
    expect(quick.sent).toHaveLength(250);
    for (let reads = 0; reads < 100; reads++) {
      silent.read();
      await world.time.settle();
    }
    expect(silent.events.map(({ cursor }) => cursor)).toEqual(quick.events.map(({ cursor }) => cursor));
  });

  it('far behind take turns at the store', async () => {
    const { world, site, hub } = await openHub({ reads: 2 });
    await runTasks(world, site, 3);
    let [running, most] = [0, 0];
    site.faults.beforeRead = async (name) => {
      if (name !== 'events') return;
      running++;
      most = Math.max(most, running);
      await Promise.resolve();
      running--;
    };
    const sockets = Array.from({ length: 20 }, () => new TestSocket());
    const subscriptions = new Subscriptions({
      hub,
      random: seededRandom(3),
      timers: world.time,
      most_per_connection: 1,
    });
    await world.time.until(
      Promise.all(sockets.map((socket) => subscriptions.subscribe(socket, { cursor: 0 }))),
    );
    await world.time.settle();
    // One more than the turns: the reader that all of them share has its own.
    expect(most).toBeLessThanOrEqual(3);
    for (const socket of sockets) expect(socket.events.map(({ cursor }) => cursor)).toEqual(stored(world));
  });

  it('outlast a store that cannot be read for a while', async () => {
    const { world, site, subscriptions } = await openHub();
    await runTasks(world, site, 3);
    const [live, behind] = [new TestSocket(), new TestSocket()];
    await world.time.until(subscriptions.subscribe(live, { cursor: 0 }));
    await world.time.settle();
    await world.time.until(subscriptions.subscribe(behind, { cursor: 0 }));
    site.faults.beforeRead = (name) => {
      if (name === 'events') throw new GleitzeitError('GLZ3001', 'away');
    };
    await runTasks(world, site, 3);
    await world.time.advance(3000);
    delete site.faults.beforeRead;
    await world.time.advance(3000);
    expect(live.events.map(({ cursor }) => cursor)).toEqual(stored(world));
    expect(behind.events.map(({ cursor }) => cursor)).toEqual(stored(world));
  });

  it('and cannot be read for are tried again', async () => {
    const { world, site, subscriptions } = await openHub();
    await runTasks(world, site, 3);
    site.faults.beforeRead = (name) => {
      if (name === 'events') throw new GleitzeitError('GLZ3001', 'away');
    };
    const socket = new TestSocket();
    await world.time.until(subscriptions.subscribe(socket, { cursor: 0 }));
    await world.time.advance(3000);
    expect(socket.events).toEqual([]);
    delete site.faults.beforeRead;
    await world.time.advance(3000);
    expect(socket.events.map(({ cursor }) => cursor)).toEqual(stored(world));
  });
});

describe('a stream', () => {
  const take = async (world: World, stream: AsyncIterator<unknown>) =>
    (await world.time.until(stream.next())).value;

  it('begins with where it stands, and ends with its signal', async () => {
    const { world, site, hub } = await openHub();
    await runTasks(world, site, 1);
    const leave = new AbortController();
    const query = { events: ['task:completed' as const], signal: leave.signal };
    const events = (await world.time.until(eventStream(hub, query)))[Symbol.asyncIterator]();
    expect(await take(world, events)).toEqual({ id: String(stored(world).at(-1)) });
    const [task_id] = await runTasks(world, site, 1);
    const told = (await take(world, events)) as { id: string; event: string; data: string };
    expect(told).toMatchObject({ id: String(stored(world).at(-1)), event: 'task:completed' });
    expect(JSON.parse(told.data)).toMatchObject({ event: 'task:completed', task_id });
    const next = events.next();
    leave.abort();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(hub.size).toBe(0);
  });

  it('that nobody reads holds a few events and no more', async () => {
    const { world, site, hub } = await openHub({ recent: { events: 10, characters: 100_000 } });
    const leave = new AbortController();
    const stream = await world.time.until(eventStream(hub, { cursor: 0, signal: leave.signal }));
    await runTasks(world, site, 60);
    const heard: number[] = [];
    for await (const { id, data } of stream) {
      await world.time.settle();
      if (data !== undefined) heard.push(Number(id));
      if (heard.length === stored(world).length) break;
    }
    expect(heard).toEqual(stored(world));
    expect(hub.size).toBe(0);
  });

  it('whose peer is gone before it began leaves nothing behind', async () => {
    const { world, hub } = await openHub();
    const leave = new AbortController();
    const opened = eventStream(hub, { signal: leave.signal });
    leave.abort();
    await world.time.until(opened);
    expect(hub.size).toBe(0);
  });
});
