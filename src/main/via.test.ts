import { describe, expect, it } from 'vitest';
import { problemsOf } from '../files/problems.ts';
import { loadServerConfig } from './load.ts';
import { viaOf } from './via.ts';

const load = (text: string, env = {}) =>
  loadServerConfig({ file: null, text, env, cwd: '/', database_url: true });

const brokers = { KAFKA_BROKERS: '127.0.0.1:9092' };

describe('who makes the calls of a provider', () => {
  it('is a bridge where there is a broker and the type can leave, unless it says otherwise', async () => {
    const config = await load('', brokers);
    expect(viaOf(config, { type: 'rest' })).toBe('bridge');
    expect(viaOf(config, { type: 'rest', via: 'local' })).toBe('local');
    expect(viaOf(config, { type: 'process' })).toBe('local');
    expect(viaOf(config, { type: 'function' })).toBe('local');
    expect(viaOf(await load(''), { type: 'rest', via: 'bridge' })).toBe('local');
  });

  it('cannot be a bridge where a program of this machine is called, which is told with its place', async () => {
    const text = `protocols:
  - name: echo/v1
    methods: {echo: {}}
    providers:
      - type: process
        via: bridge
        config: {methods: {echo: {command: [cat]}}}
`;
    const thrown: unknown = await load(text, brokers).catch((error: unknown) => error);
    expect(problemsOf(thrown)).toMatchObject([
      {
        line: 6,
        column: 14,
        path: 'protocols[0].providers[0].via',
        message: expect.stringMatching(/must be local/),
      },
    ]);
    await load(text.replace('via: bridge', 'via: local'), brokers);
  });

  it('is the engine where there is no broker, with a warning that names who was to be called by bridges', async () => {
    const text = `protocols:
  - name: echo/v1
    methods: {echo: {}}
    providers:
      - {id: far, type: jsonrpc-http, via: bridge, config: {url: "http://a.example"}}
      - {id: near, type: jsonrpc-http, config: {url: "http://a.example"}}
agents: [{name: Far, url: "http://a.example", via: bridge}, {name: Near, url: "http://a.example", via: local}]
`;
    const { warnings } = await load(text);
    expect(warnings).toEqual([expect.stringContaining('provider far, agent Far itself')]);
    expect((await load(text, brokers)).warnings).toEqual([]);
  });

  it('can be said of agents', async () => {
    const agents = (via: string) => `agents: [{name: A, url: "http://a.example", via: ${via}}]`;
    expect((await load(agents('bridge'))).agents[0]).toMatchObject({ via: 'bridge' });
    await expect(load(agents('pigeon'))).rejects.toThrow(/via/);
  });
});
