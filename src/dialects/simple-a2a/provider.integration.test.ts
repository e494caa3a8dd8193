import { afterEach, describe, expect, it } from 'vitest';
import { AGENT_METHOD, AGENT_PROTOCOL } from '../../core/agent.ts';
import type { Answer } from '../../core/answer.ts';
import { classOf } from '../../core/errors.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { realParts } from '../jsonrpc/channels.suite.ts';
import { createProvider } from '../registry.ts';
import { type Reply, type Seen, startService } from '../rest/peer.suite.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

type Asking = {
  readonly params?: JsonObject;
  readonly config?: JsonObject;
  readonly protocol?: string;
  readonly response?: Json;
};

async function ask(answer: (seen: Seen) => Reply | null, asking: Asking = {}) {
  const { params = { text: 'hi' }, config = {}, protocol = AGENT_PROTOCOL, response } = asking;
  const service = await startService(answer);
  ends.push(service.stop);
  const spec = {
    id: 'agent:Old',
    protocol,
    type: 'simple-a2a',
    config: { url: `${service.url}/run?v=1`, ...config },
  };
  const provider = createProvider(spec, realParts);
  ends.push(async () => provider.close?.());
  const method = protocol === AGENT_PROTOCOL ? AGENT_METHOD : 'search';
  const told = await provider.call({
    method,
    params,
    call_id: 'c1',
    task_id: 't1',
    workflow_id: null,
    attempt: 1,
    response,
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    signal: AbortSignal.timeout(20_000),
  });
  return { answer: told, seen: service.seen };
}

function resultOf(answer: Answer): Json {
  if (answer.word !== 'done') throw new Error(JSON.stringify(answer));
  return JSON.parse(answer.result) as Json;
}

function errorOf(answer: Answer) {
  if (answer.word !== 'failed') throw new Error(JSON.stringify(answer));
  return { ...answer.error, class: classOf(answer.error) };
}

const says = (output: Json) => () => ({ json: { task_id: 'c1', status: 'success', output, error: null } });

describe('an agent that speaks simple A2A', () => {
  it('is not sent the task anew with an answer that it asked for in another dialect', async () => {
    const { answer, seen } = await ask(says({}), { response: { text: 'the blue one' } });
    expect(errorOf(answer)).toMatchObject({
      class: 'rejected',
      message: expect.stringContaining('it asked in another dialect'),
    });
    expect(seen).toEqual([]);
  });

  it('is posted the task and its input, with everything that names the call', async () => {
    const { seen } = await ask(says({}), {
      params: { topic: 'bees' },
      config: { headers: { 'X-Team': 'a' } },
    });
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({
      method: 'POST',
      path: '/run',
      query: 'v=1',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'x-correlation-id': 'c1',
        'idempotency-key': 'c1',
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
        'x-team': 'a',
      },
    });
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual({ task_id: 'c1', input: { topic: 'bees' } });
  });

  it.each<[Json, Json]>([
    [
      { text: 'x', n: 1 },
      { text: 'x', n: 1 },
    ],
    ['x', { text: 'x' }],
    [null, {}],
    [[1], { value: [1] }],
  ])('brings %j, which is the result %j', async (output, result) => {
    expect(resultOf((await ask(says(output))).answer)).toEqual(result);
  });

  it('takes calls of a protocol by their method, and gives results as they are', async () => {
    const { answer, seen } = await ask(says([1, 2]), { params: { q: 'x' }, protocol: 'web-search/v1' });
    expect(resultOf(answer)).toEqual([1, 2]);
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual({
      task_id: 'c1',
      input: { method: 'search', params: { q: 'x' } },
    });
  });

  it.each<[Reply, object]>([
    [
      { status: 500, json: { status: 'error', error: 'out of order' } },
      { class: 'server', message: 'out of order' },
    ],
    [{ status: 502, body: 'bad gateway' }, { class: 'server' }],
    [
      { status: 404, body: 'no' },
      { class: 'rejected', message: expect.stringContaining('HTTP 404: no') },
    ],
    [
      { status: 401, json: {} },
      { class: 'rejected', data: { hint: 'check the auth of this agent' } },
    ],
    [
      { status: 429, headers: { 'retry-after': '3' }, body: '' },
      { class: 'rate_limit', data: { retry_after_ms: 3000 } },
    ],
    [{ json: { status: 'success' }, status: 500 }, { class: 'server' }],
    [{ json: { status: 'failed', error: 'tried' } }, { class: 'rejected', message: 'tried' }],
    [{ body: '' }, { class: 'rejected', data: { error_code: 'GLZ2005' } }],
    [{ body: '{"status":' }, { class: 'rejected', data: { error_code: 'GLZ2005' } }],
  ])('that answers %j has failed', async (reply, error) => {
    expect(errorOf((await ask(() => reply)).answer)).toMatchObject(error);
  });

  it('is told of what it did where it compresses its answers', async () => {
    const { answer } = await ask(() => ({ body: '\x1f\x8b', headers: { 'content-encoding': 'gzip' } }));
    expect(errorOf(answer).message).toBe(
      'simple-a2a: the answer is compressed (gzip), though nobody asked for that',
    );
  });

  it('has as long as its timeout says', async () => {
    const { answer } = await ask(() => null, { config: { timeout: '50ms' } });
    expect(errorOf(answer)).toMatchObject({ class: 'timeout', data: { error_code: 'GLZ2003' } });
  });

  it('is shown who calls, and that is not repeated in errors', async () => {
    const auth = { type: 'api_key', header: 'X-Key', value: '${secrets.old}' };
    const reply = ({ headers }: Seen) => ({ status: 400, json: { error: `bad key ${headers['x-key']}` } });
    const { answer, seen } = await ask(reply, { config: { auth } });
    expect(seen[0]?.headers['x-key']).toBe('value-of-old');
    expect(errorOf(answer).message).toBe('bad key [secret]');
  });
});
