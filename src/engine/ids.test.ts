import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createIds } from './ids.ts';
import { seededRandom } from './testing/world.suite.ts';

const UUID7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function ids(wall: () => number, seed = 1): () => string {
  return createIds({ wall }, seededRandom(seed));
}

describe('ids', () => {
  it('are UUIDs of version 7 that begin with the time', () => {
    const id = ids(() => 0x018bcfe56800)();
    expect(id).toMatch(UUID7);
    expect(id.slice(0, 13)).toBe('018bcfe5-6800');
  });

  it('take every bit of chance they can hold, and no other', () => {
    const bytes = (value: number) => ({ bytes: (count: number) => new Uint8Array(count).fill(value) });
    const clock = { wall: () => 1 };
    expect(createIds(clock, bytes(0xff))()).toBe('00000000-0001-7000-bfff-ffffffffffff');
    expect(createIds(clock, bytes(0x00))()).toBe('00000000-0001-7000-8000-000000000000');
    const counting = { bytes: () => Uint8Array.from([0x81, 0x82, 3, 4, 5, 6, 7, 8]) };
    expect(createIds(clock, counting)()).toBe('00000000-0001-7000-8182-030405060708');
  });

  it('sort in the order they were made and never repeat, whatever the wall clock does', () => {
    const times = fc.array(fc.double({ min: -10, max: 2 ** 42, noNaN: true }), {
      minLength: 2,
      maxLength: 60,
    });
    fc.assert(
      fc.property(times, fc.integer(), (walls, seed) => {
        let turn = 0;
        const next = ids(() => walls[turn++ % walls.length] ?? 0, seed);
        const made = Array.from({ length: 120 }, next);
        expect([...made].sort()).toEqual(made);
        expect(new Set(made).size).toBe(made.length);
        for (const id of made) expect(id).toMatch(UUID7);
      }),
    );
  });

  it('go on to the next millisecond when one has given out all it has', () => {
    const next = ids(() => 5);
    const made = Array.from({ length: 4097 * 2 }, next);
    expect([...made].sort()).toEqual(made);
    expect(made[4095]?.slice(0, 18)).toBe('00000000-0005-7fff');
    expect(made[4096]?.slice(0, 18)).toBe('00000000-0006-7000');
  });

  it('start counting anew when time moves on', () => {
    let now = 5;
    const next = ids(() => now);
    next();
    expect(next().slice(9, 18)).toBe('0005-7001');
    now = 6;
    expect(next().slice(9, 18)).toBe('0006-7000');
  });
});
