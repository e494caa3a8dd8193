import { describe, expect, it } from 'vitest';
import type { Provider } from '../core/ports/provider.ts';
import { done, heldProvider, setUp } from './pools.suite.ts';

/** How long a program may take to end before it is killed; then it has still to be seen that it is gone. */
const PROGRAM_GRACE_MS = 5000;

describe('pools of providers', () => {
  it('route to whoever is connected now and has less to do, and say so when that changes', async () => {
    const { pools, send, happened } = setUp();
    let changes = 0;
    const unlisten = pools.onChange(() => changes++);
    expect(pools.protocols()).toEqual([]);
    const one = heldProvider('one');
    pools.connect(one.provider);
    pools.connect(heldProvider('two').provider);
    pools.connect(heldProvider('three', 'b/v1').provider);
    expect(pools.protocols()).toEqual(['a/v1', 'b/v1']);
    expect(new Set([send(), send()].map(({ id }) => id))).toEqual(new Set(['one', 'two']));
    expect(changes).toBe(3);
    await pools.disconnect('three', { reason: 'taken out of the configuration' });
    expect(pools.protocols()).toEqual(['a/v1']);
    expect(() => send('echo', 'b/v1')).toThrow(expect.objectContaining({ code: 'GLZ2007' }));
    expect(changes).toBe(4);
    unlisten();
    await pools.disconnect('nobody');
    expect(changes).toBe(4);
    expect(happened).toEqual([
      { event: 'provider:connected', data: { provider: 'one', protocol: 'a/v1' } },
      { event: 'provider:connected', data: { provider: 'two', protocol: 'a/v1' } },
      { event: 'provider:connected', data: { provider: 'three', protocol: 'b/v1' } },
      {
        event: 'provider:disconnected',
        data: { provider: 'three', protocol: 'b/v1', reason: 'taken out of the configuration' },
      },
    ]);
  });

  it('warm the one provider that a protocol has, and none of several', () => {
    const { pools } = setUp();
    const warmed: string[] = [];
    const cold = (id: string, protocol: string): Provider => ({
      ...heldProvider(id, protocol).provider,
      warm: () => void warmed.push(id),
    });
    pools.connect(cold('one', 'a/v1'));
    pools.connect(cold('two', 'b/v1'));
    pools.connect(cold('three', 'b/v1'));
    pools.warm(['a/v1', 'a/v1', 'b/v1', 'c/v1']);
    expect(warmed).toEqual(['one']);
  });

  it('let a provider that goes finish its calls, and close it then', async () => {
    const { time, pools, send } = setUp();
    const one = heldProvider('one');
    pools.connect(one.provider);
    const { answer } = send();
    const gone = pools.disconnect('one', { drain_ms: 1000 });
    expect(() => send()).toThrow(expect.objectContaining({ code: 'GLZ2007' }));
    expect(pools.status('one')).toMatchObject({ state: 'draining', in_flight: 1 });
    await time.advance(999);
    expect(one.closed()).toBe(0);
    one.answer();
    await gone;
    expect(await answer).toEqual(done);
    expect(one.closed()).toBe(1);
    expect(pools.status('one')).toBeNull();
    expect(time.pending).toBe(0);
  });

  it('close nobody at whom somebody has a place and is about to call', async () => {
    const { pools, route, time } = setUp();
    const one = heldProvider('one');
    pools.connect(one.provider);
    const caller = route();
    const other = route();
    const gone = pools.disconnect('one');
    await time.settle();
    expect(one.closed()).toBe(0);
    const answer = caller.call();
    one.answer();
    expect(await answer).toEqual(done);
    caller.passage.leave();
    await time.settle();
    expect(one.closed()).toBe(0);
    other.passage.leave();
    await gone;
    expect([one.closed(), time.pending]).toEqual([1, 0]);
  });

  it('answer a call that comes after the end as interrupted, so that it is made elsewhere', async () => {
    const { pools, route, time } = setUp();
    const one = heldProvider('one');
    pools.connect(one.provider);
    const { call } = route();
    await time.until(pools.stop());
    expect(one.closed()).toBe(1);
    expect(await call()).toMatchObject({ word: 'failed', error: { data: { error_code: 'GLZ2008' } } });
  });

  it('wait for a provider that goes as long as its calls take, and say so when that is long', async () => {
    const { time, pools, send, lines } = setUp();
    const before = heldProvider('one');
    const other = heldProvider('two', 'b/v1');
    pools.connect(before.provider);
    pools.connect(other.provider);
    const answers = [send().answer, send('echo', 'b/v1').answer];
    pools.connect(heldProvider('one').provider);
    const gone = pools.disconnect('two');
    await time.advance(29_999);
    expect(lines).toEqual([]);
    await time.advance(1);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject(
      ['one', 'two'].map((provider) => ({ provider, calls: 1, level: 'warn' })),
    );
    await time.advance(3_600_000);
    expect([before.closed(), other.closed()]).toEqual([0, 0]);
    before.answer();
    other.answer();
    await gone;
    await time.settle();
    expect(await Promise.all(answers)).toEqual([done, done]);
    expect([before.closed(), other.closed(), lines.length, time.pending]).toEqual([1, 1, 2, 0]);
  });

  it('end with the deadline of the stop also what has been finishing its calls since before', async () => {
    const { time, pools, send } = setUp();
    const one = heldProvider('one');
    pools.connect(one.provider);
    const { answer } = send();
    void pools.disconnect('one');
    await time.advance(1000);
    const stopped = pools.stop(500);
    await time.advance(499);
    expect(one.closed()).toBe(0);
    await time.advance(1);
    await stopped;
    expect(await answer).toMatchObject({ word: 'failed', error: { data: { error_code: 'GLZ2008' } } });
    expect([one.closed(), time.pending]).toEqual([1, 0]);
  });

  it('end the calls of a provider that does not finish in time; they are tried elsewhere', async () => {
    const { time, pools, send, ended } = setUp();
    const one = heldProvider('one');
    pools.connect(one.provider);
    const { answer } = send();
    const gone = pools.disconnect('one', { drain_ms: 1000 });
    await time.advance(1000);
    await gone;
    expect(await answer).toMatchObject({ word: 'failed', error: { data: { error_code: 'GLZ2008' } } });
    expect(one.closed()).toBe(1);
    one.answer();
    await time.settle();
    expect(ended).toEqual(['one interrupted 1000']);
  });

  it('replace a provider of the same id without a moment in which nobody is there', async () => {
    const { time, pools, send, happened } = setUp();
    const before = heldProvider('one');
    const after = heldProvider('one');
    pools.connect(before.provider);
    const first = send();
    const seen: (readonly string[])[] = [];
    pools.onChange(() => seen.push(pools.protocols()));
    pools.connect(after.provider);
    const second = send();
    expect(pools.providers().map(({ state, in_flight }) => ({ state, in_flight }))).toEqual([
      { state: 'connected', in_flight: 1 },
      { state: 'draining', in_flight: 1 },
    ]);
    before.answer({ word: 'done', result: '"old"' });
    after.answer({ word: 'done', result: '"new"' });
    expect(await first.answer).toEqual({ word: 'done', result: '"old"' });
    expect(await second.answer).toEqual({ word: 'done', result: '"new"' });
    await time.settle();
    expect([before.closed(), after.closed()]).toEqual([1, 0]);
    expect(seen).toEqual([['a/v1']]);
    const data = { provider: 'one', protocol: 'a/v1' };
    expect(happened).toEqual([
      { event: 'provider:connected', data },
      { event: 'provider:disconnected', data: { ...data, reason: 'replaced' } },
      { event: 'provider:connected', data },
    ]);
    await pools.disconnect('one');
    expect(after.closed()).toBe(1);
  });

  it('close all on stop, waiting as long as they are told', async () => {
    const { time, pools, send, happened } = setUp();
    const one = heldProvider('one');
    const two = heldProvider('two');
    pools.connect(one.provider);
    pools.connect(two.provider);
    const { answer } = send();
    const stopped = pools.stop(500);
    expect(pools.protocols()).toEqual([]);
    await time.advance(500);
    await stopped;
    expect(await answer).toMatchObject({ word: 'failed' });
    expect([one.closed(), two.closed()]).toEqual([1, 1]);
    expect(happened).toHaveLength(2);
  });

  it('leave no timer behind for one that is only being closed when they are stopped', async () => {
    const { time, pools } = setUp();
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    pools.connect({ ...heldProvider('one').provider, close: () => closed });
    void pools.disconnect('one');
    await time.settle();
    const stopped = pools.stop(60_000);
    resolve();
    await stopped;
    expect(time.pending).toBe(0);
  });

  it('wait for a provider that needs a while to close, such as a program that has to be made to end', async () => {
    const { time, pools } = setUp();
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    pools.connect({ ...heldProvider('one').provider, close: () => closed });
    let over = false;
    const stopped = pools.stop().then(() => {
      over = true;
    });
    await time.advance(PROGRAM_GRACE_MS);
    expect(over).toBe(false);
    resolve();
    await stopped;
    expect(time.pending).toBe(0);
  });

  it('do not wait for a provider that cannot close', async () => {
    const { time, pools, lines } = setUp();
    const hanging: Provider = { ...heldProvider('one').provider, close: () => new Promise(() => {}) };
    const failing: Provider = {
      ...heldProvider('two').provider,
      close: async () => {
        throw new Error('still busy');
      },
    };
    pools.connect(hanging);
    pools.connect(failing);
    const stopped = pools.stop();
    await time.advance(2 * PROGRAM_GRACE_MS);
    await stopped;
    expect(lines).toEqual([expect.stringContaining('"error":"still busy"')]);
    expect(pools.providers()).toEqual([]);
  });
});
