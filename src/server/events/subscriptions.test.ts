import { describe, expect, it } from 'vitest';
import { echo } from '../../engine/testing/world.suite.ts';
import { openHub, runTasks, stored } from '../testing/hub.suite.ts';
import { TestSocket } from '../testing/socket.suite.ts';

describe('a subscription', () => {
  it('hears what happens from now on, and nothing from before', async () => {
    const { world, site, subscriptions } = await openHub();
    await runTasks(world, site, 2);
    const before = stored(world);
    const socket = new TestSocket();
    const { subscription_id, cursor } = await world.time.until(subscriptions.subscribe(socket, {}));
    expect(cursor).toBe(before.at(-1));
    const [task_id] = await runTasks(world, site, 1);
    const after = stored(world).slice(before.length);
    expect(socket.events.map((event) => event.cursor)).toEqual(after);
    expect(socket.events.every((event) => event.subscription_id === subscription_id)).toBe(true);
    expect(JSON.parse(socket.sent[0] ?? '')).toEqual({
      jsonrpc: '2.0',
      method: 'event',
      params: {
        subscription_id,
        cursor: after[0],
        event: 'task:queued',
        at: expect.stringMatching(/^20.*Z$/),
        task_id,
        seq: 1,
        data: { reason: 'submitted', task: expect.objectContaining({ protocol: 'test/v1' }) },
      },
    });
  });

  it('cannot begin after the newest event: such a cursor comes from elsewhere', async () => {
    const { world, site, subscriptions } = await openHub();
    await runTasks(world, site, 1);
    const newest = stored(world).at(-1) ?? 0;
    const at = (cursor: number) => world.time.until(subscriptions.subscribe(new TestSocket(), { cursor }));
    expect(await at(newest)).toMatchObject({ cursor: newest });
    await expect(at(newest + 1)).rejects.toMatchObject({ code: 'GLZ1012', details: { field: 'cursor' } });
    expect(subscriptions.size).toBe(1);
  });

  it('tells times as text', async () => {
    const { world, site, subscriptions } = await openHub();
    const socket = new TestSocket();
    await world.time.until(subscriptions.subscribe(socket, { events: ['task:started'] }));
    await runTasks(world, site, 1);
    const [started] = socket.events as unknown as { data: { started_at: string } }[];
    expect(started?.data.started_at).toMatch(/^20.*Z$/);
  });

  it('from a cursor on gets what was before, then what comes, without a gap and nothing twice', async () => {
    const { world, site, subscriptions } = await openHub({ recent: { events: 16, characters: 100_000 } });
    await runTasks(world, site, 90);
    const socket = new TestSocket(7);
    const subscribed = world.time.until(subscriptions.subscribe(socket, { cursor: 0 }));
    await subscribed;
    for (let round = 0; round < 200; round++) {
      await world.time.settle();
      socket.read();
      if (round % 20 === 0) await runTasks(world, site, 5);
    }
    await world.time.settle();
    expect(socket.events.map((event) => event.cursor)).toEqual(stored(world));
  });

  it('that was cut goes on after the last event that arrived', async () => {
    const { world, site, subscriptions } = await openHub();
    const heard: number[] = [];
    for (let life = 0; life < 10; life++) {
      const socket = new TestSocket(5);
      await world.time.until(subscriptions.subscribe(socket, { cursor: heard.at(-1) ?? 0 }));
      await runTasks(world, site, 3);
      socket.read();
      await world.time.settle();
      const arrived = socket.events.map((event) => event.cursor);
      socket.close();
      heard.push(...arrived);
    }
    const last = new TestSocket();
    await world.time.until(subscriptions.subscribe(last, { cursor: heard.at(-1) ?? 0 }));
    await world.time.settle();
    expect([...heard, ...last.events.map((event) => event.cursor)]).toEqual(stored(world));
  });

  it('hears only what it asked for', async () => {
    const { world, site, subscriptions } = await openHub();
    const [first = ''] = await runTasks(world, site, 1);
    const byTask = new TestSocket();
    const byName = new TestSocket();
    const byBoth = new TestSocket();
    await world.time.until(subscriptions.subscribe(byTask, { task_id: first, cursor: 0 }));
    await world.time.until(subscriptions.subscribe(byName, { events: ['task:completed'], cursor: 0 }));
    await world.time.until(
      subscriptions.subscribe(byBoth, { events: ['task:completed'], task_id: first, cursor: 0 }),
    );
    const more = await runTasks(world, site, 2);
    const workflow = { name: 'w', tasks: [{ id: 'a', ...echo }] };
    const run = await world.time.until(site.engine.submitWorkflow(workflow));
    const byRun = new TestSocket();
    await world.time.until(subscriptions.subscribe(byRun, { workflow_id: run.workflow_id ?? '', cursor: 0 }));
    await world.time.until(site.engine.runResult(run.workflow_id ?? '', 10_000));
    await world.time.settle();
    expect(byTask.events.map(({ cursor }) => cursor)).toEqual(stored(world, first));
    expect(byName.events.map(({ task_id }) => task_id)).toEqual([first, ...more, run.tasks[0]?.[1]]);
    expect(byBoth.events.map(({ event }) => event)).toEqual(['task:completed']);
    expect(byRun.events.map(({ event }) => event)).toEqual([
      'workflow:started',
      'task:queued',
      'task:validated',
      'task:routed',
      'task:started',
      'task:completed',
      'workflow:completed',
    ]);
  });

  it('ends with its connection, and by being asked to', async () => {
    const { world, site, hub, subscriptions } = await openHub();
    const socket = new TestSocket();
    const kept = await world.time.until(subscriptions.subscribe(socket, {}));
    const other = await world.time.until(subscriptions.subscribe(socket, {}));
    expect(hub.size).toBe(2);
    expect(subscriptions.unsubscribe(socket, other.subscription_id)).toBe(true);
    expect(subscriptions.unsubscribe(socket, other.subscription_id)).toBe(false);
    expect(subscriptions.unsubscribe(new TestSocket(), kept.subscription_id)).toBe(false);
    await runTasks(world, site, 1);
    expect(new Set(socket.events.map((event) => event.subscription_id))).toEqual(
      new Set([kept.subscription_id]),
    );
    socket.close();
    expect(hub.size).toBe(0);
    await runTasks(world, site, 1);
    expect(hub.size).toBe(0);
  });

  it('of a connection that ended meanwhile is none', async () => {
    const { world, hub, subscriptions } = await openHub();
    const socket = new TestSocket();
    const subscribed = subscriptions.subscribe(socket, {});
    socket.close();
    await world.time.until(subscribed);
    await world.time.settle();
    expect(hub.size).toBe(0);
  });

  it('is refused past the bound of its connection, and past that of all', async () => {
    const { world, hub, subscriptions } = await openHub({ followers: 4 });
    const socket = new TestSocket();
    const four = [1, 2, 3, 4].map(() => subscriptions.subscribe(socket, {}));
    const results = await world.time.until(Promise.allSettled(four));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
    expect(results[3]).toMatchObject({ reason: { code: 'GLZ4003', details: { hint: /unsubscribe/ } } });
    await world.time.until(subscriptions.subscribe(new TestSocket(), {}));
    await expect(subscriptions.subscribe(new TestSocket(), {})).rejects.toMatchObject({ code: 'GLZ4003' });
    expect(hub.size).toBe(4);
    socket.close();
    await world.time.until(subscriptions.subscribe(new TestSocket(), {}));
  });

  it('from a cursor that is ahead of the store is refused', async () => {
    const { world, hub, subscriptions } = await openHub();
    const asked = subscriptions.subscribe(new TestSocket(), { cursor: 1_000_000 });
    await expect(world.time.until(asked)).rejects.toMatchObject({
      code: 'GLZ1012',
      details: { field: 'cursor' },
    });
    expect(hub.size).toBe(0);
  });
});
