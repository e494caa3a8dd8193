import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Line } from '../core/ports/router.ts';
import { LineTurns, ofKey } from './line-turns.ts';

const base: Line = { kind: 'concurrency', key: 'protocol a/v1', fair: false };
const line = (key: string | null) => ofKey(base, key);

/** Lines as the store has them: so many wait in each. */
function setUp(stored: Readonly<Record<string, number>> = {}) {
  const there = new Map(Object.entries(stored));
  const rang: string[] = [];
  const vain: string[] = [];
  const turns = new LineTurns(base, {
    ring: async ({ key }, places) => {
      rang.push(`${places} ${key}`);
      const waiting = there.get(key) ?? 0;
      const count = Math.min(places, waiting);
      there.set(key, waiting - count);
      return { count, more: waiting > count ? 1 : 0 };
    },
    vain: ({ key }) => vain.push(key),
  });
  const join = (key: string | null, count: number) => {
    const own = line(key);
    there.set(own.key, (there.get(own.key) ?? 0) + count);
    for (let one = 0; one < count; one++) turns.joined(own, false);
  };
  const ring = async (places: number) => (await turns.ring(places, () => {})).count;
  return { turns, rang, vain, join, ring, there };
}

describe('those of many keys who wait for the same', () => {
  it('have lines of their own; one of each is called in turn, and those without a key are like one more', async () => {
    const { join, ring, rang } = setUp();
    join('u=1', 50);
    join('u=2', 2);
    join(null, 3);
    expect(await ring(1)).toBe(1);
    expect(await ring(7)).toBe(7);
    expect(await ring(4)).toBe(4);
    expect(rang).toEqual([
      '1 protocol a/v1 u=1',
      ...['2 protocol a/v1 u=2', '3 protocol a/v1', '2 protocol a/v1 u=1'],
      '4 protocol a/v1 u=1',
    ]);
  });

  it('give their places to others where they are gone, and last to whoever may be in the line of all', async () => {
    const { turns, join, ring, rang, vain } = setUp({ 'protocol a/v1': 1 });
    for (let count = 0; count < 5; count++) turns.joined(line('u=gone'), false);
    join('u=2', 9);
    expect(await ring(8)).toBe(8);
    expect(rang).toEqual(['4 protocol a/v1 u=gone', '4 protocol a/v1 u=2', '4 protocol a/v1 u=2']);
    expect(vain).toEqual(['protocol a/v1 u=gone']);
    expect(await ring(5)).toBe(2);
    expect(rang.slice(3)).toEqual(['1 protocol a/v1 u=2', '4 protocol a/v1']);
  });

  it('are guessed where one came of whom nothing was known', async () => {
    const { turns, ring, rang } = setUp({ 'protocol a/v1 u=1': 9 });
    turns.suspect(line('u=1'));
    expect(await ring(2)).toBe(2);
    expect(rang).toEqual(['2 protocol a/v1 u=1']);
    for (let count = 0; count < 100; count++) turns.suspect(line('u=1'));
    await ring(1000);
    expect(rang[1]).toBe('64 protocol a/v1 u=1');
  });

  it('are known, each of them, where the store had more of them than have come here', async () => {
    const { turns, ring, rang } = setUp({
      'protocol a/v1 u=1': 9,
      'protocol a/v1 u=2': 9,
      'protocol a/v1 u=3': 1,
    });
    for (const key of ['u=1', 'u=2', 'u=3']) turns.joined(line(key), true);
    for (let turn = 0; turn < 9; turn++) expect(await ring(1)).toBe(1);
    expect(rang).toEqual([1, 2, 3, 1, 2, 1, 2, 1, 2].map((user) => `1 protocol a/v1 u=${user}`));
    // Nobody is called in vain meanwhile, and all of them at once where there is room.
    expect(await ring(10)).toBe(10);
    expect(await ring(1)).toBe(0);
  });

  it('say how many of all are left, but for those who are on their way', async () => {
    const { turns, join } = setUp({ 'protocol a/v1 u=2': 2 });
    join('u=1', 5);
    turns.joined(line('u=2'), true);
    const more = async (places: number) => (await turns.ring(places, () => {})).more;
    expect(await more(1)).toBe(5);
    expect(await more(1)).toBe(4 + 2);
    expect(await more(3)).toBe(2);
    expect(await more(9)).toBe(0);
  });

  it('are counted once where a look at all lines finds them', async () => {
    const { turns, join, ring, rang } = setUp();
    join('u=1', 1);
    turns.joined(line('u=1'), true);
    expect(await ring(2)).toBe(1);
    turns.joined(line('u=2'), true);
    await ring(1);
    expect(rang).toEqual([
      '1 protocol a/v1 u=1',
      '1 protocol a/v1',
      '1 protocol a/v1 u=2',
      '1 protocol a/v1',
    ]);
  });

  it('are known where they came after a call in vain for those who stood before them', async () => {
    const { turns, join, ring } = setUp();
    for (let count = 0; count < 3; count++) turns.joined(line('u=1'), false);
    const calls = [ring(1), ring(1)];
    join('u=1', 2);
    expect(await Promise.all(calls)).toEqual([1, 1]);
  });

  it('are asked once more in the end', async () => {
    const { turns, join, ring, rang } = setUp();
    join('u=1', 1);
    join('u=2', 2);
    await ring(2);
    rang.splice(0);
    turns.end();
    expect(rang).toEqual(['1 protocol a/v1 u=1', '1 protocol a/v1 u=2']);
    turns.end();
    expect(rang).toHaveLength(2);
  });

  it('are asked only once in the end where somebody came again meanwhile', async () => {
    const { turns, join, ring, rang } = setUp();
    join('u=1', 1);
    await ring(1);
    join('u=1', 1);
    rang.splice(0);
    turns.end();
    expect(rang).toEqual(['1 protocol a/v1 u=1']);
  });

  it('all come, whatever is believed of them, and none is called more often than any other who has as many', async () => {
    const keys = fc.constantFrom('u=1', 'u=2', 'u=3', null);
    const steps = fc.array(fc.tuple(keys, fc.integer({ min: 1, max: 9 }), fc.boolean(), fc.nat(6)), {
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(steps, async (list) => {
        const { turns, join, ring, there } = setUp();
        let waiting = 0;
        for (const [key, count, isGone, places] of list) {
          if (isGone) turns.joined(line(key), false);
          else {
            join(key, count);
            waiting += count;
          }
          const come = await ring(places);
          expect(come).toBe(Math.min(places, waiting));
          waiting -= come;
        }
        expect(await ring(waiting + 1)).toBe(waiting);
        expect([...there.values()].every((count) => count === 0)).toBe(true);
      }),
    );
  });
});
