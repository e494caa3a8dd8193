import { expect, it } from 'vitest';
import { World } from '../engine/testing/world.suite.ts';
import { forgetQuotas } from './quotas.ts';

it('what is left of the rate of a provider that is gone is forgotten when it is old, and not before', async () => {
  const world = new World();
  const { engine, store } = await world.started();
  const [now, day] = [Date.now(), 24 * 3600 * 1000];
  const put = (key: string, at: number) =>
    engine.putDocument({ collection: 'limits', key, text: JSON.stringify({ tokens: 0, at }), expect: 0 });
  const ages = { 'provider here': 60, 'provider gone': 60, 'protocol gone/v1': 31, 'provider back': 29 };
  for (const [key, days] of Object.entries(ages)) await world.time.until(put(key, now - days * day));
  const pools = { providers: () => [{ id: 'here' }], protocols: () => [] };
  const config = { protocols: [] };
  await world.time.until(forgetQuotas({ store, exclusive: true, engine, pools, config }));
  const left = [...world.data.documents.values()].map(({ key }) => key);
  expect(left.sort()).toEqual(['provider back', 'provider here']);
});
