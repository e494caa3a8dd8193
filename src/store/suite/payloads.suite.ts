import { describe, expect, it } from 'vitest';
import { INLINE_PAYLOAD, MAX_PAYLOAD } from '../../core/limits.ts';
import { CLAIM_INPUT_BUDGET } from '../../core/ports/store.ts';
import { graph } from './build.suite.ts';
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
      expect([a.body.params === params, a.run_input === input]).toEqual([true, true]);
      await scene().settle(a.task, done(result));
      await scene().reopen();
      const { reads } = scene().store;
      expect(the(await reads.task('w1/a')).body.params === params).toBe(true);
      expect(the(await reads.run('w1')).input === input).toBe(true);
      expect(the(await reads.result('w1/a')).result === result).toBe(true);
      expect(the((await reads.runResults('w1'))['a']).result === result).toBe(true);
      expect(the((await reads.inputs('w1/b'))['a']).result === result).toBe(true);
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
      expect(Object.values(the(c.inputs)).map(({ result }) => result === same)).toEqual([true, true]);
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

  describe('the inputs of a claim', () => {
    const scene = scenes(harness);

    it('are carried up to the budget; what is beyond is read by itself', LONG, async () => {
      const big = text(CLAIM_INPUT_BUDGET + 1);
      const small = text(1000);
      await scene().join('e1');
      const tasks = {
        a: {},
        b: {},
        z: { after: ['a'], reads: ['a'] },
        y: { after: ['b'], reads: ['b'] },
        x: { after: ['b'] },
      };
      await scene().submit(graph('w1', tasks));
      for (const { task } of await scene().claim('e1')) {
        await scene().settle(task, done(task.id === 'a' ? big : small));
      }
      const claimed = new Map((await scene().claim('e1')).map((one) => [one.task.id, one]));
      expect(the(claimed.get('z')).inputs).toBe(null);
      expect(the(claimed.get('x')).inputs).toEqual({});
      expect([null, small]).toContain(claimed.get('y')?.inputs?.['b']?.result ?? null);
      const read = await scene().store.reads.inputs('w1/z');
      expect(read['a']?.status).toBe('completed');
      expect(read['a']?.result === big).toBe(true);
    });

    it('of many tasks together stay within the budget', LONG, async () => {
      const third = text(Math.floor(CLAIM_INPUT_BUDGET / 3));
      await scene().join('e1');
      const readers = Object.fromEntries(
        ['v', 'w', 'x', 'y', 'z'].map((id) => [id, { after: ['a'], reads: ['a'] }]),
      );
      await scene().submit(graph('w1', { a: {}, ...readers }));
      await scene().settle(await scene().claimOne('e1'), done(third));
      const claimed = await scene().claim('e1');
      const carried = claimed.filter(({ inputs }) => inputs !== null);
      expect(claimed.length).toBe(5);
      expect(carried.length).toBe(3);
      expect(carried.every(({ inputs }) => inputs?.['a']?.result === third)).toBe(true);
      expect(claimed.slice(0, 3)).toEqual(carried);
    });
  });
}
