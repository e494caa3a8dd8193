import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import type { ProviderCall } from '../core/ports/provider.ts';
import { HedgeWorld, request } from './hedge.suite.ts';
import { answered, failed, settingsOf } from './queue.suite.ts';

const untold = { concurrency: null, rate: null };

/** `slow` is asked first, by its tier; `quick` is where there is somebody else to ask. */
function slowAndQuick(world: HedgeWorld, slow = 1000, quick = 10): void {
  world.provider('slow', () => ({ ms: slow }));
  world.provider('quick', () => ({ ms: quick }), { tier: 1 });
}

describe('a call of an idempotent method that is slow', () => {
  it('is also made to another provider, under the same id, and the first answer counts', async () => {
    const world = new HedgeWorld();
    slowAndQuick(world);
    const { over } = world.send({}, { call_id: 'c7' });
    await world.time.advance(99);
    expect(world.calls).toEqual(['slow c7']);
    const { answer, first, by } = await world.time.until(over);
    expect([answer.word, first, by, world.time.monotonic()]).toEqual(['done', 'slow', 'quick', 110]);
    expect([world.calls, world.aborted, world.hedges]).toEqual([
      ['slow c7', 'quick c7'],
      ['slow'],
      ['a/v1 won'],
    ]);
  });

  it('counts the loser neither as an error nor as a failure', async () => {
    const world = new HedgeWorld();
    slowAndQuick(world);
    for (let call = 0; call < 10; call++) await world.time.until(world.send().over);
    await world.time.settle();
    expect(world.status('slow')).toMatchObject({ errors: 0, last_error: null, breakers: [], in_flight: 0 });
    expect(world.status('quick')).toMatchObject({ hedges: 10, calls: 10, in_flight: 0 });
    expect(world.ended.filter(({ provider }) => provider === 'slow')[0]).toMatchObject({
      outcome: 'cancelled',
      hedge: false,
    });
    expect(world.time.pending).toBe(0);
  });

  it('takes the answer of the first where that comes after all', async () => {
    const world = new HedgeWorld();
    slowAndQuick(world, 120, 50);
    const { by } = await world.time.until(world.send().over);
    expect([by, world.time.monotonic(), world.aborted, world.hedges]).toEqual([
      'slow',
      120,
      ['quick'],
      ['a/v1 lost'],
    ]);
    expect(world.status('quick')).toMatchObject({ errors: 0, breakers: [], in_flight: 0 });
  });

  it('is not made to one that has sent the task elsewhere', async () => {
    const world = new HedgeWorld();
    slowAndQuick(world);
    const { by } = await world.time.until(world.send({ refused: ['quick'] }).over);
    expect([by, world.calls.length, world.hedges]).toEqual(['slow', 1, []]);
  });

  it('gives back the place of one that failed at once, while the other is waited for', async () => {
    const world = new HedgeWorld();
    const limits = { concurrency: 1, rate: null };
    world.provider('slow', () => ({ ms: 150, answer: failed('GLZ2001') }), { limits });
    world.provider('quick', () => ({ ms: 5000 }), { tier: 1, limits });
    const { over } = world.send();
    await world.time.advance(160);
    expect(world.send({ method: 'put' }).id).toBe('slow');
    await world.time.until(over);
  });

  it('does not hold it against those who came later when its time is up', async () => {
    const world = new HedgeWorld();
    slowAndQuick(world, 1e5, 1e5);
    for (let call = 0; call < 3; call++) await world.time.until(world.send({}, { timeout_ms: 150 }).over);
    await world.time.settle();
    expect(world.status('quick').breakers).toEqual([]);
    expect(world.status('slow').breakers).toHaveLength(1);
  });

  it.each([
    ['the first', { slow: [150, failed('GLZ2001')], quick: [200, undefined] }, 'quick', 300],
    ['the other', { slow: [400, undefined], quick: [50, failed('GLZ2001')] }, 'slow', 400],
  ] as const)('waits for the rest where %s fails', async (_which, { slow, quick }, by, at) => {
    const world = new HedgeWorld();
    world.provider('slow', () => ({ ms: slow[0], ...(slow[1] && { answer: slow[1] }) }));
    world.provider('quick', () => ({ ms: quick[0], ...(quick[1] && { answer: quick[1] }) }), { tier: 1 });
    const ended = await world.time.until(world.send().over);
    expect([ended.answer.word, ended.by, world.time.monotonic()]).toEqual(['done', by, at]);
    expect([world.status('slow').errors, world.status('quick').errors]).toEqual(
      by === 'slow' ? [0, 1] : [1, 0],
    );
  });

  it('fails where all of them do, with what the last one said', async () => {
    const world = new HedgeWorld();
    world.provider('slow', () => ({ ms: 150, answer: failed('GLZ2001') }));
    world.provider('quick', () => ({ ms: 100, answer: failed('GLZ2010') }), { tier: 1 });
    const { answer, by } = await world.time.until(world.send().over);
    expect([answer, by, world.hedges]).toEqual([failed('GLZ2010'), 'quick', ['a/v1 failed']]);
  });

  it('asks nobody else once the first has failed by itself', async () => {
    const world = new HedgeWorld();
    world.provider('slow', () => ({ ms: 50, answer: failed('GLZ2001') }));
    world.provider('quick', () => ({ ms: 1 }), { tier: 1 });
    const { answer } = await world.time.until(world.send().over);
    await world.time.advance(1000);
    expect([answer.word, world.calls, world.hedges]).toEqual(['failed', ['slow t'], []]);
  });

  it('asks as many others as it may, each after the same time', async () => {
    const world = new HedgeWorld({ after: 100, max: 2 });
    for (const [tier, id] of ['a', 'b', 'c', 'd'].entries())
      world.provider(id, () => ({ ms: 1000 }), { tier });
    const { over } = world.send();
    await world.time.advance(500);
    expect(world.calls).toEqual(['a t', 'b t', 'c t']);
    await world.time.until(over);
    expect([world.time.monotonic(), world.aborted]).toEqual([1000, ['b', 'c']]);
  });

  it('lets none of them keep anything, which another would be handed', async () => {
    const world = new HedgeWorld();
    const keeps: boolean[] = [];
    for (const id of ['a', 'b']) {
      const call = async ({ keep }: ProviderCall) => {
        keeps.push(keep !== undefined);
        return answered;
      };
      const provider = { id, protocol: 'a/v1', hasMethod: () => true, call };
      world.pools.connect(provider, { settings: settingsOf({}) });
    }
    const routed = world.pools.route(request);
    if (routed.word === 'wait') throw new Error('it waits');
    const { signal } = new AbortController();
    const { method, params, task_id, workflow_id } = request;
    const told = { method, params, task_id, workflow_id, call_id: 't', attempt: 1, signal };
    await routed.passage.provider.call({ ...told, keep: async () => true });
    routed.passage.leave();
    expect(keeps).toEqual([false]);
  });
});

describe('a call that is given up', () => {
  it('ends everywhere; only the first has failed, for it had all the time there was', async () => {
    const world = new HedgeWorld();
    world.provider('slow', () => ({ ms: 1e9 }), { breaker: { ...quickBreaker, failures: 1 } });
    world.provider('hung', () => ({ ms: 1e9 }), { tier: 1, breaker: { ...quickBreaker, failures: 1 } });
    const { answer } = await world.time.until(world.send({}, { timeout_ms: 200 }).over);
    await world.time.settle();
    expect([answer.word, world.aborted.sort(), world.hedges]).toEqual([
      'failed',
      ['hung', 'slow'],
      ['a/v1 failed'],
    ]);
    expect(world.status('slow').breakers).toMatchObject([{ state: 'open' }]);
    expect(world.status('hung')).toMatchObject({ breakers: [], in_flight: 0 });
    expect(world.time.pending).toBe(0);
  });

  it('says nothing of anybody where its caller cancelled it', async () => {
    const world = new HedgeWorld();
    slowAndQuick(world, 1e9, 1e9);
    const { over, end } = world.send();
    await world.time.advance(150);
    end(new GleitzeitError('GLZ2009', 'cancelled'));
    await world.time.until(over);
    await world.time.settle();
    for (const id of ['slow', 'quick'])
      expect(world.status(id)).toMatchObject({ errors: 0, breakers: [], in_flight: 0 });
  });

  it('goes nowhere else where it was given up before it was made', async () => {
    const world = new HedgeWorld();
    slowAndQuick(world, 1e9);
    const { over, end } = world.send({}, { timeout_ms: 0 });
    end(new GleitzeitError('GLZ2009', 'cancelled'));
    await world.time.until(over);
    await world.time.advance(1000);
    expect([world.calls, world.time.pending]).toEqual([['slow t'], 0]);
  });

  it('gives its places back where its provider does not heed that', async () => {
    const world = new HedgeWorld();
    world.provider('slow', () => ({ ms: 1e6, deaf: true }), { limits: { ...untold, concurrency: 1 } });
    world.provider('quick', () => ({ ms: 10 }), { tier: 1 });
    await world.time.until(world.send().over);
    expect(world.status('slow')).toMatchObject({ concurrency: { left: 1 }, in_flight: 1 });
  });

  it('leaves a place that came to no call', () => {
    const world = new HedgeWorld();
    slowAndQuick(world);
    const routed = world.pools.route({ ...base, method: 'get' });
    if (routed.word === 'go') routed.passage.leave();
    expect(world.status('slow').concurrency).toBe(null);
    expect([routed.word, world.time.pending]).toEqual(['go', 0]);
  });
});

describe('nobody else is asked', () => {
  it.each([
    ['for a method that is not marked', { method: 'put' }, {}, { after: 100, max: 1 }],
    ['where the pool does not say so', {}, {}, null],
    ['by somebody who is drained', {}, { drained: true }, { after: 100, max: 1 }],
    ['who is full', {}, { limits: { concurrency: 1, rate: null }, busy: true }, { after: 100, max: 1 }],
    [
      'whose rate is used up',
      {},
      { limits: { concurrency: null, rate: { per_ms: 1e-9, burst: 1 } }, busy: true },
      { after: 100, max: 1 },
    ],
    ['who has not the model', { params: { model: 'x' } }, { models: ['y'] }, { after: 100, max: 1 }],
  ] as const)('%s', async (_why, call, { drained, busy, ...settings }: Odd, policy) => {
    const world = new HedgeWorld(policy);
    world.provider('slow', () => ({ ms: 1000 }), { tier: 1 });
    world.provider('other', () => ({ ms: 5000 }), { ...settings, tier: busy === true ? 0 : 2 });
    if (drained === true) world.pools.drain('other');
    if (busy === true) world.send({ method: 'put' });
    const { by } = await world.time.until(world.send(call).over);
    expect([by, world.time.monotonic(), world.hedges]).toEqual(['slow', 1000, []]);
  });

  it.each([
    ['protocol', { limits: { concurrency: 1, rate: null } }, {}],
    ['key', { per_key: { key: 'params.user', concurrency: 1, rate: null } }, { params: { user: '7' } }],
  ] as const)('beyond what its %s may have at once', async (_what, pool, call) => {
    const world = new HedgeWorld({ after: 100, max: 1 }, pool);
    slowAndQuick(world, 1000);
    const { by } = await world.time.until(world.send(call).over);
    expect([by, world.time.monotonic()]).toEqual(['slow', 1000]);
  });

  it('for more than a tenth of the calls, and a few more', async () => {
    const world = new HedgeWorld({ after: 100, max: 1 });
    for (const id of ['a', 'b', 'c']) world.provider(id, () => ({ ms: 300 }));
    for (let call = 0; call < 400; call++) void world.send();
    await world.time.advance(10_000);
    const hedges = world.ended.filter(({ hedge }) => hedge).length;
    expect(world.hedges).toHaveLength(hedges);
    expect([hedges > 9, hedges <= 50]).toEqual([true, true]);
  });

  it('before it is known how long most calls take, where that is the time', async () => {
    const world = new HedgeWorld({ after: 'p95', max: 1 });
    let ms = 10;
    world.provider('usual', () => ({ ms }));
    world.provider('other', () => ({ ms: 5 }), { tier: 1 });
    for (let call = 0; call < 20; call++) await world.time.until(world.send().over);
    expect(world.hedges).toEqual([]);
    ms = 500;
    const before = world.time.monotonic();
    const { by } = await world.time.until(world.send().over);
    expect([by, world.time.monotonic() - before]).toEqual(['other', 15]);
  });
});

const base = { protocol: 'a/v1', params: {}, task_id: 't', workflow_id: null, avoid: [], called: false };
const quickBreaker = {
  failures: 5,
  failure_rate: 1,
  window_ms: 1000,
  least_calls: 100,
  cool_down_ms: 1000,
  most_cool_down_ms: 1000,
  probes: 1,
};
type Odd = {
  readonly drained?: boolean;
  readonly busy?: boolean;
  readonly models?: readonly string[];
  readonly limits?: {
    readonly concurrency: number | null;
    readonly rate: { readonly per_ms: number; readonly burst: number } | null;
  };
};
