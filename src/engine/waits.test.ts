import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import { done } from './testing/provider.suite.ts';
import { echo, once, World } from './testing/world.suite.ts';

describe('waiting for a task', () => {
  it('ends with the commit that settles it, without a read', async () => {
    const world = new World();
    const site = await world.started();
    const task_id = await world.submit(site);
    const reads: string[] = [];
    site.faults.beforeRead = (name) => void reads.push(name);
    const told = site.engine.result(task_id, 60_000);
    site.provider.last.done([1]);
    expect(await world.time.until(told)).toEqual({
      task_id,
      status: 'completed',
      result: '[1]',
      error: null,
      stored_at: world.data.results.get(task_id)?.stored_at,
    });
    expect(world.data.results.get(task_id)?.stored_at).toBeGreaterThan(0);
    expect(reads).toEqual([]);
    expect(world.time.monotonic()).toBe(0);
  });

  it('answers at once for one that completed a moment ago, and reads for one of long ago', async () => {
    const world = new World();
    const site = await world.started();
    site.provider.reply = () => done();
    const task_id = await world.submit(site);
    await world.outcome(site, task_id);
    const reads: string[] = [];
    site.faults.beforeRead = (name) => void reads.push(name);
    expect(await site.engine.result(task_id)).toMatchObject({ status: 'completed', result: '"ok"' });
    expect(reads).toEqual([]);
    await world.time.until(site.engine.stop());
    await site.store.close();
    const later = world.site();
    expect(await world.time.until(later.engine.result(task_id, 1000))).toMatchObject({ result: '"ok"' });
  });

  it('answers how far the task is when the time is over, or when there is none', async () => {
    const world = new World();
    const site = await world.started();
    const task_id = await world.submit(site);
    expect(await world.time.until(site.engine.result(task_id))).toMatchObject({ status: 'queued' });
    expect(await world.time.until(site.engine.result(task_id, 700))).toEqual({
      task_id,
      status: 'executing',
      result: null,
      error: null,
      stored_at: null,
    });
    expect(world.time.monotonic()).toBe(700);
  });

  it('answers null for a task that is not there, without waiting', async () => {
    const world = new World();
    const site = await world.started();
    expect(await world.time.until(site.engine.result('nobody', 60_000))).toBe(null);
    expect(await world.time.until(site.engine.runResult('nobody', 60_000))).toBe(null);
    expect(world.time.monotonic()).toBe(0);
  });

  it('tells everyone who waits, each once', async () => {
    const world = new World();
    const site = await world.started();
    const task_id = await world.submit(site);
    const waits = Array.from({ length: 5 }, () => site.engine.result(task_id, 60_000));
    site.provider.last.done();
    const told = await world.time.until(Promise.all(waits));
    expect(told.map((outcome) => outcome?.status)).toEqual(Array(5).fill('completed'));
  });

  it('ends when one commit records a retry and then cancels the task', async () => {
    const world = new World();
    const site = await world.started();
    const task_id = await world.submit(site);
    const told = site.engine.result(task_id, 60_000);
    const gate = Promise.withResolvers<void>();
    site.faults.beforeCommit = () => gate.promise;
    const earlier = site.engine.announce({
      event: 'provider:connected',
      data: { provider: 'p', protocol: 'q' },
    });
    await world.time.settle();
    site.provider.last.failed('GLZ2001');
    await world.time.settle();
    const cancelled = site.engine.cancelTask(task_id);
    gate.resolve();
    await world.time.until(Promise.all([earlier, cancelled]));
    expect(await world.time.until(told)).toMatchObject({ status: 'cancelled' });
    expect(await world.time.until(site.engine.result(task_id, 60_000))).toMatchObject({
      status: 'cancelled',
    });
    expect(world.time.monotonic()).toBe(0);
  });

  it.each(['cancelled', 'skipped'])('ends when it is %s', async (status) => {
    const world = new World();
    const site = await world.started();
    const tasks = [
      { id: 'a', ...echo, ...once },
      { id: 'b', ...echo, dependencies: ['a'] },
    ];
    const accepted = await world.time.until(site.engine.submitWorkflow({ tasks }));
    const [a = '', b = ''] = accepted.tasks.map(([, task_id]) => task_id);
    const told = site.engine.result(status === 'cancelled' ? a : b, 60_000);
    if (status === 'cancelled') await world.time.until(site.engine.cancelTask(a));
    else site.provider.last.failed();
    expect(await world.time.until(told)).toMatchObject({ status });
  });

  it('that failed waits again after it was reopened', async () => {
    const world = new World();
    const site = await world.started();
    const task_id = await world.submit(site, once);
    site.provider.last.failed();
    expect(await world.outcome(site, task_id)).toMatchObject({ status: 'failed' });
    await world.time.until(site.engine.retryTask(task_id));
    const told = site.engine.result(task_id, 60_000);
    await world.time.settle();
    site.provider.last.done('better');
    expect(await world.time.until(told)).toMatchObject({ status: 'completed', result: '"better"' });
  });

  it('hears of an outcome whose commit got no answer', async () => {
    const world = new World();
    const site = await world.started();
    const task_id = await world.submit(site);
    site.faults.afterCommit = () => {
      delete site.faults.afterCommit;
      throw new GleitzeitError('GLZ3001', 'connection lost');
    };
    const told = site.engine.result(task_id, 60_000);
    site.provider.last.done();
    expect(await world.time.until(told)).toMatchObject({ status: 'completed' });
  });
});

describe('waiting for a run', () => {
  it('ends when its last task does', async () => {
    const world = new World();
    const site = await world.started();
    site.provider.reply = ({ attempt }) => done(attempt);
    const tasks = ['a', 'b', 'c'].map((id, index, all) => ({
      id,
      ...echo,
      dependencies: all.slice(0, index),
    }));
    const { workflow_id } = await world.time.until(site.engine.submitWorkflow({ tasks }));
    const ended = await world.time.until(site.engine.runResult(workflow_id ?? '', 60_000));
    expect(ended).toEqual({ workflow_id, status: 'completed' });
    expect(await world.time.until(site.engine.runResult(workflow_id ?? ''))).toEqual(ended);
  });
});

describe('events', () => {
  it('are told from the beginning, from a cursor on, or from now on', async () => {
    const world = new World();
    const site = await world.started();
    site.provider.reply = () => done();
    const task_id = await world.submit(site);
    await world.outcome(site, task_id);
    const all = site.engine.events({ cursor: 0 });
    const names: string[] = [];
    for (let told = 0; told < 5; told++) names.push((await all.next()).value?.event ?? '');
    expect(names).toEqual(world.eventsOf(task_id));
    const late = site.engine.events({ cursor: 4 });
    expect((await late.next()).value).toMatchObject({ event: 'task:completed', cursor: 5, seq: 5, task_id });
    const next = site.engine.events().next();
    await world.time.settle();
    const other = await world.submit(site);
    expect((await next).value).toMatchObject({ event: 'task:queued', task_id: other, cursor: 6 });
  });

  it('are filtered by run, task and name', async () => {
    const world = new World();
    const site = await world.started();
    site.provider.reply = () => done();
    const { workflow_id } = await world.time.until(
      site.engine.submitWorkflow({ tasks: [{ id: 'a', ...echo }] }),
    );
    const task_id = await world.submit(site);
    await world.outcome(site, task_id);
    await world.time.settle();
    const first = async (query: object) => (await site.engine.events({ cursor: 0, ...query }).next()).value;
    expect(await first({ workflow_id })).toMatchObject({ event: 'workflow:started', workflow_id });
    expect(await first({ task_id })).toMatchObject({ event: 'task:queued', task_id });
    expect(await first({ events: ['task:completed'], task_id })).toMatchObject({ event: 'task:completed' });
    expect(await first({ events: ['workflow:completed'], task_id: undefined })).toMatchObject({
      workflow_id,
    });
  });

  it('can be announced that belong to no run', async () => {
    const world = new World();
    const site = await world.started();
    const data = { provider: 'p', protocol: 'x/v1' };
    await world.time.until(site.engine.announce({ event: 'provider:connected', data }));
    const { value } = await site.engine.events({ cursor: 0 }).next();
    expect(value).toMatchObject({ event: 'provider:connected', data, seq: 0, workflow_id: null });
  });
});

describe('what is due', () => {
  it('is woken when it is due, not when somebody looks around', async () => {
    const world = new World();
    const site = await world.started({ options: { poll_ms: 3600_000 } });
    await world.time.advance(123);
    await world.submit(site, { retry_config: { initial_delay: 7, jitter: 0 } });
    site.provider.last.failed('GLZ2002');
    await world.time.advance(6999);
    expect(site.provider.calls).toHaveLength(1);
    await world.time.advance(1);
    expect(site.provider.calls).toHaveLength(2);
  });

  it('is not put off by what is due later', async () => {
    const world = new World();
    const site = await world.started({ options: { poll_ms: 3600_000 } });
    const retry = (initial_delay: number) => ({ retry_config: { initial_delay, jitter: 0 } });
    await world.submit(site, retry(1));
    site.provider.last.failed('GLZ2002');
    await world.time.advance(900);
    await world.submit(site, retry(0.5));
    site.provider.last.failed('GLZ2002');
    await world.time.advance(100);
    expect(site.provider.calls).toHaveLength(3);
    await world.time.advance(400);
    expect(site.provider.calls).toHaveLength(4);
  });

  it('includes the total timeout of a task that never got a slot', async () => {
    const world = new World();
    const site = await world.started({ options: { poll_ms: 3600_000, concurrency: 1 } });
    for (let blockers = 0; blockers < 3; blockers++) await world.submit(site, { timeout: 100 });
    const task_id = await world.submit(site, { total_timeout: 5 });
    await world.time.advance(4999);
    expect(world.row(task_id).status).toBe('queued');
    await world.time.advance(1);
    expect(world.row(task_id)).toMatchObject({
      status: 'failed',
      attempt_count: 0,
      error: { data: { error_code: 'GLZ2003' } },
    });
  });

  it('includes a timeout an earlier engine left behind', async () => {
    const world = new World();
    const before = world.site();
    const task_id = await world.submit(before, { protocol: 'test/nobody', total_timeout: 5 });
    await before.store.close();
    const site = await world.started({ options: { poll_ms: 3600_000 } });
    const told = site.engine.result(task_id, 60_000);
    expect(await world.time.until(told)).toMatchObject({ status: 'failed' });
    expect(world.time.monotonic()).toBe(5000);
  });

  it('is removed when it has been kept long enough', async () => {
    const world = new World();
    const site = await world.started({ options: { keep_ms: 100_000 } });
    site.provider.reply = () => done();
    const task_id = await world.submit(site);
    await world.outcome(site, task_id);
    await world.time.advance(99_000);
    expect(world.data.tasks.has(task_id)).toBe(true);
    await world.time.advance(62_000);
    expect(world.data.tasks.has(task_id)).toBe(false);
    expect(world.data.events.page({ after: 0, limit: 10 }).events).toEqual([]);
  });
});
