import { describe, expect, it } from 'vitest';
import type { Answer } from '../../core/answer.ts';
import { GleitzeitError } from '../../core/errors.ts';
import { final, graph, lone, passing } from './build.suite.ts';
import type { StoreHarness } from './harness.suite.ts';
import { done, failed, scenes, settling, starting, the } from './scene.suite.ts';
import { allEvents } from './verify.suite.ts';

export function attemptsSuite(harness: StoreHarness): void {
  describe('an attempt', () => {
    const scene = scenes(harness);

    it('is counted when it starts, once, however often that is said', async () => {
      await scene().join('e1');
      await scene().submit(lone('t1'));
      const task = await scene().claimOne('e1');
      expect(await scene().write<'start'>(starting(task))).toEqual({ started: true });
      expect(await scene().write<'start'>(starting(task))).toEqual({ started: true });
      const stored = await scene().task('t1');
      expect(stored).toMatchObject({ status: 'executing', owner: 'e1', attempt_count: 1 });
      expect(stored.attempts).toMatchObject([{ attempt: 1, ended_at: null, provider: 'p1', error: null }]);
      const events = await allEvents(scene().store.reads, { after: 1 });
      expect(events.map(({ event }) => event)).toEqual(['task:validated', 'task:routed', 'task:started']);
    });

    it('ends with a result, which is stored with it', async () => {
      await scene().join('e1');
      await scene().submit(lone('t1'));
      const task = await scene().claimOne('e1');
      const answer = await scene().commit([settling(task, done('{"n":1}'))]);
      expect(answer.settled).toEqual([{ task_id: 't1', workflow_id: null, status: 'completed' }]);
      expect(answer.verdicts).toMatchObject([
        { answer: { recorded: true, status: 'completed', due_in_ms: null } },
      ]);
      const stored = await scene().task('t1');
      const result = the(await scene().store.reads.result('t1'));
      expect(result).toMatchObject({
        task_id: 't1',
        run_key: 't1',
        result: '{"n":1}',
        hash: stored.result_hash,
      });
      expect(stored).toMatchObject({ status: 'completed', owner: null, attempt_count: 1, error: null });
      expect(stored.attempts).toMatchObject([{ attempt: 1, ended_at: stored.settled_at, error: null }]);
    });

    it('may have started a while ago', async () => {
      await scene().join('e1');
      await scene().submit(lone('t1'));
      await scene().open.advance(5000);
      const settle = settling(await scene().claimOne('e1'), done());
      const start = { attempt: 1, provider: null, ago_ms: 1500.4 };
      const { now } = await scene().commit([{ ...settle, start }]);
      expect((await scene().task('t1')).attempts[0]).toMatchObject({ started_at: now - 1500, ended_at: now });
    });

    it('is recorded once: a second outcome changes nothing', async () => {
      await scene().join('e1');
      await scene().submit(lone('t1'));
      const task = await scene().claimOne('e1');
      await scene().settle(task, done('1'));
      const again = await scene().settle(task, done('2'));
      expect(again).toEqual({ recorded: false, status: 'completed', due_in_ms: null });
      expect(the(await scene().store.reads.result('t1')).result).toBe('1');
    });

    it('is refused from anyone but the holder of the newest claim', async () => {
      await scene().join('e1', 'e2');
      await scene().submit(lone('t1'));
      const old = await scene().claimOne('e1');
      const leases = [{ task_id: 't1', fence: old.fence }];
      await scene().write({ kind: 'release', owner: 'e1', leases });
      const unheld = await scene().settle(old, done());
      expect(unheld).toMatchObject({ recorded: false, status: 'queued' });
      const held = await scene().claimOne('e2');
      expect(await scene().write<'start'>(starting(old))).toEqual({ started: false });
      expect(await scene().settle(old, done())).toMatchObject({ recorded: false });
      expect(await scene().write<'settle'>(settling(held, done(), 'e1'))).toMatchObject({ recorded: false });
      expect(await scene().settle({ ...held, fence: 3 }, done())).toMatchObject({ recorded: false });
      expect(await scene().settle(held, done())).toMatchObject({ recorded: true });
    });

    it('of a task that is not there is refused without a word of its status', async () => {
      await scene().submit(lone('t1'));
      const ghost = { ...(await scene().task('t1')), task_id: 'ghost', owner: 'e1' };
      expect(await scene().settle(ghost, done())).toEqual({ recorded: false, status: null, due_in_ms: null });
    });

    it('that fails before its call was made is final and no attempt', async () => {
      await scene().join('e1');
      await scene().submit(lone('t1'));
      const task = await scene().claimOne('e1');
      await scene().write({ ...settling(task, failed(passing)), start: null });
      expect(await scene().task('t1')).toMatchObject({ status: 'failed', attempt_count: 0, error: passing });
    });
  });

  describe('retries', () => {
    const scene = scenes(harness);

    it('come due, and run until the attempts are used up', async () => {
      await scene().join('e1');
      await scene().submit(lone('t1'));
      for (const attempt of [1, 2]) {
        const settled = await scene().settle(await scene().claimOne('e1'), failed(passing));
        expect(settled).toEqual({ recorded: true, status: 'retrying', due_in_ms: 1000 });
        expect(await scene().task('t1')).toMatchObject({
          attempt_count: attempt,
          error: passing,
          owner: null,
        });
        expect(await scene().claim('e1')).toEqual([]);
        expect(await wake()).toMatchObject({ moved: 0 });
        await scene().open.advance(1000);
        expect(await wake()).toMatchObject({ moved: 1, next_in_ms: null });
      }
      const last = await scene().settle(await scene().claimOne('e1'), failed(passing));
      expect(last).toMatchObject({ status: 'failed', due_in_ms: null });
      const { attempts } = await scene().task('t1');
      expect(attempts.map(({ attempt, error }) => [attempt, error])).toEqual(
        [1, 2, 3].map((n) => [n, passing]),
      );
    });

    it('are not made of what is final', async () => {
      await scene().join('e1');
      await scene().submit(lone('t1'));
      const answer = await scene().commit([settling(await scene().claimOne('e1'), failed(final))]);
      expect(answer.settled).toMatchObject([{ task_id: 't1', status: 'failed' }]);
      expect(await scene().task('t1')).toMatchObject({ error: final, due_at: null });
    });

    it('wait as long as the service asked', async () => {
      await scene().join('e1');
      await scene().submit(lone('t1'), lone('t2'));
      const slow = new GleitzeitError('GLZ2004', 'slow down', { retry_after_ms: 7000 }).toRecord();
      expect(await scene().settle(await scene().claimOne('e1'), failed(slow))).toMatchObject({
        due_in_ms: 7000,
      });
      const again = { word: 'again', after_ms: 90.5, reason: 'busy' } as const;
      expect(await scene().settle(await scene().claimOne('e1'), again)).toMatchObject({ due_in_ms: 91 });
      expect(await scene().task('t2')).toMatchObject({
        status: 'retrying',
        attempt_count: 1,
        attempt_base: 1,
      });
    });

    it('go on at once where their engine stopped of its own accord, and do not count', async () => {
      await scene().join('e1');
      await scene().submit(graph('w1', { a: {} }));
      const task = await scene().claimOne('e1');
      expect(await scene().settle(task, { word: 'withdrawn' })).toMatchObject({ status: 'queued' });
      const row = { status: 'queued', owner: null, attempt_count: 1, attempt_base: 1, rank: task.rank };
      expect(await scene().task(task.task_id)).toMatchObject(row);
      expect(await scene().claimOne('e1')).toMatchObject({ task_id: task.task_id, attempt_base: 1 });
    });

    it('wait ten years at most, and keep nobody else from coming due', async () => {
      const odd = new GleitzeitError('GLZ2004', 'slow down', { retry_after_ms: 1e17 }).toRecord();
      const answers: Answer[] = [
        failed(odd),
        { word: 'again', after_ms: 1e17, reason: 'busy' },
        { word: 'again', after_ms: 1e300, reason: 'busy' },
        failed(passing),
      ];
      await scene().join('e1');
      await scene().submit(...answers.map((_, index) => lone(`t${index}`)));
      const held = await scene().claim('e1');
      await scene().commit(held.map(({ task }, index) => settling(task, the(answers[index]))));
      const due = await Promise.all([0, 1, 2].map(async (index) => (await scene().task(`t${index}`)).due_at));
      const tenYears = 10 * 365 * 24 * 3600 * 1000;
      for (const at of due) expect(Math.abs(the(at) - the(due[0]))).toBeLessThan(1000);
      expect(the(due[0])).toBeGreaterThan(tenYears);
      await scene().open.advance(1000);
      expect(await wake()).toMatchObject({ moved: 1 });
      expect(await scene().status('t3')).toBe('queued');
    });

    it('come due after a restart too', async () => {
      await scene().join('e1');
      await scene().submit(lone('t1'));
      await scene().settle(await scene().claimOne('e1'), failed(passing));
      await scene().reopen();
      await scene().open.advance(1000);
      expect(await wake()).toMatchObject({ moved: 1 });
      expect(await scene().status('t1')).toBe('queued');
    });

    it('are moved earliest first, as many as asked for', async () => {
      await scene().join('e1');
      await scene().submit(...['t1', 't2', 't3'].map((id) => lone(id)));
      for (const { task } of await scene().claim('e1')) {
        const after_ms = { t1: 3000, t2: 1000, t3: 2000 }[task.task_id] ?? 0;
        await scene().settle(task, { word: 'again', after_ms, reason: 'busy' });
      }
      await scene().open.advance(10_000);
      expect(await wake(2)).toMatchObject({ moved: 2, more: true });
      expect(await statuses()).toEqual(['retrying', 'queued', 'queued']);
      expect(await wake(2)).toEqual({ moved: 1, more: false, next_in_ms: null });
    });

    it('tell when the next one is due', async () => {
      await scene().join('e1');
      await scene().submit(lone('t1', { total_timeout: 60 }));
      const { next_in_ms } = await wake();
      expect(the(next_in_ms)).toBeGreaterThan(0);
      expect(the(next_in_ms)).toBeLessThanOrEqual(60_000);
      await scene().claimOne('e1');
      expect(await wake()).toMatchObject({ next_in_ms: null });
    });

    const wake = (limit = 10) => scene().write<'wake_due'>({ kind: 'wake_due', limit });
    const statuses = () => Promise.all(['t1', 't2', 't3'].map((id) => scene().status(id)));
  });

  describe('the total timeout', () => {
    const scene = scenes(harness);

    it('fails what nobody runs, in the queue or between attempts, and leaves what runs', async () => {
      await scene().join('e1');
      await scene().submit(lone('held', { total_timeout: 5 }), lone('retrying', { total_timeout: 5 }));
      const [held, retrying] = (await scene().claim('e1')).map(({ task }) => task);
      await scene().write(starting(the(held)));
      await scene().settle(the(retrying), failed(passing));
      await scene().submit(lone('queued', { total_timeout: 4 }), lone('patient'));
      await scene().open.advance(5000);
      const woken = await scene().commit([{ kind: 'wake_due', limit: 10 }]);
      expect(woken.settled.map(({ task_id }) => task_id).sort()).toEqual(['queued', 'retrying']);
      expect((await scene().task('queued')).error?.data.error_code).toBe('GLZ2003');
      expect(await scene().status('held')).toBe('executing');
      expect(await scene().status('patient')).toBe('queued');
    });

    it('is nothing to what has completed', async () => {
      await scene().join('e1');
      await scene().submit(lone('t1', { total_timeout: 5 }));
      await scene().settle(await scene().claimOne('e1'), done('{}'));
      expect(await scene().task('t1')).toMatchObject({ status: 'completed', due_at: null });
      await scene().open.advance(6000);
      const answer = await scene().write<'wake_due'>({ kind: 'wake_due', limit: 10 });
      expect(answer).toEqual({ moved: 0, more: false, next_in_ms: null });
    });

    it('allows no retry past it', async () => {
      await scene().join('e1');
      await scene().submit(lone('t1', { total_timeout: 0.5 }));
      expect(await scene().settle(await scene().claimOne('e1'), failed(passing))).toMatchObject({
        status: 'failed',
      });
    });
  });
}
