import { describe, expect, it } from 'vitest';
import type { Answer } from '../core/answer.ts';
import type { ErrorCode } from '../core/error-codes.ts';
import { type ErrorDetails, errorRecord } from '../core/errors.ts';
import { Pools } from '../router/pools.ts';
import { defaultProvider, type ProviderSettings } from '../router/settings.ts';
import type { EngineParts } from './engine.ts';
import { sentElsewhere } from './sent-elsewhere.ts';
import { answerTo, Courier } from './testing/courier.suite.ts';
import { done, TestProvider } from './testing/provider.suite.ts';
import { World } from './testing/world.suite.ts';

const final = (details: ErrorDetails = {}): Answer => ({
  word: 'failed',
  error: errorRecord('GLZ2010', 'refused', details),
});

type Given = {
  readonly settings?: Partial<ProviderSettings>;
  readonly answer?: Answer;
  readonly parts?: Partial<EngineParts>;
};

/** `bad` is asked first, `good` is of a later tier. */
async function setUp({ settings = {}, answer = final({ fault: 'provider' }), parts }: Given = {}) {
  const world = new World(parts === undefined);
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  const pools = new Pools({ clock: world.time, timers: world.time, logger });
  const [bad, good] = [new TestProvider('bad'), new TestProvider('good')];
  bad.reply = () => answer;
  good.reply = () => done();
  pools.connect(bad);
  pools.connect(good, { settings: { ...defaultProvider, tier: 1, ...settings } });
  const site = await world.started({ parts: { router: pools, ...parts } });
  return { world, pools, bad, good, site };
}

describe('an error that says more of the provider than of the call', () => {
  it('is final there, and the task is tried with another at once', async () => {
    const { world, bad, good, site } = await setUp();
    const before = world.time.wall();
    const task_id = await world.submit(site);
    expect(await world.outcome(site, task_id)).toMatchObject({ status: 'completed' });
    expect([bad.calls.length, good.calls.length]).toEqual([1, 1]);
    expect(world.time.wall() - before).toBeLessThan(100);
    expect(world.row(task_id).attempts).toMatchObject([
      { provider: 'bad', error: { data: { error_code: 'GLZ2010', fault: 'provider', elsewhere: true } } },
      { provider: 'good', error: null },
    ]);
  });

  it('is the same of a method that it does not have, which it is not asked for again', async () => {
    const { world, bad, site } = await setUp({ answer: final({ fault: 'method' }) });
    for (let turn = 0; turn < 3; turn++) {
      const outcome = await world.outcome(site, await world.submit(site));
      expect(outcome.status).toBe('completed');
    }
    expect(bad.calls.length).toBe(1);
  });

  it('uses up no attempt where it is the method that is missing', async () => {
    const { world, pools, bad, good, site } = await setUp({ answer: final({ fault: 'method' }) });
    const retry_config = { max_attempts: 1 };
    const task_id = await world.submit(site, { retry_config });
    expect(await world.outcome(site, task_id)).toMatchObject({ status: 'completed' });
    expect(world.row(task_id)).toMatchObject({ attempt_count: 2, attempt_base: 1 });
    good.reply = () => final({ fault: 'method' });
    for (const id of ['bad', 'good']) pools.resume(id);
    const nowhere = await world.outcome(site, await world.submit(site, { retry_config }));
    expect(nowhere).toMatchObject({ status: 'failed', error: { data: { provider: 'good', attempt: 2 } } });
    expect([bad.calls.length, good.calls.length]).toEqual([2, 2]);
  });

  it('is final where there is nobody else, no attempt left, or no try wanted', async () => {
    const { world, pools, site } = await setUp();
    for (const retry_config of [{ max_attempts: 1 }, { retry_on: [] }]) {
      const outcome = await world.outcome(site, await world.submit(site, { retry_config }));
      expect([outcome.status, outcome.error?.data.elsewhere]).toEqual(['failed', true]);
    }
    pools.drain('good');
    const alone = await world.outcome(site, await world.submit(site));
    expect(alone.error?.data).toMatchObject({ provider: 'bad', attempt: 1, fault: 'provider' });
    expect(alone.error?.data.elsewhere).toBeUndefined();
  });

  it('is final where it is the call that was refused', async () => {
    const { world, good, site } = await setUp({ answer: final() });
    expect(await world.outcome(site, await world.submit(site))).toMatchObject({ status: 'failed' });
    expect(good.calls).toEqual([]);
  });

  it('does not go back to whom it was final with, however long the other takes', async () => {
    const limits = { concurrency: 1, rate: null };
    const { world, bad, good, site } = await setUp({ settings: { limits } });
    good.reply = null;
    const ids = [await world.submit(site), await world.submit(site)];
    await world.time.advance(5000);
    expect([bad.calls.length, good.calls.length]).toEqual([2, 1]);
    good.last.done();
    await world.outcome(site, ids[0] ?? '');
    await world.time.advance(100);
    good.last.done();
    expect(await world.outcome(site, ids[1] ?? '')).toMatchObject({ status: 'completed' });
    expect([bad.calls.length, good.calls.length]).toEqual([2, 2]);
  });

  it('is the same where somebody else makes the calls', async () => {
    const courier = new Courier();
    const { world, site } = await setUp({ parts: { dispatch: courier } });
    const task_id = await world.submit(site);
    await world.time.settle();
    const said = final({ fault: 'provider' });
    await world.time.until(courier.arrivals.ended(answerTo(courier.last, said, { provider: 'bad' })));
    await world.time.advance(10);
    await world.time.until(courier.arrivals.ended(answerTo(courier.last, done(), { provider: 'good' })));
    expect(world.row(task_id)).toMatchObject({
      status: 'completed',
      attempts: [
        { provider: 'bad', error: { data: { elsewhere: true } } },
        { provider: 'good', error: null },
      ],
    });
  });

  it('says who else failed by the word of nobody but us', () => {
    const said = final({ also_failed: ['made', 'up'] });
    expect(sentElsewhere(said, null)).toEqual(final());
    expect(sentElsewhere(said, { failed: () => ['other'] })).toEqual(final({ also_failed: ['other'] }));
    const alone = final();
    expect(sentElsewhere(alone, { failed: () => [] })).toBe(alone);
  });

  it('is marked by nobody but us', () => {
    const marked = final({ fault: 'provider', elsewhere: true });
    expect(sentElsewhere(marked, null)).toEqual(final({ fault: 'provider' }));
    expect(sentElsewhere(marked, { others: () => false })).toEqual(final({ fault: 'provider' }));
    expect(sentElsewhere(final({ fault: 'provider' }), { others: () => true })).toEqual(marked);
    const unmarked = [done(), final(), final({ fault: 'provider' })];
    for (const answer of unmarked) expect(sentElsewhere(answer, {})).toBe(answer);
    const passing: Answer = {
      word: 'failed',
      error: errorRecord('GLZ2001', 'no', { fault: 'provider' }),
    };
    expect(sentElsewhere(passing, { others: () => true })).toBe(passing);
  });
});

describe('a service that asks to be left alone for ten minutes', () => {
  const busy = (code: ErrorCode): Answer => ({
    word: 'failed',
    error: errorRecord(code, 'slow down', { retry_after_ms: 600_000 }),
  });

  it.each(['GLZ2004', 'GLZ2001'] as const)(
    'is, and its task goes on with another after its own back-off',
    async (code) => {
      const { world, pools, bad, good, site } = await setUp({ answer: busy(code) });
      const before = world.time.wall();
      const retry_config = { initial_delay: 2, jitter: 0 };
      const task_id = await world.submit(site, { retry_config });
      expect(await world.outcome(site, task_id)).toMatchObject({ status: 'completed' });
      expect([bad.calls.length, good.calls.length]).toEqual([1, 1]);
      expect(world.time.wall() - before).toBeGreaterThanOrEqual(2000);
      expect(world.time.wall() - before).toBeLessThan(2100);
      expect(pools.status('bad')?.paused_until).toBe(before + 600_000);
      expect(world.row(task_id).attempts).toMatchObject([
        { provider: 'bad', error: { data: { retry_after_ms: 600_000, elsewhere: true } } },
        { provider: 'good', error: null },
      ]);
    },
  );

  it('is waited for where nobody else gets calls, or the other has failed the task already', async () => {
    const alone = await setUp({ answer: busy('GLZ2004') });
    alone.pools.drain('good');
    const left = await alone.world.submit(alone.site);
    await alone.world.time.advance(599_000);
    expect([alone.bad.calls.length, alone.good.calls.length]).toEqual([1, 0]);
    await alone.world.time.advance(2000);
    expect(alone.world.row(left).attempts[0]?.error?.data.elsewhere).toBeUndefined();
    expect(alone.bad.calls.length).toBe(2);
    const both = await setUp({ answer: busy('GLZ2004') });
    both.good.reply = () => busy('GLZ2004');
    await both.world.submit(both.site);
    await both.world.time.advance(590_000);
    expect([both.bad.calls.length, both.good.calls.length]).toEqual([1, 1]);
    await both.world.time.advance(15_000);
    expect(both.bad.calls.length + both.good.calls.length).toBe(3);
  });
});

describe('a task whose own time is up', () => {
  it.each([
    ['a fair time of it', 3, ['open']],
    ['a moment', 0.9, []],
  ])('says of a provider that had %s', async (_, total_timeout, states) => {
    const world = new World();
    const logger = { debug() {}, info() {}, warn() {}, error() {} };
    const pools = new Pools({ clock: world.time, timers: world.time, logger });
    const hung = new TestProvider('hung');
    pools.connect(hung);
    const site = await world.started({ parts: { router: pools }, options: { concurrency: 10 } });
    for (let turn = 0; turn < 5; turn++) await world.submit(site, { timeout: 10, total_timeout });
    await world.time.advance(7000);
    expect(pools.status('hung')?.breakers.map(({ state }) => state)).toEqual(states);
  });
});
