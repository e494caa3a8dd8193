import { describe, expect, it } from 'vitest';
import { stateOf } from '../engine/testing/sharing.suite.ts';
import { World } from '../engine/testing/world.suite.ts';
import { forgetSheets } from './forget-sheets.ts';

const known = { providers: ['one'], protocols: ['a/v1'] };

async function setUp(...names: readonly string[]) {
  const world = new World(false);
  const { engine, store } = world.site();
  await world.time.until(engine.start());
  const state = stateOf(
    () => store.reads,
    () => engine,
  );
  for (const name of names) await world.time.until(state.write(name, '{}', 0));
  const parts = {
    versions: state.versions,
    remove: (key: string, expect: number) => engine.deleteDocument({ collection: 'quotas', key, expect }),
    isAlone: async () => (await store.reads.engines()).length <= 1,
  };
  const left = () => [...world.data.documents.values()].map(({ key }) => key).sort();
  return { world, state, parts, left };
}

describe('sheets of limits', () => {
  it('go with the providers and protocols they are for', async () => {
    const stay = ['keys a/v1 0', 'keys a/v1 15', 'protocol a/v1', 'provider one', 'something else'];
    const go = ['keys b/v1 0', 'keys a/v1 0 3', 'protocol b/v1', 'provider a/v1', 'provider two'];
    const { world, parts, left } = await setUp(...stay, ...go);
    await world.time.until(forgetSheets(known, parts));
    expect(left()).toEqual(stay);
  });

  it('stay while another engine may use them', async () => {
    const { world, parts, left } = await setUp('provider two');
    await world.time.until(world.site().engine.start());
    await world.time.until(forgetSheets(known, parts));
    expect(left()).toEqual(['provider two']);
  });

  it('stay where somebody has written them meanwhile', async () => {
    const { world, state, parts, left } = await setUp('provider three', 'provider two');
    const isAlone = async () => {
      await state.write('provider three', '{"whole":"other"}', 1);
      return true;
    };
    await world.time.until(forgetSheets(known, { ...parts, isAlone }));
    expect(left()).toEqual(['provider three']);
  });
});
