import { describe, expect, it } from 'vitest';
import type { NewAgent } from '../../core/agent.ts';
import { agent } from './build.suite.ts';
import type { StoreHarness } from './harness.suite.ts';
import { scenes } from './scene.suite.ts';
import { everyPage } from './verify.suite.ts';

export function agentsSuite(harness: StoreHarness): void {
  describe('agents', () => {
    const scene = scenes(harness);
    const put = (name: string, fields: Partial<NewAgent> = {}, expect: number | null = null) =>
      scene().write<'put_agent'>({ kind: 'put_agent', agent: agent(name, fields), expect });
    const remove = (name: string, expect: number | null = null) =>
      scene().write<'delete_agent'>({ kind: 'delete_agent', name, expect });

    it('are kept by name, keep their id, and count their versions', async () => {
      const first = await put('Writer', {}, 0);
      expect(first).toMatchObject({ id: 'id of Writer', version: 1 });
      expect(first.updated_at).toBe(first.created_at);
      const changed = { id: 'another', protocol: 'jsonrpc-2.0', url: 'http://b', description: 'writes' };
      const second = await put('Writer', { ...changed, protocol_config: '{"a":1}', settings: '{"b":"ü"}' });
      expect(second).toMatchObject({ id: 'id of Writer', version: 2, created_at: first.created_at });
      expect(await scene().store.reads.agent('Writer')).toEqual({
        ...agent('Writer', { ...changed, protocol_config: '{"a":1}', settings: '{"b":"ü"}' }),
        ...second,
      });
      expect(await scene().store.reads.agent('writer')).toBe(null);
      expect(await scene().store.reads.agent('no\0body')).toBe(null);
    });

    it('are written only over the version that was expected', async () => {
      await put('A', {}, 0);
      for (const expected of [0, 2]) {
        const write = { kind: 'put_agent', agent: agent('A'), expect: expected } as const;
        expect((await scene().refused(write)).data.error_code).toBe('GLZ1013');
        const gone = await scene().refused({ kind: 'delete_agent', name: 'A', expect: expected });
        expect(gone.data.error_code).toBe('GLZ1013');
      }
      expect(await remove('A', 1)).toEqual({ deleted: true });
      expect(await remove('A')).toEqual({ deleted: false });
    });

    it('are others when they come back under the name, in one commit too', async () => {
      await put('A');
      const { verdicts } = await scene().commit([
        { kind: 'delete_agent', name: 'A', expect: 1 },
        { kind: 'put_agent', agent: agent('A', { id: 'second' }), expect: 0 },
        { kind: 'put_agent', agent: agent('B'), expect: 0 },
        { kind: 'put_agent', agent: agent('B', { url: 'http://c' }), expect: 1 },
        { kind: 'put_agent', agent: agent('B'), expect: 1 },
      ]);
      expect(verdicts.map(({ ok }) => ok)).toEqual([true, true, true, true, false]);
      expect(await scene().store.reads.agent('A')).toMatchObject({ id: 'second', version: 1 });
      expect(await scene().store.reads.agent('B')).toMatchObject({ url: 'http://c', version: 2 });
    });

    it('are listed by name and by protocol, by the page', async () => {
      for (const name of ['b', 'B', 'a', '_', 'ä', 'a-b', 'ab'])
        await put(name, { protocol: name.startsWith('a') ? 'jsonrpc-2.0' : 'simple-a2a' });
      const names = async (limit: number, protocol?: string) => {
        const asked = protocol === undefined ? {} : { protocol };
        const page = (cursor: { cursor?: string }) =>
          scene().store.reads.agents({ limit, ...asked, ...cursor });
        return (await everyPage(page)).map(({ name }) => name);
      };
      for (const limit of [1, 3, 7, 100]) {
        expect(await names(limit)).toEqual(['B', '_', 'a', 'a-b', 'ab', 'b', 'ä']);
        expect(await names(limit, 'jsonrpc-2.0')).toEqual(['a', 'a-b', 'ab']);
        expect(await names(limit, 'none')).toEqual([]);
      }
    });

    it('refuse a cursor that is none', async () => {
      const listing = scene().store.reads.agents({ limit: 5, cursor: 'none' });
      await expect(listing).rejects.toMatchObject({ code: 'GLZ1012' });
    });

    it('survive a restart', async () => {
      const kept = await put('A', { settings: JSON.stringify({ text: 'ü'.repeat(100_000) }) });
      await scene().reopen();
      expect(await scene().store.reads.agent('A')).toMatchObject(kept);
    });
  });
}
