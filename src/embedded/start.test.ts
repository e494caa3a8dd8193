import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import type { CommitRequest } from '../core/ports/store.ts';
import { World } from '../engine/testing/world.suite.ts';
import { startOrClose } from './start.ts';

const providers = [{ id: 'p', protocol: 'test/v1' }];

describe('a start', () => {
  it('that fails leaves nothing behind', async () => {
    const world = new World();
    const { engine, store, faults } = world.site();
    let closed = 0;
    faults.beforeCommit = ({ writes }: CommitRequest) => {
      if (writes.some(({ kind }) => kind === 'announce')) throw new GleitzeitError('GLZ3003', 'disk full');
    };
    const close = async () => {
      closed++;
      await store.close();
    };
    const started = startOrClose({ engine, store: { close }, providers, timers: world.time });
    const refused = expect(started).rejects.toMatchObject({ code: 'GLZ3003' });
    await world.time.until(started.catch(() => null));
    await refused;
    expect(closed).toBe(1);
    await world.time.settle();
    expect(world.time.pending).toBe(0);
  });

  it('outlasts a first commit that fails: joining is tried again', async () => {
    const world = new World();
    const { engine, store, faults } = world.site();
    faults.beforeCommit = () => {
      delete faults.beforeCommit;
      throw new GleitzeitError('GLZ3001', 'away');
    };
    await world.time.until(startOrClose({ engine, store, providers, timers: world.time }));
    expect(await world.time.until(engine.events({ cursor: 0 }).next())).toMatchObject({
      value: { event: 'provider:connected' },
    });
    await world.time.until(engine.stop(0));
  });

  it.each([
    ['fails', () => Promise.reject(new GleitzeitError('GLZ3003', 'disk full')), 'GLZ3003'],
    ['never answers', () => new Promise<never>(() => {}), 'GLZ3001'],
  ])(
    'on a store of which every commit %s is given up, with what the store says',
    async (_, beforeCommit, code) => {
      const world = new World();
      const { engine, store } = world.site({ faults: { beforeCommit } });
      let closed = 0;
      const close = async () => {
        closed++;
        await store.close();
      };
      const started = startOrClose({ engine, store: { close }, providers, timers: world.time });
      const refused = expect(started).rejects.toMatchObject({ code });
      const before = world.time.monotonic();
      await world.time.until(started.catch(() => null));
      await refused;
      expect(world.time.monotonic() - before).toBe(10_000);
      expect(closed).toBe(1);
      await world.time.settle();
      expect(world.time.pending).toBe(0);
    },
  );
});
