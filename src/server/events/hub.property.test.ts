import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Event, EventName } from '../../core/events.ts';
import type { EventQuery } from '../../core/ports/store.ts';
import { VirtualTime } from '../../engine/testing/virtual-time.suite.ts';
import { seededRandom } from '../../engine/testing/world.suite.ts';
import { TestSocket } from '../testing/socket.suite.ts';
import { type EventFilter, matches } from './filter.ts';
import { EventHub } from './hub.ts';
import { Subscriptions } from './subscriptions.ts';
import { tell } from './told.ts';

/** A log of events and its feed, as plain as they can be. Reads take a turn of the loop, as those of a store do. */
class Log {
  readonly all: Event[] = [];
  #wake: (() => void)[] = [];

  add(count: number, pick: number): void {
    for (let made = 0; made < count; made++) {
      const cursor = this.all.length + 1;
      const kind = (pick + made) % 4;
      const event = { event: kind === 0 ? 'task:completed' : 'task:validated', data: {} };
      const place = { task_id: `t${kind}`, workflow_id: kind === 3 ? null : `w${kind % 2}` };
      this.all.push({ ...event, ...place, cursor, seq: cursor, at: 0 } as Event);
    }
    for (const wake of this.#wake.splice(0)) wake();
  }

  async page({ after, limit, ...filter }: EventQuery) {
    await Promise.resolve();
    const left = this.all.slice(after);
    const found = left.filter((event) => matches(filter, tell(event))).slice(0, limit);
    const more = found.length === limit;
    return { events: found, cursor: more ? (found.at(-1)?.cursor ?? 0) : this.all.length, more };
  }

  async *feed({ cursor, signal }: { cursor: number; signal: AbortSignal }): AsyncGenerator<Event> {
    let after = cursor;
    while (!signal.aborted) {
      const next = new Promise<void>((resolve) => {
        this.#wake.push(resolve);
        signal.addEventListener('abort', () => resolve());
      });
      // Slower than pages: whoever reads those may be ahead of it.
      await setImmediate();
      const { events } = await this.page({ after, limit: 3 });
      yield* events;
      after = events.at(-1)?.cursor ?? after;
      if (events.length < 3) await next;
    }
  }
}

const names: EventName[] = ['task:completed', 'task:validated'];
const filter = fc.record(
  {
    events: fc.subarray(names, { minLength: 1 }),
    task_id: fc.constantFrom('t0', 't1', 't2'),
    workflow_id: fc.constantFrom('w0', 'w1'),
  },
  { requiredKeys: [] },
);
const step = fc.oneof(
  fc.record({ do: fc.constant('add' as const), count: fc.integer({ min: 1, max: 12 }), pick: fc.nat(3) }),
  fc.record({ do: fc.constant('read' as const), who: fc.nat(2) }),
  fc.record({ do: fc.constant('cut' as const), who: fc.nat(2) }),
  fc.record({ do: fc.constant('turn' as const) }),
);

describe('whoever follows events', () => {
  it('hears each that it asked for once, in order, over cuts, slowness and falling far behind', async () => {
    const world = fc.record({
      steps: fc.array(step, { maxLength: 60 }),
      filters: fc.array(filter, { minLength: 3, maxLength: 3 }),
      capacity: fc.integer({ min: 1, max: 9 }),
      recent: fc.integer({ min: 1, max: 8 }),
    });
    await fc.assert(fc.asyncProperty(world, followed), { numRuns: 600 });
  }, 60_000);
});

type Follower = { socket: TestSocket; readonly heard: number[]; readonly filter: EventFilter };
type Given = {
  readonly steps: readonly (
    | { do: 'add'; count: number; pick: number }
    | { do: 'read' | 'cut'; who: number }
    | { do: 'turn' }
  )[];
  readonly filters: readonly EventFilter[];
  readonly capacity: number;
  readonly recent: number;
};

async function followed({ steps, filters, capacity, recent }: Given): Promise<void> {
  const [log, time] = [new Log(), new VirtualTime()];
  const hub = new EventHub({
    events: (query) => log.feed(query),
    reads: { events: (query) => log.page(query), cursor: async () => log.all.length },
    timers: time,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    limits: { followers: 10, reads: 1, recent: { events: recent, characters: 10_000 } },
  });
  const subscriptions = new Subscriptions({
    hub,
    random: seededRandom(1),
    timers: time,
    most_per_connection: 1,
  });
  const open = async (follower: Follower) => {
    follower.socket = new TestSocket(capacity);
    await subscriptions.subscribe(follower.socket, {
      ...follower.filter,
      cursor: follower.heard.at(-1) ?? 0,
    });
  };
  const cut = (follower: Follower) => {
    follower.socket.close();
    follower.heard.push(...follower.socket.events.map(({ cursor }) => cursor));
  };
  const followers = filters.map((wanted) => ({ socket: new TestSocket(), heard: [], filter: wanted }));
  for (const follower of followers) await open(follower);
  for (const one of steps) {
    const follower = followers['who' in one ? one.who : 0];
    if (one.do === 'add') log.add(one.count, one.pick);
    else if (one.do === 'turn') await time.settle();
    else if (follower === undefined) continue;
    else if (one.do === 'read') follower.socket.read();
    else {
      cut(follower);
      await open(follower);
    }
  }
  for (let turn = 0; turn < log.all.length + 2; turn++) {
    await time.settle();
    for (const { socket } of followers) socket.read();
  }
  for (const follower of followers) {
    cut(follower);
    const wanted = log.all.filter((event) => matches(follower.filter, tell(event)));
    expect(follower.heard).toEqual(wanted.map(({ cursor }) => cursor));
  }
  expect(hub.size).toBe(0);
}
