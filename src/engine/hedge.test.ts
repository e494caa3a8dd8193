import { describe, expect, it } from 'vitest';
import { Pools } from '../router/pools.ts';
import { defaultPool, defaultProvider } from '../router/settings.ts';
import { done, TestProvider } from './testing/provider.suite.ts';
import { World } from './testing/world.suite.ts';

async function setUp() {
  const world = new World();
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  const isIdempotent = () => true;
  const pools = new Pools({ clock: world.time, timers: world.time, logger, isIdempotent });
  pools.configure('test/v1', { ...defaultPool, hedge: { after: 200, max: 1 } });
  const slow = new TestProvider('slow');
  const other = new TestProvider('other');
  pools.connect(slow);
  pools.connect(other, { settings: { ...defaultProvider, tier: 1 } });
  const site = await world.started({ parts: { router: pools } });
  return { world, slow, other, site, pools };
}

describe('a task whose provider is slow', () => {
  it('is answered by another in the same attempt, which goes by its name', async () => {
    const { world, slow, other, site, pools } = await setUp();
    other.reply = () => done('quick');
    const task_id = await world.submit(site);
    expect(await world.outcome(site, task_id)).toMatchObject({ status: 'completed', result: '"quick"' });
    const { attempts, attempt_count } = world.row(task_id);
    expect([attempt_count, attempts]).toMatchObject([1, [{ provider: 'other', error: null }]]);
    expect(slow.last.call_id).toBe(other.last.call_id);
    expect(slow.last.signal.aborted).toBe(true);
    const routed = world.eventsOf(task_id).filter((event) => event === 'task:routed');
    expect(routed).toHaveLength(2);
    slow.last.failed();
    await world.time.settle();
    expect(pools.status('slow')).toMatchObject({ errors: 0, in_flight: 0 });
  });

  it('tells which provider failed where all of them did', async () => {
    const { world, slow, other, site } = await setUp();
    const task_id = await world.submit(site, { retry_config: { max_attempts: 1 } });
    await world.time.advance(300);
    slow.last.failed('GLZ2001', 'first');
    other.last.failed('GLZ2001', 'second');
    const outcome = await world.outcome(site, task_id);
    expect(outcome.error).toMatchObject({ message: 'second', data: { provider: 'other', attempt: 1 } });
    expect(world.row(task_id).attempts).toMatchObject([{ provider: 'other' }]);
  });

  it('is tried again with neither of those that failed, also after a restart', async () => {
    const { world, slow, other, site, pools } = await setUp();
    const third = new TestProvider('third');
    third.reply = () => done('well');
    pools.connect(third, { settings: { ...defaultProvider, tier: 2 } });
    const retry_config = { max_attempts: 2, initial_delay: 60 };
    const task_id = await world.submit(site, { retry_config });
    await world.time.advance(300);
    slow.last.failed('GLZ2001', 'first');
    other.last.failed('GLZ2001', 'second');
    await world.time.advance(10);
    expect(world.row(task_id).attempts).toMatchObject([
      { provider: 'other', error: { data: { provider: 'other', also_failed: ['slow'] } } },
    ]);
    await world.time.until(site.engine.stop());
    await site.store.close();
    const next = await world.started({ parts: { router: pools } });
    expect(await world.outcome(next, task_id)).toMatchObject({ status: 'completed', result: '"well"' });
    expect([slow.calls.length, other.calls.length, third.calls.length]).toEqual([1, 1, 1]);
  });

  it('fails in time where nobody answers', async () => {
    const { world, slow, other, site } = await setUp();
    const task_id = await world.submit(site, { timeout: 1, retry_config: { max_attempts: 1 } });
    const outcome = await world.outcome(site, task_id);
    expect([outcome.error?.data, world.time.monotonic() <= 1100]).toMatchObject([
      { error_code: 'GLZ2003', provider: 'slow' },
      true,
    ]);
    expect([slow.last.signal.aborted, other.last.signal.aborted]).toEqual([true, true]);
  });
});
