import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findCycle } from './graph.ts';

const nodes = (edges: Record<string, string[]>) =>
  Object.entries(edges).map(([id, dependencies]) => ({ id, dependencies }));

describe('a circle of dependencies', () => {
  it.each([
    [{ a: ['b'], b: ['a'] }, ['a', 'b', 'a']],
    [{ a: ['b'], b: ['c'], c: ['a'] }, ['a', 'b', 'c', 'a']],
    [{ x: ['a'], a: ['b'], b: ['c'], c: ['b'] }, ['b', 'c', 'b']],
    [{ a: [], b: ['a', 'c'], c: ['d', 'a'], d: ['b'] }, ['b', 'c', 'd', 'b']],
  ])('is found in %j', (edges, cycle) => {
    expect(findCycle(nodes(edges))).toEqual(cycle);
  });

  it.each([
    [{}],
    [{ a: [] }],
    [{ a: ['a'] }],
    [{ a: ['gone'] }],
    [{ a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }],
    [{ a: [], b: ['a'], c: ['a', 'b'] }],
  ])('is not seen in %j', (edges) => {
    expect(findCycle(nodes(edges))).toBeUndefined();
  });

  it('is looked for in long chains without a deep stack', () => {
    const chain = Array.from({ length: 100_000 }, (_, i) => ({
      id: `t${i}`,
      dependencies: i === 0 ? [] : [`t${i - 1}`],
    }));
    expect(findCycle(chain)).toBeUndefined();
    expect(findCycle(chain.toReversed())).toBeUndefined();
    const closed = [{ id: 't0', dependencies: ['t99999'] }, ...chain.slice(1)];
    expect(findCycle(closed)).toHaveLength(100_001);
  });

  const graph = fc
    .array(fc.array(fc.nat(9), { maxLength: 4 }), { minLength: 1, maxLength: 10 })
    .map((lists) => lists.map((list, i) => ({ id: `${i}`, dependencies: list.map(String) })));

  it('is a path of real dependencies that ends where it began', () => {
    fc.assert(
      fc.property(graph, (tasks) => {
        const cycle = findCycle(tasks);
        if (cycle === undefined) return;
        expect(cycle.length).toBeGreaterThan(2);
        expect(cycle.at(-1)).toBe(cycle[0]);
        for (const [i, id] of cycle.slice(1).entries())
          expect(tasks[Number(cycle[i])]?.dependencies).toContain(id);
      }),
    );
  });

  it('is found exactly when the tasks cannot be put in order', () => {
    fc.assert(fc.property(graph, (tasks) => (findCycle(tasks) === undefined) === hasOrder(tasks)));
  });
});

/** The slow and obvious way: take away what waits for nothing until nothing changes. */
function hasOrder(tasks: readonly { id: string; dependencies: readonly string[] }[]): boolean {
  let left = [...tasks];
  for (;;) {
    const open = new Set(left.map(({ id }) => id));
    const next = left.filter(({ id, dependencies }) =>
      dependencies.some((other) => other !== id && open.has(other)),
    );
    if (next.length === left.length) return left.length === 0;
    left = next;
  }
}
