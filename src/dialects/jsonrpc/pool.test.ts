import { afterEach, describe, expect, it } from 'vitest';
import type { Policy } from '../../core/pool/select.ts';
import { startEngine } from '../../dialects/testing/engine.suite.ts';
import { defaultPool } from '../../router/settings.ts';
import { closePeers, httpPeer } from '../../rpc/http/peer.suite.ts';
import { createProvider } from '../registry.ts';
import { realParts } from './channels.suite.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  await closePeers();
});

type Said = { readonly status?: number; readonly body: string };
type Say = (id: unknown) => Said;

const result = (id: unknown, value: unknown): Said => ({
  body: JSON.stringify({ jsonrpc: '2.0', id, result: value }),
});
const error = (id: unknown, code: number): Said => ({
  body: JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: 'no' } }),
});

/** A service that answers after so long, and counts. */
async function openService(id: string, ms: number, say: Say) {
  const seen = { calls: 0 };
  const { url } = await httpPeer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      seen.calls++;
      const { id: call } = JSON.parse(Buffer.concat(chunks).toString()) as { id: unknown };
      const { status = 200, body } = say(call);
      setTimeout(() => response.writeHead(status).end(body), ms);
    });
  });
  const config = { url };
  const provider = createProvider({ id, protocol: 'act/v1', type: 'jsonrpc-http', config }, realParts);
  return { provider, seen };
}

async function pool(say: Say, select: Policy = defaultPool.select) {
  const { engine, pools, stop } = await startEngine();
  ends.push(stop);
  pools.configure('act/v1', { ...defaultPool, select });
  const good = await openService('good', 5, (id) => result(id, 'well'));
  const bad = await openService('bad', 0, say);
  pools.connect(good.provider);
  pools.connect(bad.provider);
  const run = async (retry_config: object) => {
    const task = { protocol: 'act/v1', method: 'act', params: {}, retry_config };
    const { tasks } = await engine.submit(task);
    return engine.result(tasks[0]?.[1] ?? '', 10_000);
  };
  const statuses = async (count: number, retry_config: object = {}) => {
    const found: (string | undefined)[] = [];
    for (let at = 0; at < count; at += 5) {
      const five = await Promise.all(Array.from({ length: 5 }, () => run(retry_config)));
      found.push(...five.map((outcome) => outcome?.status));
    }
    return found;
  };
  return { statuses, pools, bad: bad.seen };
}

const wrongly: readonly [string, Say][] = [
  ['a page', () => ({ body: '<html>sign in</html>' })],
  ['HTTP 401', () => ({ status: 401, body: '{}' })],
  ['HTTP 404', () => ({ status: 404, body: 'nothing here' })],
  ['HTTP 404 in JSON-RPC of another id', () => ({ ...error('other', 1), status: 404 })],
  ['the id of another call', () => result('other', 1)],
];

describe('a pool with a JSON-RPC service that answers fast and wrongly', () => {
  it.each(wrongly)('%s: does its work without it, and asks it no more than a few times', async (_, say) => {
    const { statuses, bad } = await pool(say);
    expect(new Set(await statuses(60))).toEqual(new Set(['completed']));
    expect(bad.calls).toBeLessThan(20);
  });

  it.each(wrongly)('%s: its breaker opens where it has its turn whatever it does', async (_, say) => {
    const { statuses, pools, bad } = await pool(say, 'round_robin');
    expect(new Set(await statuses(60))).toEqual(new Set(['completed']));
    expect(pools.status('bad')?.breakers).toMatchObject([{ method: 'act', state: 'open' }]);
    expect(bad.calls).toBeLessThan(20);
  });

  it('that has not the method: asks the other one', async () => {
    const { statuses, pools, bad } = await pool((id) => error(id, -32601));
    expect(new Set(await statuses(60))).toEqual(new Set(['completed']));
    expect(pools.status('bad')).toMatchObject({ lacks: ['act'], breakers: [] });
    expect(bad.calls).toBeLessThanOrEqual(5);
  });

  it('that is full and does not say for how long: leaves it alone for a while', async () => {
    const { statuses, pools, bad } = await pool(() => ({ status: 429, body: 'slow down' }));
    const found = await statuses(60, { max_attempts: 1 });
    expect(found.filter((status) => status === 'failed').length).toBe(bad.calls);
    expect(bad.calls).toBeLessThanOrEqual(10);
    expect(pools.status('bad')?.paused_until).not.toBeNull();
  });

  it('that refuses what is asked: asks nobody else, and thinks no worse of it', async () => {
    const { statuses, pools, bad } = await pool((id) => error(id, -32602));
    const found = await statuses(60);
    expect(found.filter((status) => status === 'failed').length).toBe(bad.calls);
    expect(bad.calls).toBeGreaterThan(0);
    expect(pools.status('bad')?.breakers).toEqual([]);
  });
});
