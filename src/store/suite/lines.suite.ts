import { describe, expect, it, type TestContext } from 'vitest';
import type { Store } from '../../core/ports/store.ts';
import { rankOffsets } from '../../core/priority.ts';
import type { TaskRow } from '../../core/records.ts';
import type { NewRun, WriteOf } from '../../core/writes.ts';
import { graph, LANE, lone } from './build.suite.ts';
import type { StoreHarness } from './harness.suite.ts';
import { accepted, scenes } from './scene.suite.ts';

const LINE = 'line concurrency provider p1';
const OTHER = 'line rate llm/v1 user=7';

const joining = (task: TaskRow, line = LINE): WriteOf<'release'> => {
  const { task_id, owner, fence } = task;
  return { kind: 'release', owner: owner ?? 'nobody', leases: [{ task_id, fence }], line };
};
const calling = (places: number, line = LINE, fair = false): WriteOf<'call_line'> => {
  return { kind: 'call_line', line, places, fair };
};

export function linesSuite(harness: StoreHarness): void {
  describe('a line', () => {
    const scene = scenes(harness);

    /** Submits these, and makes them wait in a line. */
    async function waiting(runs: readonly NewRun[], line = LINE): Promise<readonly TaskRow[]> {
      await scene().join('e1');
      await scene().submit(...runs);
      const claimed = (await scene().claim('e1')).map(({ task }) => task);
      const { verdicts } = await scene().commit(claimed.map((task) => joining(task, line)));
      for (const verdict of verdicts) expect(accepted<'release'>(verdict).released).toBe(1);
      return claimed;
    }
    const called = async (places: number, line = LINE, fair = false) =>
      (await scene().write<'call_line'>(calling(places, line, fair))).called;
    const claimedIds = async () => (await scene().claim('e1')).map(({ task }) => task.task_id);

    it('keeps tasks from being claimed, without an attempt and without an event', async () => {
      const [task] = await waiting([lone('t1', { total_timeout: 60 })]);
      const cursor = await scene().store.reads.cursor();
      expect(await scene().task('t1')).toMatchObject({
        ...{ status: 'queued', owner: null, parked: LINE, attempt_count: 0, rank: task?.rank },
        due_at: task?.expires_at,
      });
      expect(await claimedIds()).toEqual([]);
      expect(await called(1)).toEqual(['t1']);
      expect(await scene().task('t1')).toMatchObject({ parked: null, due_at: task?.expires_at });
      expect(await scene().store.reads.cursor()).toBe(cursor);
      expect(await claimedIds()).toEqual(['t1']);
    });

    it('is called by rank and then by age, as many as there are places', async () => {
      await waiting([
        lone('low', { priority: 'low' }),
        lone('first'),
        lone('second'),
        lone('now', { priority: 'urgent' }),
      ]);
      expect(await called(2)).toEqual(['now', 'first']);
      expect(await called(0)).toEqual([]);
      expect(await called(5)).toEqual(['second', 'low']);
      expect(await called(5)).toEqual([]);
      expect(await claimedIds()).toEqual(['now', 'first', 'second', 'low']);
    });

    it('tells whether others wait in it still', async () => {
      await waiting([lone('t1'), lone('t2'), lone('t3')]);
      await waiting([lone('t4')], OTHER);
      const more = async (places: number, line = LINE) =>
        (await scene().write<'call_line'>(calling(places, line))).more;
      expect([await more(0), await more(1), await more(2), await more(2)]).toEqual([
        true,
        true,
        false,
        false,
      ]);
      expect([await more(0, OTHER), await more(5, OTHER), await more(0, OTHER)]).toEqual([
        true,
        false,
        false,
      ]);
    });

    it('tells it of what the same commit leaves of it', async () => {
      await scene().join('e1');
      await scene().submit(lone('t1'), lone('t2'), lone('t3'));
      const tasks = (await scene().claim('e1')).map(({ task }) => task);
      const [last, ...first] = tasks.map((task) => joining(task));
      await scene().commit(first);
      const { verdicts } = await scene().commit([
        calling(1),
        calling(1),
        ...(last === undefined ? [] : [last]),
        calling(0),
        { kind: 'cancel_task', task_id: 't1', reason: null },
        calling(0),
      ]);
      const answers = [0, 1, 3, 5].map((at) => accepted<'call_line'>(verdicts[at]));
      expect(answers).toEqual([
        { called: ['t2'], more: true },
        { called: ['t3'], more: false },
        { called: [], more: true },
        { called: [], more: false },
      ]);
    });

    it('is called alone', async () => {
      await waiting([lone('t1')]);
      await waiting([lone('t2')], OTHER);
      expect(await called(5, 'line rate llm/v1 user=8')).toEqual([]);
      expect(await called(5, 'line rate')).toEqual([]);
      expect(await called(5, OTHER)).toEqual(['t2']);
      expect(await scene().task('t1')).toMatchObject({ parked: LINE });
    });

    it('is ranked anew where it is fair, so that others come first', async () => {
      await waiting([lone('t1'), lone('t2')]);
      await scene().open.advance(5000);
      await scene().submit(lone('other'));
      await scene().open.advance(5000);
      const { verdicts, now } = await scene().commit([calling(1, LINE, true)]);
      expect(accepted<'call_line'>(verdicts[0]).called).toEqual(['t1']);
      expect((await scene().task('t1')).rank).toBe(now + rankOffsets.normal);
      expect(await called(1)).toEqual(['t2']);
      expect(await claimedIds()).toEqual(['t2', 'other', 't1']);
    });

    it('knows who came and who left within the same commit', async () => {
      await scene().join('e1');
      await scene().submit(lone('t1'), lone('t2'), lone('t3'), lone('t4', { priority: 'low' }));
      const tasks = (await scene().claim('e1')).map(({ task }) => task);
      const [first, ...others] = tasks.map((task) => joining(task));
      await scene().commit(others);
      const { verdicts } = await scene().commit([
        calling(1),
        ...(first === undefined ? [] : [first]),
        { kind: 'cancel_task', task_id: 't3', reason: null },
        calling(1),
        calling(5),
      ]);
      const answers = [0, 3, 4].map((at) => accepted<'call_line'>(verdicts[at]).called);
      expect(answers).toEqual([['t2'], ['t1'], ['t4']]);
    });

    it('hands those who are called to the engine that asks with the same commit', async () => {
      await waiting([lone('t1'), lone('t2')]);
      const { claimed } = await scene().commit([calling(1)], { owner: 'e1', limit: 5, lanes: [LANE] });
      expect(claimed.map(({ task }) => [task.task_id, task.fence, task.parked])).toEqual([['t1', 2, null]]);
      expect(await called(1)).toEqual(['t2']);
    });

    it('loses whoever is cancelled, or out of time', async () => {
      await waiting([lone('t1'), lone('t2', { total_timeout: 1 }), lone('t3')]);
      await scene().write<'cancel_task'>({ kind: 'cancel_task', task_id: 't1', reason: null });
      await scene().open.advance(1000);
      expect(await scene().write<'wake_due'>({ kind: 'wake_due', limit: 10 })).toMatchObject({ moved: 1 });
      expect(await scene().status('t2')).toBe('failed');
      expect(await called(5)).toEqual(['t3']);
    });

    it('is left by the tasks of a run that is paused, and of one that is cancelled', async () => {
      await waiting([graph('w1', { a: {}, b: {} }), graph('w2', { a: {} })]);
      await scene().write<'pause_run'>({ kind: 'pause_run', workflow_id: 'w1' });
      await scene().write<'cancel_run'>({ kind: 'cancel_run', workflow_id: 'w2', reason: null });
      expect(await called(5)).toEqual([]);
      expect(await scene().task('w1/a')).toMatchObject({ status: 'queued', parked: 'paused' });
      expect(await claimedIds()).toEqual([]);
      await scene().write<'resume_run'>({ kind: 'resume_run', workflow_id: 'w1' });
      expect(await claimedIds()).toEqual(['w1/a', 'w1/b']);
    });

    it('is not joined by the task of a paused run', async () => {
      await scene().join('e1');
      await scene().submit(graph('w1', { a: {} }));
      const task = await scene().claimOne('e1');
      const { verdicts } = await scene().commit([{ kind: 'pause_run', workflow_id: 'w1' }, joining(task)]);
      expect(accepted<'release'>(verdicts[1]).released).toBe(0);
      expect(await scene().task('w1/a')).toMatchObject({ parked: 'paused' });
    });

    it('goes on in a run, step by step', async () => {
      await waiting([graph('w1', { a: {}, b: { after: ['a'] } })]);
      await called(1);
      expect(await scene().drain('e1')).toEqual(['a', 'b']);
      expect(await scene().run('w1')).toMatchObject({ status: 'completed' });
    });

    it('is still there after a restart, for whoever calls every line', async () => {
      await waiting([lone('t1'), lone('t2')]);
      await waiting([lone('t3')], OTHER);
      await waiting([graph('w1', { a: {} })], 'line breaker provider p2');
      await scene().submit(graph('w2', { a: {} }));
      await scene().write<'pause_run'>({ kind: 'pause_run', workflow_id: 'w2' });
      await scene().reopen();
      const sweep = (after: string | null, limit = 10) =>
        scene().write<'call_lines'>({ kind: 'call_lines', places: 1, after, limit });
      const first = await sweep(null, 2);
      expect(first).toEqual({
        called: [
          { task_id: 'w1/a', line: 'line breaker provider p2' },
          { task_id: 't1', line: LINE },
        ],
        next: LINE,
      });
      expect(await sweep(first.next)).toEqual({ called: [{ task_id: 't3', line: OTHER }], next: null });
      expect(await sweep(null)).toEqual({ called: [{ task_id: 't2', line: LINE }], next: null });
      expect(await sweep(null)).toEqual({ called: [], next: null });
      await scene().join('e1');
      expect(await claimedIds()).toHaveLength(4);
    });

    it('shows a task among those that are queued', async () => {
      await waiting([lone('t1')]);
      const { items } = await scene().store.reads.tasks({ status: ['queued'], limit: 5 });
      expect(items.map(({ task_id, parked }) => [task_id, parked])).toEqual([['t1', LINE]]);
      expect((await scene().store.reads.stats()).queued).toMatchObject([{ count: 1 }]);
    });

    it('lets nobody be called twice, whoever calls', { timeout: 60_000 }, async ({ skip }) => {
      const second = await other(skip);
      const ids = Array.from({ length: 60 }, (_, index) => `t${String(index).padStart(2, '0')}`);
      await waiting(ids.map((id) => lone(id)));
      const all: string[] = [];
      for (let round = 0; round < 10; round++) {
        const answers = await Promise.all(
          [scene().store, second, scene().store].map((store) =>
            store.commit({ writes: [calling(2)], claim: null }),
          ),
        );
        const came = answers.map(({ verdicts }) => accepted<'call_line'>(verdicts[0]).called);
        expect(came.map(({ length }) => length)).toEqual([2, 2, 2]);
        all.push(...came.flat());
      }
      expect(all.sort()).toEqual(ids);
    });

    async function other(skip: TestContext['skip']): Promise<Store> {
      const { second } = scene().open;
      return second === undefined ? skip() : second();
    }
  });
}
