import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { INLINE_PAYLOAD, MAX_PAYLOAD } from '../../core/limits.ts';
import { CLAIM_BUDGET, type ClaimedTask } from '../../core/ports/store.ts';
import { graph, LANE, lone } from './build.suite.ts';
import type { StoreHarness } from './harness.suite.ts';
import { done, scenes, the } from './scene.suite.ts';

const LONG = { timeout: 120_000 };

/** JSON text of exactly this many characters. */
const text = (length: number, filling = 'x') => JSON.stringify(filling.repeat(length - 2));

export function payloadsSuite(harness: StoreHarness): void {
  describe('payloads', () => {
    const scene = scenes(harness);

    const sizes = [2, INLINE_PAYLOAD - 1, INLINE_PAYLOAD, INLINE_PAYLOAD + 1, MAX_PAYLOAD];
    it.each(sizes)('of %d characters come back as they went in', LONG, async (size) => {
      const [params, input, result] = [text(size, 'p'), text(size, 'i'), text(size, 'r')];
      await scene().join('e1');
      await scene().submit(
        graph('w1', { a: { params, uses_input: true }, b: { after: ['a'], reads: ['a'] } }, { input }),
      );
      const a = the((await scene().claim('e1'))[0]);
      const brought = the(a.payloads);
      expect([brought.params === params, brought.run_input === input]).toEqual([true, true]);
      await scene().settle(a.task, done(result));
      await scene().reopen();
      const { reads } = scene().store;
      expect(the(await reads.task('w1/a')).body.params === params).toBe(true);
      expect(the(await reads.run('w1')).input === input).toBe(true);
      expect(the(await reads.result('w1/a')).result === result).toBe(true);
      expect(the((await reads.runResults('w1'))['a']).result === result).toBe(true);
      const read = the(await reads.payloads('w1/a'));
      expect([read.params === params, read.run_input === input]).toEqual([true, true]);
      expect(the(await reads.payloads('w1/b')).inputs['a']?.result === result).toBe(true);
    });

    it('are counted in characters, not bytes', async () => {
      const params = text(INLINE_PAYLOAD, 'ü');
      await scene().submit(graph('w1', { a: { params }, b: { params: `${params} ` } }));
      const { reads } = scene().store;
      expect(the(await reads.task('w1/a')).body.params === params).toBe(true);
      expect(the(await reads.task('w1/b')).body.params === `${params} `).toBe(true);
    });

    it('that are the same in one run are each read back', async () => {
      const same = text(INLINE_PAYLOAD + 1);
      await scene().join('e1');
      const tasks = { a: { params: same }, b: { params: same }, c: { after: ['a', 'b'], reads: ['a', 'b'] } };
      await scene().submit(graph('w1', tasks, { input: same }));
      await scene().commit([], null);
      for (const { task } of await scene().claim('e1')) await scene().settle(task, done(same));
      const c = the((await scene().claim('e1'))[0]);
      expect(Object.values(the(c.payloads).inputs).map(({ result }) => result === same)).toEqual([
        true,
        true,
      ]);
      const results = Object.values(await scene().store.reads.runResults('w1'));
      expect(results.map(({ result }) => result === same)).toEqual([true, true]);
    });

    it('have the hash that events tell of them', async () => {
      await scene().join('e1');
      await scene().submit(
        graph('w1', { a: { params: '{"a":1}' }, b: { params: '{"a":1}' } }, { input: '{"a":1}' }),
      );
      const { body } = the(await scene().store.reads.task('w1/a'));
      expect((await scene().run('w1')).input_hash).toBe(body.params_hash);
      await scene().settle(await scene().claimOne('e1'), done('{"a":1}'));
      expect((await scene().task('w1/a')).result_hash).toBe(body.params_hash);
      expect(the(await scene().store.reads.result('w1/a')).hash).toBe(body.params_hash);
    });
  });

  describe('what a claim carries', () => {
    const scene = scenes(harness);
    const third = text(Math.floor(CLAIM_BUDGET / 3) - 10);
    const five = ['t1', 't2', 't3', 't4', 't5'];

    /** Which of them came with their payloads: the best, and none after one that did not fit. */
    async function carried(claimed: readonly ClaimedTask[]): Promise<number> {
      const known = claimed.map(({ payloads }) => payloads !== null);
      expect(known).toEqual(known.toSorted((a, b) => Number(b) - Number(a)));
      for (const { task, payloads } of claimed) {
        const read = await scene().store.reads.payloads(task.task_id);
        expect(payloads === null || isDeepStrictEqual(payloads, read)).toBe(true);
        expect(read).not.toBe(null);
      }
      return known.filter((is) => is).length;
    }

    it('is bound: params that are beyond it are read when they are needed', LONG, async () => {
      await scene().join('e1');
      for (const id of five) await scene().submit(lone(id, { params: third }));
      const claimed = await scene().claim('e1');
      expect(claimed.map(({ task }) => task.task_id)).toEqual(five);
      expect(await carried(claimed)).toBe(3);
      await scene().settle(the(claimed[4]).task, done('5'));
      expect(await scene().status('t5')).toBe('completed');
    });

    it('is bound for what comes with the same commit, too', LONG, async () => {
      await scene().join('e1');
      await scene().claim('e1');
      const writes = five.map((id) => ({ kind: 'submit', runs: [lone(id, { params: third })] }) as const);
      const { claimed } = await scene().commit(writes, { owner: 'e1', limit: 9, lanes: [LANE] });
      expect(claimed.map(({ task }) => task.task_id)).toEqual(five);
      expect(await carried(claimed)).toBe(3);
    });

    it('has the input of a run once, however many of its tasks read it', LONG, async () => {
      const input = text(CLAIM_BUDGET / 2);
      await scene().join('e1');
      const ids = Array.from({ length: 40 }, (_, index) => `t${index}`);
      const tasks = Object.fromEntries(ids.map((id) => [id, { uses_input: true }]));
      await scene().submit(graph('w1', tasks, { input }));
      const claimed = await scene().claim('e1');
      expect(claimed.length).toBe(40);
      expect(claimed.every(({ payloads }) => payloads?.run_input === input)).toBe(true);
    });

    it('has the inputs of as many runs as fit', LONG, async () => {
      await scene().join('e1');
      for (const id of five)
        await scene().submit(
          graph(id, { a: { uses_input: true }, b: { uses_input: true } }, { input: third }),
        );
      const claimed = await scene().claim('e1');
      expect(claimed.length).toBe(10);
      expect(await carried(claimed)).toBe(6);
    });

    it('has the results that tasks refer to, as long as they fit', LONG, async () => {
      await scene().join('e1');
      const readers = Object.fromEntries(five.map((id) => [id, { after: ['a'], reads: ['a'] }]));
      await scene().submit(graph('w1', { a: {}, ...readers }));
      await scene().settle(await scene().claimOne('e1'), done(third));
      const claimed = await scene().claim('e1');
      expect(claimed.length).toBe(5);
      expect(await carried(claimed)).toBe(3);
      expect(the(claimed[2]).payloads?.inputs['a']?.result === third).toBe(true);
    });

    it('leaves out what is too much by itself', LONG, async () => {
      const big = text(CLAIM_BUDGET + 1);
      await scene().join('e1');
      await scene().submit(graph('w1', { a: {}, z: { after: ['a'], reads: ['a'] } }));
      await scene().settle(await scene().claimOne('e1'), done(big));
      const claimed = await scene().claim('e1');
      expect(claimed.map(({ payloads }) => payloads)).toEqual([null]);
      const read = the(await scene().store.reads.payloads('w1/z'));
      expect(read.inputs['a']?.status).toBe('completed');
      expect(read.inputs['a']?.result === big).toBe(true);
    });
  });
}
