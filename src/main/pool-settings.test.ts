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
        health: { every: 5, timeout: 0.5, method: 'ping' },
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
      health: { every_ms: 5000, timeout_ms: 500, method: 'ping' },
      breaker: { window_ms: 2000, cool_down_ms: 500, most_cool_down_ms: 9000 },
    });
    expect(
      poolSettings({
        pool: { select: 'sticky', sticky_by: 'params.user' },
        limits: { rate: '10/s', per_key: { key: 'params.user', concurrency: 1 } },
      }),
    ).toEqual({
      select: 'sticky',
      sticky_by: 'params.user',
      zone: null,
      limits: { concurrency: null, rate: { per_ms: 0.01, burst: 10 } },
      per_key: { key: 'params.user', concurrency: 1, rate: null },
    });
  });
});
