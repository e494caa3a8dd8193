import { describe, expect, it } from 'vitest';
import { defaultPool, defaultProvider } from '../router/settings.ts';
import { poolSettings, providerSettings } from './pool-settings.ts';

describe('what a configuration says of pools', () => {
  it('is the default where it says nothing, but for the calls a provider gets at once', () => {
    expect(poolSettings({})).toEqual(defaultPool);
    expect(providerSettings({})).toEqual({ ...defaultProvider, limits: { concurrency: 128, rate: null } });
  });

  it('is turned into milliseconds and tokens', () => {
    expect(
      providerSettings({
        limits: { concurrency: 4, rate: '600/min', burst: 3 },
        health: { every: 5, timeout: 0.5, failures: 3, method: 'ping' },
        breaker: {
          failures: 3,
          failure_rate: 0.2,
          window: 2,
          least_calls: 5,
          cool_down: 0.5,
          most_cool_down: 9,
          probes: 2,
        },
      }),
    ).toMatchObject({
      limits: { concurrency: 4, rate: { per_ms: 0.01, burst: 3 } },
      health: { every_ms: 5000, timeout_ms: 500, failures: 3, method: 'ping' },
      breaker: { window_ms: 2000, cool_down_ms: 500, most_cool_down_ms: 9000 },
    });
    expect(
      poolSettings({
        pool: { select: 'sticky', sticky_by: 'params.user', zone: 'eu', hedge: { after: 0.2, max: 1 } },
        limits: { rate: '10/s', per_key: { key: 'params.user', concurrency: 1 } },
      }),
    ).toEqual({
      select: 'sticky',
      sticky_by: 'params.user',
      zone: 'eu',
      hedge: { after: 200, max: 1 },
      limits: { concurrency: null, rate: { per_ms: 0.01, burst: 10 } },
      per_key: { key: 'params.user', concurrency: 1, rate: null },
    });
  });

  it('lets a breaker cool down at most for half a minute, or for as long as it does at first', () => {
    const mostOf = (given: object) => {
      const usual = { failures: 5, failure_rate: 0.5, window: 10, least_calls: 20, cool_down: 1, probes: 1 };
      return providerSettings({ breaker: { ...usual, ...given } }).breaker.most_cool_down_ms;
    };
    expect(
      [{}, { cool_down: 60 }, { cool_down: 60, most_cool_down: 90 }, { most_cool_down: 2 }].map(mostOf),
    ).toEqual([30_000, 60_000, 90_000, 2000]);
  });

  it.each([
    [{}, { path: '/health', least: 200, most: 299 }],
    [{ expect: '204' }, { path: '/health', least: 204, most: 204 }],
    [{ expect: '200-404' }, { path: '/health', least: 200, most: 404 }],
  ])('has the statuses of a healthy service: %j', (more, get) => {
    const health = { every: 1, timeout: 1, failures: 2, path: '/health', ...more };
    expect(providerSettings({ health }).health).toEqual({
      every_ms: 1000,
      timeout_ms: 1000,
      failures: 2,
      get,
    });
  });

  it('takes the time of most calls by its name', () => {
    expect(poolSettings({ pool: { select: 'latency', hedge: { after: 'p95', max: 2 } } }).hedge).toEqual({
      after: 'p95',
      max: 2,
    });
  });
});
