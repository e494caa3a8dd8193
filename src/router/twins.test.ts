import { describe, expect, it } from 'vitest';
import type { RouteRequest } from '../core/ports/router.ts';
import { VirtualTime } from '../engine/testing/virtual-time.suite.ts';
import { countingOf } from './counting.ts';
import { MemberGate } from './member-gate.ts';
import type { Places } from './places.ts';
import { heldProvider, setUp } from './pools.suite.ts';
import type { Pools } from './pools.ts';
import { defaultProvider, type ProviderSettings } from './settings.ts';

const request: RouteRequest = {
  ...{ protocol: 'a/v1', method: 'echo', params: {}, task_id: 't', workflow_id: null },
  ...{ avoid: [], called: false },
};

function settings(limits: Partial<ProviderSettings['limits']>): ProviderSettings {
  const none = { concurrency: null, rate: null };
  return { ...defaultProvider, limits: { ...none, ...limits } };
}

function connect(pools: Pools, own: ProviderSettings): void {
  for (const protocol of ['a/v1', 'b/v1'])
    pools.connect(heldProvider(`of ${protocol}`, protocol).provider, {
      settings: own,
      ...(protocol === 'a/v1' ? {} : { twin: 'of a/v1' }),
    });
}

/** Two of different protocols that are the same service, and who was called from which line. */
function twins(limits: Partial<ProviderSettings['limits']>) {
  const { pools, time } = setUp();
  const rung: (string | undefined)[] = [];
  pools.onRoom(async ({ lane }, places) => {
    rung.push(lane);
    return { count: places, more: 0 };
  });
  connect(pools, settings(limits));
  const route = (protocol: string, called = false) => {
    const routed = pools.route({ ...request, protocol, called });
    return routed.word === 'go' ? routed.passage : null;
  };
  return { pools, time, rung, route };
}

describe('providers that are the same service', () => {
  it('have their places together, whichever protocol a call is of', () => {
    const { route } = twins({ concurrency: 1 });
    const first = route('a/v1');
    expect([first?.provider.id, route('b/v1'), route('a/v1')]).toEqual(['of a/v1', null, null]);
  });

  it('call those who wait in either protocol in turn', async () => {
    const { route, rung, time } = twins({ concurrency: 1 });
    let inside = route('a/v1');
    for (let count = 0; count < 4; count++) expect([route('a/v1'), route('b/v1')]).toEqual([null, null]);
    const order: string[] = [];
    for (let count = 0; count < 8; count++) {
      inside?.leave();
      await time.settle();
      expect(rung).toHaveLength(count + 1);
      const lane = rung.at(-1) ?? '';
      order.push(lane);
      inside = route(lane, true);
    }
    expect(order.map((lane) => lane[0]).sort()).toEqual([...'aaaabbbb']);
    expect(new Set(order.slice(0, 2)).size).toBe(2);
  });

  it('have a rate together, and lose none of it by another number of calls at once', () => {
    const rate = { per_ms: 0.001, burst: 2 };
    const { route, pools } = twins({ rate });
    expect([route('a/v1'), route('b/v1'), route('a/v1'), route('b/v1')].map((one) => one !== null)).toEqual([
      true,
      true,
      false,
      false,
    ]);
    for (const protocol of ['a/v1', 'b/v1'])
      pools.adjust(`of ${protocol}`, settings({ rate, concurrency: 9 }));
    expect(pools.status('of b/v1')).toMatchObject({
      concurrency: { most: 9, left: 7 },
      rate: { burst: 2, left: 0 },
    });
  });

  it('begin anew when they are replaced: calls may hang in the service that was there before', () => {
    const { route, pools } = twins({ concurrency: 1 });
    const inside = route('b/v1');
    expect(pools.status('of a/v1')?.concurrency).toEqual({ most: 1, left: 0 });
    connect(pools, settings({ concurrency: 2 }));
    for (const id of ['of a/v1', 'of b/v1'])
      expect(pools.status(id)?.concurrency).toEqual({ most: 2, left: 2 });
    expect([route('a/v1'), route('b/v1'), route('a/v1')].map((one) => one !== null)).toEqual([
      true,
      true,
      false,
    ]);
    inside?.leave();
    expect(pools.status('of a/v1')?.concurrency).toEqual({ most: 2, left: 0 });
  });

  it('let go of what they have of a limit when the last of them is gone', () => {
    let dropped = 0;
    const places: Places = {
      ...{ allowed: () => 1, isShared: () => true, isIdle: () => true },
      ...{ could: () => 1, waitsUntil: () => null },
      ...{ hungry: () => {}, left: () => {}, setMost: () => {}, drop: () => void dropped++ },
    };
    const time = new VirtualTime();
    const counting = { ...countingOf({ clock: time }, () => {}), places: () => places };
    const limits = { concurrency: 1, rate: null };
    const gate = new MemberGate('a', limits, counting).share(limits);
    gate.drop();
    expect(dropped).toBe(0);
    gate.drop();
    expect(dropped).toBe(1);
  });

  it('call others when somebody who was called does not come', async () => {
    const { pools, time } = setUp();
    const rung: (string | undefined)[] = [];
    pools.onRoom(async ({ lane }, places) => {
      rung.push(lane);
      return { count: lane === 'a/v1' ? 0 : places, more: 0 };
    });
    connect(pools, settings({ concurrency: 1 }));
    const routed = pools.route(request);
    expect(pools.route(request).word).toBe('wait');
    expect(pools.route({ ...request, protocol: 'b/v1' }).word).toBe('wait');
    if (routed.word === 'go') routed.passage.leave();
    await time.settle();
    expect(rung).toContain('b/v1');
  });
});
