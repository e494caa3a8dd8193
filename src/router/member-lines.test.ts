import { describe, expect, it } from 'vitest';
import type { Provider } from '../core/ports/provider.ts';
import type { Routed, RouteRequest } from '../core/ports/router.ts';
import { VirtualTime } from '../engine/testing/virtual-time.suite.ts';
import { Pools } from './pools.ts';
import { answered, settingsOf } from './queue.suite.ts';

const logger = { debug() {}, info() {}, warn() {}, error() {} };

describe('the line of calls that no provider can take', () => {
  it('has every place back whose caller went elsewhere, at whichever provider and one after the other', async () => {
    const time = new VirtualTime();
    const pools = new Pools({ clock: time, timers: time, logger, draw: () => 0 });
    const rang: number[] = [];
    const astray: ((count: number) => void)[] = [];
    pools.onRoom(async (_line, places, gone) => {
      rang.push(places);
      if (gone !== undefined) astray.push(gone);
      return places;
    });
    for (const id of ['one', 'two']) {
      const provider: Provider = { id, protocol: 'a/v1', hasMethod: () => true, call: async () => answered };
      pools.connect(provider, { settings: settingsOf({ limits: { concurrency: 1, rate: null } }) });
    }
    const ask = (task_id: string): Routed => {
      const asked: RouteRequest = {
        ...{ protocol: 'a/v1', method: 'echo', params: {}, workflow_id: null },
        ...{ task_id, avoid: [], called: false },
      };
      return pools.route(asked);
    };
    pools.setDrained(new Set(['one', 'two']));
    for (const id of ['a', 'b']) expect(ask(id).word).toBe('wait');
    pools.setDrained(new Set());
    await time.settle();
    expect(rang).toEqual([2]);
    astray[0]?.(1);
    astray[0]?.(1);
    expect(['c', 'd', 'e'].map((id) => ask(id).word)).toEqual(['go', 'go', 'wait']);
    await time.until(pools.stop());
  });
});
