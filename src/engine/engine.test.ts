import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import { done } from './testing/provider.suite.ts';
import { echo, World } from './testing/world.suite.ts';

const many = (count: number) => Array.from({ length: count }, () => ({ task: echo }));
const away = () => new GleitzeitError('GLZ3001', 'the store is away');

describe('an engine that starts', () => {
  it('takes up what an earlier one left behind', async () => {
    const world = new World();
    const before = world.site();
    const task_id = await world.submit(before);
    await before.store.close();
    const site = await world.started();
    await world.time.settle();
    site.provider.last.done();
    expect(await world.outcome(site, task_id)).toMatchObject({ status: 'completed' });
  });

  it('accepts before it starts, and runs nothing until then', async () => {
    const world = new World();
    const site = world.site();
    const task_id = await world.submit(site);
    await world.time.advance(5000);
    expect(site.provider.calls).toHaveLength(0);
    expect(world.row(task_id).status).toBe('queued');
    await world.time.until(site.engine.start());
    await world.time.settle();
    expect(site.provider.calls).toHaveLength(1);
  });

  it('joins once however often it is told, and waits for a store that is not there yet', async () => {
    const world = new World();
    const site = world.site();
    let failures = 5;
    site.faults.beforeCommit = () => {
      if (failures-- > 0) throw away();
    };
    const started = [site.engine.start(), site.engine.start()];
    await world.time.until(Promise.all(started));
    await world.time.advance(1000);
    expect(world.data.engines.size).toBe(1);
  });

  it('can be made quiet and started again, and then does everything once', async () => {
    const world = new World(false);
    const site = await world.started();
    for (let round = 0; round < 3; round++) {
      await world.time.until(site.engine.quiet());
      await world.time.until(site.engine.start());
    }
    await world.time.advance(1000);
    const before = world.data.journal.length;
    await world.time.advance(3000);
    const kinds = world.data.journal.slice(before).flatMap(({ writes }) => writes.map(({ kind }) => kind));
    expect(kinds.filter((kind) => kind === 'beat')).toHaveLength(3);
    expect(kinds.filter((kind) => kind === 'rescue')).toHaveLength(3);
    const task_id = await world.submit(site);
    await world.time.settle();
    expect(site.provider.calls).toHaveLength(1);
    site.provider.last.done();
    expect(await world.outcome(site, task_id)).toMatchObject({ status: 'completed' });
  });

  it('listens once however often it starts, and not at all after it stopped', async () => {
    const world = new World(false);
    const heard: unknown[] = [];
    const site = await world.started({ deliver: (call) => heard.push(call) });
    await world.time.until(site.engine.quiet());
    await world.time.until(site.engine.start());
    const other = world.site();
    await world.submit(other);
    expect(heard).toHaveLength(1);
    await world.time.until(site.engine.stop(0));
    await world.submit(other);
    expect(heard).toHaveLength(1);
  });

  it('that is made quiet while it joins takes nothing and looks after nothing', async () => {
    const world = new World();
    const site = world.site();
    await world.submit(site);
    const gate = Promise.withResolvers<void>();
    site.faults.beforeCommit = () => gate.promise;
    const started = site.engine.start();
    await world.time.settle();
    const quiet = site.engine.quiet();
    gate.resolve();
    await world.time.until(Promise.all([started, quiet]));
    const before = world.data.journal.length;
    await world.time.advance(10_000);
    expect(site.provider.calls).toHaveLength(0);
    expect(world.data.journal.length).toBe(before);
  });
});

describe('an engine that goes quiet', () => {
  it('gives back what it only claimed, and finishes what runs', async () => {
    const world = new World();
    const site = await world.started({ options: { concurrency: 2, commits_at_once: 1 } });
    await world.time.until(site.engine.submitMany(many(10)));
    await world.time.settle();
    expect(world.data.owned.size).toBe(6);
    await world.time.until(site.engine.quiet());
    expect(world.data.owned.size).toBe(2);
    for (const call of site.provider.calls) call.done();
    await world.time.advance(5000);
    expect(site.provider.calls).toHaveLength(2);
    expect(world.data.results.size).toBe(2);
    expect(world.data.owned.size).toBe(0);
    const kept = [...world.data.tasks.values()].filter(({ status }) => status === 'queued');
    expect(kept.every(({ suspect, attempt_count }) => !suspect && attempt_count === 0)).toBe(true);
  });

  it('gives back claims that were on their way when it did', async () => {
    const world = new World();
    const site = await world.started();
    const gate = Promise.withResolvers<void>();
    site.faults.afterCommit = ({ writes }) =>
      writes.some(({ kind }) => kind === 'submit') ? gate.promise : undefined;
    const submitted = site.engine.submitMany(many(3));
    await world.time.settle();
    expect(world.data.owned.size).toBe(3);
    const quiet = site.engine.quiet();
    gate.resolve();
    await world.time.until(Promise.all([submitted, quiet]));
    await world.time.advance(1000);
    expect(site.provider.calls).toHaveLength(0);
    expect(world.data.owned.size).toBe(0);
  });

  it('still accepts', async () => {
    const world = new World();
    const site = await world.started();
    await world.time.until(site.engine.quiet());
    const task_id = await world.submit(site);
    await world.time.advance(5000);
    expect(world.row(task_id)).toMatchObject({ status: 'queued', owner: null });
  });
});

describe('an engine that stops', () => {
  it('waits for what runs, records it, and leaves', async () => {
    const world = new World();
    const site = await world.started();
    const task_id = await world.submit(site);
    const stopped = site.engine.stop(10_000);
    await world.time.advance(3000);
    site.provider.last.done();
    await world.time.until(stopped);
    expect(world.time.monotonic()).toBe(3000);
    expect(world.row(task_id).status).toBe('completed');
    expect(world.data.engines.size).toBe(0);
    expect(world.time.pending).toBe(0);
  });

  it('ends its calls when the deadline passes; the next engine runs them again', async () => {
    const world = new World();
    const site = await world.started();
    const task_id = await world.submit(site);
    await world.time.advance(10);
    const { signal } = site.provider.last;
    const stopped = site.engine.stop(500);
    await world.time.advance(499);
    expect(signal.aborted).toBe(false);
    await world.time.advance(1);
    await world.time.until(stopped);
    expect(world.time.monotonic()).toBe(510);
    expect(signal.aborted).toBe(true);
    site.provider.last.done('too late');
    await world.time.advance(100);
    expect(world.row(task_id)).toMatchObject({ status: 'queued', owner: null, suspect: false });
    expect(world.data.engines.size).toBe(0);
    await site.store.close();
    const next = world.site();
    next.provider.reply = () => done('second');
    await world.time.until(next.engine.start());
    expect(await world.outcome(next, task_id)).toMatchObject({ status: 'completed', result: '"second"' });
    expect(world.row(task_id).attempt_count).toBe(2);
    expect(world.eventsOf(task_id)).toContain('task:interrupted');
  });

  it('takes no attempt from a task whose call it ends', async () => {
    const world = new World();
    const once = { ...echo, retry_config: { max_attempts: 1 } };
    const site = await world.started();
    const task_id = await world.submit(site, once);
    await world.time.advance(10);
    await world.time.until(site.engine.stop(0));
    await site.store.close();
    const next = world.site();
    next.provider.reply = () => done('second');
    await world.time.until(next.engine.start());
    expect(await world.outcome(next, task_id)).toMatchObject({ status: 'completed', result: '"second"' });
    expect(world.row(task_id)).toMatchObject({ attempt_count: 2, attempt_base: 1 });
  });

  it('stops soon after the deadline also when the store does not answer any more', async () => {
    const world = new World();
    const site = await world.started({ options: { concurrency: 1 } });
    await world.time.until(site.engine.submitMany(many(3)));
    site.faults.beforeCommit = () => new Promise<void>(() => {});
    const stopped = site.engine.stop(500);
    await world.time.advance(500);
    expect(site.provider.calls[0]?.signal.aborted).toBe(true);
    await world.time.until(stopped);
    expect(world.time.monotonic()).toBe(1500);
  });

  it.each([0, 500])('stops by the deadline of %d ms when every commit fails', async (deadline) => {
    const world = new World();
    const site = await world.started();
    await world.submit(site);
    site.faults.beforeCommit = () => {
      throw away();
    };
    site.provider.last.done();
    await world.time.until(site.engine.stop(deadline));
    expect(world.time.monotonic()).toBeLessThanOrEqual(deadline);
    await world.time.advance(5000);
    expect(world.time.pending).toBe(0);
  });

  it('lets go of whoever waits, and tells them how far their task is', async () => {
    const world = new World();
    const site = await world.started();
    const task_id = await world.submit(site);
    await world.time.advance(10);
    const waits = site.engine.result(task_id, Number.POSITIVE_INFINITY);
    const events = site.engine.events({ cursor: 0 });
    while ((await world.time.until(events.next())).value?.event !== 'task:started');
    const next = events.next();
    await world.time.until(site.engine.stop(0));
    expect(await world.time.until(waits)).toMatchObject({ status: 'queued', result: null });
    expect(await next).toMatchObject({ value: { event: 'task:interrupted', data: { counts: false } } });
  });

  it('refuses what comes after, and can be stopped twice, or without a start', async () => {
    const world = new World();
    const site = await world.started();
    await world.time.until(site.engine.stop());
    await world.time.until(site.engine.stop());
    await expect(site.engine.submit(echo)).rejects.toMatchObject({ code: 'GLZ9002' });
    await site.store.close();
    const other = world.site();
    await world.time.until(other.engine.stop());
    expect(world.time.pending).toBe(0);
  });

  it('while it joins does neither hang nor run anything', async () => {
    const world = new World();
    const site = world.site();
    await world.submit(site);
    site.faults.beforeCommit = () => {
      throw away();
    };
    const started = site.engine.start().catch((thrown: unknown) => GleitzeitError.from(thrown).code);
    await world.time.settle();
    await world.time.until(site.engine.stop(100));
    expect(await world.time.until(started)).toBe('GLZ9002');
    await world.time.advance(5000);
    expect(site.provider.calls).toHaveLength(0);
  });
});
