import { describe, expect, it } from 'vitest';
import { nobodyCame } from '../core/ports/router.ts';
import { VirtualTime } from '../engine/testing/virtual-time.suite.ts';
import { Connection } from './connection.ts';
import type { Counting } from './counting.ts';
import { Gate } from './gate.ts';
import { Member } from './member.ts';
import { noOpenings } from './openings.ts';
import type { Places } from './places.ts';
import { Pool } from './pool.ts';
import { PoolDoors } from './pool-doors.ts';
import { answered, poolOf, settingsOf, TestQueue } from './queue.suite.ts';
import type { PoolSettings } from './settings.ts';

const fast = { per_ms: 0.1, burst: 100 };
const slow = { per_ms: 1 / 1000, burst: 1 };
const perKey = (more: Partial<NonNullable<PoolSettings['per_key']>>) =>
  poolOf({ per_key: { key: 'params.user', concurrency: null, rate: null, ...more } });

/** One call of user 7 runs for 100 ms, and another waits for it. */
function busy(settings: PoolSettings = perKey({ concurrency: 1 })) {
  const queue = new TestQueue();
  const seen = queue.provider('one', () => ({ ms: 100 }));
  queue.pools.configure('a/v1', settings);
  const of = (id: string) => ({ id, params: { user: 7, team: 3 } });
  queue.submit(of('a'), of('b'));
  return { queue, seen, of };
}

describe('limits of keys that change while calls run', () => {
  it('count those calls where the key is the same', async () => {
    const { queue, seen } = busy();
    queue.pools.configure('a/v1', perKey({ concurrency: 1, rate: fast }));
    await queue.time.advance(99);
    expect(seen.most).toBe(1);
    await queue.time.advance(200);
    expect([seen.most, queue.results.size]).toEqual([1, 2]);
  });

  it.each([
    ['where there was none before', poolOf(), perKey({ concurrency: 1 })],
    [
      'where another key was meant',
      perKey({ key: 'params.team', concurrency: 5 }),
      perKey({ concurrency: 1 }),
    ],
    ['where only a rate was limited', perKey({ rate: fast }), perKey({ concurrency: 1 })],
  ])('count those calls also %s', async (_, before, after) => {
    const { queue, seen, of } = busy(before);
    expect(seen.running).toBe(2);
    queue.pools.configure('a/v1', after);
    queue.submit(of('c'));
    expect(queue.waiting()).toEqual(['c: line concurrency a/v1 user=7']);
    await queue.time.advance(99);
    expect(seen.running).toBe(2);
    await queue.time.advance(200);
    expect([seen.most, queue.results.size]).toEqual([2, 3]);
  });

  it('leave nothing counted when those calls have ended', async () => {
    const { queue, seen, of } = busy();
    for (const settings of [
      perKey({ key: 'params.team', concurrency: 1 }),
      poolOf(),
      perKey({ concurrency: 1, rate: fast }),
      perKey({ concurrency: 2 }),
    ])
      queue.pools.configure('a/v1', settings);
    await queue.time.advance(300);
    expect(queue.results.size).toBe(2);
    queue.submit(of('c'), of('d'), of('e'));
    expect([seen.running, queue.waiting()]).toEqual([2, ['e: line concurrency a/v1 user=7']]);
    await queue.time.advance(300);
    expect(queue.results.size).toBe(5);
    queue.pools.configure('a/v1', perKey({ key: 'params.team', concurrency: 1 }));
    queue.submit(of('f'));
    expect(seen.running).toBe(1);
  });

  it('go on with a rate that is the same, and begin another', () => {
    const { queue, of } = busy(perKey({ rate: slow }));
    expect(queue.calls).toEqual(['a one']);
    queue.pools.configure('a/v1', perKey({ concurrency: 5, rate: slow }));
    queue.submit(of('c'));
    expect(queue.calls).toEqual(['a one']);
    queue.pools.configure('a/v1', perKey({ concurrency: 5, rate: fast }));
    queue.submit(of('d'));
    expect(queue.calls).toEqual(['a one', 'd one']);
  });
});

/** What is told to the places of the limits of keys. */
function watched(settings: PoolSettings) {
  const told: string[] = [];
  const places = (key: string): Places => ({
    allowed: () => 9,
    could: () => 9,
    waitsUntil: () => null,
    hungry: () => {},
    left: () => told.push(`${key} left`),
    isShared: () => true,
    isIdle: () => true,
    setMost: (most) => told.push(`${key} ${most}`),
    drop: () => told.push(`${key} dropped`),
  });
  const counting: Counting = {
    tokens: () => {
      throw new Error('no rates here');
    },
    places: () => null,
    keys: () => ({ places: (key) => places(key) }),
    pauses: { until: () => Number.NEGATIVE_INFINITY, times: () => 0, asked: () => {}, ended: () => {} },
    openings: noOpenings,
    more: () => {},
    committed: () => {},
  };
  const doors = new PoolDoors({ protocol: 'a/v1', settings, counting });
  const request = {
    protocol: 'a/v1',
    method: 'echo',
    params: { user: 7, team: 3 },
    task_id: 't',
    workflow_id: null,
    avoid: [],
    called: false,
  };
  const enter = () => doors.enter(request, doors.of(request, 0), { now: 0, reach: -1 });
  return { doors, told, enter, counting, request };
}

describe('places of keys that engines share', () => {
  it('are given back when other keys are meant, and kept with another number for the same', () => {
    const { doors, told, enter } = watched(perKey({ concurrency: 4 }));
    const { leave } = enter();
    doors.adjust(perKey({ concurrency: 3 }), 0);
    expect(told.splice(0)).toEqual(['a/v1 user=7 3']);
    doors.adjust(perKey({ key: 'params.team', concurrency: 3 }), 0);
    expect(told.splice(0)).toEqual(['a/v1 user=7 dropped']);
    doors.left(leave(), 0);
    expect(told.splice(0)).toEqual(['a/v1 team=3 left', 'a/v1 team=3 dropped']);
  });

  it('are given back with the last call of a key', () => {
    const { doors, told, enter } = watched(perKey({ concurrency: 4 }));
    const [one, two] = [enter(), enter()];
    doors.left(one.leave(), 0);
    expect(told.splice(0)).toEqual(['a/v1 user=7 left']);
    doors.left(two.leave(), 0);
    expect(told.splice(0)).toEqual(['a/v1 user=7 left', 'a/v1 user=7 dropped']);
  });

  it('are given back when the call of a pool has ended, which keeps nothing of the key', async () => {
    const settings = perKey({ concurrency: 4 });
    const { told, counting, request } = watched(settings);
    const time = new VirtualTime();
    const logger = { debug() {}, info() {}, warn() {}, error() {} };
    const parts = { clock: time, timers: time, logger };
    const pool = new Pool('a/v1', settings, {
      ...parts,
      counting,
      draw: () => 0,
      ring: async () => nobodyCame,
      isHeard: () => true,
      isIdempotent: () => false,
      hedged: () => {},
    });
    const provider = { id: 'one', protocol: 'a/v1', hasMethod: () => true, call: async () => answered };
    pool.setMembers([new Member(new Connection(provider, parts), settingsOf(), { counting })]);
    const routed = pool.route(request);
    expect(told).toEqual([]);
    if (routed.word === 'go') routed.passage.leave();
    expect(told).toEqual(['a/v1 user=7 left', 'a/v1 user=7 dropped']);
    pool.stop();
  });

  it('are asked for by a call that began before there was a limit', () => {
    const gate = new Gate({ concurrency: 1 }, { tokens: null });
    gate.admit();
    expect([gate.inside, gate.free(0, false)]).toEqual([1, 0]);
    gate.leave();
    expect([gate.inside, gate.free(0, false)]).toEqual([0, 1]);
  });
});
