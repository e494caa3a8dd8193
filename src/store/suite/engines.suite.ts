import { describe, expect, it } from 'vitest';
import { graph, LANE, lone } from './build.suite.ts';
import type { StoreHarness } from './harness.suite.ts';
import { done, scenes, starting, the } from './scene.suite.ts';

export function enginesSuite(harness: StoreHarness): void {
  describe('engines', () => {
    const scene = scenes(harness);
    const rescue = (limit = 100) => scene().write<'rescue'>({ kind: 'rescue', limit });
    const leave = (owner: string) => scene().write<'leave'>({ kind: 'leave', owner });
    const join = (owner: string, ttl_ms: number) => scene().write<'join'>({ kind: 'join', owner, ttl_ms });
    const beat = (owner: string) => scene().write<'beat'>({ kind: 'beat', owner, ttl_ms: 30_000 });

    it('keep their tasks while they live', async () => {
      await scene().join('e1');
      await scene().submit(lone('t1'), lone('t2'));
      await scene().write(starting(await scene().claimOne('e1')));
      await scene().claimOne('e1');
      expect(await rescue()).toEqual({ rescued: 0, more: false });
    });

    it('are named while they live, whoever asks', async () => {
      await scene().join('e2', 'e1');
      expect(await scene().store.reads.engines()).toEqual(['e1', 'e2']);
      await leave('e1');
      expect(await scene().store.reads.engines()).toEqual(['e2']);
    });

    it('that are gone lose what they had claimed: it goes back to its place, under suspicion', async () => {
      await scene().join('e1', 'e2');
      await scene().submit(lone('t1'), lone('t2'));
      await scene().claimOne('e1');
      await leave('e1');
      expect(await rescue()).toEqual({ rescued: 1, more: false });
      const task = await scene().claimOne('e2');
      expect(task).toMatchObject({ task_id: 't1', fence: 2, suspect: true, attempt_count: 0 });
    });

    it('that are gone lose what they ran: the attempt is counted, its late outcome refused', async () => {
      await scene().join('e1', 'e2');
      await scene().submit(lone('t1'));
      const lost = await scene().claimOne('e1');
      await scene().write(starting(lost));
      await leave('e1');
      await rescue();
      const stored = await scene().task('t1');
      expect(stored).toMatchObject({ status: 'queued', owner: null, suspect: true, attempt_count: 1 });
      expect(stored.rank).toBe(lost.rank);
      expect(stored.attempts[0]?.error?.data.error_code).toBe('GLZ2008');
      expect(await scene().settle(lost, done())).toMatchObject({ recorded: false, status: 'queued' });
      expect(await scene().settle(await scene().claimOne('e2'), done())).toMatchObject({ recorded: true });
      expect((await scene().task('t1')).suspect).toBe(false);
    });

    it('that die of a task each time end it when its attempts are used up', async () => {
      await scene().submit(lone('poison'));
      for (const owner of ['e1', 'e2', 'e3']) {
        await scene().join(owner);
        await scene().write(starting(await scene().claimOne(owner)));
        await leave(owner);
        await rescue();
      }
      expect(await scene().task('poison')).toMatchObject({ status: 'failed', attempt_count: 3 });
    });

    it('lose a few tasks at a time, as asked', async () => {
      await scene().join('e1');
      await scene().submit(lone('t1'), lone('t2'), lone('t3'));
      await scene().claim('e1');
      await leave('e1');
      expect(await rescue(2)).toEqual({ rescued: 2, more: true });
      expect((await scene().task('t3')).owner).toBe('e1');
      expect(await rescue(2)).toEqual({ rescued: 1, more: false });
    });

    it('lose tasks of a paused run to where they may not be claimed', async () => {
      await scene().join('e1', 'e2');
      await scene().submit(graph('w1', { a: {}, b: {} }));
      await scene().write(starting(await scene().claimOne('e1')));
      await scene().claimOne('e1');
      await scene().write({ kind: 'pause_run', workflow_id: 'w1' });
      await leave('e1');
      await rescue();
      expect(await scene().claim('e2')).toEqual([]);
      await scene().write({ kind: 'resume_run', workflow_id: 'w1' });
      expect((await scene().claim('e2')).length).toBe(2);
    });

    it('leave aside what they have no provider for, and others may take it up', async () => {
      await scene().join('e1', 'e2');
      await scene().submit(lone('t1'), graph('w1', { a: {} }));
      const leases = (await scene().claim('e1')).map(({ task: { task_id, fence } }) => ({ task_id, fence }));
      const before = await scene().store.reads.cursor();
      const back = { kind: 'release', owner: 'e1', leases, unserved: 'm' } as const;
      expect(await scene().write<'release'>(back)).toEqual({ released: 2 });
      expect(await scene().claim('e2')).toEqual([]);
      expect(await scene().task('w1/a')).toMatchObject({
        status: 'queued',
        owner: null,
        parked: 'provider m',
      });
      const known = { kind: 'wake_due', limit: 5, unserved: [`${LANE} m`] } as const;
      expect(await scene().write<'wake_due'>(known)).toMatchObject({ moved: 0 });
      await scene().open.advance(2000);
      expect(await scene().write<'wake_due'>(known)).toMatchObject({ moved: 2 });
      expect(await scene().claim('e2')).toEqual([]);
      await scene().reopen();
      await scene().join('e3');
      await scene().open.advance(3000);
      const woken = await scene().write<'wake_due'>({ kind: 'wake_due', limit: 5 });
      expect(woken).toMatchObject({ moved: 2, next_in_ms: null });
      expect(await scene().store.reads.cursor()).toBe(before);
      const claimed = await scene().claim('e3');
      expect(claimed.map(({ task }) => [task.task_id, task.fence, task.due_at])).toEqual([
        ['t1', 2, null],
        ['w1/a', 2, null],
      ]);
      await scene().settle(the(claimed[0]).task, done());
      expect(await scene().task('t1')).toMatchObject({ status: 'completed', attempt_count: 1 });
    });

    it('give back claims whose answer never reached them', async () => {
      await scene().join('e1', 'e2');
      await scene().submit(lone('t1'), lone('t2'), lone('t3'));
      await scene().claim('e1', 2);
      await scene().claim('e2', 1);
      const held = [
        { task_id: 't1', fence: 1 },
        { task_id: 't3', fence: 1 },
      ];
      const answer = await scene().write<'reconcile'>({ kind: 'reconcile', owner: 'e1', held });
      expect(answer).toEqual({ released: 1, gone: [{ task_id: 't3', fence: 1 }] });
      expect(await owners()).toEqual(['e1', null, 'e2']);
    });

    it('are unknown after they left, and cannot beat', async () => {
      await scene().join('e1');
      expect(await beat('e1')).toEqual({ alive: true });
      await leave('e1');
      expect(await beat('e1')).toEqual({ alive: false });
      expect(await beat('nobody')).toEqual({ alive: false });
    });

    it('of a shared store are lost when they stay silent, and not before', async ({ skip }) => {
      if ((await join('e1', 10_000)).ttl_ms === null) skip();
      await join('e2', 30_000);
      await scene().submit(lone('t1'), lone('t2'));
      await scene().claim('e1', 1);
      await scene().claim('e2', 1);
      await scene().open.advance(8000);
      expect(await beat('e2')).toEqual({ alive: true });
      expect(await rescue()).toMatchObject({ rescued: 0 });
      await scene().open.advance(8000);
      expect(await rescue()).toMatchObject({ rescued: 1 });
      expect(await beat('e1')).toEqual({ alive: false });
      const claim = { owner: 'e1', limit: 1, lanes: [LANE] };
      expect(await scene().commit([], claim)).toMatchObject({ claimed: [], lease_lost: true });
    });

    it('of a shared store survive that another process opens it', async ({ skip }) => {
      if ((await join('e1', 30_000)).ttl_ms === null) skip();
      await scene().submit(lone('t1'));
      await scene().claimOne('e1');
      await scene().reopen();
      expect(await rescue()).toMatchObject({ rescued: 0 });
    });

    it('of a store that one process holds are all gone when it is opened again, and no sooner', async ({
      skip,
    }) => {
      if ((await join('e1', 10)).ttl_ms !== null) skip();
      await scene().submit(lone('t1'), lone('t2'));
      await scene().write(starting(await scene().claimOne('e1')));
      await scene().claimOne('e1');
      await scene().open.advance(1_000_000);
      expect(await rescue()).toMatchObject({ rescued: 0 });
      await scene().reopen();
      expect(await rescue()).toMatchObject({ rescued: 2 });
      expect(await beat('e1')).toEqual({ alive: false });
      await scene().join('e2');
      expect((await scene().claim('e2')).map(({ task }) => task.suspect)).toEqual([true, true]);
    });

    async function owners() {
      const rows = await Promise.all(['t1', 't2', 't3'].map((id) => scene().store.reads.task(id)));
      return rows.map((row) => the(row).task.owner);
    }
  });
}
