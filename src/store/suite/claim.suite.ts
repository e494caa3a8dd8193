import { describe, expect, it } from 'vitest';
import { STARVATION_BOUND } from '../../core/priority.ts';
import type { NewRun } from '../../core/writes.ts';
import { graph, LANE, lone } from './build.suite.ts';
import type { StoreHarness } from './harness.suite.ts';
import { done, scenes, settling, the } from './scene.suite.ts';

const submitting = (...runs: NewRun[]) => ({ kind: 'submit', runs }) as const;
const ids = (claimed: readonly { task: { task_id: string } }[]) => claimed.map(({ task }) => task.task_id);

export function claimSuite(harness: StoreHarness): void {
  describe('claim', () => {
    const scene = scenes(harness);

    it('takes the best rank first, then the order of acceptance', async () => {
      await scene().join('e1');
      await scene().submit(
        lone('n1'),
        lone('l1', { priority: 'low' }),
        lone('n2'),
        lone('u1', { priority: 'urgent' }),
      );
      await scene().submit(lone('h1', { priority: 'high' }), lone('n3'));
      expect(ids(await scene().claim('e1'))).toEqual(['u1', 'h1', 'n1', 'n2', 'n3', 'l1']);
    });

    it('lets nothing wait behind newcomers for longer than the bound', async () => {
      await scene().join('e1');
      await scene().submit(lone('old', { priority: 'low' }));
      await scene().open.advance(STARVATION_BOUND + 1000);
      await scene().write({ kind: 'beat', owner: 'e1', ttl_ms: 30_000 });
      await scene().submit(lone('new', { priority: 'urgent' }));
      expect(ids(await scene().claim('e1', 1))).toEqual(['old']);
    });

    it('takes no more than it is asked for, and nothing twice', async () => {
      await scene().join('e1', 'e2');
      await scene().submit(lone('t1'), lone('t2'), lone('t3'));
      expect(ids(await scene().claim('e1', 2))).toEqual(['t1', 't2']);
      expect(ids(await scene().claim('e2', 2))).toEqual(['t3']);
      expect(await scene().claim('e1', 2)).toEqual([]);
      expect(await scene().claim('e1', 0)).toEqual([]);
    });

    it('takes only from the lanes that are named, best of all of them first', async () => {
      await scene().join('e1');
      await scene().submit(lone('a1', { lane: 'a' }), lone('b1', { lane: 'b', priority: 'high' }));
      await scene().submit(lone('c1', { lane: 'c', priority: 'urgent' }), lone('a2', { lane: 'a' }));
      expect(ids(await scene().claim('e1', 3, ['a', 'b']))).toEqual(['b1', 'a1', 'a2']);
      expect(await scene().claim('e1', 3, [])).toEqual([]);
      expect(await scene().claim('e1', 3, ['no such lane'])).toEqual([]);
      expect(ids(await scene().claim('e1', 3, ['c', 'c']))).toEqual(['c1']);
    });

    it('takes no more of a lane than it is asked for, and goes on with those behind them', async () => {
      await scene().join('e1');
      const some = (lane: string, count: number) =>
        Array.from({ length: count }, (_, index) => lone(`${lane}${index}`, { lane }));
      await scene().submit(...some('a', 5), ...some('b', 3));
      const claim = (limit: number, lanes: string[], most: [string, number][]) =>
        scene().commit([], { owner: 'e1', limit, lanes, most: new Map(most) });
      expect(ids((await claim(4, ['a', 'b'], [['a', 2]])).claimed)).toEqual(['a0', 'a1', 'b0', 'b1']);
      expect(ids((await claim(4, ['a', 'b'], [['a', 0]])).claimed)).toEqual(['b2']);
      expect(ids((await claim(4, ['a'], [['a', 1]])).claimed)).toEqual(['a2']);
      expect(ids((await claim(1, ['a', 'b'], [['a', 9]])).claimed)).toEqual(['a3']);
      expect(ids(await scene().claim('e1', 9, ['a', 'b']))).toEqual(['a4']);
    });

    it('takes no more of what its own commit makes ready, and finds the rest later', async () => {
      await scene().join('e1');
      const lanes = ['a', 'b'];
      const claim = { owner: 'e1', limit: 10, lanes, most: new Map([['a', 2]]) };
      await scene().claim('e1', 10, lanes);
      const runs = [1, 2, 3].map((number) => lone(`a${number}`, { lane: 'a' }));
      const first = await scene().commit([submitting(...runs, lone('b1', { lane: 'b' }))], claim);
      expect(ids(first.claimed)).toEqual(['a1', 'a2', 'b1']);
      const second = await scene().commit([submitting(lone('a4', { lane: 'a', priority: 'low' }))], claim);
      expect(ids(second.claimed)).toEqual(['a3', 'a4']);
      const third = await scene().commit([submitting(lone('a5', { lane: 'a' }))], { ...claim, lanes: ['b'] });
      expect(third.claimed).toEqual([]);
      const fourth = await scene().commit([submitting(lone('a6', { lane: 'a', priority: 'low' }))], claim);
      expect(ids(fourth.claimed)).toEqual(['a5', 'a6']);
    });

    it('hands out the task as it is after the claim, with body, inputs and run input', async () => {
      await scene().join('e1');
      const tasks = { a: {}, b: { after: ['a'], reads: ['a'], uses_input: true, params: '"${a.result}"' } };
      await scene().submit(graph('w1', tasks, { input: '{"n":1}' }));
      const a = the((await scene().claim('e1'))[0]);
      expect(a).toMatchObject({
        payloads: { params: '{}', inputs: {}, run_input: null },
        task: { owner: 'e1', fence: 1, status: 'queued' },
      });
      await scene().settle(a.task, done('[1]'));
      const b = the((await scene().claim('e1'))[0]);
      const stored = the(await scene().store.reads.task('w1/b'));
      expect(b.task).toEqual(stored.task);
      expect(b.body).toEqual(stored.body);
      expect(b.body.inputs).toEqual({ a: 'w1/a' });
      expect(b.payloads).toEqual({
        params: '"${a.result}"',
        inputs: { a: { status: 'completed', result: '[1]' } },
        run_input: '{"n":1}',
      });
      expect(await scene().store.reads.payloads('w1/b')).toEqual(b.payloads);
    });

    it('sees what the writes of its own commit made ready', async () => {
      const first = await scene().commit(
        [
          { kind: 'join', owner: 'e1', ttl_ms: 30_000 },
          { kind: 'submit', runs: [graph('w1', { a: {}, b: { after: ['a'], reads: ['a'] } })] },
        ],
        { owner: 'e1', limit: 5, lanes: [LANE] },
      );
      expect(ids(first.claimed)).toEqual(['w1/a']);
      const second = await scene().commit([settling(the(first.claimed[0]).task, done('7'))], {
        owner: 'e1',
        limit: 5,
        lanes: [LANE],
      });
      expect(ids(second.claimed)).toEqual(['w1/b']);
      expect(second.claimed[0]?.payloads?.inputs).toEqual({ a: { status: 'completed', result: '7' } });
    });

    const all = { owner: 'e1', limit: 10, lanes: [LANE] };

    it('hands out what its own commit submits as it is then stored, with the run input where it is used', async () => {
      await scene().join('e1');
      await scene().claim('e1');
      const run = graph('w1', { a: { uses_input: true }, b: { after: ['a'] } }, { input: '{"n":1}' });
      const { claimed } = await scene().commit(
        [submitting(lone('t1', { total_timeout: 5 }), lone('t2', { priority: 'high' })), submitting(run)],
        all,
      );
      expect(ids(claimed)).toEqual(['t2', 't1', 'w1/a']);
      for (const { task, body, payloads } of claimed) {
        expect({ task, body }).toEqual(await scene().store.reads.task(task.task_id));
        expect(payloads).toEqual(await scene().store.reads.payloads(task.task_id));
      }
      expect(claimed.map(({ payloads }) => payloads?.run_input)).toEqual([null, null, '{"n":1}']);
      await scene().settle(the(claimed[1]).task, done('1'));
      expect(await scene().task('t1')).toMatchObject({ status: 'completed', owner: null });
    });

    it('prefers what waited before its own commit, and leaves what is beyond its limit to the next', async () => {
      await scene().join('e1', 'e2');
      await scene().claim('e1');
      await scene().submit(lone('t1'));
      const first = await scene().commit([submitting(lone('t2'), lone('t3'))], { ...all, limit: 2 });
      expect(ids(first.claimed)).toEqual(['t1', 't2']);
      const second = await scene().commit([submitting(lone('t4'))], { ...all, owner: 'e2', limit: 1 });
      expect(ids(second.claimed)).toEqual(['t3']);
      expect(ids(await scene().claim('e1'))).toEqual(['t4']);
      const third = await scene().commit([submitting(lone('t5'), lone('t6'))], { ...all, limit: 1 });
      expect(ids(third.claimed)).toEqual(['t5']);
      expect(ids(await scene().claim('e2'))).toEqual(['t6']);
    });

    it('hands out a task that its own commit submitted and released as it is stored', async () => {
      await scene().join('e1');
      await scene().claim('e1');
      const run = graph('w1', { a: { on_failure: 'continue' }, b: { after: ['a'], reads: ['a'] } });
      const { claimed } = await scene().commit(
        [submitting(run), { kind: 'cancel_task', task_id: 'w1/a', reason: null }],
        all,
      );
      expect(ids(claimed)).toEqual(['w1/b']);
      const { task, body, payloads } = the(claimed[0]);
      expect({ task, body }).toEqual(await scene().store.reads.task('w1/b'));
      expect(payloads?.inputs).toEqual({ a: { status: 'cancelled', result: null } });
    });

    it('gives nothing to an engine that leaves with the same commit', async () => {
      await scene().join('e1');
      await scene().claim('e1');
      const left = await scene().commit([submitting(lone('t1')), { kind: 'leave', owner: 'e1' }], all);
      expect(left).toMatchObject({ claimed: [], lease_lost: true });
      expect(await scene().task('t1')).toMatchObject({ owner: null, fence: 0 });
    });

    it('does not take what the same commit also ends, pauses or gives back to someone before it', async () => {
      await scene().join('e1');
      await scene().claim('e1');
      const { claimed } = await scene().commit(
        [
          submitting(lone('t1'), lone('t2'), graph('w1', { a: {} })),
          { kind: 'cancel_task', task_id: 't1', reason: null },
          { kind: 'pause_run', workflow_id: 'w1' },
        ],
        all,
      );
      expect(ids(claimed)).toEqual(['t2']);
      const { task_id, fence } = the(claimed[0]).task;
      const back = await scene().commit(
        [{ kind: 'release', owner: 'e1', leases: [{ task_id, fence }] }, submitting(lone('t3'))],
        all,
      );
      expect(back.claimed.map(({ task }) => [task.task_id, task.fence])).toEqual([
        ['t2', 2],
        ['t3', 1],
      ]);
      expect(await scene().task('t2')).toMatchObject({ owner: 'e1', fence: 2 });
    });

    it('leaves alone what waits, is parked, held or settled', async () => {
      await scene().join('e1', 'e2');
      await scene().submit(
        graph('w1', { a: {}, b: { after: ['a'] } }),
        graph('w2', { a: {} }),
        lone('t1'),
        lone('t2'),
      );
      await scene().write({ kind: 'pause_run', workflow_id: 'w2' });
      await scene().write({ kind: 'cancel_task', task_id: 't1', reason: null });
      expect(ids(await scene().claim('e2'))).toEqual(['w1/a', 't2']);
      expect(await scene().claim('e1')).toEqual([]);
    });

    it('tells an engine that the store does not know, and gives it nothing', async () => {
      await scene().submit(lone('t1'));
      const claim = { owner: 'stranger', limit: 1, lanes: [LANE] };
      expect(await scene().commit([], claim)).toMatchObject({ claimed: [], lease_lost: true });
      await scene().join('e1');
      const left = await scene().commit([{ kind: 'leave', owner: 'e1' }], { ...claim, owner: 'e1' });
      expect(left).toMatchObject({ claimed: [], lease_lost: true });
      expect(await scene().task('t1')).toMatchObject({ owner: null, fence: 0 });
    });

    it('writes no event', async () => {
      await scene().join('e1');
      await scene().submit(lone('t1'));
      const before = await scene().store.reads.cursor();
      await scene().claimOne('e1');
      expect(await scene().store.reads.cursor()).toBe(before);
    });

    it('can be given back, and the task keeps its place', async () => {
      await scene().join('e1', 'e2');
      await scene().submit(lone('t1'), lone('t2'));
      const t1 = await scene().claimOne('e1');
      const leases = [
        { task_id: 't1', fence: t1.fence },
        { task_id: 't2', fence: 1 },
        { task_id: 'no such task', fence: 1 },
      ];
      expect(await scene().write<'release'>({ kind: 'release', owner: 'e1', leases })).toEqual({
        released: 1,
      });
      const again = await scene().claim('e2');
      expect(ids(again)).toEqual(['t1', 't2']);
      expect(again[0]?.task.fence).toBe(2);
      expect(await scene().write<'release'>({ kind: 'release', owner: 'e1', leases })).toEqual({
        released: 0,
      });
    });
  });
}
