import { describe, expect, it } from 'vitest';
import { bridgeVariables } from './bridge.ts';
import { loadConfig } from './load.ts';

const load = (env: Record<string, string>, text = '', shared = true) =>
  loadConfig({ text, env, cwd: '/', ...(shared ? { shared_variables: bridgeVariables } : {}) });

const theirs = {
  ...{ WORKER_CONCURRENCY: '12', HTTP_TIMEOUT_SECONDS: '45', MAX_RETRIES: '0', LOG_LEVEL: 'WARNING' },
  ...{ LOG_FORMAT: 'JSON', AGENT_REGISTRY_URL: 'http://registry:8000' },
};

describe('what a bridge goes by', () => {
  it('has defaults', async () => {
    const { bridge } = await load({});
    expect(bridge).toEqual({
      ...{
        concurrency: 256,
        most_messages: 4096,
        most_bytes: 64 * 2 ** 20,
        stop_timeout: 30,
        host: '127.0.0.1',
      },
    });
  });

  it('is told by the names people already use, which win over the file', async () => {
    const { bridge, logging, sources } = await load(theirs, 'bridge: {concurrency: 3}');
    expect(bridge).toMatchObject({
      ...{ concurrency: 12, http_timeout: 45, max_retries: 0, registry_url: 'http://registry:8000' },
    });
    expect(logging).toEqual({ level: 'warn', format: 'json' });
    expect(sources['bridge.concurrency']).toBe('env WORKER_CONCURRENCY');
  });

  it('is told by our own names before those', async () => {
    const { bridge } = await load({ ...theirs, GLEITZEIT_BRIDGE_CONCURRENCY: '7' });
    expect(bridge.concurrency).toBe(7);
  });

  it('is not told by them where they may belong to another program', async () => {
    const { bridge, logging } = await load(theirs, '', false);
    expect(bridge.concurrency).toBe(256);
    expect(logging.level).toBe('info');
  });

  it('says which variable is wrong', async () => {
    await expect(load({ WORKER_CONCURRENCY: 'many' })).rejects.toThrow(/WORKER_CONCURRENCY/);
  });
});
