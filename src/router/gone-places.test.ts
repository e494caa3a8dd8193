import { expect, it } from 'vitest';
import { readSheet } from '../core/pool/sheet-text.ts';
import { nobodyCame } from '../core/ports/router.ts';
import { VirtualTime } from '../engine/testing/virtual-time.suite.ts';
import { heldProvider } from './pools.suite.ts';
import { Pools } from './pools.ts';
import { settingsOf } from './queue.suite.ts';
import { Quotas } from './quotas.ts';

const logger = { debug() {}, info() {}, warn() {}, error() {} };

it('a provider that goes leaves its places to the other engines, with its last call', async () => {
  const time = new VirtualTime();
  const stored = new Map<string, { text: string; version: number }>();
  const state = {
    read: async (name: string) => stored.get(name) ?? null,
    write: async (name: string, text: string, expected: number) => {
      stored.set(name, { text, version: expected + 1 });
      return { version: expected + 1 };
    },
    versions: async () => [],
  };
  const parts = { state, engines: async () => ['me', 'other'], clock: time, timers: time, logger };
  const pools = new Pools({
    ...{ clock: time, timers: time, logger },
    quotas: new Quotas({ ...parts, exclusive: false }),
  });
  pools.onRoom(async () => nobodyCame);
  pools.joined('me');
  const { provider } = heldProvider('one');
  pools.connect(provider, { settings: settingsOf({ limits: { concurrency: 4, rate: null } }) });
  const request = { protocol: 'a/v1', method: 'echo', params: {}, task_id: 't', workflow_id: null };
  const route = () => pools.route({ ...request, avoid: [], called: false });
  route();
  await time.advance(20);
  const routed = route();
  const claims = () => [...stored.values()].flatMap(({ text }) => [...readSheet(text).claims.keys()]);
  expect([routed.word, claims()]).toEqual(['go', ['provider one']]);
  const gone = pools.disconnect('one');
  await time.advance(1000);
  expect(claims()).toEqual(['provider one']);
  if (routed.word === 'go') routed.passage.leave();
  await time.until(gone);
  await time.advance(1000);
  expect(claims()).toEqual([]);
  await time.until(pools.stop());
});
