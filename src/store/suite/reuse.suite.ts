import { describe, expect, it } from 'vitest';
import { INLINE_PAYLOAD } from '../../core/limits.ts';
import { final, graph, inRun, LANE, lone, retryOf } from './build.suite.ts';
import type { StoreHarness } from './harness.suite.ts';
import { done, failed, scenes, the } from './scene.suite.ts';
import { allEvents } from './verify.suite.ts';

const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

export function reuseSuite(harness: StoreHarness): void {
  describe('a run that starts from an earlier one', () => {
    const scene = scenes(harness);
    const old = graph(
      'w1',
      {
        a: {},
        b: { after: ['a'], reads: ['a'] },
        c: { after: ['a', 'b'], reads: ['a', 'b'], uses_input: true, traceparent },
        d: { after: ['c'] },
      },
      { input: '"in"' },
    );
    const large = JSON.stringify('ü'.repeat(INLINE_PAYLOAD + 1));

    it('has the finished results of the other, readable under its own ids', async () => {
      await scene().join('e1');
      await scene().submit(old);
      await scene().drain('e1', ({ id }) => (id === 'c' ? failed(final) : done(`"${id}"`)));
      expect((await scene().run('w1')).status).toBe('failed');
      const { runs } = await scene().submit(retryOf(old, 'w2', { a: large, b: '"b"' }));
      expect(runs).toMatchObject([{ workflow_id: 'w2', status: 'running', created: true }]);
      const { reads } = scene().store;
      expect(await scene().run('w2')).toMatchObject({ retry_of: 'w1', total: 4, open: 2, failed: 0 });
      expect((await scene().run('w1')).retry_of).toBe(null);
      const a = await scene().task('w2/a');
      expect(a).toMatchObject({ status: 'completed', attempt_count: 0, attempts: [], pending: 0, rank: 0 });
      const result = the(await reads.result('w2/a'));
      expect(result.result === large).toBe(true);
      expect(result).toMatchObject({ run_key: 'w2', hash: a.result_hash, stored_at: a.settled_at });
      expect(Object.keys(await reads.runResults('w2'))).toEqual(['a', 'b']);
      expect(await scene().status('w2/c')).toBe('queued');
      expect(await scene().status('w2/d')).toBe('waiting');
    });

    it('tells whose results it reuses', async () => {
      await scene().submit(retryOf(old, 'w2', { a: '"a"' }));
      const events = await allEvents(scene().store.reads, { workflow_id: 'w2' });
      expect(events.map(({ event, task_id }) => [event, task_id])).toEqual([
        ['workflow:started', undefined],
        ['task:queued', 'w2/a'],
        ['task:reused', 'w2/a'],
        ['task:queued', 'w2/b'],
        ['task:waiting', 'w2/c'],
        ['task:waiting', 'w2/d'],
      ]);
      expect(events[0]?.data).toMatchObject({ retry_of: 'w1', total: 4 });
      expect(events[2]?.data).toMatchObject({ from: { workflow_id: 'w1', task_id: 'w1/a' } });
      const own = await allEvents(scene().store.reads, { task_id: 'w2/a', events: ['task:reused'] });
      expect(own).toEqual([events[2]]);
    });

    it.each([
      ['in the same commit', true],
      ['later', false],
    ])('hands the reused results to those that read them, claimed %s', async (_, together) => {
      await scene().join('e1');
      await scene().claim('e1');
      const write = { kind: 'submit', runs: [retryOf(old, 'w2', { a: '"A"', b: '"B"' })] } as const;
      const claim = { owner: 'e1', limit: 5, lanes: [LANE] };
      const first = await scene().commit([write], together ? claim : null);
      const { claimed } = together ? first : await scene().commit([], claim);
      expect(claimed.map(({ task }) => task.id)).toEqual(['c']);
      expect(claimed[0]).toMatchObject({
        payloads: {
          inputs: { a: { status: 'completed', result: '"A"' }, b: { status: 'completed', result: '"B"' } },
          run_input: '"in"',
        },
        body: { spec: { traceparent } },
      });
      expect(await scene().store.reads.payloads('w2/c')).toEqual(claimed[0]?.payloads);
      await scene().settle(the(claimed[0]).task, done());
      expect(await scene().drain('e1')).toEqual(['d']);
      expect(await scene().run('w2')).toMatchObject({ status: 'completed', open: 0 });
    });

    it('outlives the one it came from', async () => {
      await scene().join('e1');
      await scene().submit(old);
      await scene().drain('e1', ({ id }) => (id === 'c' ? failed(final) : done(large)));
      await scene().open.advance(5000);
      await scene().submit(retryOf(old, 'w2', { a: large, b: large }));
      await scene().write<'prune'>({ kind: 'prune', keep_ms: 1000, limit: 10 });
      await scene().reopen();
      expect(await scene().store.reads.run('w1')).toBe(null);
      expect((await scene().store.reads.result('w2/b'))?.result === large).toBe(true);
      await scene().join('e2');
      expect(await scene().drain('e2')).toEqual(['c', 'd']);
      await scene().open.advance(5000);
      await scene().write<'prune'>({ kind: 'prune', keep_ms: 1000, limit: 10 });
      expect((await scene().store.reads.stats()).tasks).toEqual({});
    });

    it('is answered again under the same key', async () => {
      const run = { ...retryOf(old, 'w2', { a: '1' }), idempotency_key: 'k' };
      const again = { ...retryOf(old, 'w3', { a: '1' }), idempotency_key: 'k' };
      await scene().submit(run);
      const { runs } = await scene().submit(again);
      expect(runs).toMatchObject([{ workflow_id: 'w2', created: false }]);
      expect(Object.fromEntries(runs[0]?.tasks ?? [])).toMatchObject({ a: inRun('w2', 'a') });
    });

    it('can be retried in its turn', async () => {
      const second = retryOf(old, 'w2', { a: '1' });
      await scene().submit(second);
      await scene().submit(retryOf(second, 'w3', { a: '1', b: '2', c: '3' }));
      expect(await scene().run('w3')).toMatchObject({ retry_of: 'w2', open: 1 });
      expect(await scene().status('w3/d')).toBe('queued');
    });
  });

  describe('the trace a task belongs to', () => {
    const scene = scenes(harness);

    it('is kept with it, and comes with its claim', async () => {
      await scene().join('e1');
      const claim = { owner: 'e1', limit: 5, lanes: [LANE] };
      const write = { kind: 'submit', runs: [lone('t1', { traceparent }), lone('t2')] } as const;
      const { claimed } = await scene().commit([write], claim);
      expect(claimed.map(({ body }) => body.spec.traceparent)).toEqual([traceparent, undefined]);
      await scene().submit(lone('t3', { traceparent }));
      expect((await scene().claim('e1'))[0]?.body.spec.traceparent).toBe(traceparent);
      await scene().reopen();
      expect((await scene().store.reads.task('t1'))?.body.spec.traceparent).toBe(traceparent);
      expect((await scene().store.reads.task('t2'))?.body.spec).not.toHaveProperty('traceparent');
    });
  });
}
