import { describe, expect, it } from 'vitest';
import type { RunQuery, TaskQuery } from '../../core/ports/store.ts';
import { final, graph, lone } from './build.suite.ts';
import type { StoreHarness } from './harness.suite.ts';
import { done, failed, scenes } from './scene.suite.ts';
import { everyPage } from './verify.suite.ts';

export function listsSuite(harness: StoreHarness): void {
  describe('the list of tasks', () => {
    const scene = scenes(harness);

    it('is filtered by status, priority, run and time, or by all of them', async () => {
      await scene().join('e1');
      await scene().submit(lone('t1', { priority: 'urgent' }), lone('t2', { priority: 'low' }));
      await scene().drain('e1', (task) => (task.task_id === 't2' ? failed(final) : done()));
      await scene().open.advance(1000);
      await scene().submit(graph('w1', { a: {}, b: { after: ['a'], priority: 'low' } }));
      await scene().open.advance(1000);
      await scene().submit(lone('t3'));
      const from = (await scene().task('w1/a')).created_at;
      const to = (await scene().task('t3')).created_at;
      expect(await list({})).toEqual(['t1', 't2', 'w1/a', 'w1/b', 't3']);
      expect(await list({ status: ['completed', 'failed'] })).toEqual(['t1', 't2']);
      expect(await list({ status: [] })).toEqual([]);
      expect(await list({ priority: ['low', 'urgent'] })).toEqual(['t1', 't2', 'w1/b']);
      expect(await list({ workflow_id: 'w1' })).toEqual(['w1/a', 'w1/b']);
      expect(await list({ workflow_id: 't1' })).toEqual([]);
      expect(await list({ created_from: from })).toEqual(['w1/a', 'w1/b', 't3']);
      expect(await list({ created_to: to })).toEqual(['t1', 't2', 'w1/a', 'w1/b']);
      expect(await list({ created_from: from, created_to: to })).toEqual(['w1/a', 'w1/b']);
      expect(await list({ created_from: to + 1 })).toEqual([]);
      const all = {
        workflow_id: 'w1',
        status: ['waiting'],
        priority: ['low'],
        created_from: from,
        created_to: to,
      } as const;
      expect(await list(all)).toEqual(['w1/b']);
    });

    it('comes in pages that nothing is missing from, in both directions', async () => {
      const ids = Array.from({ length: 25 }, (_, index) => `t${index}`);
      for (const id of ids.slice(0, 5)) await scene().submit(lone(id));
      await scene().submit(...ids.slice(5).map((id) => lone(id)));
      for (const limit of [1, 4, 5, 25, 26]) {
        expect(await list({ limit })).toEqual(ids);
        expect(await list({ limit, order: 'newest' })).toEqual([...ids].reverse());
      }
    });

    it('keeps its place while tasks come in and change', async () => {
      const ids = Array.from({ length: 10 }, (_, index) => `t${index}`);
      for (const id of ids) await scene().submit(lone(id));
      for (const order of ['oldest', 'newest'] as const) {
        let added = 0;
        const seen = await everyPage(async (cursor) => {
          const page = await scene().store.reads.tasks({ order, limit: 3, ...cursor });
          await scene().submit(lone(`${order}${added++}`));
          if (added === 2) await scene().write({ kind: 'cancel_task', task_id: 't5', reason: null });
          return added > 20 ? { ...page, next_cursor: null } : page;
        });
        const known = seen.map(({ task_id }) => task_id).filter((id) => ids.includes(id));
        expect(known).toEqual(order === 'oldest' ? ids : [...ids].reverse());
      }
    });

    it('refuses a cursor that is none', async () => {
      for (const cursor of ['', 'nonsense', '{}', '-1', '999999999999999999999999', '\u{1f6ab}']) {
        const listing = scene().store.reads.tasks({ limit: 5, cursor });
        await expect(listing, cursor).rejects.toMatchObject({ code: 'GLZ1012' });
      }
    });

    async function list(query: Partial<TaskQuery>) {
      const { reads } = scene().store;
      const rows = await everyPage((cursor) =>
        reads.tasks({ order: 'oldest', limit: 2, ...query, ...cursor }),
      );
      return rows.map(({ task_id }) => task_id);
    }
  });

  describe('the list of runs', () => {
    const scene = scenes(harness);

    it('is filtered by status, name and time, or by all of them', async () => {
      await scene().submit(graph('w1', { a: {} }, { name: 'one' }), lone('t1'));
      await scene().open.advance(1000);
      await scene().submit(graph('w2', { a: {} }, { name: 'two' }));
      await scene().open.advance(1000);
      await scene().submit(graph('w3', { a: {} }, { name: 'one' }));
      await scene().write({ kind: 'pause_run', workflow_id: 'w2' });
      await scene().write({ kind: 'cancel_run', workflow_id: 'w3', reason: null });
      const from = (await scene().run('w2')).created_at;
      const to = (await scene().run('w3')).created_at;
      expect(await list({})).toEqual(['w1', 'w2', 'w3']);
      expect(await list({ order: 'newest' })).toEqual(['w3', 'w2', 'w1']);
      expect(await list({ status: ['paused', 'cancelled'] })).toEqual(['w2', 'w3']);
      expect(await list({ status: [] })).toEqual([]);
      expect(await list({ name: 'one' })).toEqual(['w1', 'w3']);
      expect(await list({ created_from: from, created_to: to })).toEqual(['w2']);
      expect(await list({ name: 'one', status: ['cancelled'], created_from: to })).toEqual(['w3']);
    });

    it('comes in pages, and refuses a cursor that is none', async () => {
      const ids = Array.from({ length: 9 }, (_, index) => `w${index}`);
      await scene().submit(...ids.map((id) => graph(id, { a: {} })));
      for (const limit of [1, 4, 9, 10]) {
        expect(await list({ limit })).toEqual(ids);
        expect(await list({ limit, order: 'newest' })).toEqual([...ids].reverse());
      }
      const listing = scene().store.reads.runs({ limit: 5, cursor: 'nonsense' });
      await expect(listing).rejects.toMatchObject({ code: 'GLZ1012' });
    });

    it('has a tally of runs and tasks', async () => {
      await scene().join('e1');
      await scene().submit(graph('w1', { a: {}, b: { after: ['a'] } }), graph('w2', { a: {} }), lone('t1'));
      await scene().write({ kind: 'cancel_run', workflow_id: 'w2', reason: null });
      expect(await scene().store.reads.stats()).toMatchObject({
        tasks: { queued: 2, waiting: 1, cancelled: 1 },
        runs: { running: 1, cancelled: 1 },
      });
    });

    async function list(query: Partial<RunQuery>) {
      const { reads } = scene().store;
      const rows = await everyPage((cursor) =>
        reads.runs({ order: 'oldest', limit: 2, ...query, ...cursor }),
      );
      return rows.map(({ workflow_id }) => workflow_id);
    }
  });
}
