import { describe, expect, it } from 'vitest';
import { INLINE_PAYLOAD } from '../../core/limits.ts';
import type { StoreHarness } from './harness.suite.ts';
import { scenes } from './scene.suite.ts';
import { everyPage } from './verify.suite.ts';

export function documentsSuite(harness: StoreHarness): void {
  describe('documents', () => {
    const scene = scenes(harness);
    const put = (key: string, text: string, expect: number | null = null, collection = 'c') =>
      scene().write<'put_document'>({ kind: 'put_document', collection, key, text, expect });
    const remove = (key: string, expect: number | null = null) =>
      scene().write<'delete_document'>({ kind: 'delete_document', collection: 'c', key, expect });

    it('are kept by collection and key, and count their versions', async () => {
      expect(await put('a', '1')).toEqual({ version: 1 });
      expect(await put('a', '2')).toEqual({ version: 2 });
      expect(await put('a', '3', null, 'other')).toEqual({ version: 1 });
      const { reads } = scene().store;
      expect(await reads.document('c', 'a')).toEqual({ collection: 'c', key: 'a', text: '2', version: 2 });
      expect(await reads.document('other', 'a')).toMatchObject({ text: '3', version: 1 });
      expect(await reads.document('c', 'b')).toBe(null);
    });

    it('are written only over the version that was expected', async () => {
      await put('a', '1', 0);
      const write = { kind: 'put_document', collection: 'c', key: 'a', text: 'x' } as const;
      for (const expected of [0, 2]) {
        expect((await scene().refused({ ...write, expect: expected })).data.error_code).toBe('GLZ1013');
      }
      expect(await put('a', '2', 1)).toEqual({ version: 2 });
      const gone = await scene().refused({ kind: 'delete_document', collection: 'c', key: 'a', expect: 1 });
      expect(gone.data.error_code).toBe('GLZ1013');
    });

    it('can be removed and begin again', async () => {
      await put('a', '1');
      expect(await remove('a', 1)).toEqual({ deleted: true });
      expect(await remove('a')).toEqual({ deleted: false });
      expect(await scene().store.reads.document('c', 'a')).toBe(null);
      expect(await put('a', '2', 0)).toEqual({ version: 1 });
    });

    it('see what the commit did to them before', async () => {
      const name = { collection: 'c', key: 'a' };
      const { verdicts } = await scene().commit([
        { kind: 'put_document', ...name, text: '1', expect: 0 },
        { kind: 'put_document', ...name, text: '2', expect: 1 },
        { kind: 'put_document', ...name, text: '3', expect: 1 },
        { kind: 'delete_document', ...name, expect: 2 },
        { kind: 'put_document', ...name, text: '4', expect: 0 },
      ]);
      expect(verdicts.map(({ ok }) => ok)).toEqual([true, true, false, true, true]);
      expect(await scene().store.reads.document('c', 'a')).toMatchObject({ text: '4', version: 1 });
    });

    it('are listed by key, by the page', async () => {
      for (const key of ['b', 'B', 'a', '_', 'ä', 'a-b', 'ab']) await put(key, key);
      await put('elsewhere', '', null, 'other');
      const page = (limit: number) => (cursor: { cursor?: string }) =>
        scene().store.reads.documents('c', { limit, ...cursor });
      const keys = ['B', '_', 'a', 'a-b', 'ab', 'b', 'ä'];
      for (const limit of [1, 2, 3, 7, 100]) {
        expect((await everyPage(page(limit))).map(({ key }) => key)).toEqual(keys);
      }
      expect((await scene().store.reads.documents('none', { limit: 5 })).items).toEqual([]);
    });

    it('are listed by what their keys begin with', async () => {
      for (const key of ['a', 'a/', 'a/1', 'a/2', 'a0', 'b/1', '%', 'a_1']) await put(key, key);
      const page = (prefix: string) => (cursor: { cursor?: string }) =>
        scene().store.reads.documents('c', { limit: 2, prefix, ...cursor });
      const keys = async (prefix: string) => (await everyPage(page(prefix))).map(({ key }) => key);
      expect(await keys('a/')).toEqual(['a/', 'a/1', 'a/2']);
      expect(await keys('a_')).toEqual(['a_1']);
      expect(await keys('%')).toEqual(['%']);
      expect(await keys('c')).toEqual([]);
      expect((await keys('')).length).toBe(8);
    });

    it('refuse a cursor that is none', async () => {
      const listing = scene().store.reads.documents('c', { limit: 5, cursor: '\u{1f6ab} none' });
      await expect(listing).rejects.toMatchObject({ code: 'GLZ1012' });
    });

    it('survive a restart, large ones too', async () => {
      const text = 'ü'.repeat(2 * INLINE_PAYLOAD);
      await put('large', text);
      await scene().reopen();
      const stored = await scene().store.reads.document('c', 'large');
      expect(stored?.text === text).toBe(true);
    });
  });
}
