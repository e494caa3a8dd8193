import { afterEach, describe, expect, it } from 'vitest';
import { GleitzeitError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { rememberingLogger } from '../../rpc/testing/quiet.suite.ts';
import {
  call,
  cancelled,
  card03,
  card10,
  closeAll,
  done03,
  done10,
  failure,
  open,
  result,
  type Says,
  scripted,
  task03,
  task10,
} from './testing/agent.suite.ts';
import { agentOf, gets, inTurn, whole } from './testing/script.suite.ts';

afterEach(closeAll);

const plain = { capabilities: {} };

function messageIn(params: JsonObject | undefined): JsonObject {
  return (params?.['message'] ?? {}) as JsonObject;
}

it('A13 a task that is tried again is the same message', async () => {
  const agent = await agentOf(
    card03('/', plain),
    inTurn({ 'message/send': [(says) => says.text('', 500), (says) => says.cut(), gets(done03('ok'))] }),
  );
  const provider = open(agent.url);
  await failure(call(provider, { text: 'hi' }, { call_id: 'same' }));
  await failure(call(provider, { text: 'hi' }, { call_id: 'same', attempt: 2 }));
  await result(call(provider, { text: 'hi' }, { call_id: 'same', attempt: 3 }));
  const sent = agent.got.flatMap(({ rpc, headers }) =>
    rpc === null
      ? []
      : [
          [
            rpc.id,
            messageIn(rpc.params)['messageId'],
            headers['idempotency-key'],
            headers['x-correlation-id'],
          ],
        ],
  );
  expect(sent).toEqual(Array(3).fill(['same', 'msg-same', 'same', 'same']));
});

describe('A14 what is no answer', () => {
  it.each([
    [
      'a page',
      (says: Says) => says.text('<html>login</html>', 200, { 'content-type': 'text/html' }),
      'is no JSON but text/html',
    ],
    ['nothing', (says: Says) => says.text('', 200), 'is no JSON'],
    [
      'something compressed',
      (says: Says) => says.text('\x1f\x8b', 200, { 'content-encoding': 'gzip' }),
      'is compressed (gzip), though nobody asked for that',
    ],
    ['a nod', (says: Says) => says.text('', 202), 'is only HTTP 202'],
    ['a list', (says: Says) => says.json([]), 'is no object'],
    ['another version', (says: Says) => says.json({ jsonrpc: '1.0', id: 'n', result: {} }), 'jsonrpc "1.0"'],
    ['neither result nor error', (says: Says) => says.json({ jsonrpc: '2.0', id: 'n' }), 'neither'],
    [
      'another id',
      (says: Says) => says.json({ jsonrpc: '2.0', id: 'other', result: done03('x') }),
      'the id "other"',
    ],
    [
      'a result that is neither task nor message',
      (says: Says) => says.result({ hello: 1 }),
      'neither a task nor a message',
    ],
  ])('A14 %s: a clear error, and nothing is tried again', async (_, answer, words) => {
    const agent = await agentOf(card03('/', plain), (_rpc, says) => answer(says));
    const { message, data } = await failure(call(open(agent.url), { text: 'hi' }, { call_id: 'n' }));
    expect(data.error_code).toBe('GLZ2005');
    expect(message).toContain(words);
    expect(data.details).toMatchObject({ protocol: 'jsonrpc-2.0', direction: 'response' });
  });

  it.each([
    [500, 'GLZ2001'],
    [503, 'GLZ2001'],
    [429, 'GLZ2004'],
    [401, 'GLZ2010'],
    [404, 'GLZ2010'],
  ])('A14 HTTP %i is told by its status', async (status, code) => {
    const agent = await agentOf(card03('/', plain), (_, says) =>
      says.text('<html>proxy</html>', status, { 'retry-after': '3' }),
    );
    const { message, data } = await failure(call(open(agent.url), { text: 'hi' }));
    expect([data.error_code, message]).toEqual([code, expect.stringContaining(`HTTP ${status}`)]);
    expect(data.retry_after_ms).toBe(3000);
  });
});

describe('A15 a task that nobody wants any more', () => {
  type Turn = (says: Says) => unknown;

  /** An agent that works until it is told not to. */
  async function working(cancel: Turn, version: '0.3' | '1.0' = '0.3') {
    const told = Promise.withResolvers<JsonObject>();
    const card = version === '0.3' ? card03('/') : card10('/');
    const agent = await agentOf(card, ({ method, params }, says) => {
      if (method === 'message/stream' || method === 'SendStreamingMessage')
        return says.events(version === '0.3' ? task03('working') : task10('WORKING'));
      if (method !== 'tasks/cancel' && method !== 'CancelTask') return says.error(-32601, 'no');
      told.resolve(params);
      return cancel(says);
    });
    return { agent, told: told.promise };
  }

  it.each([
    ['0.3', 'tasks/cancel', gets(task03('canceled'))],
    ['1.0', 'CancelTask', gets(task10('CANCELED'))],
    ['0.3', 'tasks/cancel', (says: Says) => says.error(-32002, 'Task cannot be canceled')],
    ['1.0', 'CancelTask', (says: Says) => says.error(-32001, 'Task not found')],
    ['0.3', 'tasks/cancel', (says: Says) => says.cut()],
  ] as const)(
    'A15 is cancelled at the agent (%s, %s), whatever that says',
    async (version, method, cancel) => {
      const { agent, told } = await working(cancel, version);
      const end = new AbortController();
      const provider = open(agent.url);
      const report = () => end.abort(cancelled);
      const { data } = await failure(call(provider, { text: 'hi' }, { signal: end.signal, report }));
      expect(data.error_code).toBe('GLZ2009');
      expect(await told).toEqual({ id: 't1' });
      await provider.close?.();
      expect(agent.calls().at(-1)).toBe(method);
    },
  );

  it('A15 is cancelled at the agent also while no call of it runs', async () => {
    const { agent, told } = await working(gets(task03('canceled')));
    const provider = open(agent.url);
    const kept = { a2a: '0.3', task_id: 't1', context_id: 'c1', waits: 'input' };
    provider.abandon?.({ task_id: 'ours', call_id: 'ours', kept });
    expect(await told).toEqual({ id: 't1' });
    provider.abandon?.({ task_id: 'ours', call_id: 'ours', kept: { of: 'somebody else' } });
    await provider.close?.();
    expect(agent.calls().filter((method) => method === 'tasks/cancel')).toHaveLength(1);
  });

  it('A15 is cancelled when its time is up', async () => {
    const { agent, told } = await working(gets(task03('canceled')));
    const end = new AbortController();
    const report = () => end.abort(new GleitzeitError('GLZ2003', 'no answer within 30 s'));
    await failure(call(open(agent.url), { text: 'hi' }, { signal: end.signal, report }));
    expect(await told).toEqual({ id: 't1' });
  });

  it.each([
    ['the engine stops', new GleitzeitError('GLZ9002', 'the engine stops')],
    ['another engine has it', new GleitzeitError('GLZ3011', 'taken')],
  ])('A15 is not cancelled where %s: it goes on', async (_, reason) => {
    const { agent } = await working(gets(task03('canceled')));
    const end = new AbortController();
    const provider = open(agent.url);
    await failure(call(provider, { text: 'hi' }, { signal: end.signal, report: () => end.abort(reason) }));
    await provider.close?.();
    expect(agent.calls().slice(1)).toEqual(['message/stream']);
  });

  it('A15 is let go where the store says that it is no longer ours', async () => {
    const lost = Promise.withResolvers<void>();
    const agent = await agentOf(card03('/'), async (_, says) => {
      says.events(task03('submitted'));
      await lost.promise;
      says.events(task03('working'));
    });
    const keep = async () => {
      setImmediate(lost.resolve);
      return false;
    };
    const answer = await failure(call(open(agent.url), { text: 'hi' }, { keep }));
    expect(answer.data.error_code).toBe('GLZ3011');
  });

  it('is found again by what was kept, and neither begun anew nor lost', async () => {
    const agent = await agentOf(
      card03('/'),
      inTurn({
        'message/stream': [(says) => says.events(task03('working'))],
        'tasks/get': [gets(task03('working')), gets(done03('hello'))],
        'tasks/resubscribe': [whole(task03('working'), done03('hello'))],
      }),
    );
    const kept = Promise.withResolvers<JsonObject>();
    const end = new AbortController();
    const keep = async (value: unknown) => {
      kept.resolve(value as JsonObject);
      return true;
    };
    const lost = call(open(agent.url), { text: 'hi' }, { signal: end.signal, keep });
    expect(await kept.promise).toMatchObject({ task_id: 't1', context_id: 'c1' });
    end.abort(new GleitzeitError('GLZ9002', 'the engine stops'));
    await lost;
    const found = call(open(agent.url), { text: 'hi' }, { kept: await kept.promise, keep });
    expect(await result(found)).toMatchObject({ text: 'hello' });
    expect(agent.calls().filter((method) => method === 'message/stream')).toHaveLength(1);
  });
});

it('nothing that was told in confidence is seen in errors, reports, questions or logs', async () => {
  const secret = 'value-of-key';
  const asks = task03('input-required');
  const question = { messageId: 'q', role: 'agent', parts: [{ kind: 'text', text: `is it ${secret}?` }] };
  const agent = await agentOf(
    card03('/'),
    inTurn({
      'message/stream': [
        (says) => says.error(-32602, `no ${secret}`),
        (says) => says.text(`<p>${secret}</p>`, 200),
        whole(task03('working'), { ...asks, status: { state: 'input-required', message: question } }),
      ],
    }),
  );
  const logger = rememberingLogger();
  const auth = { type: 'bearer', token: '${secrets.key}' };
  const provider = open(agent.url, { auth }, { logger });
  const seen = [];
  for (let n = 0; n < 3; n++) seen.push(await call(provider, { text: 'hi' }));
  expect(agent.got.at(-1)?.headers['authorization']).toBe(`Bearer ${secret}`);
  expect(seen.at(-1)).toMatchObject({ word: 'outside' });
  expect(JSON.stringify(seen)).not.toContain(secret);
  expect(JSON.stringify(logger)).not.toContain(secret);
});

it('what follows shows no credentials to another host that a card names', async () => {
  const other = await scripted(({ rpc }, says) =>
    rpc === null ? says.text('', 404) : says.result(done10('there')),
  );
  const agent = await scripted((_, says) => says.json(card10(`${other.url}/`, plain)));
  const provider = open(agent.url, {
    auth: { type: 'bearer', token: '${secrets.key}' },
    headers: { 'x-own': 'y' },
  });
  // An address of this machine that nobody configured is not called at all.
  expect((await failure(call(provider, { text: 'hi' }))).data.error_code).toBe('GLZ2010');
  expect(other.got).toEqual([]);
});
