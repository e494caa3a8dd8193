import { describe, expect, it } from 'vitest';
import { Places } from './places.ts';

const settle = () => new Promise(setImmediate);

function setUp(limit: number, waits = 1000) {
  let freed = 0;
  const places = new Places({ limit, waits, freed: () => void freed++ });
  return { places, freed: () => freed };
}

describe('places of messages that are worked on', () => {
  it('are given back by what waits, and taken again when it goes on', async () => {
    const { places, freed } = setUp(1);
    const place = places.take();
    const end = Promise.withResolvers<string>();
    expect(places.free).toBe(false);
    const waiting = place.aside(() => end.promise);
    expect([places.free, places.idle, freed()]).toEqual([true, false, 1]);
    end.resolve('done');
    expect(await waiting).toBe('done');
    expect(places.free).toBe(false);
    place.leave();
    expect([places.free, places.idle, freed()]).toEqual([true, true, 2]);
  });

  it('are waited for by what has waited, before anything new', async () => {
    const { places, freed } = setUp(1);
    const first = places.take();
    const waiting = first.aside(() => Promise.resolve('done'));
    const second = places.take();
    let went = false;
    const on = waiting.then(() => (went = true));
    await settle();
    expect(went).toBe(false);
    const before = freed();
    second.leave();
    await on;
    expect([places.free, freed()]).toEqual([false, before]);
  });

  it('are not waited for once nobody is there', async () => {
    const { places } = setUp(1);
    const waiting = places.take().aside(() => Promise.reject(new Error('over')));
    places.take();
    await settle();
    places.end();
    await expect(waiting).rejects.toThrow('over');
    await places.take().aside(async () => {});
  });

  it('are kept by what waits when too many do', async () => {
    const { places } = setUp(2, 1);
    const end = Promise.withResolvers<void>();
    const waits = [places.take(), places.take()].map((place) => place.aside(() => end.promise));
    places.take();
    expect(places.free).toBe(false);
    end.resolve();
    await waits[1];
  });

  it('are given back once for a batch, and taken when the last of it goes on', async () => {
    const { places } = setUp(2);
    const place = places.take();
    const ends = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const waits = ends.map(({ promise }) => place.aside(() => promise));
    places.take();
    expect(places.free).toBe(true);
    ends[0]?.resolve();
    await waits[0];
    expect(places.free).toBe(true);
    ends[1]?.resolve();
    await waits[1];
    expect(places.free).toBe(false);
  });
});
