import { describe, expect, it } from 'vitest';
import type { Answer } from '../core/answer.ts';
import { heldProvider, setUp } from './pools.suite.ts';
import { answered, failed, settingsOf } from './queue.suite.ts';

const health = { every_ms: 1000, timeout_ms: 200, failures: 2, method: 'ping' };

describe('a provider that misses questions', () => {
  it('says in its status why it gets no calls, and when it is asked next', async () => {
    const { time, pools } = setUp({ draw: () => 0 });
    let answer: Answer = answered;
    const provider = { ...heldProvider('one').provider, call: async () => answer };
    pools.connect(provider, { settings: settingsOf({ health }) });
    await time.advance(10);
    const asks = (ms: number) => time.wall() + ms;
    expect(pools.status('one')).toMatchObject({
      health: { misses: 0, last_error: null, next_probe: asks(990) },
      next_probe: null,
    });
    answer = failed('GLZ2001');
    await time.advance(1000);
    const last_error = { error_code: 'GLZ2001', message: 'the service answered with an error' };
    expect(pools.status('one')).toMatchObject({
      ...{ state: 'connected', last_error: null, next_probe: null },
      health: { misses: 1, last_error },
    });
    await time.advance(250);
    const next_probe = asks(490);
    expect(pools.status('one')).toMatchObject({
      ...{ state: 'unhealthy', next_probe },
      health: { misses: 2, last_error, next_probe },
    });
    answer = answered;
    await time.advance(500);
    expect(pools.status('one')).toMatchObject({
      ...{ state: 'connected', next_probe: null },
      health: { misses: 0, last_error: null, next_probe: asks(990) },
    });
    pools.adjust('one', settingsOf());
    expect(pools.status('one')?.health).toBeNull();
    await pools.stop();
  });

  it('is begun anew after each so many misses, unless it may be busy with a call', async () => {
    const { time, pools } = setUp({ draw: () => 0 });
    const silences: number[] = [];
    let well = false;
    const provider = {
      ...heldProvider('one').provider,
      call: ({ method }: { method: string }) =>
        method === 'ping' && well ? Promise.resolve(answered) : new Promise<Answer>(() => {}),
      renew: (ms: number) => void silences.push(ms),
    };
    pools.connect(provider, { settings: settingsOf({ health }) });
    // Asked at 0, 450, 1150, 2350, 3550 and so on, and heard of 200 ms later each.
    await time.advance(700);
    expect(silences).toEqual([650]);
    await time.advance(1900);
    expect(silences).toEqual([650, 1400]);
    well = true;
    await time.advance(1200);
    expect(pools.status('one')?.state).toBe('connected');
    well = false;
    const request = { protocol: 'a/v1', method: 'echo', params: {}, task_id: 't', workflow_id: null };
    expect(pools.route({ ...request, avoid: [], called: true }).word).toBe('go');
    await time.advance(20_000);
    expect([pools.status('one')?.state, silences]).toEqual(['unhealthy', [650, 1400]]);
    await time.until(pools.stop());
  });
});
