import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import { HOUR_MS, MINUTE_MS } from '../core/stats/report.ts';
import { VirtualTime } from '../engine/testing/virtual-time.suite.ts';
import { CallStats } from './call-stats.ts';

const name = { protocol: 'a/v1', provider: 'p', method: 'm' };
const call = { outcome: 'done', ms: 10, attempt: 1, hedge: false, usage: null, cost: null };

/** Engines on one store, which is a map here. */
function setUp() {
  const time = new VirtualTime();
  const stored = new Map<string, string>();
  const writes: string[] = [];
  const warned: string[] = [];
  let broken = false;
  const mayFail = () => {
    if (broken) throw new GleitzeitError('GLZ3001', 'away');
  };
  const documents = {
    list: async ({ limit, cursor }: { limit: number; cursor?: string }) => {
      const keys = [...stored.keys()].sort().filter((key) => cursor === undefined || key > cursor);
      const items = keys.slice(0, limit).map((key) => ({ key, text: stored.get(key) ?? '' }));
      return { items, next_cursor: keys.length > limit ? (items.at(-1)?.key ?? null) : null };
    },
    put: async (key: string, text: string) => {
      mayFail();
      writes.push(key);
      stored.set(key, text);
    },
    remove: async (key: string) => stored.delete(key),
  };
  const logger = { debug() {}, info() {}, warn: (message: string) => warned.push(message), error() {} };
  const engine = (id: string) => new CallStats({ name: id, clock: time, timers: time, logger, documents });
  const hour = (ago: number) => new Date(time.wall() - ago * HOUR_MS).toISOString().slice(0, 13);
  const breaks = (is: boolean) => {
    broken = is;
  };
  return { time, stored, writes, warned, engine, hour, breaks };
}

async function callsSeen(stats: CallStats, window: 'hour' | 'day' = 'hour'): Promise<number> {
  const { protocols } = await stats.report({ window, protocol: null });
  return protocols.reduce((sum, { total }) => sum + total.calls, 0);
}

describe('what calls came to', () => {
  it('is known at once, and written once a minute while there are calls', async () => {
    const { time, writes, engine } = setUp();
    const stats = engine('one');
    for (let calls = 0; calls < 1000; calls++) stats.count(name, call);
    expect([await callsSeen(stats), writes.length]).toEqual([1000, 0]);
    await time.advance(MINUTE_MS);
    expect([await callsSeen(stats), writes.length]).toEqual([1000, 1]);
    await time.advance(10 * MINUTE_MS);
    expect([writes.length, time.pending]).toEqual([1, 0]);
    for (let minute = 0; minute < 10; minute++) {
      for (let calls = 0; calls < 10; calls++) {
        stats.count(name, call);
        await time.advance(MINUTE_MS / 10);
      }
    }
    expect(writes.length).toBeLessThanOrEqual(11);
    expect(await callsSeen(stats)).toBe(1100);
  });

  it('adds up over engines, and stays when they are gone', async () => {
    const { time, stored, engine } = setUp();
    const [one, two] = [engine('one'), engine('two')];
    one.count(name, call);
    two.count({ ...name, method: 'n' }, { ...call, outcome: 'timeout' });
    await Promise.all([one.stop(), two.stop()]);
    expect([stored.size, time.pending]).toEqual([2, 0]);
    const { protocols } = await engine('three').report({ window: 'hour', protocol: 'a/v1' });
    expect(protocols[0]?.total).toMatchObject({ calls: 2, errors: { timeout: 1 } });
    expect(await callsSeen(one)).toBe(2);
  });

  it('leaves no timer behind for a call that ends after the stop', async () => {
    const { time, engine } = setUp();
    const stats = engine('one');
    stats.count(name, call);
    const stopped = stats.stop();
    stats.count(name, call);
    await stopped;
    stats.count(name, call);
    expect(time.pending).toBe(0);
  });

  it('is kept by the hour once nobody asks for its minutes, and for a day', async () => {
    const { time, stored, writes, engine, hour } = setUp();
    const stats = engine('one');
    for (let minute = 0; minute < 60 * 30; minute++) {
      stats.count(name, call);
      await time.advance(MINUTE_MS);
    }
    await stats.write();
    expect(await callsSeen(stats)).toBeGreaterThanOrEqual(59);
    expect(await callsSeen(stats, 'day')).toBeGreaterThan(23 * 60);
    expect(stored.size).toBeLessThanOrEqual(27);
    const old: { spans: readonly object[] } = JSON.parse(stored.get(`${hour(5)} one`) ?? '');
    expect(old.spans).toHaveLength(1);
    expect(writes.length).toBeLessThan(60 * 30 + 40);
  });

  it('of engines that are long gone is removed', async () => {
    const { time, stored, engine } = setUp();
    for (let index = 0; index < 250; index++) {
      const short = engine(`e${index}`);
      short.count(name, call);
      await short.stop();
    }
    await time.advance(30 * HOUR_MS);
    const stats = engine('one');
    stats.count(name, call);
    await stats.stop();
    expect([...stored.keys()].map((key) => key.split(' ')[1])).toEqual(['one']);
  });

  it('is not lost while the store is away', async () => {
    const { time, warned, engine, breaks } = setUp();
    const stats = engine('one');
    stats.count(name, call);
    breaks(true);
    await time.advance(MINUTE_MS);
    expect(warned).toHaveLength(1);
    breaks(false);
    stats.count(name, call);
    await stats.stop();
    expect(await callsSeen(engine('two'))).toBe(2);
  });

  it('is written as soon as the store is back, also where no call has come since', async () => {
    const { time, engine, breaks } = setUp();
    const stats = engine('one');
    stats.count(name, call);
    breaks(true);
    await time.advance(MINUTE_MS);
    breaks(false);
    await stats.stop();
    expect(await callsSeen(engine('two'))).toBe(1);
  });

  it('takes no more memory, however long the store is away', async () => {
    const { time, engine, breaks } = setUp();
    const stats = engine('one');
    breaks(true);
    for (let hour = 0; hour < 20; hour++) {
      stats.count(name, call);
      await time.advance(HOUR_MS);
    }
    expect(await callsSeen(stats, 'day')).toBeLessThanOrEqual(4);
  });

  it('goes by what can be read', async () => {
    const { stored, engine, hour } = setUp();
    stored.set(`${hour(0)} broken`, 'no JSON');
    stored.set(`${hour(0)} foreign`, '[]');
    expect(await callsSeen(engine('one'))).toBe(0);
  });
});
