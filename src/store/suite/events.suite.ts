import { describe, expect, it } from 'vitest';
import { graph, LANE, lone } from './build.suite.ts';
import type { StoreHarness } from './harness.suite.ts';
import { done, scenes, settling, the } from './scene.suite.ts';
import { allEvents } from './verify.suite.ts';

export function eventsSuite(harness: StoreHarness): void {
  describe('the log', () => {
    const scene = scenes(harness);

    it('is numbered without gaps, for each run and over all', async () => {
      await fewRuns();
      const events = await allEvents(scene().store.reads);
      expect(events.map(({ cursor }) => cursor)).toEqual(events.map((_, index) => index + 1));
      expect(await scene().store.reads.cursor()).toBe(events.length);
      for (const workflow_id of ['w1', 'w2']) {
        const own = events.filter((event) => event.workflow_id === workflow_id);
        expect(own.map(({ seq }) => seq)).toEqual(own.map((_, index) => index + 1));
        expect(own.length).toBe((await scene().run(workflow_id)).seq);
      }
    });

    it('has the events of one commit by run, in the order the runs were first touched', async () => {
      await scene().join('e1');
      await scene().submit(graph('w1', { a: {}, b: {} }), graph('w2', { a: {} }));
      const [a, b, c] = (await scene().claim('e1')).map(({ task }) => task);
      const before = await scene().store.reads.cursor();
      await scene().commit([settling(the(c), done()), settling(the(a), done()), settling(the(b), done())]);
      const ends = await allEvents(scene().store.reads, {
        after: before,
        events: ['task:completed', 'workflow:completed'],
      });
      expect(ends.map(({ event, workflow_id, task_id }) => [event, task_id ?? workflow_id])).toEqual([
        ['task:completed', 'w2/a'],
        ['workflow:completed', 'w2'],
        ['task:completed', 'w1/a'],
        ['task:completed', 'w1/b'],
        ['workflow:completed', 'w1'],
      ]);
    });

    it('tells when, of what and with which data', async () => {
      await scene().join('e1');
      await scene().submit(lone('t1', { params: '{"a":1}', priority: 'high' }));
      const { now } = await scene().commit([settling(await scene().claimOne('e1'), done('1'))]);
      const [queued, , , started, completed] = await allEvents(scene().store.reads);
      const { body, task } = the(await scene().store.reads.task('t1'));
      expect(queued).toEqual({
        event: 'task:queued',
        task_id: 't1',
        workflow_id: null,
        cursor: 1,
        seq: 1,
        at: task.created_at,
        data: {
          reason: 'submitted',
          task: {
            id: 't1',
            name: 't1',
            protocol: 'test/v1',
            method: 'echo',
            priority: 'high',
            dependencies: [],
            params_hash: body.params_hash,
          },
        },
      });
      expect(started).toMatchObject({
        event: 'task:started',
        seq: 4,
        at: now,
        data: { attempt: 1, started_at: now },
      });
      expect(completed).toMatchObject({ seq: 5, data: { attempt: 1, result_hash: task.result_hash } });
    });

    it('holds what belongs to no run, in the same numbering', async () => {
      const data = { provider: 'p1', protocol: 'test/v1' };
      await scene().submit(lone('t1'));
      await scene().write({ kind: 'announce', happening: { event: 'provider:connected', data } });
      await scene().write({ kind: 'announce', happening: { event: 'provider:connected', data } });
      await scene().submit(lone('t2'));
      const events = await allEvents(scene().store.reads);
      expect(events.map(({ cursor, seq }) => [cursor, seq])).toEqual([
        [1, 1],
        [2, 0],
        [3, 0],
        [4, 1],
      ]);
      expect(events[1]).toMatchObject({ event: 'provider:connected', workflow_id: null, data });
    });

    it('is read from any number on, in pages of any size', async () => {
      await fewRuns();
      const all = await allEvents(scene().store.reads);
      for (let after = 0; after <= all.length + 1; after += 3) {
        for (const limit of [1, 2, 5, all.length, 1000]) {
          expect(await allEvents(scene().store.reads, { after, limit })).toEqual(all.slice(after));
        }
      }
    });

    it('is read by run, by task and by kind', async () => {
      await fewRuns();
      const { reads } = scene().store;
      const all = await allEvents(reads);
      for (const limit of [1, 4, 1000]) {
        for (const workflow_id of ['w1', 'w2', 'no']) {
          const own = all.filter((event) => event.workflow_id === workflow_id);
          expect(await allEvents(reads, { workflow_id, limit })).toEqual(own);
        }
        for (const task_id of ['w1/b', 't1', 'no']) {
          const own = all.filter((event) => event.task_id === task_id);
          expect(await allEvents(reads, { task_id, limit })).toEqual(own);
        }
        const kinds = all.filter(({ event }) => event === 'task:started' || event === 'workflow:completed');
        expect(await allEvents(reads, { events: ['task:started', 'workflow:completed'], limit })).toEqual(
          kinds,
        );
        expect(await allEvents(reads, { events: [], limit })).toEqual([]);
        const both = kinds.filter((event) => event.workflow_id === 'w2' && event.task_id === 'w2/a');
        const filter = {
          workflow_id: 'w2',
          task_id: 'w2/a',
          events: ['task:started', 'workflow:completed'],
        } as const;
        expect(await allEvents(reads, { ...filter, limit })).toEqual(both);
      }
    });

    it('goes on where a filtered reader stopped, whatever came in between', async () => {
      await fewRuns();
      const { reads } = scene().store;
      const end = await reads.events({ after: 0, limit: 1000, workflow_id: 'w2' });
      expect(end.more).toBe(false);
      await scene().submit(lone('t9'), graph('w3', { a: {} }));
      const next = await reads.events({ after: end.cursor, limit: 1000 });
      expect(next.events.map((event) => event.task_id ?? event.workflow_id)).toEqual(['t9', 'w3', 'w3/a']);
      expect((await reads.events({ after: next.cursor, limit: 10 })).events).toEqual([]);
      expect((await reads.events({ after: next.cursor, limit: 10 })).cursor).toBe(next.cursor);
    });

    it('stays as it is over a restart', async () => {
      await fewRuns();
      const before = await allEvents(scene().store.reads);
      await scene().reopen();
      expect(await allEvents(scene().store.reads)).toEqual(before);
      await scene().submit(lone('t9'));
      expect(await scene().store.reads.cursor()).toBe(before.length + 1);
    });

    it('takes ten thousand events of one commit', { timeout: 120_000 }, async () => {
      const tasks = Object.fromEntries(Array.from({ length: 9_999 }, (_, index) => [`t${index}`, {}]));
      await scene().submit(graph('w1', tasks));
      const pages = await allEvents(scene().store.reads, { limit: 2500 });
      expect(pages.map(({ seq }) => seq)).toEqual(Array.from({ length: 10_000 }, (_, index) => index + 1));
      const tail = await scene().store.reads.events({ after: 9_990, limit: 100 });
      expect(tail.events.length).toBe(10);
    });

    async function fewRuns() {
      await scene().join('e1');
      await scene().submit(
        graph('w1', { a: {}, b: { after: ['a'] } }),
        lone('t1'),
        graph('w2', { a: {}, b: {} }),
      );
      await scene().drain('e1');
      await scene().submit(lone('t2', { lane: `${LANE} 2` }));
    }
  });
}
