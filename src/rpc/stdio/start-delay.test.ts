import { describe, expect, it } from 'vitest';
import { troubleOf } from '../testing/channel-harness.suite.ts';
import { programOf, surroundings } from '../testing/peer-process.suite.ts';
import { stdioChannel } from './channel.ts';
import { StartDelay } from './start-delay.ts';

const odd = programOf('odd-child.suite.ts');

function world() {
  let now = 1000;
  const waiting = new Set<{ at: number; call: () => void }>();
  const delay = new StartDelay({
    clock: { wall: () => 0, monotonic: () => now },
    timers: {
      after: (ms, call) => {
        const timer = { at: now + ms, call };
        waiting.add(timer);
        return () => waiting.delete(timer);
      },
      soon: (call) => call(),
    },
  });
  const pass = (ms: number) => {
    now += ms;
    for (const timer of waiting) if (timer.at <= now && waiting.delete(timer)) timer.call();
  };
  /** How long a start would wait now. */
  const due = () => [...waiting].map(({ at }) => at - now);
  return { delay, pass, waiting, due };
}
const { signal } = new AbortController();

describe('the delay before a child is started again', () => {
  it('is none at first, then grows to a second at most while nothing is heard', async () => {
    const { delay, pass, due } = world();
    await delay.wait(signal);
    const waits: number[] = [];
    for (let n = 0; n < 12; n++) {
      delay.grow();
      const wait = delay.wait(signal);
      const ms = due()[0] ?? 0;
      waits.push(ms);
      pass(ms);
      await wait;
    }
    expect(waits).toEqual([0, 100, 200, 400, 800, 1000, 1000, 1000, 1000, 1000, 1000, 1000]);
    delay.reset();
    delay.grow();
    await delay.wait(signal);
  });

  it('ends with the call or with the channel', async () => {
    const { delay, waiting } = world();
    delay.grow();
    delay.grow();
    const controller = new AbortController();
    const call = expect(delay.wait(controller.signal)).rejects.toMatchObject({ code: 'GLZ2003' });
    const other = expect(delay.wait(signal)).rejects.toMatchObject({ code: 'GLZ2002' });
    controller.abort();
    await call;
    expect(waiting.size).toBe(1);
    delay.end();
    await other;
    expect(waiting.size).toBe(0);
  });
});

describe('calls to a program that keeps ending', () => {
  it('share one start at a time, and are told how it ended', async () => {
    // Delays pass a hundred times as fast.
    const fast = 100;
    const { clock, timers } = surroundings;
    let lives = 0;
    const channel = stdioChannel({
      ...surroundings,
      ...odd('dies'),
      clock: { ...clock, monotonic: () => clock.monotonic() * fast },
      timers: { ...timers, after: (ms, call) => timers.after(ms / fast, call) },
      ended: () => lives++,
    });
    const ends = new Set<string>();
    for (let round = 1; round <= 7; round++) {
      const calls = Array.from({ length: 30 }, (_, id) => channel.call({ id, method: 'm', signal }));
      for (const { code, message } of await Promise.all(calls.map(troubleOf))) ends.add(`${code} ${message}`);
      expect(lives).toBe(round);
    }
    expect([...ends]).toEqual([expect.stringMatching(/^GLZ2002 .* ended with exit code 7$/)]);
    await channel.close();
  });
});
