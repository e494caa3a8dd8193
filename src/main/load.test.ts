import { describe, expect, it } from 'vitest';
import { loadServerConfig } from './load.ts';

const load = (protocols: string) =>
  loadServerConfig({ file: null, text: protocols, env: {}, cwd: import.meta.dirname, database_url: false });

describe('the configuration of a server', () => {
  it('knows the protocols of the library by their names', async () => {
    const { protocols } = await load('protocols: [{name: web-search/v1}, {name: llm/v1}]');
    expect(protocols.map(({ definition }) => Object.keys(definition.methods))).toEqual([
      ['search', 'fetch_url'],
      ['generate', 'chat'],
    ]);
  });

  it('names the nearest protocol of the library for one that is misspelt', async () => {
    await expect(load('protocols: [{name: web-serch/v1}]')).rejects.toMatchObject({
      details: { hint: expect.stringContaining('web-search/v1') },
    });
  });
});
