import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Recent } from './recent.ts';

describe('what was put in last', () => {
  it('is there for at least half the bound, and never more than all of it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 0, max: 100 }), (half, count) => {
        const recent = new Recent<number>({ most: half * 2, characters: 10 });
        for (let index = 0; index < count; index++) recent.set(`k${index}`, index);
        const found = Array.from({ length: count }, (_, index) => recent.get(`k${index}`) ?? -1);
        const kept = found.filter((value) => value >= 0);
        expect(kept.length).toBeLessThanOrEqual(half * 2);
        expect(kept).toEqual(Array.from({ length: kept.length }, (_, index) => count - kept.length + index));
        expect(kept.length).toBeGreaterThanOrEqual(Math.min(count, half));
      }),
    );
  });

  it('stays within its characters, and a giant pushes nothing out', () => {
    const recent = new Recent<string>({ most: 100, characters: 20 });
    recent.set('a', 'a', 10);
    recent.set('giant', 'giant', 11);
    expect([recent.get('a'), recent.get('giant')]).toEqual(['a', undefined]);
    recent.set('b', 'b', 1);
    expect([recent.get('a'), recent.get('b')]).toEqual(['a', 'b']);
    recent.set('c', 'c', 10);
    expect([recent.get('a'), recent.get('b'), recent.get('c')]).toEqual([undefined, 'b', 'c']);
  });

  it('can be taken out, one or all, from both halves', () => {
    const recent = new Recent<number>({ most: 4, characters: 0 });
    for (const [index, key] of ['a', 'b', 'c', 'd'].entries()) recent.set(key, index);
    recent.delete('a');
    recent.delete('d');
    expect(['a', 'b', 'c', 'd'].map((key) => recent.get(key))).toEqual([undefined, 1, 2, undefined]);
    recent.clear();
    expect(['b', 'c'].map((key) => recent.get(key))).toEqual([undefined, undefined]);
  });

  it('is replaced by what is put in again, also by a giant', () => {
    const recent = new Recent<number>({ most: 10, characters: 10 });
    recent.set('a', 1, 1);
    recent.set('a', 2, 1);
    expect(recent.get('a')).toBe(2);
    recent.set('a', 3, 6);
    expect(recent.get('a')).toBeUndefined();
  });
});
