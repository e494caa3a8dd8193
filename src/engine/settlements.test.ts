import { describe, expect, it } from 'vitest';
import { Settlements } from './settlements.ts';
import { VirtualTime } from './testing/virtual-time.suite.ts';

type State = { readonly word: 'open' | 'failed' | 'done'; readonly text: string };

const open: State = { word: 'open', text: '' };
const failed: State = { word: 'failed', text: 'no' };
const finished = (text = 'yes'): State => ({ word: 'done', text });

function setUp() {
  const time = new VirtualTime();
  const stored = new Map<string, State>();
  const reads: string[] = [];
  const state = { gate: null as Promise<void> | null, fails: false };
  const settlements = new Settlements<State>({
    timers: time,
    read: async (key) => {
      reads.push(key);
      const found = stored.get(key) ?? null;
      await state.gate;
      if (state.fails) throw new Error('away');
      return found;
    },
    isSettled: ({ word }) => word !== 'open',
    isFinal: ({ word }) => word === 'done',
    sizeOf: ({ text }) => text.length,
  });
  return { time, stored, reads, state, settlements };
}

describe('settlements', () => {
  it('tell who waits when it is recorded, and remember what is final', async () => {
    const { time, stored, reads, settlements } = setUp();
    stored.set('a', open);
    const told = settlements.wait('a', 1000);
    await time.settle();
    settlements.record('a', finished());
    expect(await told).toEqual(finished());
    expect(await settlements.wait('a', 1000)).toEqual(finished());
    expect(reads).toEqual(['a']);
    expect(time.pending).toBe(0);
  });

  it('let go of whoever is gone', async () => {
    const { time, stored, reads, settlements } = setUp();
    stored.set('a', open);
    const leave = new AbortController();
    const waiting = settlements.wait('a', 1000, leave.signal);
    await time.settle();
    leave.abort();
    expect(await waiting).toEqual(open);
    expect(await settlements.wait('a', 1000, leave.signal)).toEqual(open);
    expect(time.pending).toBe(0);
    settlements.checkAll();
    await time.settle();
    expect(reads).toHaveLength(3);
  });

  it('do not remember what may change again', async () => {
    const { stored, reads, settlements } = setUp();
    settlements.record('a', failed);
    stored.set('a', failed);
    expect(await settlements.wait('a', 1000)).toEqual(failed);
    expect(reads).toEqual(['a']);
  });

  it('hear what settles between the reading and the waiting', async () => {
    const { time, stored, state, settlements } = setUp();
    stored.set('a', open);
    const gate = Promise.withResolvers<void>();
    state.gate = gate.promise;
    const told = settlements.wait('a', 1000);
    await time.settle();
    settlements.record('a', failed);
    gate.resolve();
    expect(await told).toEqual(failed);
    expect(time.monotonic()).toBe(0);
  });

  it('need no read for what was accepted here', async () => {
    const { time, reads, settlements } = setUp();
    settlements.accepted('a');
    const told = settlements.wait('a', 1000);
    await time.settle();
    expect(reads).toEqual([]);
    settlements.record('a', finished());
    expect(await told).toEqual(finished());
  });

  it('look again for everyone when something may have settled unheard', async () => {
    const { time, stored, settlements } = setUp();
    settlements.accepted('a');
    stored.set('b', open);
    const waits = [settlements.wait('a', 1000), settlements.wait('b', 1000)];
    stored.set('a', failed);
    await time.settle();
    settlements.checkAll();
    await time.settle();
    expect(await waits[0]).toEqual(failed);
    stored.set('b', finished());
    settlements.checkAll();
    expect(await waits[1]).toEqual(finished());
  });

  it('read again what was accepted here once something may have settled unheard', async () => {
    const { stored, settlements } = setUp();
    settlements.accepted('a');
    stored.set('a', failed);
    settlements.checkAll();
    expect(await settlements.wait('a', 1000)).toEqual(failed);
  });

  it('read how it ended when only that it ended is known, and only if somebody waits', async () => {
    const { time, stored, reads, settlements } = setUp();
    settlements.accepted('a');
    settlements.settled('a');
    expect(reads).toEqual([]);
    settlements.accepted('b');
    const told = settlements.wait('b', 1000);
    stored.set('b', failed);
    settlements.settled('b');
    expect(await told).toEqual(failed);
    expect(reads).toEqual(['b']);
    stored.set('a', finished());
    expect(await settlements.wait('a', 1000)).toEqual(finished());
    expect(time.pending).toBe(0);
  });

  it('go on waiting when the store cannot be read, and answer the state when time is up', async () => {
    const { time, stored, state, settlements } = setUp();
    stored.set('a', open);
    const told = settlements.wait('a', 1000);
    await time.settle();
    state.fails = true;
    settlements.checkAll();
    await time.advance(500);
    state.fails = false;
    await time.advance(500);
    expect(await told).toEqual(open);
    await expect(settlements.wait('nothing', 1000)).resolves.toBe(null);
  });

  it('ask again after a while for what settled while the store could not be read', async () => {
    const { time, stored, state, settlements } = setUp();
    stored.set('a', open);
    const told = settlements.wait('a', Number.POSITIVE_INFINITY);
    await time.settle();
    stored.set('a', failed);
    state.fails = true;
    settlements.settled('a');
    settlements.settled('a');
    await time.advance(1500);
    state.fails = false;
    await time.advance(1000);
    expect(await told).toEqual(failed);
    expect(time.pending).toBe(0);
  });

  it('do not ask again when nobody waits any more', async () => {
    const { time, stored, state, settlements } = setUp();
    stored.set('a', open);
    const told = [settlements.wait('a', 100), settlements.wait('a', Number.POSITIVE_INFINITY)];
    await time.settle();
    state.fails = true;
    settlements.settled('a');
    await time.settle();
    state.fails = false;
    settlements.release();
    await Promise.all(told);
    expect(time.pending).toBe(0);
  });

  it('reject the wait when the store cannot be read at all', async () => {
    const { time, state, settlements } = setUp();
    state.fails = true;
    await expect(settlements.wait('a', 1000)).rejects.toThrow('away');
    expect(time.pending).toBe(0);
  });

  it('wait for ever when told so, without a timer, and can be released', async () => {
    const { time, stored, settlements } = setUp();
    stored.set('a', open);
    const told = settlements.wait('a', Number.POSITIVE_INFINITY);
    await time.settle();
    expect(time.pending).toBe(0);
    settlements.release();
    expect(await told).toEqual(open);
  });

  it('remember the newest outcomes, and read those that were forgotten', async () => {
    const { reads, settlements } = setUp();
    for (let index = 0; index < 8193; index++) settlements.record(`k${index}`, finished());
    await settlements.wait('k8192', 0);
    await settlements.wait('k4097', 0);
    expect(reads).toEqual([]);
    await settlements.wait('k0', 0);
    expect(reads).toEqual(['k0']);
  });

  it('keep no more than their share of memory', async () => {
    const { reads, settlements } = setUp();
    const large = finished('x'.repeat(5 * 1024 * 1024));
    for (const key of ['a', 'b', 'c', 'd']) settlements.record(key, large);
    for (const key of ['d', 'c', 'b', 'a']) await settlements.wait(key, 0);
    expect(reads).toEqual(['b', 'a']);
  });

  it('forget the oldest of very many that were accepted, and then read', async () => {
    const { reads, stored, settlements } = setUp();
    for (let index = 0; index < 8193; index++) settlements.accepted(`k${index}`);
    stored.set('k0', failed);
    expect(await settlements.wait('k0', 1000)).toEqual(failed);
    expect(reads).toEqual(['k0']);
  });
});
