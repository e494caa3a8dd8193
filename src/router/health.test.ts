import { describe, expect, it } from 'vitest';
import type { Answer } from '../core/answer.ts';
import { GleitzeitError } from '../core/errors.ts';
import type { Provider } from '../core/ports/provider.ts';
import { nobodyCame } from '../core/ports/router.ts';
import { heldProvider, setUp } from './pools.suite.ts';
import { answered, failed, lots, settingsOf, TestQueue } from './queue.suite.ts';

const health = { every_ms: 1000, timeout_ms: 200, failures: 1, method: 'ping' };
const promptly = { draw: () => 0 };

/** A provider that answers `ping` as the test says, and counts how often it was asked. */
function asked(answer: () => Promise<Answer> | Answer): { provider: Provider; times: () => number } {
  let times = 0;
  const provider: Provider = {
    ...heldProvider('one').provider,
    call: async ({ method }) => {
      if (method === 'ping') times++;
      return answer();
    },
  };
  return { provider, times: () => times };
}

describe('a provider whose page is asked for', () => {
  const page = { path: '/health', least: 200, most: 299 };
  const settings = settingsOf({ health: { every_ms: 1000, timeout_ms: 200, failures: 1, get: page } });

  it('is well while the page has one of the statuses that are expected', async () => {
    const { time, pools, happened } = setUp(promptly);
    let status = 204;
    const paths: string[] = [];
    const look = async (path: string) => {
      paths.push(path);
      return status;
    };
    pools.connect({ ...heldProvider('one').provider, look }, { settings });
    await time.advance(10);
    expect([paths, pools.status('one')?.state]).toEqual([['/health'], 'connected']);
    status = 503;
    await time.advance(1000);
    expect(pools.status('one')?.state).toBe('unhealthy');
    expect(await pools.test('one')).toMatchObject({
      well: false,
      method: 'GET /health',
      error: { error_code: 'GLZ2001', message: 'the service answered HTTP 503' },
    });
    status = 200;
    await time.advance(1000);
    expect(happened.slice(1)).toMatchObject([
      { event: 'provider:unhealthy', data: { reason: 'the service answered HTTP 503' } },
      { event: 'provider:healthy' },
    ]);
    await pools.stop();
  });

  it.each([
    ['does not answer in time', () => new Promise<number>(() => {}), 'no answer within 0.2 s'],
    [
      'cannot be reached',
      () => Promise.reject(new GleitzeitError('GLZ2002', 'one refused the connection')),
      'one refused the connection',
    ],
  ])('is not well where it %s', async (_what, look, message) => {
    const { time, pools } = setUp(promptly);
    pools.connect({ ...heldProvider('one').provider, look }, { settings });
    await time.advance(500);
    expect(pools.status('one')?.state).toBe('unhealthy');
    expect(await time.until(pools.test('one'))).toMatchObject({ well: false, error: { message } });
    await pools.stop();
  });

  it('can be asked for a method all the same, and without an address is not well', async () => {
    const { pools } = setUp(promptly);
    const { provider } = asked(() => answered);
    pools.connect(provider, { settings });
    expect(await pools.test('one', { method: 'ping' })).toMatchObject({ well: true, method: 'ping' });
    expect(await pools.test('one')).toMatchObject({ well: false, method: 'GET /health' });
    await pools.stop();
  });
});

describe('a provider that is asked how it is', () => {
  it('gets no calls from when it does not answer until it does, and everybody is told', async () => {
    const { time, pools, happened } = setUp(promptly);
    let answer: Answer = answered;
    const { provider, times } = asked(() => answer);
    pools.connect(provider, { settings: settingsOf({ health }) });
    pools.onRoom(async () => nobodyCame);
    await time.advance(10);
    expect([times(), pools.status('one')?.state]).toEqual([1, 'connected']);
    answer = failed('GLZ2001');
    await time.advance(1000);
    expect(pools.status('one')?.state).toBe('unhealthy');
    const request = {
      protocol: 'a/v1',
      method: 'echo',
      params: {},
      task_id: 't',
      workflow_id: null,
      avoid: [],
    };
    expect(pools.route({ ...request, called: false })).toMatchObject({
      word: 'wait',
      line: { kind: 'unhealthy', key: 'provider one for echo' },
    });
    await time.advance(3000);
    answer = failed('GLZ2010');
    await time.advance(1000);
    expect(pools.status('one')).toMatchObject({ state: 'connected', calls: 0 });
    expect(happened.slice(1)).toEqual([
      {
        event: 'provider:unhealthy',
        data: { provider: 'one', protocol: 'a/v1', reason: 'the service answered with an error' },
      },
      { event: 'provider:healthy', data: { provider: 'one', protocol: 'a/v1' } },
    ]);
    await pools.stop();
    await time.advance(5000);
    expect(time.pending).toBe(0);
  });

  it('is ill where it takes too long, and is asked again whatever becomes of the first question', async () => {
    const { time, pools } = setUp(promptly);
    const { provider, times } = asked(() => new Promise(() => {}));
    pools.connect(provider, { settings: settingsOf({ health }) });
    await time.advance(300);
    expect(pools.status('one')?.state).toBe('unhealthy');
    // 250 ms after the first miss, twice as long after the next, and at last every second.
    await time.advance(2900);
    expect(times()).toBe(4);
    pools.adjust('one', settingsOf());
    expect(pools.status('one')?.state).toBe('connected');
    await time.advance(5000);
    expect([times(), time.pending]).toEqual([4, 0]);
  });

  it('stays ill, and is asked no more than before, where other settings than these questions change', async () => {
    const { time, pools } = setUp(promptly);
    const { provider, times } = asked(() => new Promise(() => {}));
    pools.connect(provider, { settings: settingsOf({ health }) });
    await time.advance(300);
    for (const weight of [2, 3, 4]) pools.adjust('one', settingsOf({ health: { ...health }, weight }));
    await time.advance(100);
    expect([times(), pools.status('one')]).toMatchObject([1, { state: 'unhealthy', weight: 4 }]);
    pools.adjust('one', settingsOf({ health: { ...health, timeout_ms: 300 } }));
    await time.advance(1);
    expect([times(), pools.status('one')]).toMatchObject([2, { state: 'connected' }]);
    await pools.stop();
  });

  it.each([
    [undefined, 2],
    [3, 3],
  ])('goes on where fewer answers than told are missed in a row (%s)', async (failures, rests) => {
    const { time, pools, happened } = setUp(promptly);
    let answer: Answer = answered;
    const { provider, times } = asked(() => answer);
    pools.connect(provider, { settings: settingsOf({ health: { ...health, every_ms: 8000, failures } }) });
    await time.advance(10);
    for (let turn = 0; turn < 3; turn++) {
      const before = times();
      answer = failed('GLZ2001');
      while (times() < before + rests - 1) await time.advance(1000);
      expect(pools.status('one')?.state).toBe('connected');
      answer = answered;
      await time.advance(8000);
    }
    answer = failed('GLZ2001');
    // It is asked again a second after a miss, then two.
    await time.advance(8000 + (rests === 3 ? 3000 : 1000));
    expect(pools.status('one')?.state).toBe('unhealthy');
    expect(happened.map(({ event }) => event)).toEqual(['provider:connected', 'provider:unhealthy']);
    await pools.stop();
  });

  it('is asked at a moment of its own, so that many are not asked together', async () => {
    const { time, pools } = setUp({ draw: lots(7) });
    const moments: number[][] = [];
    for (let index = 0; index < 100; index++) {
      const own: number[] = [];
      moments.push(own);
      const call = async () => {
        own.push(time.monotonic());
        return answered;
      };
      const provider = { ...heldProvider(`p${index}`).provider, call };
      pools.connect(provider, { settings: settingsOf({ health }) });
    }
    await time.advance(3000);
    for (const nth of [0, 1, 2]) expect(new Set(moments.map((own) => own[nth])).size).toBeGreaterThan(90);
    await pools.stop();
  });

  it('is heard no more once it is gone', async () => {
    const { time, pools, happened } = setUp(promptly);
    const { promise, resolve } = Promise.withResolvers<Answer>();
    pools.connect(asked(() => promise).provider, { settings: settingsOf({ health }) });
    await time.advance(1);
    await pools.disconnect('one');
    resolve(failed('GLZ2001'));
    await time.advance(5000);
    expect(happened.map(({ event }) => event)).toEqual(['provider:connected', 'provider:disconnected']);
    expect(time.pending).toBe(0);
  });
});

describe('a provider that is drained', () => {
  it('finishes its calls and gets no more until it is resumed, when those come who waited', async () => {
    const { pools, send, time } = setUp();
    const one = heldProvider('one');
    pools.connect(one.provider);
    const rung: string[] = [];
    pools.onRoom(async ({ kind, key }, places) => {
      rung.push(`${kind} ${key} ${places}`);
      return { count: places, more: 0 };
    });
    const { answer } = send();
    expect([pools.drain('one'), pools.drain('nobody')]).toEqual([true, false]);
    expect(pools.status('one')).toMatchObject({ state: 'drained', in_flight: 1 });
    expect(() => send()).toThrow('nobody waits here');
    one.answer();
    expect(await answer).toMatchObject({ word: 'done' });
    expect([pools.resume('one'), pools.resume('nobody')]).toEqual([true, false]);
    expect(rung).toEqual(['drained provider one for echo 1']);
    await time.settle();
    expect(pools.status('one')?.state).toBe('connected');
    await pools.stop();
  });
});

describe('what a provider tells of itself', () => {
  it('is which methods are open and when they are tried again, and what is left of its limits', async () => {
    const { pools, send, time } = setUp();
    const one = heldProvider('one');
    const limits = { concurrency: 10, rate: { per_ms: 0.01, burst: 8 } };
    pools.connect(one.provider, { settings: settingsOf({ limits, zone: 'eu', models: ['s'] }) });
    for (let turn = 0; turn < 5; turn++) {
      const { answer } = send();
      one.answer(failed('GLZ2001'));
      await answer;
    }
    send('other');
    one.answer(failed('GLZ2004', 3000));
    await time.settle();
    const status = pools.status('one');
    expect(status).toMatchObject({
      zone: 'eu',
      models: ['s'],
      breakers: [{ method: 'echo', state: 'open' }],
      paused_until: time.wall() + 3000,
      concurrency: { most: 10, left: 4 },
      rate: { per_second: 10, burst: 8, left: 2 },
    });
    // The breaker would be tried sooner, but not while it asked to be left alone.
    expect((status?.next_probe ?? 0) - time.wall()).toBe(3000);
    await pools.stop();
  });
});

describe('who waits for a provider that is not well', () => {
  it('comes as soon as it is asked again and answers', async () => {
    const queue = new TestQueue();
    let ill = true;
    queue.provider(
      'one',
      ({ method }) => ({ ms: 1, answer: ill && method === 'ping' ? failed('GLZ2001') : answered }),
      { settings: { health } },
    );
    await queue.time.advance(100);
    queue.submit({ id: 'waits' });
    await queue.time.advance(1000);
    expect(queue.results.size).toBe(0);
    ill = false;
    await queue.time.advance(1100);
    expect(queue.results.get('waits')).toEqual(answered);
    await queue.pools.stop();
  });
});

describe('a service that asks to be left alone', () => {
  it('is, for the longest time it has asked for', async () => {
    const { time, pools, send } = setUp();
    const one = heldProvider('one');
    pools.connect(one.provider);
    const answers = [send().answer, send().answer];
    one.answer(failed('GLZ2004', 5000));
    one.answer(failed('GLZ2004', 100));
    await Promise.all(answers);
    await time.settle();
    expect(pools.status('one')?.paused_until).toBe(time.wall() + 5000);
    await pools.stop();
  });
});
