import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { costOf } from './cost.ts';
import { countTime, type Histogram, quantile } from './histogram.ts';
import { HOUR_MS, MINUTE_MS, reportStats } from './report.ts';
import { MOST_ROWS, Rows, readSpans } from './rows.ts';
import { addTally, type CountedCall, countCall, emptyTally, readTally, type Tally } from './tally.ts';

const call: CountedCall = { outcome: 'done', ms: 10, attempt: 1, hedge: false, usage: null, cost: null };

const calls = fc.array(
  fc.record({
    outcome: fc.constantFrom('done', 'again', 'timeout', 'server', 'cancelled'),
    ms: fc.integer({ min: 1, max: 100_000 }),
    attempt: fc.integer({ min: 1, max: 3 }),
    hedge: fc.boolean(),
    usage: fc.option(fc.record({ input_tokens: fc.nat(999), output_tokens: fc.nat(999) })),
    cost: fc.option(fc.record({ currency: fc.constantFrom('USD', 'EUR'), amount: fc.nat(9) })),
  }),
  { maxLength: 60 },
);

function tallyOf(...counted: readonly CountedCall[]): Tally {
  const tally = emptyTally();
  for (const one of counted) countCall(tally, one);
  return tally;
}

describe('how long calls took', () => {
  it('is known to within a twentieth, however many there were', () => {
    const times = fc.array(fc.double({ min: 0.02, max: 1e7, noNaN: true }), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(times, fc.constantFrom(0.5, 0.95, 0.99), (ms, share) => {
        const histogram: Histogram = {};
        for (const time of ms) countTime(histogram, time);
        const exact = ms.toSorted((a, b) => a - b)[Math.ceil(share * ms.length) - 1] ?? 0;
        const told = quantile(histogram, share) ?? 0;
        expect(Math.abs(told - exact) / exact).toBeLessThanOrEqual(0.05);
      }),
    );
  });

  it('is not known of none, and bounded whatever comes', () => {
    expect(quantile({}, 0.5)).toBe(null);
    const histogram: Histogram = {};
    for (const ms of [0, -1, 1e300, Number.POSITIVE_INFINITY]) countTime(histogram, ms);
    expect(Object.keys(histogram)).toHaveLength(2);
  });
});

describe('a tally', () => {
  it('counts what calls came to', () => {
    const usage = { input_tokens: 100, output_tokens: 20 };
    const tally = tallyOf(
      { ...call, usage, cost: { currency: 'USD', amount: 0.5 } },
      { ...call, outcome: 'timeout', attempt: 2 },
      { ...call, outcome: 'cancelled', hedge: true, attempt: 2 },
      { ...call, usage: {}, cost: { currency: 'USD', amount: 0.25 } },
    );
    expect(tally).toMatchObject({
      calls: 4,
      errors: { timeout: 1 },
      retries: 1,
      hedges: 1,
      input_tokens: 100,
      output_tokens: 20,
      cost: { USD: 0.75 },
    });
    expect(Object.values(tally.times)).toEqual([3]);
  });

  it('is the same whether calls are counted in one place or in several', () => {
    fc.assert(
      fc.property(calls, calls, calls, (a, b, c) => {
        const sum = emptyTally();
        for (const part of [c, a, b]) addTally(sum, tallyOf(...part));
        expect(sum).toEqual(tallyOf(...a, ...b, ...c));
      }),
    );
  });

  it('is read as it was written, and anything else as nothing', () => {
    fc.assert(
      fc.property(calls, (some) => {
        const tally = tallyOf(...some);
        expect(readTally(JSON.parse(JSON.stringify(tally)))).toEqual(tally);
      }),
    );
    expect(readTally(undefined)).toEqual(emptyTally());
    expect(readTally({ calls: 'x', errors: 1, cost: { USD: 'x' } })).toEqual(emptyTally());
  });
});

describe('what a call cost', () => {
  const price = { per_call: 0.01, per_1k_input_tokens: 2, per_1k_output_tokens: 10, currency: 'EUR' };

  it.each([
    [null, 0.01],
    [{ input_tokens: 500 }, 1.01],
    [{ input_tokens: 500, output_tokens: 100 }, 2.01],
  ])('with %j', (usage, amount) => {
    expect(costOf(price, usage)?.amount).toBeCloseTo(amount);
  });

  it('is nothing where it is nothing', () => {
    expect(costOf({ ...price, per_call: 0 }, null)).toBe(null);
  });
});

describe('rows', () => {
  const name = { protocol: 'a/v1', provider: 'p', method: 'm' };

  it('are no more than there may be: the rest shares one', () => {
    const rows = new Rows();
    for (let index = 0; index < MOST_ROWS + 50; index++)
      rows.tallyOf({ ...name, method: `m${index}` }).calls++;
    expect(rows.all).toHaveLength(MOST_ROWS + 1);
    expect(rows.all.at(-1)).toMatchObject({ protocol: 'other', provider: 'other', method: 'other' });
    expect(rows.all.at(-1)?.tally.calls).toBe(50);
  });

  it('are read as they were written, and anything else left out', () => {
    const rows = new Rows();
    countCall(rows.tallyOf(name), call);
    rows.add([{ ...name, tally: tallyOf(call) }]);
    const spans = [{ at: 60_000, rows: rows.all }];
    expect(readSpans(JSON.parse(JSON.stringify({ spans })))).toEqual(spans);
    expect(
      readSpans({ spans: [1, { at: 'x', rows: [] }, { at: 1 }, { at: 2, rows: [1, { protocol: 1 }] }] }),
    ).toEqual([{ at: 2, rows: [] }]);
    for (const other of [null, {}, { spans: 1 }, []]) expect(readSpans(other)).toEqual([]);
  });
});

describe('a report', () => {
  const now = 100 * HOUR_MS + 30 * MINUTE_MS + 5;
  const row = (protocol: string, provider: string, method: string, count: number) => ({
    ...{ protocol, provider, method },
    tally: tallyOf(...Array.from({ length: count }, () => call)),
  });
  const minute = (ago: number) => Math.floor(now / MINUTE_MS) * MINUTE_MS - ago * MINUTE_MS;
  const spans = [
    { at: minute(0), rows: [row('a/v1', 'p', 'm', 1), row('b/v1', 'q', 'm', 2)] },
    { at: minute(3), rows: [row('a/v1', 'p', 'n', 3), row('a/v1', 'o', 'm', 4)] },
    { at: minute(3), rows: [row('a/v1', 'p', 'n', 5)] },
    { at: minute(59), rows: [row('a/v1', 'p', 'm', 6)] },
    { at: minute(60), rows: [row('a/v1', 'p', 'm', 7)] },
    { at: 77 * HOUR_MS, rows: [row('a/v1', 'p', 'm', 8)] },
    { at: 76 * HOUR_MS, rows: [row('a/v1', 'p', 'm', 9)] },
    { at: 200 * HOUR_MS, rows: [row('a/v1', 'p', 'm', 9)] },
  ];
  const counts = (steps: readonly { at: number; tally: Tally }[]) =>
    steps.map(({ at, tally }) => [at, tally.calls]);

  it('shows the last hour by the minute, for each protocol, provider and method', () => {
    const report = reportStats(spans, { window: 'hour', now, protocol: null });
    expect([report.from, report.to]).toEqual([minute(59), minute(-1)]);
    expect(report.protocols.map(({ protocol, total }) => [protocol, total.calls])).toEqual([
      ['a/v1', 19],
      ['b/v1', 2],
    ]);
    const [a] = report.protocols;
    expect(counts(a?.steps ?? [])).toEqual([
      [minute(59), 6],
      [minute(3), 12],
      [minute(0), 1],
    ]);
    expect(a?.providers.map(({ provider, total }) => [provider, total.calls])).toEqual([
      ['o', 4],
      ['p', 15],
    ]);
    expect(a?.methods.map(({ method, steps }) => [method, counts(steps).length])).toEqual([
      ['m', 3],
      ['n', 1],
    ]);
  });

  it('shows the last day by the hour, and only one protocol where that is asked for', () => {
    const { protocols, from, to } = reportStats(spans, { window: 'day', now, protocol: 'a/v1' });
    expect([from, to]).toEqual([77 * HOUR_MS, 101 * HOUR_MS]);
    expect(protocols.map(({ protocol, steps }) => [protocol, counts(steps)])).toEqual([
      [
        'a/v1',
        [
          [77 * HOUR_MS, 8],
          [99 * HOUR_MS, 13],
          [100 * HOUR_MS, 13],
        ],
      ],
    ]);
  });
});
