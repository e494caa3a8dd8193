import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import type { Event } from '../core/events.ts';
import { SimulatedData } from '../store/simulated/data.ts';
import type { SimulatedFaults } from '../store/simulated/faults.ts';
import { openSimulatedStore } from '../store/simulated/store.ts';
import { lone } from '../store/suite/build.suite.ts';
import { Feed } from './feed.ts';
import { VirtualTime } from './testing/virtual-time.suite.ts';

function setUp() {
  const time = new VirtualTime();
  const data = new SimulatedData();
  const faults: { beforeRead?: NonNullable<SimulatedFaults['beforeRead']> } = {};
  const store = openSimulatedStore({ data, clock: time.storeClock, faults });
  const feed = new Feed(store, time);
  let count = 0;
  /** Commits one run with as many tasks, each of which is one event, and says so. */
  const commit = async (tasks = 1) => {
    const runs = Array.from({ length: tasks }, () => lone(`t${count++}`));
    await store.commit({ writes: [{ kind: 'submit', runs }], claim: null });
    feed.nudge();
  };
  return { time, faults, store, feed, commit };
}

/** Keeps what a feed tells. */
function listen(events: AsyncGenerator<Event>): { told: number[]; over: Promise<void> } {
  const told: number[] = [];
  const over = (async () => {
    for await (const event of events) told.push(event.cursor);
  })();
  return { told, over };
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('the feed', () => {
  it('tells what was committed before and what comes, in order and without gaps', async () => {
    const { time, feed, commit } = setUp();
    await commit(3);
    const { told } = listen(feed.events({ cursor: 0 }));
    await time.settle();
    expect(told).toEqual([1, 2, 3]);
    await commit(2);
    await time.settle();
    expect(told).toEqual([1, 2, 3, 4, 5]);
  });

  it('tells more than a page at once', async () => {
    const { time, feed, commit } = setUp();
    await commit(1234);
    const { told } = listen(feed.events({ cursor: 0 }));
    await time.settle();
    expect(told).toEqual(upTo(1234));
  });

  it('starts from now on without a cursor', async () => {
    const { time, feed, commit } = setUp();
    await commit(3);
    const { told } = listen(feed.events({}));
    await time.settle();
    await commit();
    await time.settle();
    expect(told).toEqual([4]);
  });

  it('begins where it was asked for, not where its first event is', async () => {
    const { time, feed, commit } = setUp();
    await commit(2);
    const events = feed.events({});
    await time.settle();
    await commit();
    await time.settle();
    expect((await events.next()).value?.cursor).toBe(3);
  });

  it('waits for a store that is away, and ends where it waits', async () => {
    const { time, faults, feed, commit } = setUp();
    await commit(2);
    let away = 3;
    faults.beforeRead = async () => {
      if (away-- > 0) throw new GleitzeitError('GLZ3001', 'away');
    };
    const controller = new AbortController();
    const { told, over } = listen(feed.events({ cursor: 0, signal: controller.signal }));
    await time.settle();
    expect(told).toEqual([]);
    await time.advance(5000);
    expect(told).toEqual([1, 2]);
    away = 1e9;
    feed.nudge();
    await time.settle();
    controller.abort();
    await time.until(over);
  });

  it('tells of other trouble to whoever reads', async () => {
    const { feed, faults } = setUp();
    faults.beforeRead = async () => {
      throw new GleitzeitError('GLZ9001', 'a mistake');
    };
    await expect(feed.events({}).next()).rejects.toThrow('a mistake');
    await expect(feed.events({ cursor: 0 }).next()).rejects.toThrow('a mistake');
  });

  it('loses nothing that is committed after the read and before the sleep', async () => {
    const { time, faults, feed, commit } = setUp();
    let between = 5;
    const { told } = listen(feed.events({ cursor: 0 }));
    // The nudge comes while the page is under way: the page may or may not have the event in it.
    faults.beforeRead = async () => {
      if (between-- > 0) await commit();
    };
    await commit();
    await time.settle();
    expect(told).toEqual(upTo(6));
  });

  it('loses nothing that is committed while its reader is busy', async () => {
    const { time, feed, commit } = setUp();
    const events = feed.events({ cursor: 0 });
    await commit(2);
    expect((await events.next()).value?.cursor).toBe(1);
    await commit(2);
    await time.settle();
    const rest = [];
    for (let index = 0; index < 3; index++) rest.push((await events.next()).value?.cursor);
    expect(rest).toEqual([2, 3, 4]);
  });

  it('loses nothing whatever comes between', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ tasks: fc.integer({ min: 1, max: 3 }), settle: fc.boolean() }), {
          maxLength: 15,
        }),
        fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 15 }),
        async (commits, extra) => {
          const { time, faults, feed, commit } = setUp();
          const queue = [...extra];
          let total = 0;
          const add = async (tasks: number) => {
            total += tasks;
            await commit(tasks);
          };
          faults.beforeRead = async () => {
            const tasks = queue.shift() ?? 0;
            if (tasks > 0) await add(tasks);
          };
          const { told } = listen(feed.events({ cursor: 0 }));
          for (const { tasks, settle } of commits) {
            await add(tasks);
            if (settle) await time.settle();
          }
          await time.settle();
          expect(told).toEqual(upTo(total));
        },
      ),
      { numRuns: 40 },
    );
  });

  it('moves past what a filter leaves out', async () => {
    const { time, feed, commit } = setUp();
    await commit(3);
    const { told } = listen(feed.events({ cursor: 0, task_id: 't3', workflow_id: undefined }));
    await time.settle();
    await commit(2);
    await time.settle();
    expect(told).toEqual([4]);
  });

  it('ends with its signal, before, during and after a sleep', async () => {
    const { time, feed, commit } = setUp();
    const controller = new AbortController();
    const sleeping = listen(feed.events({ cursor: 0, signal: controller.signal }));
    await time.settle();
    await commit();
    await time.settle();
    controller.abort();
    await sleeping.over;
    expect(sleeping.told).toEqual([1]);
    const late = listen(feed.events({ cursor: 0, signal: controller.signal }));
    await late.over;
    expect(late.told).toEqual([]);
  });

  it('ends when it is closed, for those who sleep and those who come', async () => {
    const { time, feed } = setUp();
    const sleeping = [listen(feed.events({ cursor: 0 })), listen(feed.events({}))];
    await time.settle();
    feed.close();
    await Promise.all(sleeping.map(({ over }) => over));
    await listen(feed.events({ cursor: 0 })).over;
  });

  it('tells its reader when the store cannot be read', async () => {
    const { faults, feed } = setUp();
    faults.beforeRead = () => {
      throw new Error('away');
    };
    await expect(feed.events({ cursor: 0 }).next()).rejects.toThrow('away');
  });

  it.each([
    [{ cursor: -1 }, 'cursor'],
    [{ cursor: 1.5 }, 'cursor'],
    [{ cursor: Number.NaN }, 'cursor'],
    [{ cursor: '7' }, 'cursor'],
    [{ events: 'task:completed' }, 'events'],
    [{ events: ['task:complete'] }, 'events'],
    [{ workflow_id: 7 }, 'workflow_id'],
    [{ task_id: '' }, 'task_id'],
    [{ signal: {} }, 'signal'],
    [{ curser: 1 }, 'curser'],
    [null, 'query'],
  ])('refuses a question it cannot answer, at once: %j', (query, field) => {
    const { feed } = setUp();
    expect(() => feed.events(query as never)).toThrow(
      expect.objectContaining({ code: 'GLZ1012', details: expect.objectContaining({ field }) }),
    );
  });
});
