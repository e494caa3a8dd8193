import { expect, it, onTestFinished } from 'vitest';
import { openHouse } from '../server/testing/house.suite.ts';
import { openStats } from './stats.ts';

const logger = { debug() {}, info() {}, warn() {}, error() {} };
const row = { protocol: 'a/v1', provider: 'p', method: 'm' };
const call = { outcome: 'done', ms: 10, attempt: 1, hedge: false, usage: null, cost: null };

it('what calls came to is in the store, for whoever comes next, and what is old is gone from it', async () => {
  const house = await openHouse();
  onTestFinished(() => house.close());
  const { engine, store } = house;
  const old = { collection: 'stats', key: '2001-01-01T00 gone', text: '{}', expect: null };
  await engine.putDocument(old);
  const open = (name: string) => openStats({ name, logger, reads: store.reads, engine: () => engine });
  const first = open('first');
  first.count(row, call);
  await first.stop();
  const { items } = await store.reads.documents('stats', { limit: 10 });
  expect(items.map(({ key }) => key)).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d first$/)]);
  const next = open('next');
  next.count(row, { ...call, outcome: 'timeout' });
  const { protocols } = await next.report({ window: 'hour', protocol: null });
  expect(protocols).toMatchObject([{ protocol: 'a/v1', total: { calls: 2, errors: { timeout: 1 } } }]);
  await next.stop();
});
