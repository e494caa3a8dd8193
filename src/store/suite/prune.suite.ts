import { describe, expect, it } from 'vitest';
import { INLINE_PAYLOAD } from '../../core/limits.ts';
import { graph, lone } from './build.suite.ts';
import type { StoreHarness } from './harness.suite.ts';
import { done, scenes, the } from './scene.suite.ts';
import { allEvents } from './verify.suite.ts';

const DAY = 86_400_000;

export function pruneSuite(harness: StoreHarness): void {
  describe('pruning', () => {
    const scene = scenes(harness);
    const prune = (limit = 100) => scene().write<'prune'>({ kind: 'prune', keep_ms: DAY, limit });

    it('removes every trace of runs that settled long ago, and nothing else', async () => {
      await scene().join('e1');
      await scene().submit(
        graph('old', { a: {} }, { idempotency_key: 'k1' }),
        lone('lone', {}, { idempotency_key: 'k2' }),
      );
      await scene().submit(graph('open', { a: { lane: 'other' } }));
      await scene().drain('e1');
      await scene().open.advance(DAY + 1000);
      await scene().write({ kind: 'beat', owner: 'e1', ttl_ms: 30_000 });
      await scene().submit(graph('young', { a: {} }));
      await scene().drain('e1');
      expect(await prune()).toEqual({ removed: 2, more: false });
      const { reads } = scene().store;
      const gone = [
        reads.run('old'),
        reads.task('old/a'),
        reads.result('old/a'),
        reads.task('lone'),
        reads.result('lone'),
      ];
      expect(await Promise.all(gone)).toEqual([null, null, null, null, null]);
      expect((await reads.runs({ limit: 9, order: 'oldest' })).items.map((run) => run.workflow_id)).toEqual([
        'open',
        'young',
      ]);
      const left = new Set((await allEvents(reads)).map((event) => event.workflow_id));
      expect(left).toEqual(new Set(['open', 'young']));
      expect(await allEvents(reads, { workflow_id: 'old' })).toEqual([]);
      expect(await allEvents(reads, { task_id: 'lone' })).toEqual([]);
    });

    it('frees ids and keys', async () => {
      const run = graph('w1', { a: {} }, { idempotency_key: 'k1' });
      await settleAndAge(run);
      await prune();
      const again = await scene().submit({ ...run, body_hash: 'another' });
      expect(again.runs).toMatchObject([{ workflow_id: 'w1', created: true }]);
      expect((await allEvents(scene().store.reads, { workflow_id: 'w1' })).map(({ seq }) => seq)).toEqual([
        1, 2,
      ]);
    });

    it('never gives a number of the log twice, not even after a restart', async () => {
      await settleAndAge(lone('t1'));
      const before = await scene().store.reads.cursor();
      await prune();
      expect(await scene().store.reads.cursor()).toBe(before);
      await scene().reopen();
      expect(await scene().store.reads.cursor()).toBe(before);
      await scene().submit(lone('t2'));
      expect((await allEvents(scene().store.reads)).map(({ cursor }) => cursor)).toEqual([before + 1]);
    });

    it('takes the oldest first, as many as asked for', async () => {
      for (const id of ['t3', 't1', 't2']) {
        await scene().submit(lone(id));
        await scene().write({ kind: 'cancel_task', task_id: id, reason: null });
        await scene().open.advance(1000);
      }
      await scene().open.advance(DAY);
      expect(await prune(2)).toEqual({ removed: 2, more: true });
      expect(await scene().store.reads.task('t3')).toBe(null);
      expect(await scene().status('t2')).toBe('cancelled');
      expect(await prune(2)).toEqual({ removed: 1, more: false });
    });

    it('leaves what was reopened', async () => {
      await scene().submit(lone('t1'));
      await scene().write({ kind: 'cancel_task', task_id: 't1', reason: null });
      await scene().open.advance(2 * DAY);
      await scene().write({ kind: 'retry_task', task_id: 't1' });
      expect(await prune()).toEqual({ removed: 0, more: false });
    });

    it('is seen by the writes after it in the same commit', async () => {
      const run = graph('w1', { a: {} }, { idempotency_key: 'k1' });
      await settleAndAge(run);
      await scene().submit(lone('t1'));
      await scene().write({ kind: 'cancel_task', task_id: 't1', reason: null });
      await scene().open.advance(DAY + 1000);
      const remove = { kind: 'prune', keep_ms: DAY, limit: 9 } as const;
      const { verdicts } = await scene().commit([
        remove,
        remove,
        { kind: 'retry_task', task_id: 't1' },
        { kind: 'submit', runs: [{ ...run, body_hash: 'another' }] },
        { kind: 'submit', runs: [lone('t1')] },
      ]);
      expect(verdicts).toMatchObject([
        { answer: { removed: 2 } },
        { answer: { removed: 0 } },
        { error: { data: { error_code: 'GLZ1010' } } },
        { answer: { runs: [{ created: true }] } },
        { answer: { runs: [{ created: true }] } },
      ]);
      expect(await scene().run('w1')).toMatchObject({ status: 'running', open: 1, seq: 2 });
      expect(await scene().task('t1')).toMatchObject({ status: 'queued', seq: 1 });
    });

    it('leaves what an earlier write of the same commit reopened', async () => {
      await scene().submit(lone('t1'));
      await scene().write({ kind: 'cancel_task', task_id: 't1', reason: null });
      await scene().open.advance(DAY + 1000);
      const { verdicts } = await scene().commit([
        { kind: 'retry_task', task_id: 't1' },
        { kind: 'prune', keep_ms: DAY, limit: 9 },
      ]);
      expect(verdicts).toMatchObject([{ ok: true }, { answer: { removed: 0 } }]);
      expect(await scene().status('t1')).toBe('queued');
    });

    it('leaves a task and a run of the same name until both are over', async () => {
      await scene().join('e1');
      await scene().submit(graph('same', { a: { lane: 'other' } }, { idempotency_key: 'k1' }));
      await scene().submit(lone('same', {}, { idempotency_key: 'k2' }));
      await scene().drain('e1');
      await scene().open.advance(DAY + 1000);
      expect(await prune()).toEqual({ removed: 0, more: false });
      expect(await scene().status('same')).toBe('completed');
      expect(await scene().status('same/a')).toBe('queued');
      await scene().write({ kind: 'cancel_run', workflow_id: 'same', reason: null });
      expect(await prune()).toEqual({ removed: 0, more: false });
      await scene().open.advance(DAY + 1000);
      await prune();
      const { reads } = scene().store;
      const gone = [reads.task('same'), reads.run('same'), reads.task('same/a'), reads.result('same')];
      expect(await Promise.all(gone)).toEqual([null, null, null, null]);
      expect(await allEvents(reads)).toEqual([]);
    });

    it('leaves a task that goes on although a run of its name is over', async () => {
      await scene().join('e1');
      await scene().submit(graph('same', { a: {} }));
      await scene().drain('e1');
      await scene().submit(lone('same', { lane: 'other' }));
      await scene().open.advance(DAY + 1000);
      expect(await prune()).toEqual({ removed: 0, more: false });
      expect(await scene().status('same')).toBe('queued');
      await scene().write({ kind: 'cancel_task', task_id: 'same', reason: null });
      await scene().open.advance(DAY + 1000);
      await prune();
      expect(await scene().store.reads.task('same')).toBe(null);
      expect(await scene().store.reads.run('same')).toBe(null);
    });

    it('leaves the same large payload of another run', async () => {
      const text = JSON.stringify('x'.repeat(INLINE_PAYLOAD));
      await scene().join('e1');
      await scene().submit(graph('w1', { a: { params: text } }, { input: text }));
      await scene().drain('e1', () => done(text));
      await scene().open.advance(DAY + 1000);
      await scene().write({ kind: 'beat', owner: 'e1', ttl_ms: 30_000 });
      await scene().submit(graph('w2', { a: { params: text } }, { input: text }));
      await scene().drain('e1', () => done(text));
      expect(await prune()).toEqual({ removed: 1, more: false });
      const { reads } = scene().store;
      expect(the(await reads.result('w2/a')).result === text).toBe(true);
      expect(the(await reads.task('w2/a')).body.params === text).toBe(true);
      expect(the(await reads.run('w2')).input === text).toBe(true);
    });

    async function settleAndAge(run: ReturnType<typeof lone>) {
      await scene().join('e1');
      await scene().submit(run);
      await scene().drain('e1');
      await scene().open.advance(DAY + 1000);
    }
  });
}
