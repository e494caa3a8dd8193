import { describe, expect, it } from 'vitest';
import { LINE_LOOKED_AT } from '../../core/ports/store.ts';
import { graph, LANE, lone } from './build.suite.ts';
import type { StoreHarness } from './harness.suite.ts';
import { scenes, starting } from './scene.suite.ts';
import { allEvents } from './verify.suite.ts';

export function queueSuite(harness: StoreHarness): void {
  describe('the queue', () => {
    const scene = scenes(harness);
    const pause = (protocol: string | null) =>
      scene().write<'pause_queue'>({ kind: 'pause_queue', protocol });
    const resume = (protocol: string | null) =>
      scene().write<'resume_queue'>({ kind: 'resume_queue', protocol });

    it('is paused and goes on again, and whoever joins is told', async () => {
      await pause('a');
      const { paused } = await pause(null);
      expect(paused).toEqual({ all: true, protocols: ['a'], version: 2 });
      await scene().reopen();
      const joined = await scene().write<'join'>({ kind: 'join', owner: 'e1', ttl_ms: 1000 });
      expect(joined.paused).toEqual(paused);
      expect((await scene().store.reads.stats()).paused).toEqual(paused);
      expect((await scene().refused({ kind: 'resume_queue', protocol: 'a' })).data.error_code).toBe(
        'GLZ1011',
      );
      expect((await resume(null)).paused).toEqual({ all: false, protocols: [], version: 3 });
      const told = (await allEvents(scene().store.reads)).map(({ event, data, seq }) => [event, data, seq]);
      expect(told).toEqual([
        ['queue:paused', { protocol: 'a' }, 0],
        ['queue:paused', { protocol: null }, 0],
        ['queue:resumed', { protocol: null }, 0],
      ]);
    });

    it('is paused once, however often it is asked for', async () => {
      const { verdicts } = await scene().commit([
        { kind: 'pause_queue', protocol: 'a' },
        { kind: 'pause_queue', protocol: 'a' },
        { kind: 'resume_queue', protocol: 'b' },
      ]);
      const paused = { all: false, protocols: ['a'], version: 1 };
      expect(verdicts).toEqual(verdicts.map(() => ({ ok: true, answer: { paused } })));
      expect(await scene().store.reads.cursor()).toBe(1);
    });

    it('is counted by protocol and priority, held and parked tasks too', async () => {
      await scene().join('e1');
      const { now } = await scene().commit([
        { kind: 'submit', runs: [lone('t1'), lone('t2', { priority: 'urgent' })] },
        { kind: 'submit', runs: [graph('w1', { a: { priority: 'low' }, b: { after: ['a'] } })] },
        { kind: 'submit', runs: [lone('t3', { lane: 'other', priority: 'high' })] },
      ]);
      const held = await scene().claimOne('e1');
      expect(held.task_id).toBe('t2');
      await scene().write<'pause_run'>({ kind: 'pause_run', workflow_id: 'w1' });
      const counted = async () =>
        (await scene().store.reads.stats()).queued.map((row) => Object.values(row).map(String).join(' '));
      expect(await counted()).toEqual([
        `other high 1 ${now}`,
        `${LANE} urgent 1 null`,
        `${LANE} normal 1 ${now}`,
        `${LANE} low 1 null`,
      ]);
      await scene().commit([starting(held), { kind: 'cancel_task', task_id: 't3', reason: null }]);
      expect(await counted()).toEqual([`${LANE} normal 1 ${now}`, `${LANE} low 1 null`]);
      await scene().reopen();
      expect(await counted()).toEqual([`${LANE} normal 1 ${now}`, `${LANE} low 1 null`]);
    });

    it('shows the oldest of each kind as far as it looks', { timeout: 60_000 }, async () => {
      const first = await scene().commit([{ kind: 'submit', runs: [lone('low', { priority: 'low' })] }]);
      await scene().open.advance(1000);
      const many = Array.from({ length: LINE_LOOKED_AT - 1 }, (_, index) => lone(`t${index}`));
      const second = await scene().commit([{ kind: 'submit', runs: many }]);
      const oldest = async () =>
        (await scene().store.reads.stats()).queued.map((row) => [row.priority, row.oldest_created_at]);
      expect(await oldest()).toEqual([
        ['normal', second.now],
        ['low', first.now],
      ]);
      await scene().submit(lone('one more'));
      expect(await oldest()).toEqual([
        ['normal', second.now],
        ['low', null],
      ]);
    });
  });
}
