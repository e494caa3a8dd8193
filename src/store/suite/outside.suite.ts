import { describe, expect, it } from 'vitest';
import type { Answer, OutsideWait } from '../../core/answer.ts';
import { MAX_ASK, MAX_KEPT, MAX_RESPONSE } from '../../core/limits.ts';
import type { TaskRow } from '../../core/records.ts';
import type { WriteOf } from '../../core/writes.ts';
import { graph, inRun, lone, passing } from './build.suite.ts';
import type { StoreHarness } from './harness.suite.ts';
import { done, failed, scenes, settling, starting, the } from './scene.suite.ts';
import { allEvents } from './verify.suite.ts';

export function asking(wait: Partial<OutsideWait> = {}): Answer {
  const usual = { ask: 'which?', kept: { remote: 1 }, token: null, after_ms: null, late: 'fail' } as const;
  return { word: 'outside', wait: { kind: 'input', ...usual, ...wait } };
}

export function keeping(task: TaskRow, kept: string): WriteOf<'keep'> {
  return { ...starting(task), kind: 'keep', kept };
}

export function responding(task_id: string, response: string, more: Partial<WriteOf<'respond'>> = {}) {
  const usual = { attempt: null, token: null, early: false, mark: response } as const;
  return { kind: 'respond', task_id, response, ...usual, ...more } as const;
}

export function outsideSuite(harness: StoreHarness): void {
  describe('a task that waits for the outside', () => {
    const scene = scenes(harness);
    const left = (task: TaskRow) => {
      const { kept, response, early } = task.attempts.at(-1)?.outside ?? {};
      return [kept?.text, response?.text, early?.text];
    };
    const listed = async (status: TaskRow['status']) =>
      (await scene().store.reads.tasks({ status: [status], limit: 10 })).items.map(({ task_id }) => task_id);

    it('is held by nobody, listed and counted, and what it asks survives a restart', async () => {
      await scene().join('e1');
      await scene().submit(lone('t1'), lone('t2'));
      const [one, two] = (await scene().claim('e1')).map(({ task }) => task);
      const ask = { text: 'ü😀 "two"\n\\u0000', list: [1, null, { a: true }] };
      const { now } = await scene().commit([
        settling(the(one), asking({ ask, token: 'mark', after_ms: 60_000 })),
        settling(the(two), asking({ kind: 'notification', late: 'resume' })),
      ]);
      const wait = { kind: 'input', ask, until: now + 60_000, late: 'fail', token: 'mark', answer: null };
      const look = async () => {
        const waiting = await scene().task('t1');
        expect(waiting).toMatchObject({ status: 'input_required', owner: null, due_at: now + 60_000 });
        expect(waiting.attempts[0]?.outside?.wait).toEqual(wait);
        expect(await scene().task('t2')).toMatchObject({ status: 'executing', owner: null, due_at: null });
        expect(await listed('input_required')).toEqual(['t1']);
        expect(await listed('executing')).toEqual(['t2']);
        expect(await listed('queued')).toEqual([]);
        const { tasks } = await scene().store.reads.stats();
        expect(tasks).toEqual({ executing: 1, input_required: 1 });
      };
      await look();
      await scene().reopen();
      await look();
      await scene().join('e2');
      expect(await scene().claim('e2')).toEqual([]);
      await scene().write<'rescue'>({ kind: 'rescue', limit: 10 });
      await look();
    });

    it('is claimed again with the answer and what was kept, in the commit of the answer or later', async () => {
      await scene().join('e1');
      await scene().submit(lone('t1'), graph('w', { a: {}, b: { after: ['a'] } }));
      const [one, a] = (await scene().claim('e1')).map(({ task }) => task);
      await scene().commit([
        settling(the(one), asking()),
        settling(the(a), asking({ kind: 'notification' })),
      ]);
      const claim = { owner: 'e1', limit: 10, lanes: [the(one).lane] };
      const at_once = await scene().commit([responding('t1', '"x"')], claim);
      expect(at_once.verdicts).toEqual([{ ok: true, answer: { status: 'queued', recorded: true } }]);
      expect(at_once.claimed.map(({ task }) => [task.task_id, ...left(task)])).toEqual([
        ['t1', '{"remote":1}', '"x"', undefined],
      ]);
      await scene().write<'respond'>(responding(inRun('w', 'a'), '"y"'));
      await scene().reopen();
      await scene().join('e2');
      const [later] = await scene().claim('e2', 1);
      expect([the(later).task.id, ...left(the(later).task)]).toEqual(['a', '{"remote":1}', '"y"', undefined]);
      await scene().settle(the(later).task, done());
      expect(await scene().status(inRun('w', 'b'))).toBe('queued');
      const [first] = (await scene().task(inRun('w', 'a'))).attempts;
      expect(first?.outside?.wait).toMatchObject({ kind: 'notification', ask: null, answer: '"y"' });
    });

    it('takes one answer, whoever else gives one at the same time', async () => {
      await scene().join('e1');
      await scene().submit(lone('t1'));
      await scene().settle(await scene().claimOne('e1'), asking());
      const { verdicts } = await scene().commit([
        responding('t1', '1'),
        responding('t1', '2'),
        responding('t1', '1'),
      ]);
      expect(verdicts).toMatchObject([
        { ok: true, answer: { recorded: true } },
        { ok: false, error: { data: { error_code: 'GLZ1011' } } },
        { ok: true, answer: { recorded: false } },
      ]);
      const events = await allEvents(scene().store.reads, { events: ['task:responded'] });
      expect(events).toHaveLength(1);
      expect(await scene().refused(responding('none', '1'))).toMatchObject({ code: 1010 });
    });

    it('fails or goes on when its time is up', async () => {
      await scene().join('e1');
      await scene().submit(lone('t1'), lone('t2'));
      const [one, two] = (await scene().claim('e1')).map(({ task }) => task);
      await scene().commit([
        settling(the(one), asking({ after_ms: 0 })),
        settling(the(two), asking({ kind: 'notification', after_ms: 0, late: 'resume' })),
      ]);
      expect(await scene().write<'wake_due'>({ kind: 'wake_due', limit: 10 })).toMatchObject({ moved: 2 });
      expect(await scene().task('t1')).toMatchObject({ status: 'failed', due_at: null });
      expect(await listed('failed')).toEqual(['t1']);
      const again = await scene().claimOne('e1');
      expect([again.task_id, ...left(again)]).toEqual(['t2', '{"remote":1}', undefined, undefined]);
    });

    it('can be cancelled, alone and with its run', async () => {
      await scene().join('e1');
      await scene().submit(lone('t1'), graph('w', { a: {} }));
      for (const { task } of await scene().claim('e1')) await scene().settle(task, asking());
      await scene().write({ kind: 'cancel_task', task_id: 't1', reason: null });
      await scene().write({ kind: 'cancel_run', workflow_id: 'w', reason: null });
      expect((await listed('cancelled')).sort()).toEqual(['t1', inRun('w', 'a')]);
      expect(await listed('input_required')).toEqual([]);
    });

    it('keeps what an attempt has kept, for the next one and for no other', async () => {
      await scene().join('e1');
      await scene().submit(lone('t1'), lone('t2'));
      const [one, two] = (await scene().claim('e1')).map(({ task }) => task);
      await scene().commit([keeping(the(one), '"k1"'), starting(the(two)), keeping(the(two), '"k2"')]);
      const kept = await scene().write<'keep'>(keeping({ ...the(one), fence: 0 }, '"late"'));
      expect(kept).toEqual({ recorded: false });
      await scene().write({ kind: 'leave', owner: 'e1' });
      await scene().write({ kind: 'rescue', limit: 10 });
      await scene().join('e2');
      const again = (await scene().claim('e2')).map(({ task }) => task);
      expect(again.map((task) => left(task)[0])).toEqual(['"k1"', '"k2"']);
      for (const task of again) await scene().settle(task, failed(passing));
      expect((await scene().task('t1')).attempts.map(({ outside }) => outside)).toEqual([
        undefined,
        undefined,
      ]);
    });

    it('takes a notification that came before, over a restart too', async () => {
      await scene().join('e1');
      await scene().submit(lone('t1'));
      const task = await scene().claimOne('e1');
      await scene().write(starting(task));
      await scene().write<'respond'>(responding('t1', '"early"', { early: true, token: 'mark' }));
      await scene().settle(task, asking({ kind: 'notification', token: 'mark' }));
      await scene().reopen();
      await scene().join('e2');
      expect(left(await scene().claimOne('e2'))).toEqual(['{"remote":1}', '"early"', undefined]);
    });

    it('holds as much as it may', async () => {
      await scene().join('e1');
      await scene().submit(lone('t1'));
      const ask = '?'.repeat(MAX_ASK - 2);
      const kept = '!'.repeat(MAX_KEPT - 2);
      await scene().settle(await scene().claimOne('e1'), asking({ ask, kept }));
      const response = JSON.stringify('.'.repeat(MAX_RESPONSE - 2));
      await scene().write<'respond'>(responding('t1', response));
      expect(left(await scene().claimOne('e1'))).toEqual([JSON.stringify(kept), response, undefined]);
    });
  });
}
