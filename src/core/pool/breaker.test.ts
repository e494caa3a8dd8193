import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  admits,
  type Breaker,
  begun,
  closedBreaker,
  defaultBreaker,
  ended,
  nextProbe,
  triedNow,
  type Verdict,
} from './breaker.ts';

const at = (now: number, draw = 0) => ({ policy: defaultBreaker, now, draw });
const failed = { verdict: 'failed', probe: null } as const;
const well = { verdict: 'well', probe: null } as const;

function hearing(breaker: Breaker, verdicts: readonly Verdict[], now: number): Breaker {
  return verdicts.reduce((sum, verdict) => ended(sum, { verdict, probe: null }, at(now)), breaker);
}

function opened(now: number): Breaker {
  return hearing(closedBreaker(now), Array(5).fill('failed'), now);
}

describe('a breaker that is closed', () => {
  it('opens with so many failures in a row, and not with one less', () => {
    const four = hearing(closedBreaker(0), Array(4).fill('failed'), 0);
    expect(four.state).toBe('closed');
    expect(ended(four, failed, at(0))).toEqual({ state: 'open', until: 1000, opened: 1 });
    expect(hearing(four, ['well', 'failed'], 0)).toMatchObject({ state: 'closed', in_a_row: 1 });
  });

  it('hears nothing from calls that say nothing', () => {
    const four = hearing(closedBreaker(0), Array(4).fill('failed'), 0);
    expect(ended(four, { verdict: 'nothing', probe: null }, at(0))).toBe(four);
  });

  it('opens at the share of failures, once there were enough calls', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 60 }), (calls) => {
        let breaker = closedBreaker(0);
        let [fails, row] = [0, 0];
        for (const [index, fails_now] of calls.entries()) {
          fails += fails_now ? 1 : 0;
          row = fails_now ? row + 1 : 0;
          breaker = ended(breaker, fails_now ? failed : well, at(index));
          const share = index + 1 >= defaultBreaker.least_calls && fails >= (index + 1) / 2;
          const expected = row >= defaultBreaker.failures || (fails_now && share);
          expect(breaker.state).toBe(expected ? 'open' : 'closed');
          if (expected) return;
        }
      }),
    );
  });

  it('forgets by and by what was in the window before', () => {
    const alternating = Array.from(
      { length: 18 },
      (_, index) => (index % 2 === 0 ? 'failed' : 'well') as Verdict,
    );
    const busy = hearing(closedBreaker(0), alternating, 0);
    expect(hearing(busy, ['failed', 'well', 'failed'], 10_100).state).toBe('open');
    expect(hearing(busy, ['failed', 'well', 'failed'], 15_000).state).toBe('closed');
    expect(hearing(busy, ['failed', 'well', 'failed'], 30_000).state).toBe('closed');
  });
});

describe('a breaker that is open', () => {
  it('lets nobody through until it has cooled down, then one, and closes when that is answered', () => {
    const open = opened(0);
    expect([admits(open, defaultBreaker, 999), admits(open, defaultBreaker, 1000)]).toEqual([0, 1]);
    const { breaker, probe } = begun(open, 1000);
    expect(admits(breaker, defaultBreaker, 1000)).toBe(0);
    const shut = ended(breaker, { verdict: 'well', probe }, at(1100));
    expect(shut).toMatchObject({ state: 'closed', calls: 0 });
    expect(admits(shut, defaultBreaker, 1100)).toBe(Number.POSITIVE_INFINITY);
    expect(begun(shut, 1100)).toEqual({ breaker: shut, probe: null });
  });

  it('closes after as many answers as it had opened soon one after another, and up to five', () => {
    for (const [opened, needed] of [
      [1, 1],
      [2, 2],
      [5, 5],
      [9, 5],
    ] as const) {
      let breaker: Breaker = { state: 'open', until: 0, opened };
      let answers = 0;
      while (breaker.state !== 'closed') {
        const next = begun(breaker, 0);
        expect(admits(next.breaker, defaultBreaker, 0)).toBe(0);
        breaker = ended(next.breaker, { verdict: 'well', probe: next.probe }, at(0));
        answers++;
      }
      expect({ opened, answers }).toEqual({ opened, answers: needed });
    }
  });

  it('opens again with the first failure among them', () => {
    const first = begun({ state: 'open', until: 0, opened: 3 }, 0);
    const half = ended(first.breaker, { verdict: 'well', probe: first.probe }, at(0));
    const second = begun(half, 0);
    expect(ended(second.breaker, { verdict: 'failed', probe: second.probe }, at(0))).toMatchObject({
      state: 'open',
      opened: 4,
    });
  });

  it('may be tried before its time where somebody asks for it; any other stays as it is', () => {
    const open = opened(0);
    const asked = triedNow(open, 10);
    expect([admits(open, defaultBreaker, 10), admits(asked, defaultBreaker, 10)]).toEqual([0, 1]);
    const { breaker, probe } = begun(asked, 10);
    expect(triedNow(breaker, 10)).toBe(breaker);
    expect(ended(breaker, { verdict: 'failed', probe }, at(20))).toMatchObject({ until: 2020, opened: 2 });
    expect(triedNow(open, 1500)).toEqual(open);
    const closed = closedBreaker(0);
    expect(triedNow(closed, 10)).toBe(closed);
  });

  it('does not listen to calls that began before it opened, or to probes of an earlier time', () => {
    const open = opened(0);
    expect(ended(open, well, at(1))).toBe(open);
    const half = begun(open, 1000).breaker;
    expect(ended(half, well, at(1100))).toBe(half);
    expect(ended(half, { verdict: 'failed', probe: 7 }, at(1100))).toBe(half);
  });

  it('lets another one try where a probe told nothing', () => {
    const { breaker, probe } = begun(opened(0), 1000);
    expect(admits(ended(breaker, { verdict: 'nothing', probe }, at(1100)), defaultBreaker, 1100)).toBe(1);
  });

  it('lets as many try at once as it is told', () => {
    const policy = { ...defaultBreaker, probes: 2 };
    const first = begun(opened(0), 1000).breaker;
    expect(admits(first, policy, 1000)).toBe(1);
    const second = begun(first, 1000).breaker;
    expect(admits(second, policy, 1000)).toBe(0);
  });

  it('lets another one try where a probe takes longer than it cooled down, and twice as long for each more', () => {
    let breaker: Breaker = { state: 'open', until: 0, opened: 2 };
    const times: number[] = [];
    for (let turn = 0; turn < 8; turn++) {
      const at: number = nextProbe(breaker, defaultBreaker) ?? Number.NaN;
      expect([at - 1, at].map((time) => admits(breaker, defaultBreaker, time))).toEqual([0, 1]);
      times.push(at);
      breaker = begun(breaker, at).breaker;
    }
    expect(times).toEqual([0, 2000, 6000, 14_000, 30_000, 60_000, 90_000, 120_000]);
    const well = (before: Breaker) => ended(before, { verdict: 'well', probe: 2 }, at(121_000));
    expect(well(breaker)).toMatchObject({ state: 'half_open', probing: 7, well: 1 });
    expect(well(well(breaker))).toMatchObject({ state: 'closed' });
  });

  it('says from when a call may try: none needs to while it is closed', () => {
    expect(nextProbe(closedBreaker(5), defaultBreaker)).toBeNull();
    const { breaker, probe } = begun(opened(0), 1000);
    expect([nextProbe(opened(0), defaultBreaker), nextProbe(breaker, defaultBreaker)]).toEqual([1000, 2000]);
    const again = ended(breaker, { verdict: 'nothing', probe }, at(1100));
    expect(nextProbe(again, defaultBreaker)).toBe(1000);
  });

  it('cools down twice as long each time, up to the most, less up to a fifth by lot', () => {
    let breaker = opened(0);
    let now = 0;
    const waits: number[] = [];
    for (let turn = 0; turn < 8; turn++) {
      if (breaker.state !== 'open') throw new Error(breaker.state);
      waits.push(breaker.until - now);
      now = breaker.until;
      const half = begun(breaker, now);
      breaker = ended(half.breaker, { verdict: 'failed', probe: half.probe }, at(now));
    }
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
    const four = hearing(closedBreaker(0), Array(4).fill('failed'), 0);
    expect(ended(four, failed, at(0, 0.999))).toMatchObject({ until: expect.closeTo(800.2) });
  });

  it('goes on cooling down longer where it opens again soon after it closed', () => {
    const half = begun(opened(0), 1000);
    const shut = ended(half.breaker, { verdict: 'well', probe: half.probe }, at(1000));
    expect(hearing(shut, Array(5).fill('failed'), 2000)).toMatchObject({ opened: 2, until: 4000 });
    expect(hearing(shut, Array(5).fill('failed'), 31_000)).toMatchObject({ opened: 1, until: 32_000 });
  });

  it('has more than its probes under way only where the last began a cool-down ago, in whatever order calls begin and end', () => {
    const steps = fc.array(
      fc.record({
        begin: fc.boolean(),
        verdict: fc.constantFrom<Verdict>('well', 'failed', 'nothing'),
        later: fc.nat(3000),
      }),
      { maxLength: 120 },
    );
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 3 }), (list, probes) => {
        const policy = { ...defaultBreaker, probes, failures: 2 };
        let breaker = closedBreaker(0);
        let now = 0;
        const running: (number | null)[] = [];
        let last = Number.NEGATIVE_INFINITY;
        for (const { begin, verdict, later } of list) {
          now += later;
          if (begin && admits(breaker, policy, now) > 0) {
            const next = begun(breaker, now);
            const overdue = next.breaker.state === 'half_open' && next.breaker.probing > probes;
            if (overdue) expect(now - last).toBeGreaterThanOrEqual(policy.cool_down_ms);
            last = now;
            breaker = next.breaker;
            running.push(next.probe);
          } else if (!begin && running.length > 0) {
            breaker = ended(breaker, { verdict, probe: running.shift() ?? null }, { policy, now, draw: 0.5 });
          }
          if (breaker.state !== 'half_open') continue;
          const { opened: trip, probing } = breaker;
          expect(probing).toBe(running.filter((probe) => probe === trip).length);
        }
      }),
    );
  });
});
