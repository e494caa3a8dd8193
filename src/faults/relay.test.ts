import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { manualTimers } from '../rpc/websocket/manual-timers.suite.ts';
import { paceOf } from './carry-out.ts';
import { noPlan, type Plan } from './plan.ts';
import { Relay } from './relay.ts';

/** A relay whose time passes when the test says so, and what came out of it. */
function setUp(plans: readonly Plan[]) {
  const timers = manualTimers();
  const out: string[] = [];
  const crowded: boolean[] = [];
  let turn = 0;
  const relay = new Relay({
    plan: () => plans[turn++] ?? noPlan,
    clock: { wall: () => 0, monotonic: () => 0 },
    timers,
    crowded: (is) => crowded.push(is),
    way: {
      begin: () => {},
      write: async (piece) => void out.push(Buffer.from(piece).toString()),
      done: () => out.push('.'),
      cut: () => out.push('cut'),
      reset: () => out.push('reset'),
    },
  });
  const push = (text: string) =>
    relay.push({ bytes: Buffer.from(text), wrong: (how) => Buffer.from(`${how} for ${text}`) });
  return { timers, out, crowded, relay, push };
}

const settled = () => new Promise(setImmediate);

describe('Relay', () => {
  it('hands on what comes, in its order, also where the first is late', async () => {
    const { timers, out, push, relay } = setUp([{ ...noPlan, wait_ms: 50 }]);
    push('late');
    push('next');
    relay.pass(Buffer.from('ping'));
    await settled();
    expect(out).toEqual([]);
    timers.pass(50);
    await relay.rest();
    expect(out).toEqual(['late', '.', 'next', '.', 'ping', '.']);
  });

  it('says something wrong, cuts, and resets; nothing comes after that', async () => {
    for (const [fault, end] of [
      [{ kind: 'cut', share: 0.5 }, ['ab', 'cut']],
      [{ kind: 'reset' }, ['reset']],
      [{ kind: 'half_open' }, []],
    ] as const) {
      const { out, push } = setUp([
        { ...noPlan, fault: { kind: 'wrong_answer', how: 'empty' } },
        { ...noPlan, fault },
      ]);
      for (const text of ['one', 'abcd', 'never']) push(text);
      await settled();
      push('nor this');
      await settled();
      expect(out).toEqual(['empty for one', '.', ...end]);
    }
  });

  it('writes slowly where it should, and leaves no timer when it ends', async () => {
    const { timers, out, push, relay } = setUp([{ ...noPlan, bytes_per_second: 2 }]);
    push('abc');
    await timers.set(500);
    timers.pass(500);
    await settled();
    expect(out).toEqual(['a', 'b']);
    relay.end();
    await settled();
    expect([out, timers.waiting]).toEqual([['a', 'b'], []]);
  });

  it('tells when more waits than should, and when no longer', async () => {
    const { timers, crowded, push, relay } = setUp([{ ...noPlan, wait_ms: 50 }]);
    push('x'.repeat(1024 * 1024));
    expect(crowded).toEqual([]);
    push('y');
    expect(crowded).toEqual([true]);
    timers.pass(50);
    await relay.rest();
    expect(crowded).toEqual([true, false]);
  });
});

describe('paceOf', () => {
  it('keeps to the rate, in not too many pieces', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000_000 }), (rate) => {
        const { size, every_ms } = paceOf(rate);
        expect((size / every_ms) * 1000).toBeCloseTo(rate, 3);
        expect(1000 / every_ms).toBeLessThanOrEqual(20.001);
      }),
    );
  });
});
