import { describe, expect, it } from 'vitest';
import type { Answer } from '../../core/answer.ts';
import type { AttemptName } from '../../core/attempt-name.ts';
import type { TaskRow } from '../../core/records.ts';
import type { WriteOf } from '../../core/writes.ts';
import { graph, inRun, LANE, lone, passing } from './build.suite.ts';
import type { StoreHarness } from './harness.suite.ts';
import { asking } from './outside.suite.ts';
import { accepted, done, failed, scenes, settling, starting, the } from './scene.suite.ts';
import { allEvents } from './verify.suite.ts';

/** The call of the next attempt of a claimed task is handed over. */
export function handingOver(task: TaskRow, bound_ms = 60_000, provider = 'p1'): WriteOf<'hand_over'> {
  const { generation } = task;
  return { ...starting(task, provider), kind: 'hand_over', generation, bound_ms };
}

/** The name of the next attempt of a task that is claimed or was handed over. */
export function nextOf({ task_id, generation, attempt_count }: TaskRow): AttemptName {
  return { task_id, generation, attempt: attempt_count + 1 };
}

export function arriving(
  name: AttemptName,
  answer: Answer,
  more: Partial<WriteOf<'arrive'>> = {},
): WriteOf<'arrive'> {
  return { kind: 'arrive', ...name, provider: 'p1', ago_ms: 0, answer, chance: 0, ...more };
}

export function awaySuite(harness: StoreHarness): void {
  describe('a call that was handed over', () => {
    const scene = scenes(harness);
    const listed = async (status: TaskRow['status']) =>
      (await scene().store.reads.tasks({ status: [status], limit: 10 })).items.map(({ task_id }) => task_id);
    /** Claimed by `e1` and handed over. */
    const away = async (...ids: readonly string[]) => {
      await scene().join('e1');
      await scene().submit(...ids.map((id) => lone(id)));
      const claimed = (await scene().claim('e1')).map(({ task }) => task);
      await scene().commit(claimed.map((task) => handingOver(task)));
      return claimed;
    };

    it('is held by nobody, listed, counted and due, whatever becomes of engines and store', async () => {
      await scene().join('e1');
      await scene().submit(lone('t1'), lone('t2', { total_timeout: 5 }));
      const [one, two] = (await scene().claim('e1')).map(({ task }) => task);
      const { now, verdicts } = await scene().commit([
        handingOver(the(one), 30_000, 'ü "p"\\'),
        handingOver(the(two), 30_000),
      ]);
      expect(verdicts).toMatchObject([
        { answer: { handed_over: true, unwanted: false, due_in_ms: 30_000 } },
        { answer: { handed_over: true } },
      ]);
      const look = async () => {
        expect(await scene().task('t1')).toMatchObject({
          ...{ status: 'routed', owner: null, parked: 'bridge ü "p"\\', attempt_count: 0, attempts: [] },
          ...{ fence: the(one).fence, due_at: now + 30_000 },
        });
        const { due_at, expires_at } = await scene().task('t2');
        expect(due_at).toBe(expires_at);
        expect(await listed('routed')).toEqual(['t2', 't1']);
        expect(await listed('queued')).toEqual([]);
        expect((await scene().store.reads.stats()).tasks).toEqual({ routed: 2 });
      };
      await look();
      await scene().write({ kind: 'leave', owner: 'e1' });
      expect(await scene().write<'rescue'>({ kind: 'rescue', limit: 10 })).toMatchObject({ rescued: 0 });
      await scene().reopen();
      await look();
      await scene().join('e2');
      expect(await scene().claim('e2')).toEqual([]);
      const { next_in_ms } = await scene().write<'wake_due'>({ kind: 'wake_due', limit: 10 });
      expect(the(next_in_ms)).toBeLessThanOrEqual(5000);
      expect(await scene().write<'hand_over'>(handingOver(the(one)))).toMatchObject({ handed_over: true });
    });

    it('tells what happens to it, start and all, also where it comes together', async () => {
      await scene().join('e1');
      await scene().submit(lone('t1'));
      const task = await scene().claimOne('e1');
      const name = nextOf(task);
      await scene().commit([handingOver(task), { kind: 'start_away', ...name, ago_ms: 0 }]);
      await scene().commit([
        { kind: 'progress_away', ...name, told: { progress: 1, text: 'half' } },
        { kind: 'keep_away', ...name, kept: '{"job":7}' },
      ]);
      await scene().reopen();
      const running = await scene().task('t1');
      expect(running).toMatchObject({ status: 'executing', owner: null, parked: null, attempt_count: 1 });
      expect(running.attempts).toMatchObject([
        { ended_at: null, progress: { text: 'half' }, outside: { kept: { text: '{"job":7}' } } },
      ]);
      const { now } = await scene().commit([arriving(name, done('{"n":1}'))]);
      expect(await scene().task('t1')).toMatchObject({ status: 'completed', due_at: null });
      expect(the(await scene().store.reads.result('t1'))).toMatchObject({
        result: '{"n":1}',
        stored_at: now,
      });
      const events = await allEvents(scene().store.reads, { after: 1 });
      expect(events.map(({ event, data }) => [event, event === 'task:routed' ? data : null])).toEqual([
        ['task:validated', null],
        ['task:routed', { provider: 'p1', via: 'bridge' }],
        ['task:started', null],
        ['task:progress', null],
        ['task:kept', null],
        ['task:completed', null],
      ]);
    });

    it('is answered once, by whoever comes first, and the next of its run goes on', async () => {
      await scene().join('e1');
      await scene().submit(graph('w', { a: {}, b: { after: ['a'], reads: ['a'] } }));
      const task = await scene().claimOne('e1');
      await scene().write<'hand_over'>(handingOver(task));
      const name = nextOf(task);
      const claim = { owner: 'e1', limit: 10, lanes: [LANE] };
      const { claimed, verdicts, settled } = await scene().commit(
        [arriving(name, done('"first"')), arriving(name, done('"second"'))],
        claim,
      );
      expect(verdicts).toMatchObject([
        { answer: { recorded: true, status: 'completed' } },
        { answer: { recorded: false, status: 'completed' } },
      ]);
      expect(settled).toHaveLength(1);
      expect(claimed).toMatchObject([
        { task: { id: 'b' }, payloads: { inputs: { a: { result: '"first"' } } } },
      ]);
      await scene().settle(the(claimed[0]).task, done());
      expect(await scene().run('w')).toMatchObject({ status: 'completed' });
    });

    it('may be answered before it is known to be away, and is taken from whoever holds it', async () => {
      await scene().join('e1');
      await scene().submit(lone('t1'), lone('t2'), graph('w', { a: {} }));
      const claimed = (await scene().claim('e1', 2)).map(({ task }) => task);
      const [one, two] = [the(claimed[0]), the(claimed[1])];
      await scene().write<'start'>(starting(two));
      const { revoked } = await scene().commit([
        arriving(nextOf(one), done()),
        arriving(nextOf(two), failed(passing)),
        arriving({ task_id: inRun('w', 'a'), generation: 0, attempt: 1 }, done()),
      ]);
      expect(revoked).toEqual([{ task_id: two.task_id, owner: 'e1' }]);
      expect(await scene().settle(one, done())).toMatchObject({ recorded: false, status: 'completed' });
      expect(await scene().status(two.task_id)).toBe('retrying');
      expect(await scene().status(inRun('w', 'a'))).toBe('completed');
      expect(await scene().claim('e1')).toEqual([]);
    });

    it('comes back to wait, or to be tried again, under another number', async () => {
      const [one, two, three] = await away('t1', 't2', 't3');
      await scene().commit([
        arriving(nextOf(the(one)), asking()),
        arriving(nextOf(the(two)), { word: 'again', after_ms: 0, reason: 'busy' }),
        arriving(nextOf(the(three)), { word: 'withdrawn' }),
      ]);
      expect(await scene().status('t1')).toBe('input_required');
      expect(await scene().status('t2')).toBe('retrying');
      expect(await scene().status('t3')).toBe('queued');
      const again = await scene().claimOne('e1');
      expect(again).toMatchObject({ task_id: 't3', attempt_count: 1, attempt_base: 1 });
      await scene().write<'hand_over'>(handingOver(again));
      expect(await scene().write<'arrive'>(arriving(nextOf(the(three)), done()))).toMatchObject({
        recorded: false,
      });
      expect(await scene().write<'arrive'>(arriving(nextOf(again), done()))).toMatchObject({
        recorded: true,
      });
    });

    it('is given up in time, and told to be of no use any more', async () => {
      const [one, two] = await away('t1', 't2');
      await scene().write<'start_away'>({ kind: 'start_away', ...nextOf(the(two)), ago_ms: 0 });
      await scene().open.advance(60_000);
      const { abandoned, moved } = await scene().write<'wake_due'>({ kind: 'wake_due', limit: 10 });
      expect(moved).toBe(2);
      expect(abandoned).toEqual([
        { ...nextOf(the(one)), provider: 'p1' },
        { ...nextOf(the(two)), provider: 'p1' },
      ]);
      for (const id of ['t1', 't2'])
        expect(await scene().task(id)).toMatchObject({
          ...{ status: 'retrying', attempt_count: 1, parked: null },
          attempts: [{ error: { data: { error_code: 'GLZ2003' } } }],
        });
    });

    it('is cancelled with its task or its run, and what comes back then is refused', async () => {
      await scene().join('e1');
      await scene().submit(lone('t1'), graph('w', { a: {} }));
      const claimed = (await scene().claim('e1')).map(({ task }) => task);
      await scene().commit(claimed.map((task) => handingOver(task)));
      const [one, a] = [the(claimed[0]), the(claimed[1])];
      const { verdicts } = await scene().commit([
        { kind: 'cancel_task', task_id: 't1', reason: null },
        { kind: 'cancel_run', workflow_id: 'w', reason: null },
      ]);
      expect(accepted<'cancel_task'>(verdicts[0]).abandoned).toEqual([{ ...nextOf(one), provider: 'p1' }]);
      expect(accepted<'cancel_run'>(verdicts[1]).abandoned).toEqual([{ ...nextOf(a), provider: 'p1' }]);
      await scene().write<'retry_task'>({ kind: 'retry_task', task_id: 't1' });
      for (const task of [one, a])
        expect(await scene().write<'arrive'>(arriving(nextOf(task), done()))).toMatchObject({
          recorded: false,
        });
      expect(await scene().status('t1')).toBe('queued');
    });

    it('goes on where its run is paused, and takes a result too large to lie with its task', async () => {
      await scene().join('e1');
      await scene().submit(graph('w', { a: {}, b: { after: ['a'] } }));
      const task = await scene().claimOne('e1');
      await scene().write<'hand_over'>(handingOver(task));
      await scene().write<'pause_run'>({ kind: 'pause_run', workflow_id: 'w' });
      const large = JSON.stringify('ü'.repeat(300_000));
      await scene().write<'arrive'>(arriving(nextOf(task), done(large)));
      expect(the(await scene().store.reads.result(inRun('w', 'a'))).result).toBe(large);
      expect(await scene().task(inRun('w', 'b'))).toMatchObject({ status: 'queued', parked: 'paused' });
    });

    it('is answered through another handle than it was handed over by', { timeout: 60_000 }, async ({
      skip,
    }) => {
      const second = await scene().open.second?.();
      if (second === undefined) return skip();
      await scene().join('e1', 'e2');
      const lones = Array.from({ length: 5 }, (_, index) => lone(`t${index}`));
      await scene().submit(...lones, graph('w', { a: {}, b: { after: ['a'] } }));
      const claimed = (await scene().claim('e1')).map(({ task }) => task);
      const [quick, ...others] = claimed;
      await scene().commit(others.map((task) => handingOver(task)));
      const answers = (word: string) => claimed.map((task) => arriving(nextOf(task), done(`"${word}"`)));
      const commits = await Promise.all([
        second.commit({ writes: answers('second'), claim: null }),
        scene().commit([handingOver(the(quick)), ...answers('first')]),
      ]);
      expect(commits.flatMap(({ settled }) => settled)).toHaveLength(claimed.length);
      expect(await scene().settle(the(quick), done())).toMatchObject({ recorded: false });
      const b = await scene().claimOne('e2');
      expect(b.id).toBe('b');
      await scene().commit([settling(b, done())]);
      expect(await scene().run('w')).toMatchObject({ status: 'completed' });
    });
  });
}
