import { describe, expect, it } from 'vitest';
import { lineName } from '../core/parked.ts';
import type { Line, RouteRequest } from '../core/ports/router.ts';
import { VirtualTime } from '../engine/testing/virtual-time.suite.ts';
import { Gate } from './gate.ts';
import { Pools } from './pools.ts';
import { answered, poolOf, settingsOf } from './queue.suite.ts';
import { waitedAt } from './reach.ts';

const logger = { debug() {}, info() {}, warn() {}, error() {} };

describe('where somebody waited', () => {
  const gate = new Gate({ concurrency: 1 }, { tokens: null });
  const doors = [
    { gate, key: 'a/v1 user=7', line: 'a/v1 user=7' },
    { gate, key: null, line: 'protocol a/v1' },
  ];
  const at = (called: boolean, from?: string) => {
    const came = from === undefined ? {} : { from };
    const isBehind = (name: string) => name === 'line rate provider one user=7';
    return waitedAt({ called, ...came }, doors, { keyText: 'user=7', isBehind });
  };

  it.each([
    ['line rate a/v1 user=7', 0, 0],
    ['line concurrency a/v1 user=7', 0, 0],
    ['line concurrency protocol a/v1 user=7', 1, 1],
    ['line rate provider one user=7', 2, 2],
    ['line rate provider gone', 2, -1],
  ])('is told by the name of its line: %s', (from, called, found) => {
    expect([at(true, from), at(false, from)]).toEqual([called, found]);
  });

  it('is behind all doors for one who was called from nobody knows where, and nowhere for others', () => {
    expect([at(true), at(false)]).toEqual([2, -1]);
  });
});

describe('a place that is kept', () => {
  /** One call at a time for each key, and so many for all; whoever is called comes when the test says so. */
  function setUp(most: { ofPool: number } | { ofProvider: number }) {
    const time = new VirtualTime();
    const pools = new Pools({ clock: time, timers: time, logger, draw: () => 0 });
    const rang: string[] = [];
    /** Those who stay in the line that is called. */
    const left = { count: 0 };
    pools.onRoom(async (line, places) => {
      rang.push(lineName(line));
      return { count: places, more: left.count };
    });
    const limited = (concurrency: number) => ({ concurrency, rate: null });
    const ofProvider = 'ofProvider' in most ? { limits: limited(most.ofProvider) } : {};
    const ofPool = 'ofPool' in most ? { limits: limited(most.ofPool) } : {};
    const one = { id: 'one', protocol: 'a/v1', hasMethod: () => true, call: async () => answered };
    pools.connect(one, { settings: settingsOf(ofProvider) });
    const per_key = { key: 'params.user', concurrency: 1, rate: null };
    pools.configure('a/v1', poolOf({ ...ofPool, per_key }));
    const route = (user: number, came: Partial<RouteRequest> = {}) => {
      const request = { protocol: 'a/v1', method: 'm', task_id: 't', workflow_id: null, avoid: [] };
      return pools.route({ ...request, params: { user }, called: false, ...came });
    };
    const lineOf = (user: number, came: Partial<RouteRequest> = {}): Line => {
      const routed = route(user, came);
      if (routed.word === 'go') throw new Error('it went');
      return routed.line;
    };
    const enter = (user: number, came: Partial<RouteRequest> = {}) => {
      const routed = route(user, came);
      if (routed.word === 'wait') throw new Error(`it waits for ${routed.line.key}`);
      return routed.passage;
    };
    const from = (line: Line) => ({ called: true, from: lineName(line) });
    return { time, route, lineOf, enter, from, rang, left };
  }

  it.each([
    ['the protocol', { ofPool: 2 }],
    ['the provider', { ofProvider: 2 }],
  ])('of %s is not taken by whoever was called for a place of a key only', async (_, most) => {
    const { time, lineOf, enter, from } = setUp(most);
    const passage = enter(1);
    enter(2);
    const ofKey = lineOf(1);
    const shared = lineOf(3);
    passage.leave();
    await time.settle();
    // Both were called: one for the place of its key, and one for that of all.
    const next = lineOf(1, from(ofKey));
    expect(next.key).toBe(shared.key.replace('user=3', 'user=1'));
    expect(enter(3, from(shared)).provider.id).toBe('one');
  });

  it.each([
    ['the protocol', { ofPool: 2 }],
    ['the provider', { ofProvider: 2 }],
  ])('of %s is for others where its key lets the one who was called not in', async (_, most) => {
    const { time, lineOf, enter, from, rang, left } = setUp(most);
    const [first, second] = [enter(1), enter(2)];
    const shared = lineOf(3);
    lineOf(3);
    left.count = 1;
    first.leave();
    await time.settle();
    enter(3, from(shared));
    left.count = 0;
    second.leave();
    await time.settle();
    expect(rang.filter((name) => name === lineName(shared))).toHaveLength(2);
    expect(lineOf(3, from(shared)).key).toBe('a/v1 user=3');
    enter(4);
  });

  it('at its key is that of one who is found in a line further on', async () => {
    const { time, lineOf, enter, from } = setUp({ ofPool: 1 });
    const passage = enter(1);
    const ofKey = lineOf(1);
    const other = lineOf(2);
    passage.leave();
    await time.settle();
    const shared = lineOf(1, from(ofKey));
    expect(lineOf(1, { found: true, from: lineName(shared) })).toEqual(shared);
    expect(lineOf(1).key).toBe(ofKey.key);
    enter(2, from(other));
  });
});
