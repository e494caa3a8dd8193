import { describe, expect, it } from 'vitest';
import { final, graph, inRun } from './build.suite.ts';
import type { StoreHarness } from './harness.suite.ts';
import { done, failed, type Scene, scenes, settling, the } from './scene.suite.ts';
import { allEvents } from './verify.suite.ts';

const BIG = 10_000;
const LONG = { timeout: 120_000 };

export function graphSuite(harness: StoreHarness): void {
  describe('a workflow advances', () => {
    const scene = scenes(harness);

    it('through a diamond, each task once, and the run completes', async () => {
      await scene().join('e1');
      await scene().submit(diamond('w1'));
      expect(await scene().drain('e1')).toEqual(['a', 'b', 'c', 'd']);
      expect(await scene().run('w1')).toMatchObject({ status: 'completed', open: 0, failed: 0 });
      expect(Object.keys(await scene().store.reads.runResults('w1')).sort()).toEqual(['a', 'b', 'c', 'd']);
      expect((await allEvents(scene().store.reads)).at(-1)).toMatchObject({ event: 'workflow:completed' });
    });

    it('through a fan-out and its join, which sees every result', async () => {
      const middle = Array.from({ length: 50 }, (_, index) => `m${index}`);
      const tasks = Object.fromEntries(middle.map((id) => [id, { after: ['a'] }]));
      await scene().join('e1');
      await scene().submit(graph('w1', { a: {}, ...tasks, z: { after: middle, reads: middle } }));
      const ran = await scene().drain('e1', (task) => done(JSON.stringify(task.id)));
      expect(ran).toEqual(['a', ...middle, 'z']);
      const { inputs } = the(await scene().store.reads.payloads('w1/z'));
      expect(inputs).toEqual(
        Object.fromEntries(middle.map((id) => [id, { status: 'completed', result: JSON.stringify(id) }])),
      );
    });

    it('says in the commit that ends a run that it ended', async () => {
      await scene().join('e1');
      await scene().submit(graph('w1', { a: {} }));
      const answer = await scene().commit([settling(await scene().claimOne('e1'), done())]);
      expect(answer.settledRuns).toEqual([{ workflow_id: 'w1', status: 'completed' }]);
      expect(answer.settled).toEqual([{ task_id: 'w1/a', workflow_id: 'w1', status: 'completed' }]);
    });

    it('by skipping all that comes after a failure, and only that', async () => {
      await scene().join('e1');
      const tasks = {
        a: {},
        b: { after: ['a'] },
        c: { after: ['b'] },
        x: {},
        y: { after: ['x', 'c'] },
        z: { after: ['x'] },
      };
      await scene().submit(graph('w1', tasks));
      await scene().drain('e1', (task) => (task.id === 'a' ? failed(final) : done()));
      expect(await statuses(scene(), 'w1', Object.keys(tasks))).toEqual({
        a: 'failed',
        b: 'skipped',
        c: 'skipped',
        x: 'completed',
        y: 'skipped',
        z: 'completed',
      });
      expect(await scene().run('w1')).toMatchObject({ status: 'failed', failed: 1, open: 0 });
      const skipped = await allEvents(scene().store.reads, { events: ['task:skipped'] });
      expect(skipped.map(({ task_id, data }) => [task_id, data])).toEqual([
        ['w1/b', { because: 'w1/a' }],
        ['w1/c', { because: 'w1/b' }],
        ['w1/y', { because: 'w1/c' }],
      ]);
    });

    it('past a failure that may be passed over', async () => {
      await scene().join('e1');
      await scene().submit(graph('w1', { a: { on_failure: 'continue' }, b: { after: ['a'], reads: ['a'] } }));
      await scene().settle(await scene().claimOne('e1'), failed(final));
      const b = the((await scene().claim('e1'))[0]);
      expect(b.payloads?.inputs).toEqual({ a: { status: 'failed', result: null } });
      await scene().settle(b.task, done());
      expect(await scene().run('w1')).toMatchObject({ status: 'completed', failed: 0 });
    });

    it('when several of its tasks settle in one commit', async () => {
      await scene().join('e1');
      await scene().submit(diamond('w1'), diamond('w2'));
      const roots = await scene().claim('e1');
      await scene().commit(roots.map(({ task }) => settling(task, done())));
      const middles = await scene().claim('e1');
      expect(middles.length).toBe(4);
      const answer = await scene().commit(middles.map(({ task }) => settling(task, done())));
      expect(answer.settled.length).toBe(4);
      expect((await scene().claim('e1')).map(({ task }) => task.task_id)).toEqual(['w1/d', 'w2/d']);
    });
  });

  describe('a large workflow', () => {
    const scene = scenes(harness);

    it(`is a chain of ${BIG}, skipped to its end in one commit`, LONG, async () => {
      await scene().join('e1');
      await scene().submit(chain('w1', BIG));
      const first = await scene().settle(await scene().claimOne('e1'), done());
      expect(first).toMatchObject({ recorded: true });
      const answer = await scene().commit([settling(await scene().claimOne('e1'), failed(final))]);
      expect(answer.settled.length).toBe(BIG - 1);
      expect(await scene().run('w1')).toMatchObject({ status: 'failed', open: 0, failed: 1 });
      expect(await scene().status(inRun('w1', `t${BIG - 1}`))).toBe('skipped');
    });

    it(`is a fan-out of ${BIG}, and each outcome costs what it changes`, LONG, async () => {
      await scene().join('e1');
      const small = await timeOfSettling(scene(), fanOut('small', 100));
      await scene().drain('e1');
      const large = await timeOfSettling(scene(), fanOut('large', BIG));
      expect(large).toBeLessThan(20 * small + 500);
      expect(await scene().run('large')).toMatchObject({ open: BIG + 1 - 50, total: BIG + 2 });
    });
  });
}

function diamond(workflow_id: string) {
  return graph(workflow_id, { a: {}, b: { after: ['a'] }, c: { after: ['a'] }, d: { after: ['b', 'c'] } });
}

function chain(workflow_id: string, length: number) {
  const ids = Array.from({ length }, (_, index) => `t${index}`);
  return graph(
    workflow_id,
    Object.fromEntries(ids.map((id, index) => [id, index === 0 ? {} : { after: [`t${index - 1}`] }])),
  );
}

function fanOut(workflow_id: string, width: number) {
  const middle = Array.from({ length: width }, (_, index) => `m${index}`);
  const tasks = Object.fromEntries(middle.map((id) => [id, { after: ['a'] }]));
  return graph(workflow_id, { a: {}, ...tasks, z: { after: middle } });
}

/** Milliseconds for fifty outcomes of a run, one commit each. */
async function timeOfSettling(scene: Scene, run: ReturnType<typeof graph>): Promise<number> {
  await scene.submit(run);
  await scene.settle(await scene.claimOne('e1'), done());
  const claimed = await scene.claim('e1', 50);
  const begun = performance.now();
  for (const { task } of claimed) await scene.settle(task, done());
  return performance.now() - begun;
}

async function statuses(scene: Scene, workflow_id: string, ids: readonly string[]) {
  const entries = ids.map(async (id) => [id, await scene.status(inRun(workflow_id, id))]);
  return Object.fromEntries(await Promise.all(entries));
}
