import { describe, expect, it } from 'vitest';
import type { Write } from '../../core/writes.ts';
import { graph, LANE, lone } from './build.suite.ts';
import type { StoreHarness } from './harness.suite.ts';
import { done, refusal, scenes, settling, the } from './scene.suite.ts';
import { allEvents } from './verify.suite.ts';

const submit = (id: string): Write => ({ kind: 'submit', runs: [lone(id)] });
const cancel = (task_id: string): Write => ({ kind: 'cancel_task', task_id, reason: null });

export function commitSuite(harness: StoreHarness): void {
  describe('a commit', () => {
    const scene = scenes(harness);

    it('of nothing answers nothing', async () => {
      const { now, ...rest } = await scene().commit([]);
      const nothing = {
        verdicts: [],
        claimed: [],
        lease_lost: false,
        settled: [],
        settledRuns: [],
        revoked: [],
      };
      expect(rest).toEqual(nothing);
      expect(Number.isSafeInteger(now)).toBe(true);
    });

    it('gives a verdict for each write, in order; one that is refused harms no other', async () => {
      const { verdicts } = await scene().commit([submit('t1'), cancel('no'), submit('t2'), cancel('t1')]);
      expect(verdicts.map(({ ok }) => ok)).toEqual([true, false, true, true]);
      expect(refusal(verdicts[1]).data.error_code).toBe('GLZ1010');
      expect([await scene().status('t1'), await scene().status('t2')]).toEqual(['cancelled', 'queued']);
    });

    it('lets its writes see each other', async () => {
      const run = graph('w1', { a: {}, b: { after: ['a'] } });
      const answer = await scene().commit(
        [
          { kind: 'join', owner: 'e1', ttl_ms: 30_000 },
          { kind: 'submit', runs: [run] },
          { kind: 'pause_run', workflow_id: 'w1' },
          { kind: 'submit', runs: [run] },
          cancel('w1/a'),
        ],
        { owner: 'e1', limit: 5, lanes: [LANE] },
      );
      expect(answer.verdicts.map((verdict) => verdict.ok && verdict.answer)).toMatchObject([
        {},
        { runs: [{ created: true, status: 'running' }] },
        { status: 'paused' },
        { runs: [{ created: false, status: 'paused' }] },
        { cancelled: true },
      ]);
      expect(answer).toMatchObject({ claimed: [], lease_lost: false });
      expect(answer.settled.map(({ task_id }) => task_id)).toEqual(['w1/a', 'w1/b']);
      expect(answer.settledRuns).toEqual([{ workflow_id: 'w1', status: 'failed' }]);
    });

    it('answers with what stands at its end', async () => {
      await scene().join('e1');
      await scene().submit(lone('t1'));
      const task = await scene().claimOne('e1');
      const answer = await scene().commit([
        cancel('t1'),
        { kind: 'retry_task', task_id: 't1' },
        settling(task, done()),
      ]);
      expect(answer.verdicts[2]).toMatchObject({ answer: { recorded: false, status: 'queued' } });
      expect(answer.settled).toEqual([]);
      expect(answer.revoked).toEqual([{ task_id: 't1', owner: 'e1' }]);
      expect(await scene().status('t1')).toBe('queued');
    });

    it('takes the first of two outcomes', async () => {
      await scene().join('e1');
      await scene().submit(lone('t1'));
      const task = await scene().claimOne('e1');
      const { verdicts } = await scene().commit([
        settling(task, done('1')),
        settling(task, done('2')),
        cancel('t1'),
      ]);
      expect(verdicts).toMatchObject([
        { answer: { recorded: true } },
        { answer: { recorded: false } },
        { answer: { cancelled: false, status: 'completed' } },
      ]);
      expect(the(await scene().store.reads.result('t1')).result).toBe('1');
    });

    it('refuses alone a task whose id is taken', async () => {
      await scene().join('e1');
      await scene().submit(lone('t3', { params: '"first"' }));
      const writes = ['t1', 't2', 't3', 't4', 't5'].map(submit);
      const { verdicts, claimed } = await scene().commit(writes, { owner: 'e1', limit: 9, lanes: [LANE] });
      expect(verdicts.map(({ ok }) => ok)).toEqual([true, true, false, true, true]);
      expect(refusal(verdicts[2]).data.error_code).toBe('GLZ3009');
      expect(claimed.map(({ task }) => task.task_id)).toEqual(['t3', 't1', 't2', 't4', 't5']);
      expect(the(await scene().store.reads.task('t3')).body.params).toBe('"first"');
    });

    it('takes a thousand writes', { timeout: 60_000 }, async () => {
      await scene().join('e1');
      const ids = Array.from({ length: 1000 }, (_, index) => `t${index}`);
      const answer = await scene().commit(ids.map(submit), { owner: 'e1', limit: 1000, lanes: [LANE] });
      expect(answer.claimed.map(({ task }) => task.task_id)).toEqual(ids);
      const settles = answer.claimed.map(({ task }) => settling(task, done(`"${task.task_id}"`)));
      expect((await scene().commit(settles)).settled.map(({ task_id }) => task_id)).toEqual(ids);
      expect(await scene().store.reads.stats()).toMatchObject({
        tasks: { completed: 1000 },
        runs: {},
        queued: [],
      });
      expect((await scene().store.reads.result('t999'))?.result).toBe('"t999"');
    });

    it('sees its clock go forward only', async () => {
      const first = await scene().commit([submit('t1')]);
      await scene().open.advance(500);
      const second = await scene().commit([submit('t2')]);
      expect(second.now).toBeGreaterThanOrEqual(first.now + 500);
      await scene().reopen();
      expect((await scene().commit([])).now).toBeGreaterThanOrEqual(second.now);
      expect((await allEvents(scene().store.reads)).map(({ at }) => at)).toEqual([first.now, second.now]);
    });

    it('that comes while another is under way is written and answered after it', async () => {
      const ids = Array.from({ length: 20 }, (_, index) => `t${index}`);
      const answered: string[] = [];
      const answers = await Promise.all(
        ids.map(async (id) => {
          const answer = await scene().commit([submit(id)]);
          answered.push(id);
          return answer;
        }),
      );
      expect(answers.every(({ verdicts }) => verdicts[0]?.ok)).toBe(true);
      expect(answered).toEqual(ids);
      const events = await allEvents(scene().store.reads);
      expect(events.map(({ task_id, cursor }) => [task_id, cursor])).toEqual(
        ids.map((id, index) => [id, index + 1]),
      );
    });

    it('to a closed store is refused', async () => {
      const { store } = scene();
      await scene().submit(lone('t1'));
      await scene().reopen();
      await expect(store.commit({ writes: [submit('t2')], claim: null })).rejects.toMatchObject({
        code: expect.stringMatching(/^GLZ(30|9002)/),
      });
      expect(await scene().store.reads.task('t2')).toBe(null);
    });
  });
}
