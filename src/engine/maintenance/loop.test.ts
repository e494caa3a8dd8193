import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VirtualTime } from '../testing/virtual-time.suite.ts';
import { keepingLogger, type LogLine } from '../testing/world.suite.ts';
import { Loop } from './loop.ts';

/** A loop whose duty notes when it ran; `wait` is what it answers, `gate` what it waits for. */
function setUp(wait = 1000) {
  const time = new VirtualTime();
  const log: LogLine[] = [];
  const ran: number[] = [];
  const state = { wait, gate: null as Promise<void> | null, running: 0, fails: false };
  const loop = new Loop('the duty', { clock: time, timers: time, logger: keepingLogger(log) }, async () => {
    ran.push(time.monotonic());
    state.running++;
    expect(state.running).toBe(1);
    try {
      await state.gate;
      if (state.fails) throw new Error('no luck');
      return state.wait;
    } finally {
      state.running--;
    }
  });
  return { time, log, ran, state, loop };
}

describe('a loop', () => {
  it('runs at once and then after as long as its duty asks for', async () => {
    const { time, loop, ran } = setUp();
    loop.start();
    await time.advance(2500);
    expect(ran).toEqual([0, 1000, 2000]);
  });

  it('is still before it starts and after it stops', async () => {
    const { time, loop, ran } = setUp();
    loop.within(0);
    await time.advance(1000);
    expect(ran).toEqual([]);
    loop.start();
    await time.advance(500);
    loop.stop();
    loop.within(0);
    await time.advance(5000);
    expect(ran).toEqual([1000]);
    expect(time.pending).toBe(0);
  });

  it('tries again after a second when its duty fails, and says so', async () => {
    const { time, loop, ran, state, log } = setUp(50);
    state.fails = true;
    loop.start();
    await time.advance(1000);
    state.fails = false;
    await time.advance(1000);
    expect(ran).toEqual([0, 1000, 2000]);
    expect(log).toMatchObject([
      { level: 'warn', message: 'the duty failed and will be tried again', fields: { error: 'no luck' } },
      { level: 'warn' },
    ]);
  });

  it('runs sooner when told, and not later', async () => {
    const { time, loop, ran } = setUp();
    loop.start();
    await time.advance(100);
    loop.within(200);
    loop.within(500);
    loop.within(-5000 + 5300);
    await time.advance(200);
    expect(ran).toEqual([0, 300]);
    loop.within(-1);
    await time.advance(0);
    expect(ran).toEqual([0, 300, 300]);
  });

  it('is not put off by a wish that comes later and is due later', async () => {
    const { time, loop, ran } = setUp();
    loop.start();
    await time.advance(900);
    loop.within(500);
    await time.advance(200);
    expect(ran).toEqual([0, 1000]);
  });

  it('never overlaps: what is wished while it runs comes after', async () => {
    const { time, loop, ran, state } = setUp();
    const gate = Promise.withResolvers<void>();
    state.gate = gate.promise;
    loop.start();
    await time.advance(10);
    loop.within(0);
    loop.within(300);
    await time.advance(90);
    expect(ran).toEqual([0]);
    state.gate = null;
    gate.resolve();
    await time.advance(0);
    expect(ran).toEqual([0, 100]);
    await time.advance(1000);
    expect(ran).toEqual([0, 100, 1100]);
  });

  it('counts a wish during a run from when it was made', async () => {
    const { time, loop, ran, state } = setUp();
    const gate = Promise.withResolvers<void>();
    state.gate = gate.promise;
    loop.start();
    await time.advance(10);
    loop.within(300);
    await time.advance(100);
    state.gate = null;
    gate.resolve();
    await time.advance(200);
    expect(ran).toEqual([0, 310]);
  });

  it('goes on as one loop when it is started twice, or stopped and started again', async () => {
    const { time, loop, ran } = setUp();
    loop.start();
    await time.advance(400);
    loop.start();
    await time.advance(1000);
    expect(ran).toEqual([0, 1000]);
    loop.stop();
    loop.start();
    await time.advance(1000);
    expect(ran).toEqual([0, 1000, 1400, 2400]);
    expect(time.pending).toBe(1);
  });

  it('goes on as one loop when it is stopped and started while its duty runs', async () => {
    const { time, loop, ran, state } = setUp();
    const gate = Promise.withResolvers<void>();
    state.gate = gate.promise;
    loop.start();
    await time.advance(100);
    loop.stop();
    loop.start();
    state.gate = null;
    gate.resolve();
    await time.advance(1000);
    expect(ran).toEqual([0, 1100]);
    expect(time.pending).toBe(1);
  });

  it('does not run again when it was stopped during its duty', async () => {
    const { time, loop, ran, state } = setUp();
    const gate = Promise.withResolvers<void>();
    state.gate = gate.promise;
    loop.start();
    await time.settle();
    loop.stop();
    gate.resolve();
    await time.advance(5000);
    expect(ran).toEqual([0]);
    expect(time.pending).toBe(0);
  });

  it('runs within every wish, and never idles longer than its duty asks', async () => {
    const step = fc.record({
      after: fc.integer({ min: 0, max: 900 }),
      wish: fc.integer({ min: 0, max: 900 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const { time, loop, ran } = setUp();
        loop.start();
        const wishes: { from: number; to: number }[] = [];
        for (const { after, wish } of steps) {
          await time.advance(after);
          wishes.push({ from: time.monotonic(), to: time.monotonic() + wish });
          loop.within(wish);
        }
        await time.advance(2000);
        for (const { from, to } of wishes) expect(ran.some((at) => at >= from && at <= to)).toBe(true);
        for (const [index, at] of ran.entries())
          expect((ran[index + 1] ?? at) - at).toBeLessThanOrEqual(1000);
        expect(time.pending).toBe(1);
      }),
      { numRuns: 50 },
    );
  });
});
