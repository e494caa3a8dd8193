import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json.ts';
import { strictCaller } from '../testing/caller.suite.ts';
import { type House, openHouse } from '../testing/house.suite.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const { ask, refused } = strictCaller(() => house);
const url = 'http://127.0.0.1:9';

describe('agent methods', () => {
  it('register, show, change and remove', async () => {
    const auth_config = { type: 'basic', username: 'me', password: 'pass-55' } as const;
    const made = await ask('agent.create', { name: 'Writer', url, auth_config });
    expect(made).toMatchObject({
      name: 'Writer',
      protocol: 'simple-a2a',
      auth_config: { type: 'basic', username: 'me', password: '***' },
      source: 'api',
      version: 1,
      provider: 'agent:Writer',
      problem: null,
    });
    expect(await ask('agent.get', { name: 'Writer' })).toEqual(made);
    expect(await ask('agent.update', { name: 'Writer', version: 1, timeout: '2s' })).toMatchObject({
      id: (made as { id: string }).id,
      version: 2,
      timeout: 2000,
      auth_config: { password: '***' },
    });
    expect(await ask('agent.ping', { name: 'Writer' })).toMatchObject({ name: 'Writer', well: true });
    expect(await ask('agent.discover', { url })).toMatchObject({ found: false });
    expect(await ask('agent.delete', { name: 'Writer' })).toEqual({ name: 'Writer', deleted: true });
    for (const method of ['agent.get', 'agent.update', 'agent.delete', 'agent.ping'] as const)
      expect(await refused(method, { name: 'Writer' })).toMatchObject({ data: { error_code: 'GLZ1010' } });
  });

  it('show secrets to bridges, and to nobody else', async () => {
    const auth_config = { type: 'bearer', token: 'token-77' } as const;
    const protocol_config = { headers: { 'x-key': 'key-88' } };
    await ask('agent.create', { name: 'Secretive', url, auth_config, protocol_config });
    for (const role of ['viewer', 'operator', 'admin'] as const) {
      const shown = [
        await ask('agent.get', { name: 'Secretive' }, { role }),
        await ask('agent.list', {}, { role }),
      ];
      expect(JSON.stringify(shown)).not.toMatch(/token-77|key-88|sealed/);
    }
    const shown = await ask('agent.get', { name: 'Secretive' }, { role: 'bridge' });
    expect(shown).toMatchObject({ auth_config, protocol_config });
    const { items } = (await ask('agent.list', {}, { role: 'bridge' })) as { items: object[] };
    expect(items[0]).toEqual(shown);
    expect(await refused('agent.delete', { name: 'Secretive' }, { role: 'bridge' })).toMatchObject({
      data: { error_code: 'GLZ4002' },
    });
    await ask('agent.delete', { name: 'Secretive' });
  });

  it('list by name and dialect, by the page', async () => {
    for (const name of ['c', 'a', 'B'])
      await ask('agent.create', { name, url, protocol: name === 'a' ? 'auto' : null });
    const page = async (params: JsonObject) => {
      const { items, next_cursor } = (await ask('agent.list', params)) as {
        items: { name: string }[];
        next_cursor: string | null;
      };
      return [items.map(({ name }) => name), next_cursor];
    };
    expect(await page({})).toEqual([['B', 'a', 'c'], null]);
    expect(await page({ limit: 2 })).toEqual([['B', 'a'], 'ka']);
    expect(await page({ limit: 2, cursor: 'ka' })).toEqual([['c'], null]);
    expect(await page({ protocol: 'auto' })).toEqual([['a'], null]);
    expect(await refused('agent.list', { cursor: 'none' })).toMatchObject({ data: { field: 'cursor' } });
  });

  it('say everything that is wrong at once, by the name of the param', async () => {
    const wrong = await refused('agent.create', {
      name: 'x',
      url: 'nowhere',
      timeout: 0,
      tiemout: 1,
    } as never);
    const { details } = wrong.data as { details: { problems: { field: string }[] } };
    expect(details.problems.map(({ field }) => field)).toEqual(['tiemout', 'url', 'timeout']);
  });

  it('are for those who may', async () => {
    const may = async (method: string, role: 'viewer' | 'operator') =>
      (await house.call(method, { name: 'a', url }, { role })).error?.data['error_code'] !== 'GLZ4002';
    for (const method of ['agent.create', 'agent.update', 'agent.delete', 'agent.discover'])
      expect([method, await may(method, 'operator')]).toEqual([method, false]);
    expect(await may('agent.ping', 'viewer')).toBe(false);
    expect(await may('agent.get', 'viewer')).toBe(true);
  });
});
