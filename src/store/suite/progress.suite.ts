import { describe, expect, it } from 'vitest';
import type { TaskRow } from '../../core/records.ts';
import type { WriteOf } from '../../core/writes.ts';
import { graph, inRun, lone, passing } from './build.suite.ts';
import type { StoreHarness } from './harness.suite.ts';
import { done, failed, scenes, settling, starting, the } from './scene.suite.ts';
import { allEvents } from './verify.suite.ts';

type Told = WriteOf<'progress'>['told'];

export function reporting(task: TaskRow, told: Told): WriteOf<'progress'> {
  return { ...starting(task), kind: 'progress', told };
}

export function progressSuite(harness: StoreHarness): void {
  describe('the progress of an attempt', () => {
    const scene = scenes(harness);
    const shownOf = async (task_id: string) => (await scene().task(task_id)).attempts.at(-1)?.progress;

    it('is told in the log and stands with the task while it runs, also for whoever opens the store anew', async () => {
      await scene().join('e1');
      await scene().submit(lone('t1'));
      const task = await scene().claimOne('e1');
      await scene().write<'start'>(starting(task));
      const first = { progress: 1, total: 4, message: 'reads', text: 'one\n"two" ü😀' };
      expect(await scene().write<'progress'>(reporting(task, first))).toEqual({ recorded: true });
      const { now, verdicts } = await scene().commit([reporting(task, { progress: 2.5, text: '\tend' })]);
      expect(verdicts).toMatchObject([{ ok: true, answer: { recorded: true } }]);
      const shown = { progress: 2.5, total: 4, message: 'reads', text: 'one\n"two" ü😀\tend', at: now };
      expect(await shownOf('t1')).toEqual(shown);
      const events = await allEvents(scene().store.reads, { after: 4 });
      expect(events.map(({ event, seq, data }) => [event, seq, data])).toEqual([
        ['task:progress', 5, { attempt: 1, ...first }],
        ['task:progress', 6, { attempt: 1, progress: 2.5, text: '\tend' }],
      ]);
      await scene().reopen();
      expect(await shownOf('t1')).toEqual(shown);
    });

    it('comes with the start, and goes with the end', async () => {
      await scene().join('e1');
      await scene().submit(graph('w', { a: {}, b: {} }));
      const [a, b] = (await scene().claim('e1')).map((claimed) => claimed.task);
      await scene().commit([reporting(the(a), { text: 'a' }), starting(the(a))]);
      expect(await shownOf(inRun('w', 'a'))).toMatchObject({ text: 'a', progress: null });
      await scene().commit([
        reporting(the(b), { progress: 1 }),
        settling(the(b), done('"result"')),
        reporting(the(b), { progress: 2 }),
      ]);
      await scene().settle(the(a), failed(passing));
      for (const id of ['a', 'b']) {
        const { attempts } = await scene().task(inRun('w', id));
        expect(attempts).toHaveLength(1);
        expect(attempts[0]).not.toHaveProperty('progress');
      }
      expect(the(await scene().store.reads.result(inRun('w', 'b'))).result).toBe('"result"');
      const told = await allEvents(scene().store.reads, { events: ['task:progress'] });
      expect(told.map(({ data }) => data)).toEqual([
        { attempt: 1, text: 'a' },
        { attempt: 1, progress: 1 },
      ]);
    });

    it('is refused once the task is not held any more', async () => {
      await scene().join('e1');
      await scene().submit(lone('t1'));
      const old = await scene().claimOne('e1');
      await scene().write({
        kind: 'release',
        owner: 'e1',
        leases: [{ task_id: 't1', fence: old.fence }],
      });
      expect(await scene().write<'progress'>(reporting(old, { progress: 1 }))).toEqual({ recorded: false });
      const again = await scene().claimOne('e1');
      expect(await scene().write<'progress'>(reporting(old, { progress: 1 }))).toEqual({ recorded: false });
      await scene().settle(again, done());
      expect(await scene().write<'progress'>(reporting(again, { progress: 1 }))).toEqual({
        recorded: false,
      });
      expect(await allEvents(scene().store.reads, { events: ['task:progress'] })).toEqual([]);
    });

    it('is the end of a long text, however much was told', async () => {
      await scene().join('e1');
      await scene().submit(lone('t1'));
      const task = await scene().claimOne('e1');
      const pieces = Array.from({ length: 8 }, (_, index) => `${index}`.repeat(4096));
      await scene().commit(pieces.map((text) => reporting(task, { text })));
      expect((await shownOf('t1'))?.text).toBe('7'.repeat(1024));
    });
  });
}
