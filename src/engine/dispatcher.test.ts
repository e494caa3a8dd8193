import { describe, expect, it } from 'vitest';
import { done, TestProvider } from './testing/provider.suite.ts';
import { echo, idIn, World } from './testing/world.suite.ts';

const many = (count: number) => Array.from({ length: count }, () => ({ task: echo }));

describe('the dispatcher', () => {
  it('never makes more calls at once than it has slots, nor holds more than three times as many tasks', async () => {
    const world = new World();
    const site = await world.started({ options: { concurrency: 5 } });
    let mostHeld = 0;
    site.provider.onCall = () => {
      mostHeld = Math.max(mostHeld, world.data.owned.size);
    };
    await world.time.until(site.engine.submitMany(many(1000)));
    while (site.provider.running > 0) {
      expect(world.data.owned.size).toBeLessThanOrEqual(15);
      for (const call of site.provider.calls.slice(-5)) call.done();
      await world.time.settle();
    }
    expect(site.provider.calls).toHaveLength(1000);
    expect(site.provider.most).toBe(5);
    expect(mostHeld).toBeLessThanOrEqual(15);
    expect(new Set(site.provider.calls.map(({ task_id }) => task_id)).size).toBe(1000);
    expect(world.data.results.size).toBe(1000);
  });

  it('uses all of its slots', async () => {
    const world = new World();
    const site = await world.started({ options: { concurrency: 5 } });
    await world.time.until(site.engine.submitMany(many(12)));
    await world.time.settle();
    expect(site.provider.running).toBe(5);
    site.provider.last.done();
    await world.time.settle();
    expect(site.provider.running).toBe(5);
    expect(site.provider.calls).toHaveLength(6);
  });

  it('fills its window again when a commit brought exactly as much as it had asked for', async () => {
    const world = new World();
    const site = await world.started({ options: { concurrency: 1 } });
    await world.time.until(site.engine.submitMany(many(2)));
    site.provider.last.done();
    const [, last] = await world.time.until(site.engine.submitMany(many(2)));
    await world.time.settle();
    const kinds = world.data.journal.map(({ writes }) => writes.map(({ kind }) => kind));
    expect(kinds).toContainEqual(['submit', 'settle']);
    expect(world.data.owned).toContain(last?.tasks[0]?.[1]);
  });

  it('claims what a commit made ready that could not claim because the one before it asked for all room', async () => {
    const world = new World();
    const site = await world.started({ options: { concurrency: 1, commits_at_once: 2 } });
    for (let sent = 0; sent < 2; sent++) await world.submit(site);
    await world.time.advance(100);
    expect(world.data.owned.size).toBe(2);
    const gate = Promise.withResolvers<void>();
    site.faults.afterCommit = () => gate.promise;
    site.engine.announce({ event: 'provider:connected', data: { provider: 'p', protocol: 'x' } });
    await world.time.settle();
    delete site.faults.afterCommit;
    site.faults.beforeCommit = () => gate.promise;
    const third = site.engine.submit(echo);
    await world.time.settle();
    gate.resolve();
    await world.time.until(third);
    await world.time.settle();
    expect(world.data.owned.size).toBe(3);
  });

  it('looks again for what came while its claim was under way', async () => {
    const world = new World(false);
    const site = await world.started({ options: { concurrency: 1, commits_at_once: 1 } });
    const other = world.site();
    const gate = Promise.withResolvers<void>();
    site.faults.afterCommit = () => gate.promise;
    site.engine.announce({ event: 'provider:connected', data: { provider: 'p', protocol: 'x' } });
    await world.time.settle();
    delete site.faults.afterCommit;
    await world.submit(other);
    gate.resolve();
    await world.time.settle();
    expect(site.provider.calls).toHaveLength(1);
  });

  it('runs the next call while the outcome of the last is still being committed', async () => {
    const world = new World();
    const site = await world.started({ options: { concurrency: 1 } });
    const first = await world.submit(site);
    await world.submit(site);
    const gate = Promise.withResolvers<void>();
    site.faults.beforeCommit = ({ writes }) =>
      writes.some(({ kind }) => kind === 'settle') ? gate.promise : undefined;
    site.provider.callOf(first).done();
    await world.time.settle();
    expect(world.row(first).status).not.toBe('completed');
    expect(site.provider.calls).toHaveLength(2);
    expect(site.provider.running).toBe(1);
    gate.resolve();
    expect(await world.outcome(site, first)).toMatchObject({ status: 'completed' });
  });

  it('takes the most urgent first, equals in the order they came', async () => {
    const world = new World();
    const site = world.site({ options: { concurrency: 1 } });
    const ids = new Map<string, string>();
    for (const priority of ['low', 'normal', 'urgent', 'normal', 'high']) {
      ids.set(await world.submit(site, { priority }), priority);
    }
    site.provider.reply = () => done();
    await world.time.until(site.engine.start());
    await world.time.settle();
    const order = site.provider.calls.map(({ task_id }) => ids.get(task_id));
    expect(order).toEqual(['urgent', 'high', 'normal', 'normal', 'low']);
    const [, first, , second] = [...ids.keys()];
    expect(site.provider.calls.slice(2, 4).map(({ task_id }) => task_id)).toEqual([first, second]);
  });

  it('claims nothing that nobody here can do', async () => {
    const world = new World();
    const provider = new TestProvider('other', 'test/v2');
    const site = await world.started({ provider });
    const task_id = await world.submit(site);
    await world.time.advance(5000);
    expect(world.row(task_id)).toMatchObject({ status: 'queued', owner: null, attempt_count: 0 });
    expect(provider.calls).toHaveLength(0);
  });

  it('runs a task that its own commit made ready without another look at the store', async () => {
    const world = new World();
    const site = await world.started();
    const workflow = {
      tasks: [
        { id: 'a', ...echo },
        { id: 'b', ...echo, dependencies: ['a'] },
      ],
    };
    await world.time.until(site.engine.submitWorkflow(workflow));
    const before = world.data.journal.length;
    site.provider.last.done();
    await world.time.settle();
    expect(site.provider.calls).toHaveLength(2);
    expect(world.data.journal.length).toBe(before + 1);
  });

  it('does not commit in circles while it is idle or full', async () => {
    const world = new World();
    const site = await world.started({ options: { concurrency: 2 } });
    await world.time.until(site.engine.submitMany(many(50)));
    await world.time.advance(100);
    const before = world.data.journal.length;
    await world.time.advance(900);
    expect(world.data.journal.length - before).toBeLessThanOrEqual(2);
  });
});

describe('a task that is cancelled', () => {
  it('has the signal of its call aborted, and its late answer goes nowhere', async () => {
    const world = new World();
    const site = await world.started();
    const task_id = await world.submit(site);
    const { signal } = site.provider.last;
    expect(signal.aborted).toBe(false);
    await world.time.until(site.engine.cancelTask(task_id, 'changed my mind'));
    expect(signal.aborted).toBe(true);
    expect(signal.reason).toMatchObject({ code: 'GLZ2009' });
    site.provider.last.done('too late');
    await world.time.advance(1000);
    expect(await world.outcome(site, task_id)).toMatchObject({
      status: 'cancelled',
      result: null,
      error: { message: 'changed my mind', data: { error_code: 'GLZ2009' } },
    });
    expect(world.data.results.size).toBe(0);
    const kinds = world.data.journal.flatMap(({ writes }) => writes.map(({ kind }) => kind));
    expect(kinds).not.toContain('settle');
  });

  it('frees its slot at once, even when the provider does not heed its signal', async () => {
    const world = new World();
    const site = await world.started({ options: { concurrency: 1 } });
    const first = await world.submit(site);
    const second = await world.submit(site);
    await world.time.until(site.engine.cancelTask(first));
    await world.time.settle();
    expect(site.provider.last.task_id).toBe(second);
  });

  it('is never called when it was still waiting for a slot', async () => {
    const world = new World();
    const site = await world.started({ options: { concurrency: 1 } });
    const first = await world.submit(site);
    const second = await world.submit(site);
    await world.time.until(site.engine.cancelTask(second));
    site.provider.callOf(first).done();
    await world.time.advance(1000);
    expect(site.provider.calls).toHaveLength(1);
    expect(world.row(second)).toMatchObject({ status: 'cancelled', owner: null });
  });

  it('is never called when its params were still being put together', async () => {
    const world = new World();
    const site = await world.started();
    const gate = Promise.withResolvers<void>();
    const big = { part: 'small', rest: 'x'.repeat(6 * 1024 * 1024) };
    const sides = ['a1', 'a2', 'a3'];
    const workflow = {
      tasks: [
        ...sides.map((id) => ({ id, ...echo })),
        { id: 'b', ...echo, params: { texts: sides.map((id) => `\${${id}.result.part}`) } },
      ],
    };
    const { tasks } = await world.time.until(site.engine.submitWorkflow(workflow));
    site.faults.beforeRead = (name) => (name === 'payloads' ? gate.promise : undefined);
    for (const call of [...site.provider.calls]) call.done(big);
    await world.time.settle();
    await world.time.until(site.engine.cancelTask(idIn(tasks, 'b')));
    gate.resolve();
    await world.time.advance(100);
    expect(site.provider.calls).toHaveLength(3);
  });

  it('can be retried by a person at once; the call then has another id', async () => {
    const world = new World();
    const site = await world.started();
    const task_id = await world.submit(site);
    await world.time.until(site.engine.cancelTask(task_id));
    await world.time.until(site.engine.retryTask(task_id));
    await world.time.settle();
    const [old, again] = site.provider.calls;
    expect([old?.call_id, again?.call_id]).toEqual([task_id, `${task_id}.1`]);
    old?.done('old');
    await world.time.settle();
    again?.done('new');
    expect(await world.outcome(site, task_id)).toMatchObject({ status: 'completed', result: '"new"' });
  });

  it('has both calls of one engine told apart when it comes back before the cancel was heard of', async () => {
    const world = new World(false);
    const hints: (() => void)[] = [];
    const one = await world.started({ deliver: (call) => hints.push(call) });
    const task_id = await world.submit(one);
    const other = world.site({ provider: new TestProvider('p2', 'test/v9') });
    await world.time.until(other.engine.cancelTask(task_id));
    await world.time.until(other.engine.retryTask(task_id));
    await world.submit(one);
    await world.time.settle();
    expect(one.provider.calls).toHaveLength(3);
    expect(one.provider.calls[0]?.signal.aborted).toBe(true);
    one.provider.calls[0]?.done('old');
    one.provider.callOf(task_id).done('new');
    expect(await world.outcome(one, task_id)).toMatchObject({ result: '"new"' });
  });
});
