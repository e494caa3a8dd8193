import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { begins, limit, setUp } from './shared-tokens.suite.ts';

describe('a rate that several engines share', () => {
  it('gives the burst and what comes, to all of them together', async () => {
    const { open, drain } = setUp();
    const [one, two] = [open(), open()];
    const first = (await drain(one)) + (await drain(two));
    expect(first).toBe(10);
    const more = await Promise.all([drain(one, 1000), drain(two)]);
    expect(more[0] + more[1]).toBeLessThanOrEqual(10);
    expect(more[0] + more[1]).toBeGreaterThanOrEqual(8);
  });

  it('is remembered over a restart', async () => {
    const { open, drain } = setUp();
    expect(await drain(open())).toBe(10);
    expect(await drain(open())).toBe(0);
  });

  it('says when more is there, and tells when it has come', async () => {
    const { open, drain, time, told } = setUp();
    const tokens = open();
    await drain(tokens);
    const before = told();
    expect(tokens.nextAt(time.monotonic())).toBeCloseTo(100, 0);
    await time.advance(101);
    tokens.want(time.monotonic());
    expect(tokens.free(time.monotonic())).toBe(0);
    expect(tokens.nextAt(time.monotonic())).toBeNull();
    await time.settle();
    expect(told()).toBeGreaterThan(before);
    expect(tokens.free(time.monotonic())).toBe(1);
  });

  it('gives up what was not used, so that nothing comes on top of the burst', async () => {
    const { open, drain, time } = setUp();
    const tokens = open({ per_ms: 0.1, burst: 100 });
    await time.settle();
    await time.advance(60_000);
    expect(await drain(tokens)).toBe(100);
  });

  it('gives up what one engine fetched and did not use, so that it does not come on top of what others take', async () => {
    const { open, drain, time } = setUp();
    const idle = open();
    idle.want(time.monotonic());
    await time.settle();
    expect(idle.free(time.monotonic())).toBe(5);
    await time.advance(60_000);
    expect(await drain(open())).toBe(10);
    expect(idle.left(time.monotonic())).toBeLessThanOrEqual(10);
    expect(await drain(idle)).toBe(0);
  });

  it('brings no second burst right after the first: what is here fills the bucket too', async () => {
    const { open, drain, time } = setUp();
    const tokens = open();
    await time.settle();
    await time.advance(1500);
    expect(await drain(tokens)).toBe(10);
  });

  it('fetches nothing for nobody: after a rest the next one is fetched when somebody wants it', async () => {
    const { open, time, shared } = setUp();
    const tokens = open({ per_ms: 0.002, burst: 5 });
    for (const calls of [1, 2, 3]) {
      tokens.want(time.monotonic());
      await time.settle();
      tokens.take(time.monotonic());
      await time.settle();
      expect([shared.writes(), tokens.free(time.monotonic())]).toEqual([calls, 0]);
      await time.advance(10_000);
    }
  });

  it('fetches ahead while calls keep coming', async () => {
    const { open, time, shared } = setUp();
    const tokens = open({ per_ms: 0.002, burst: 5 });
    tokens.want(time.monotonic());
    await time.settle();
    tokens.take(time.monotonic());
    await time.advance(1000);
    tokens.want(time.monotonic());
    await time.settle();
    tokens.take(time.monotonic());
    await time.settle();
    expect([shared.writes(), tokens.free(time.monotonic())]).toEqual([3, 1]);
    await tokens.drop();
  });

  it('takes nothing back twice where it is not known whether it was written', async () => {
    const { open, drain, time, shared } = setUp();
    const slow = { per_ms: 1 / 3_600_000, burst: 10 };
    const one = open(slow);
    one.want(time.monotonic());
    await time.settle();
    expect(await drain(open(slow))).toBe(9);
    shared.setUnclear(true);
    await time.advance(2100);
    shared.setUnclear(false);
    await time.advance(2000);
    await one.drop();
    expect(await drain(open(slow))).toBe(1);
  });

  it('holds in every while, and not only from the start', async () => {
    const steps = fc.array(fc.record({ later: fc.nat(1500), wants: fc.nat(14) }), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(steps, async (list) => {
        const { open, time } = setUp();
        const tokens = open();
        // A bucket of our own, out of which every call is taken when it begins.
        let [left, at] = [limit.burst, 0];
        for (const { later, wants } of list) {
          await time.advance(later);
          for (let turn = 0; turn < wants; turn++) {
            const now = time.monotonic();
            left = Math.min(limit.burst, left + (now - at) * limit.per_ms);
            at = now;
            if (begins(tokens, now)) left--;
            expect(left).toBeGreaterThanOrEqual(-1e-6);
            await time.settle();
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('is not spent by who only looks, and what is not used goes back whether or not anybody asks', async () => {
    const { open, time, shared } = setUp();
    const tokens = open();
    await time.advance(60_000);
    expect([tokens.free(time.monotonic()), tokens.left(time.monotonic()), shared.writes()]).toEqual([
      0, 10, 0,
    ]);
    tokens.want(time.monotonic());
    await time.settle();
    expect(tokens.free(time.monotonic())).toBe(5);
    await time.advance(2100);
    expect([tokens.free(time.monotonic()), tokens.left(time.monotonic())]).toEqual([0, 10]);
    expect(JSON.parse(shared.kept.get('provider one')?.text ?? '')).toMatchObject({ tokens: 10 });
    expect(time.pending).toBe(0);
  });

  it('has back what is not used when nobody is let in any more, also of what is only being fetched', async () => {
    const { open, time, shared, drain } = setUp();
    const slow = { per_ms: 1 / 3_600_000, burst: 3 };
    const tokens = open(slow);
    tokens.want(time.monotonic());
    await tokens.drop();
    tokens.want(time.monotonic());
    await time.settle();
    expect([tokens.free(time.monotonic()), time.pending]).toEqual([0, 0]);
    expect(JSON.parse(shared.kept.get('provider one')?.text ?? '')).toMatchObject({ tokens: 3 });
    expect(await drain(open(slow))).toBe(3);
  });

  it('is fetched ahead where call follows call, so that none of them waits', async () => {
    const { open, time, drain } = setUp();
    const tokens = open({ per_ms: 0.1, burst: 100 });
    await drain(tokens, 0);
    await time.advance(1000);
    let waited = 0;
    for (let call = 0; call < 200; call++) {
      if (!begins(tokens, time.monotonic())) waited++;
      await time.advance(20);
    }
    expect(waited).toBeLessThanOrEqual(1);
  });

  it('loses nothing of what several fetch, use in part and give back', async () => {
    const steps = fc.array(
      fc.record({
        who: fc.nat(2),
        later: fc.nat(5000),
        wants: fc.nat(4),
        drops: fc.constantFrom(false, false, true),
      }),
      { maxLength: 40 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (list) => {
        const { open, time, drain } = setUp();
        // Nothing comes that could make up for what is lost.
        const still = { per_ms: 1e-12, burst: 12 };
        const engines = [open(still), open(still), open(still)];
        let taken = 0;
        for (const { who, later, wants, drops } of list) {
          await time.advance(later);
          for (let turn = 0; turn < wants; turn++) {
            const tokens = engines[who];
            if (tokens !== undefined && begins(tokens, time.monotonic())) taken++;
            await time.settle();
          }
          if (drops) {
            await engines[who]?.drop();
            engines[who] = open(still);
          }
        }
        await time.advance(3000);
        expect(taken + (await drain(open(still)))).toBe(12);
      }),
      { numRuns: 60 },
    );
  });

  it('waits for a store that is away, and goes on when it is back', async () => {
    const { open, drain, shared, time, lines } = setUp();
    shared.setAway(true);
    const tokens = open();
    expect(await drain(tokens)).toBe(0);
    expect(lines[0]).toContain('a rate limit could not be read');
    shared.setAway(false);
    await time.advance(1001);
    expect(await drain(tokens)).toBe(10);
  });

  it('is not frozen by a clock that was set back, or by a document that makes no sense', async () => {
    const { open, drain, shared, time } = setUp();
    const tokens = open();
    await drain(tokens);
    time.wallJump = -3_600_000;
    expect(await drain(tokens, 1000)).toBeGreaterThanOrEqual(9);
    shared.kept.set('provider one', { text: '7', version: 1000 });
    expect(await drain(open())).toBe(10);
    shared.kept.set('provider one', { text: '{}', version: 1000 });
    expect(await drain(open())).toBe(10);
  });

  it('never gives more than the burst and what came, whoever asks when', async () => {
    const steps = fc.array(fc.record({ who: fc.nat(2), later: fc.nat(300), wants: fc.nat(5) }), {
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(steps, async (list) => {
        const { open, time } = setUp();
        const engines = [open(), open(), open()];
        let taken = 0;
        for (const { who, later, wants } of list) {
          await time.advance(later);
          const tokens = engines[who];
          for (let turn = 0; turn < wants && tokens !== undefined; turn++) {
            if (begins(tokens, time.monotonic())) taken++;
            await time.settle();
          }
          expect(taken).toBeLessThanOrEqual(limit.burst + limit.per_ms * time.monotonic() + 1e-6);
        }
      }),
      { numRuns: 40 },
    );
  });
});
