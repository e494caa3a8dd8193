import { describe, expect, it } from 'vitest';
import type { Provider } from '../core/ports/provider.ts';
import { createRouter } from '../router/router.ts';
import { done } from './testing/provider.suite.ts';
import { once, type Site, World } from './testing/world.suite.ts';

async function submitted(task: object = {}): Promise<{ world: World; site: Site; task_id: string }> {
  const world = new World();
  const site = await world.started();
  return { world, site, task_id: await world.submit(site, task) };
}

describe('a call', () => {
  it('is told method, params, attempt and an id that stays the same over retries', async () => {
    const retry_config = { initial_delay: 1, jitter: 0 };
    const { world, site, task_id } = await submitted({ params: { a: [1, 'x'] }, retry_config });
    expect(site.provider.last).toMatchObject({
      method: 'echo',
      params: { a: [1, 'x'] },
      call_id: task_id,
      task_id,
      workflow_id: null,
      attempt: 1,
    });
    site.provider.last.failed('GLZ2002', 'broke');
    await world.time.advance(1000);
    expect(site.provider.last).toMatchObject({ call_id: task_id, attempt: 2 });
    site.provider.last.done();
    expect(await world.outcome(site, task_id)).toMatchObject({ status: 'completed', result: '"ok"' });
    expect(world.row(task_id).attempts).toMatchObject([
      { attempt: 1, provider: 'provider-1', error: { message: 'broke' } },
      { attempt: 2, provider: 'provider-1', error: null },
    ]);
  });

  it('that answers twice is heard once', async () => {
    const { world, site, task_id } = await submitted();
    site.provider.last.done('first');
    site.provider.last.done('second');
    site.provider.last.reject(new Error('third'));
    expect(await world.outcome(site, task_id)).toMatchObject({ result: '"first"' });
    expect(world.eventsOf(task_id).filter((event) => event === 'task:completed')).toHaveLength(1);
  });

  it('that rejects is an attempt that failed', async () => {
    const { world, site, task_id } = await submitted(once);
    site.provider.last.reject(new Error('socket closed'));
    expect(await world.outcome(site, task_id)).toMatchObject({
      status: 'failed',
      error: { message: 'socket closed', data: { error_code: 'GLZ2001' } },
    });
  });

  it('that throws instead of answering is an attempt that failed, and its slot is free again', async () => {
    const world = new World();
    const throwing: Provider = {
      id: 'rude',
      protocol: 'test/v1',
      hasMethod: () => true,
      call: () => {
        throw new Error('not even a promise');
      },
    };
    const router = createRouter([throwing]);
    const site = await world.started({ parts: { router }, options: { concurrency: 1 } });
    const ids = [await world.submit(site, once), await world.submit(site, once)];
    for (const task_id of ids) {
      expect(await world.outcome(site, task_id)).toMatchObject({
        status: 'failed',
        error: { message: 'not even a promise', data: { error_code: 'GLZ2001' } },
      });
    }
    expect(world.data.owned.size).toBe(0);
  });

  it.each([
    undefined,
    null,
    'done',
    { word: 'maybe' },
    { word: 'done' },
    { word: 'failed' },
    { word: 'failed', error: { code: 1, message: 'no data' } },
    { word: 'failed', error: { code: 1, message: 'bad data', data: { error_code: 'GLZ0000' } } },
    { word: 'again', after_ms: Number.NaN, reason: 'soon' },
    { word: 'again', after_ms: Number.POSITIVE_INFINITY, reason: 'never' },
    { word: 'again', after_ms: 5 },
  ])('that answers with %j ends its attempt and harms nobody', async (answer) => {
    const { world, site, task_id } = await submitted(once);
    site.provider.last.answer(answer as never);
    expect(await world.outcome(site, task_id)).toMatchObject({ status: 'failed' });
    expect(world.data.owned.size).toBe(0);
    site.provider.reply = () => done();
    expect(await world.outcome(site, await world.submit(site))).toMatchObject({ status: 'completed' });
  });
});

describe('the time a call may take', () => {
  it('ends with GLZ2003, even when the provider does not heed its signal', async () => {
    const { world, site, task_id } = await submitted({ timeout: 2, ...once });
    const { signal } = site.provider.last;
    await world.time.advance(1999);
    expect(signal.aborted).toBe(false);
    await world.time.advance(1);
    expect(signal.aborted).toBe(true);
    expect(await world.outcome(site, task_id)).toMatchObject({
      status: 'failed',
      error: { message: 'no answer within 2 s', data: { error_code: 'GLZ2003', field: 'timeout' } },
    });
    site.provider.last.done('too late');
    await world.time.advance(100);
    expect(world.row(task_id).status).toBe('failed');
  });

  it('leaves no timer behind when the answer comes in time', async () => {
    const { world, site, task_id } = await submitted({ timeout: 1000 });
    const before = world.time.pending;
    site.provider.last.done();
    await world.time.settle();
    expect(world.row(task_id).status).toBe('completed');
    expect(world.time.pending).toBeLessThan(before);
  });

  it('is bounded by what is left of the total timeout', async () => {
    const retry_config = { initial_delay: 1, jitter: 0 };
    const { world, site, task_id } = await submitted({ timeout: 10, total_timeout: 4, retry_config });
    await world.time.advance(2500);
    site.provider.last.failed('GLZ2002');
    await world.time.advance(1000);
    expect(site.provider.calls).toHaveLength(2);
    await world.time.advance(499);
    expect(site.provider.last.signal.aborted).toBe(false);
    await world.time.advance(2);
    expect(site.provider.last.signal.aborted).toBe(true);
    expect(await world.outcome(site, task_id)).toMatchObject({
      status: 'failed',
      error: { data: { error_code: 'GLZ2003', field: 'total_timeout' } },
    });
  });

  it('is bounded by the total timeout also where the task waited for a slot after it was claimed', async () => {
    const world = new World();
    const site = await world.started({ options: { concurrency: 1 } });
    await world.submit(site);
    const task_id = await world.submit(site, { timeout: 10, total_timeout: 4, ...once });
    await world.time.advance(3000);
    expect([world.data.owned.size, site.provider.calls.length]).toEqual([2, 1]);
    site.provider.last.done();
    await world.time.settle();
    const call = site.provider.callOf(task_id);
    await world.time.advance(999);
    expect(call.signal.aborted).toBe(false);
    await world.time.advance(1);
    expect(call.signal.reason).toMatchObject({ code: 'GLZ2003', details: { field: 'total_timeout' } });
  });

  it('is up for a task that waits for its retry when the total timeout runs out', async () => {
    const retry_config = { initial_delay: 3, jitter: 0 };
    const { world, site, task_id } = await submitted({ total_timeout: 2, retry_config });
    const told = site.engine.result(task_id, 60_000);
    site.provider.last.failed('GLZ2002', 'broke');
    const outcome = {
      status: 'failed',
      error: { data: { error_code: 'GLZ2003', field: 'total_timeout', reason: 'last error: broke' } },
    };
    expect(await world.time.until(told)).toMatchObject(outcome);
    expect(await world.outcome(site, task_id)).toMatchObject(outcome);
    expect(world.row(task_id).attempts).toMatchObject([{ error: { message: 'broke' } }]);
    expect(site.provider.calls).toHaveLength(1);
  });

  it('goes by the passing of time, not by the wall clock', async () => {
    const { world, site, task_id } = await submitted({ timeout: 5, total_timeout: 60, ...once });
    world.time.wallJump = 3600_000;
    await world.time.advance(1000);
    world.time.wallJump = -3600_000;
    await world.time.advance(3000);
    expect(site.provider.last.signal.aborted).toBe(false);
    site.provider.last.done();
    expect(await world.outcome(site, task_id)).toMatchObject({ status: 'completed' });
  });
});

describe('a provider that asks to be asked again', () => {
  it('is, after as long as it wants, and the attempt is not held against the task', async () => {
    const { world, site, task_id } = await submitted(once);
    for (let asked = 0; asked < 3; asked++) {
      site.provider.last.answer({ word: 'again', after_ms: 700, reason: 'busy' });
      await world.time.advance(699);
      expect(site.provider.calls).toHaveLength(asked + 1);
      await world.time.advance(1);
    }
    site.provider.last.done();
    expect(await world.outcome(site, task_id)).toMatchObject({ status: 'completed' });
    expect(world.row(task_id).attempt_count).toBe(4);
  });

  it('past the total timeout, fails the task, and whoever waits hears why', async () => {
    const { world, site, task_id } = await submitted({ total_timeout: 1 });
    const told = site.engine.result(task_id, 60_000);
    site.provider.last.answer({ word: 'again', after_ms: 5000, reason: 'come tomorrow' });
    expect(await world.time.until(told)).toMatchObject({
      status: 'failed',
      error: { data: { error_code: 'GLZ2003', reason: 'last error: come tomorrow' } },
    });
  });
});
