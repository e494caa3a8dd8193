import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { Provider } from '../core/ports/provider.ts';
import { Connection } from './connection.ts';
import { heldProvider, setUp } from './pools.suite.ts';
import { probe } from './probe.ts';
import { failed, settingsOf } from './queue.suite.ts';

const health = { every_ms: 1000, timeout_ms: 200, method: 'ping' };

describe('a question that is not answered in time', () => {
  it('is given up, and the provider hears why', async () => {
    const { time, pools } = setUp({ draw: () => 0 });
    const signals: AbortSignal[] = [];
    const call: Provider['call'] = ({ signal }) => {
      signals.push(signal);
      return new Promise(() => {});
    };
    pools.connect({ ...heldProvider('one').provider, call }, { settings: settingsOf({ health }) });
    await time.advance(199);
    expect(signals[0]?.aborted).toBe(false);
    await time.advance(1);
    expect(signals[0]?.reason).toMatchObject({ code: 'GLZ2003' });
    await pools.stop();
  });

  it('is given up at once where its provider goes, and leaves nothing behind', async () => {
    const { time, pools } = setUp({ draw: () => 0 });
    const signals: AbortSignal[] = [];
    const look = (_: string, signal: AbortSignal) => {
      signals.push(signal);
      return new Promise<number>(() => {});
    };
    const page = { every_ms: 1000, timeout_ms: 3_600_000, get: { path: '/', least: 200, most: 299 } };
    pools.connect({ ...heldProvider('one').provider, look }, { settings: settingsOf({ health: page }) });
    await time.advance(1);
    const tested = pools.test('one');
    await pools.stop();
    expect(await tested).toMatchObject({ well: false, error: { error_code: 'GLZ2008' } });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    expect(time.pending).toBe(0);
  });

  it('is given up where another is asked instead', async () => {
    const { time, pools } = setUp({ draw: () => 0 });
    const signals: AbortSignal[] = [];
    const call: Provider['call'] = ({ signal }) => {
      signals.push(signal);
      return new Promise(() => {});
    };
    pools.connect({ ...heldProvider('one').provider, call }, { settings: settingsOf({ health }) });
    await time.advance(1);
    pools.adjust('one', settingsOf({ health: { ...health, method: 'other' } }));
    await time.advance(1);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    await pools.stop();
    expect(time.pending).toBe(0);
  });
});

describe('a question that is over', () => {
  it('is not remembered by whoever could have ended it, however often one is asked', async () => {
    const { time } = setUp({ draw: () => 0 });
    const provider = { ...heldProvider('one').provider, probe: wellProbe };
    const connection = new Connection(provider, { clock: time });
    const ends = new AbortController().signal;
    const parts = { clock: time, timers: time, ends };
    for (let turn = 0; turn < 3; turn++) await probe(connection, {}, parts);
    expect([getEventListeners(ends, 'abort').length, time.pending]).toEqual([0, 0]);
  });
});

const wellProbe = { asked: 'card', ask: async () => ({ well: true, error: null }) };

describe('a test of a provider', () => {
  it('waits as long as its health check does, but never longer than a minute', async () => {
    const { time, pools } = setUp({ draw: () => 0 });
    const provider = { ...heldProvider('one').provider, call: () => new Promise<never>(() => {}) };
    pools.connect(provider, { settings: settingsOf({ health }) });
    expect(await time.until(pools.test('one'))).toMatchObject({ well: false, ms: 200 });
    pools.adjust('one', settingsOf({ health: { ...health, timeout_ms: 3_600_000 } }));
    expect(await time.until(pools.test('one'))).toMatchObject({ well: false, ms: 60_000 });
    expect(await time.until(pools.test('one', { timeout_ms: 10 }))).toMatchObject({ ms: 10 });
    await pools.stop();
  });
});

describe('the next probe of a provider', () => {
  it('is the first that any of its open methods gets', async () => {
    const { time, pools, send } = setUp({ draw: () => 0 });
    const one = heldProvider('one');
    pools.connect(one.provider);
    for (const method of ['early', 'late']) {
      for (let turn = 0; turn < 5; turn++) {
        const { answer } = send(method);
        one.answer(failed('GLZ2001'));
        await answer;
      }
      await time.advance(300);
    }
    const { breakers = [], next_probe } = pools.status('one') ?? {};
    const [early, late] = breakers.map((breaker) => breaker.next_probe ?? 0);
    expect([next_probe, (late ?? 0) > (early ?? 0)]).toEqual([early, true]);
    await time.advance(3_600_000);
    // Nobody has called meanwhile: it can come from now on.
    expect(pools.status('one')).toMatchObject({ next_probe: time.wall() });
    await pools.stop();
  });
});
