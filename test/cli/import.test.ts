import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { play } from '../../src/cli/play.suite.ts';
import { serviceOf } from '../../src/config.ts';
import { realParts } from '../../src/dialects/jsonrpc/channels.suite.ts';
import { createProvider } from '../../src/dialects/registry.ts';
import { loadServerConfig } from '../../src/main/load.ts';
import { standIn } from '../types/stand-in.ts';
import { type CliHouse, openCliHouse } from './house.ts';

let house: CliHouse;
beforeAll(async () => {
  house = await openCliHouse({ keys: [] });
});
afterAll(() => house.close());

const asked = (argv: readonly string[]) =>
  play(['protocol', 'import', ...argv], { cwd: house.scene.folder, env: { HOME: house.scene.folder } });

const load = (text: string) =>
  loadServerConfig({ file: null, text, env: { KEY: 'abcdef' }, cwd: '/', database_url: false });

describe('protocol import', () => {
  it('makes a configuration of an OpenAPI document that calls the service', async () => {
    const service = await standIn(({ path, query }) => ({ json: { path, limit: query.get('limit') } }));
    house.scene.write('pets.json', {
      openapi: '3.1.0',
      info: { title: 'Pets', version: '1' },
      servers: [{ url: service.url }],
      paths: {
        '/pets/{id}': {
          get: {
            operationId: 'getPet',
            parameters: [
              { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
              { name: 'limit', in: 'query', schema: { type: 'integer' } },
            ],
            responses: { 200: { content: { 'application/json': { schema: { type: 'object' } } } } },
          },
        },
      },
    });
    const { out } = await asked(['pets.json', '--name', 'pets/v1']);
    const { protocols } = await load(out);
    const [entry] = protocols[0]?.providers ?? [];
    if (entry === undefined) throw new Error(out);
    const spec = { ...entry, ...serviceOf(entry), protocol: 'pets/v1' };
    const provider = createProvider(spec, { ...realParts, methods: ['getPet'] });
    const answer = await provider.call({
      method: 'getPet',
      params: { id: 'a/b', limit: 3 },
      ...{ call_id: 'c', task_id: 't', workflow_id: null, attempt: 1, signal: AbortSignal.timeout(5000) },
    });
    expect(answer).toEqual({ word: 'done', result: '{"path":"/pets/a%2Fb","limit":"3"}' });
    await provider.close?.();
    await service.stop();
  });

  it('asks a JSON-RPC service for what it has', async () => {
    const { out, status } = await asked(['--kind', 'openrpc', `${house.server.url}/rpc`, '-o', 'json']);
    expect(status).toBe(0);
    const { protocols } = await load(out);
    expect(Object.keys(protocols[0]?.definition.methods ?? {})).toContain('task.submit');
    expect(protocols[0]?.providers[0]?.config['url']).toBe(`${house.server.url}/rpc`);
  });

  it('says what is wrong with what it cannot read', async () => {
    house.scene.write('odd.json', { a: 1 });
    expect((await asked(['odd.json'])).err).toContain('neither OpenAPI nor OpenRPC');
    expect((await asked(['nowhere.json'])).err).toContain('nowhere.json');
    expect((await asked(['http://127.0.0.1:9/doc'])).status).not.toBe(0);
  });
});
