import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { final, graph, inRun, LANE } from '../suite/build.suite.ts';
import { done, failed, settling } from '../suite/scene.suite.ts';
import { verifyStore } from '../suite/verify.suite.ts';
import { SimulatedData } from './data.ts';
import { openSimulatedStore } from './store.ts';

type Node = { readonly after: readonly number[]; readonly fails: boolean; readonly continues: boolean };

/** Each task comes after some of those before it, so there is never a cycle. */
const graphs: fc.Arbitrary<Node[]> = fc
  .array(
    fc.record({
      after: fc.array(fc.nat(100), { maxLength: 4 }),
      fails: fc.integer({ min: 0, max: 4 }).map((chance) => chance === 0),
      continues: fc.boolean(),
    }),
    { minLength: 1, maxLength: 40 },
  )
  .map((nodes) =>
    nodes.map((node, index) => ({
      ...node,
      after: index === 0 ? [] : [...new Set(node.after.map((number) => number % index))],
    })),
  );

/** How each task must end, by the words of the product alone. */
function expectedStatuses(nodes: readonly Node[]): string[] {
  const ends: string[] = [];
  const blocks = (index: number) =>
    ends[index] === 'skipped' || (ends[index] === 'failed' && nodes[index]?.continues !== true);
  for (const { after, fails } of nodes) {
    ends.push(after.some(blocks) ? 'skipped' : fails ? 'failed' : 'completed');
  }
  return ends;
}

describe('any workflow', () => {
  it('driven to its end has nothing open, and every task ended as it had to', async () => {
    await fc.assert(
      fc.asyncProperty(graphs, fc.integer({ min: 1, max: 7 }), async (nodes, limit) => {
        const data = new SimulatedData();
        let now = 0;
        const store = openSimulatedStore({ data, clock: () => now++ });
        const tasks = nodes.map((node, index): [string, object] => {
          const after = node.after.map((number) => `t${number}`);
          return [`t${index}`, { after, on_failure: node.continues ? 'continue' : 'skip' }];
        });
        await store.commit({
          writes: [
            { kind: 'join', owner: 'e1', ttl_ms: 1000 },
            { kind: 'submit', runs: [graph('w1', Object.fromEntries(tasks))] },
          ],
          claim: null,
        });
        for (;;) {
          const { claimed } = await store.commit({
            writes: [],
            claim: { owner: 'e1', limit, lanes: [LANE] },
          });
          if (claimed.length === 0) break;
          const writes = claimed.map(({ task }) =>
            settling(task, nodes[Number(task.id.slice(1))]?.fails ? failed(final) : done()),
          );
          await store.commit({ writes, claim: null });
        }
        const ends = expectedStatuses(nodes);
        expect(nodes.map((_, index) => data.tasks.get(inRun('w1', `t${index}`))?.status)).toEqual(ends);
        const bad = nodes.filter((node, index) => ends[index] === 'failed' && !node.continues).length;
        expect(data.runs.get('w1')).toMatchObject({
          open: 0,
          failed: bad,
          status: bad > 0 ? 'failed' : 'completed',
        });
        await verifyStore(store);
      }),
      { numRuns: 200 },
    );
  });
});
