import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import { MAX_PAYLOAD } from '../core/limits.ts';
import type { CarrierSite } from './carrier.suite.ts';
import type { Endpoint } from './carrier.ts';
import { carrierSites } from './carriers/sites.suite.ts';
import { type ZoneErrorName, zoneErrors } from './contract/errors.ts';
import type { Answered } from './execution/site.suite.ts';
import { executeBody, openSite, resultBody, TOKEN } from './execution/site.suite.ts';

/** Zones that are in trouble of one kind each, and the request that meets it. */
type Trouble = { readonly endpoint: Endpoint; body(id: string): string };

const nothingMore = () =>
  Promise.reject(new GleitzeitError('GLZ4003', 'too much to do', { retry_after_ms: 50 }));
const broken = () => Promise.reject(new Error('out of order'));
const stopping = () => Promise.reject(new GleitzeitError('GLZ9002', 'the engine is stopping'));

async function troubles(site: Awaited<ReturnType<typeof openSite>>) {
  const { engine } = site.house;
  const plain = site.zone();
  const held = site.zone({ execute: { protocol: 'test/v1', method: 'hold' } });
  const refusing = site.zone({ execute: { protocol: 'test/v1', method: 'refuse' } });
  const late = site.zone({ execute: { protocol: 'test/v1', method: 'hold' }, timeout_ms: 50 });
  const nothing = async () => null;
  const others = { result: nothing, runResult: nothing, cancelTask: stopping, cancelRun: stopping };
  const gated = (submit: () => Promise<never>) =>
    site.zone({}, { engine: { submit, submitWorkflow: submit, ...others } });
  const execute = (id: string) => executeBody({ correlation_id: `about ${TOKEN}` }, id);
  const raw = (fields: object) => (id: string) => JSON.stringify({ jsonrpc: '2.0', id, ...fields });
  const cancelled = await held.execute({ budget_ms: 0 });
  const task_id = String(cancelled.result?.task_id);
  await engine.cancelTask(task_id, 'not wanted');
  const used = randomUUID();
  await plain.execute({ text: 'before', idempotency_key: used });
  const all: Record<ZoneErrorName, Trouble> = {
    parse_error: { endpoint: plain.endpoint, body: () => `{"bot_token":"${TOKEN}"` },
    invalid_request: { endpoint: plain.endpoint, body: (id) => `[${execute(id)}]` },
    method_not_found: {
      endpoint: plain.endpoint,
      body: raw({ method: 'ping', params: { bot_token: TOKEN } }),
    },
    invalid_params: {
      endpoint: plain.endpoint,
      body: raw({ method: 'execute_task', params: { channel: 'C', bot_token: TOKEN } }),
    },
    internal_error: { endpoint: gated(broken).endpoint, body: execute },
    timeout: { endpoint: late.endpoint, body: execute },
    unknown_task: { endpoint: plain.endpoint, body: () => resultBody('zone-nobody-knows') },
    conflict: {
      endpoint: plain.endpoint,
      body: (id) => executeBody({ text: 'after', idempotency_key: used }, id),
    },
    task_failed: { endpoint: refusing.endpoint, body: execute },
    cancelled: { endpoint: plain.endpoint, body: () => resultBody(task_id) },
    overloaded: { endpoint: gated(nothingMore).endpoint, body: execute },
    unavailable: { endpoint: gated(stopping).endpoint, body: execute },
    forbidden: { endpoint: plain.endpoint, body: execute },
    too_large: {
      endpoint: plain.endpoint,
      body: (id) => executeBody({ text: 'x'.repeat(MAX_PAYLOAD + 1) }, id),
    },
  };
  return all;
}

const names = Object.keys(zoneErrors) as ZoneErrorName[];
const viewer = { name: 'somebody who may look', role: 'viewer' } as const;
const withoutId: readonly string[] = ['parse_error', 'invalid_request', 'too_large'];

const soon = () => ({ signal: AbortSignal.timeout(30_000) });

function expectError(text: string, name: ZoneErrorName, id: string | null): void {
  const response = JSON.parse(text) as Answered & { jsonrpc: string };
  expect(response).toMatchObject({ jsonrpc: '2.0', id, error: { code: zoneErrors[name].code } });
  expect(response).not.toHaveProperty('result');
  expect(text).not.toContain(TOKEN);
  expect(text).not.toMatch(/ at .*:\d+:\d+|node_modules|GLZ\d/);
}

describe.each(carrierSites)('every error of the table over $name', ({ start }) => {
  let site: Awaited<ReturnType<typeof openSite>>;
  let met: Awaited<ReturnType<typeof troubles>>;
  let carried: CarrierSite;
  let toViewers: CarrierSite;
  let current: Endpoint;

  beforeAll(async () => {
    site = await openSite();
    met = await troubles(site);
    current = met.parse_error.endpoint;
    carried = await start((body, options) => current(body, options));
    toViewers = await start((body, options) => current(body, options), { caller: viewer });
  });
  afterAll(async () => {
    await Promise.all([carried.close(), toViewers.close()]);
    await site.house.close();
  });

  it.each(names)('%s', async (name) => {
    const { endpoint, body } = met[name];
    current = endpoint;
    const sent = body(randomUUID());
    const { carrier } = name === 'forbidden' ? toViewers : carried;
    const id = withoutId.includes(name) ? null : (JSON.parse(sent) as { id: string }).id;
    expectError(await carrier.send(sent, soon()), name, id);
  });

  it('conflict, by the id alone', async () => {
    current = met.conflict.endpoint;
    const id = randomUUID();
    const { carrier } = carried;
    expect(JSON.parse(await carrier.send(executeBody({ text: 'one' }, id), soon()))).toHaveProperty('result');
    expectError(await carrier.send(executeBody({ text: 'another' }, id), soon()), 'conflict', id);
  });

  it('nothing of it stands in the log', () => {
    expect(JSON.stringify(site.house.log)).not.toContain(TOKEN);
  });
});

// In one process nothing is read that was not there before.
const reading = carrierSites.filter(({ name }) => name !== 'in-process');

describe.each(reading)('what is larger than the other side reads, over $name', ({ start }) => {
  // Past the largest payload neither side reads an id any more.
  it.each([64 * 1024, MAX_PAYLOAD])(
    'is an error of the table, and what else is under way goes on: %i bytes',
    async (max_bytes) => {
      const held = Promise.withResolvers<string>();
      const arrived = Promise.withResolvers<void>();
      const endpoint = () => {
        arrived.resolve();
        return held.promise;
      };
      const { carrier, close } = await start(endpoint, { max_bytes });
      const [id, other] = [randomUUID(), randomUUID()];
      const beside = carrier.send(executeBody({}, other), soon());
      await arrived.promise;
      const text = await carrier.send(executeBody({ text: 'x'.repeat(max_bytes + 1) }, id), soon());
      // Where one connection carries many, the response says whose it is.
      const shared = carrier.name === 'websocket' || carrier.name === 'stdio';
      expectError(text, 'too_large', shared ? id : null);
      const answer = JSON.stringify({
        jsonrpc: '2.0',
        result: { status: 'success', response_text: '' },
        id: other,
      });
      held.resolve(answer);
      expect(await beside).toBe(answer);
      await close();
    },
  );
});
