import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import type { ListenerLimits } from '../rpc/listener/limits.ts';
import { defaultListenerLimits } from '../rpc/listener/limits.ts';
import type { ListenerTls } from '../rpc/listener/server.ts';
import { listenerLimits } from './limits.ts';
import { loadConfig } from './load.ts';
import { load, rendered, testFolder } from './testing.suite.ts';

const seed = `
server:
  host: localhost
  port: 8000

protocols:
  - name: "web-search/v1"
    providers:
      - type: "duckduckgo"
        config:
          api_key: "\${DUCKDUCKGO_API_KEY}"
          timeout: 30
      - type: "bing"
        config:
          api_key: "\${BING_API_KEY}"

  - name: "llm/v1"
    providers:
      - type: "ollama"
        config:
          url: "http://localhost:11434"
          models: ["llama2", "codellama"]
      - type: "openai"
        config:
          api_key: "\${OPENAI_API_KEY}"

  - name: "mcp/v1"
    providers:
      - type: "mcp-server"
        config:
          url: "stdio://path/to/mcp-server"
      - type: "mcp-http"
        config:
          url: "http://localhost:3000/mcp"
`;

describe('loadConfig', () => {
  it('reads the configuration of the design document as it stands', async () => {
    const env = { DUCKDUCKGO_API_KEY: 'duck', BING_API_KEY: 'bing', OPENAI_API_KEY: 'open' };
    const config = await load(seed, { env });
    expect(config.server).toMatchObject({ host: 'localhost', port: 8000 });
    expect(config.protocols.map(({ name, inline, providers }) => [name, inline, providers.length])).toEqual([
      ['web-search/v1', false, 2],
      ['llm/v1', false, 2],
      ['mcp/v1', false, 2],
    ]);
    expect(config.protocols[0]?.providers[0]).toEqual({
      id: 'duckduckgo-1',
      type: 'duckduckgo',
      config: { api_key: 'duck', timeout: 30 },
    });
    expect(config.warnings).toEqual([]);
  });

  it('has a default for everything, with or without a file', async () => {
    for (const config of [
      await load(''),
      await load('server:\nstore:\nprotocols:\nsecrets:\n'),
      await loadConfig({ env: {}, cwd: '/etc/app' }),
    ]) {
      expect(config).toMatchObject({
        folder: '/etc/app',
        server: { host: '127.0.0.1', port: 8000, keys: [], allowed_hosts: [], allowed_origins: [] },
        store: { type: 'sqlite', path: '/etc/app/.gleitzeit/store.db' },
        protocols: [],
        workflows: [],
        secrets: {},
        engine: { concurrency: 256, lease_ttl: 3, stop_timeout: 30 },
        retention: { days: 30 },
        logging: { level: 'info', format: 'json' },
        telemetry: { metrics: true, service_name: 'gleitzeit' },
      });
      expect(Object.keys(config.server)).not.toContain('tls');
    }
  });

  it('gives the listener its own defaults', async () => {
    const limits: ListenerLimits = listenerLimits((await load('')).server.limits);
    expect(limits).toEqual(defaultListenerLimits);
  });

  it('is frozen through and through', async () => {
    const config = await load(
      'protocols: [{name: llm/v1, providers: [{type: ollama, config: {a: {b: [1]}}}]}]',
    );
    const thaw = (value: unknown): boolean =>
      typeof value === 'object' &&
      value !== null &&
      (!Object.isFrozen(value) || Object.values(value).some(thaw));
    expect(thaw(config)).toBe(false);
  });

  it('resolves paths from the folder of the file, whatever the working folder is', async () => {
    const folder = testFolder();
    for (const name of ['cert.pem', 'key.pem', 'ca.pem']) writeFileSync(join(folder, name), '');
    const file = join(folder, 'gleitzeit.yaml');
    writeFileSync(
      file,
      'store: {path: data/s.db}\nworkflows: [flows, /abs/one.yaml]\nserver: {tls: {cert: cert.pem, key: ./key.pem, client_ca: ca.pem}}\n',
    );
    const config = await loadConfig({ file, env: {}, cwd: '/' });
    expect(config.store).toEqual({ type: 'sqlite', path: join(folder, 'data/s.db') });
    expect(config.workflows).toEqual([join(folder, 'flows'), '/abs/one.yaml']);
    // The listener reads the same names, so that none is handed on and then ignored.
    const tls: Required<Record<keyof ListenerTls, string>> = {
      cert: join(folder, 'cert.pem'),
      key: join(folder, 'key.pem'),
      client_ca: join(folder, 'ca.pem'),
    };
    expect(config.server.tls).toEqual(tls);
  });

  it('reads JSON as well', async () => {
    expect((await load('{"server": {"port": 1234}}')).server.port).toBe(1234);
  });

  it('says which file it looked for', async () => {
    const folder = testFolder();
    const options = { env: {}, cwd: folder };
    await expect(loadConfig({ ...options, file: 'none.yaml' })).rejects.toThrow(
      'none.yaml  cannot be read: there is no such file',
    );
    await expect(loadConfig({ ...options, file: 'none.yaml' })).rejects.toMatchObject({ code: 'GLZ1010' });
    await expect(loadConfig({ ...options, file: '.' })).rejects.toThrow('cannot be read: it is a folder');
  });

  it('throws the one error of the product, with everything in it', async () => {
    const thrown = await load('server: {prot: 1}\nstor: 2').catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(GleitzeitError);
    expect(thrown).toMatchObject({
      code: 'GLZ1012',
      message: 'gleitzeit.yaml:1:10  server.prot: unknown key "prot" (and 1 more)',
      details: {
        field: 'server.prot',
        hint: 'did you mean "port"?',
        details: {
          problems: [
            { line: 1, column: 10, path: 'server.prot' },
            { line: 2, column: 1, path: 'stor' },
          ],
        },
      },
    });
  });

  it('shows the line and what to do', async () => {
    expect(await rendered('server:\n  prot: 8000\n')).toBe(
      [
        'gleitzeit.yaml:2:3  server.prot: unknown key "prot"',
        '     2 |   prot: 8000',
        '       |   ^^^^  did you mean "port"?',
      ].join('\n'),
    );
  });
});
