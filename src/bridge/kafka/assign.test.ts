import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stickyAssigner } from './assign.ts';

type Shares = Map<string, number[]>;

const topic = 't';

/** One round of joining: what everybody says it has, and what it gets. */
function round(owned: Shares, count: number, generations: ReadonlyMap<string, number> = new Map()): Shares {
  const members = new Map(
    [...owned].map(([memberId, partitions]) => [
      memberId,
      {
        memberId,
        version: 3,
        topics: [topic],
        ownedPartitions: [{ topic, partitions }],
        generationId: generations.get(memberId) ?? (partitions.length > 0 ? 7 : -1),
      },
    ]),
  );
  const topics = new Map([[topic, { id: '', partitions: [], partitionsCount: count, lastUpdate: 0 }]]);
  const metadata = { id: '', brokers: new Map(), controllerId: 0, topics, lastUpdate: 0 };
  const assigned = stickyAssigner('', members, new Set([topic]), metadata);
  return new Map(
    assigned.map((share) => [share.memberId, [...(share.assignments.get(topic)?.partitions ?? [])]]),
  );
}

/** Joins until nobody has to let go of anything, as members do. */
function settled(owned: Shares, count: number): Shares {
  let shares = owned;
  for (let rounds = 0; rounds < 5; rounds += 1) {
    const next = round(shares, count);
    const lets = [...shares].some(([id, had]) => had.some((partition) => !next.get(id)?.includes(partition)));
    shares = next;
    if (!lets) return shares;
  }
  throw new Error('members join again and again');
}

const sizes = (shares: Shares): number[] => [...shares.values()].map(({ length }) => length);

describe('who of a group gets which partitions', () => {
  it('a member that joins gets its part, also where the others have only one more than theirs', () => {
    const four: Shares = new Map([
      ['a', [0, 1, 2]],
      ['b', [3, 4, 5]],
      ['c', [6, 7, 8]],
      ['d', [9, 10, 11]],
    ]);
    const five = settled(new Map([...four, ['e', []]]), 12);
    expect(sizes(five).sort()).toEqual([2, 2, 2, 3, 3]);
    for (const [id, had] of four) for (const kept of five.get(id) ?? []) expect(had).toContain(kept);
  });

  it('nobody gets what another one still has', () => {
    const shares = round(
      new Map([
        ['a', [0, 1, 2, 3]],
        ['b', []],
      ]),
      4,
    );
    expect(shares).toEqual(
      new Map([
        ['a', [0, 1]],
        ['b', []],
      ]),
    );
  });

  it('of two that claim the same both have to let go of it first', () => {
    const shares = round(
      new Map([
        ['a', [0, 1]],
        ['b', [1, 2]],
      ]),
      3,
    );
    expect([...(shares.get('a') ?? []), ...(shares.get('b') ?? [])]).not.toContain(1);
  });

  it('what a member says that missed a generation counts nothing', () => {
    const shares = round(
      new Map([
        ['a', [0, 1]],
        ['b', [0]],
      ]),
      2,
      new Map([
        ['a', 7],
        ['b', 3],
      ]),
    );
    expect(shares.get('b')).not.toContain(0);
    expect(shares.get('a')).toContain(0);
  });

  it('all are given out evenly, each once, and as few as possible change hands', () => {
    const groups = fc.record({
      count: fc.integer({ min: 1, max: 24 }),
      stay: fc.integer({ min: 1, max: 8 }),
      come: fc.integer({ min: 0, max: 4 }),
      go: fc.integer({ min: 0, max: 4 }),
    });
    fc.assert(
      fc.property(groups, ({ count, stay, come, go }) => {
        const names = Array.from({ length: stay + go }, (_, index) => `old-${index}`);
        const before = settled(new Map(names.map((name) => [name, []])), count);
        const left: Shares = new Map([...before].slice(0, stay));
        for (let index = 0; index < come; index += 1) left.set(`new-${index}`, []);
        const after = settled(left, count);
        expect([...after.values()].flat().sort((a, b) => a - b)).toEqual([...Array(count).keys()]);
        expect(Math.max(...sizes(after)) - Math.min(...sizes(after))).toBeLessThanOrEqual(1);
        // Whoever does not have more than its part afterwards has kept everything.
        const part = Math.floor(count / after.size);
        for (const [name, had] of before)
          if (after.has(name) && had.length <= part)
            for (const partition of had) expect(after.get(name)).toContain(partition);
      }),
    );
  });
});
