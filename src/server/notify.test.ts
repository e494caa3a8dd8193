import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, OutsideWait } from '../core/answer.ts';
import type { Json } from '../core/json.ts';
import type { Provider, ProviderCall } from '../core/ports/provider.ts';
import { parseProtocol } from '../core/protocol.ts';
import { type AskOptions, serveRest } from './testing/rest.suite.ts';

let served: Awaited<ReturnType<typeof serveRest>>;
let wait: Partial<OutsideWait> = {};

/** Waits the first time, and says the second time what came. */
function asks({ kept, response }: ProviderCall): Answer {
  if (response !== undefined) return { word: 'done', result: JSON.stringify({ kept, response }) };
  const usual = { kind: 'notification', ask: 'call me', kept: 'here', token: 'tkn', after_ms: null } as const;
  return { word: 'outside', wait: { ...usual, late: 'fail', ...wait } };
}

const provider: Provider = {
  id: 'asks',
  protocol: 'ask/v1',
  hasMethod: () => true,
  call: async (call) => asks(call),
};

beforeAll(async () => {
  served = await serveRest({ body_bytes: 200_000 });
  const { protocols, router } = served.house;
  protocols.register(parseProtocol({ name: 'ask/v1', methods: { ask: {} } }));
  router.connect(provider);
});

afterAll(() => served.close());

/** A task that waits. */
async function waiting(given: Partial<OutsideWait> = {}): Promise<string> {
  wait = given;
  const { ask } = served.house;
  const { task_id } = await ask('task.submit', { protocol: 'ask/v1', method: 'ask' });
  const kind = given.kind ?? 'notification';
  const { engine } = served.house;
  for await (const { event, task_id: of } of engine.events({ cursor: 0 })) {
    const waits = kind === 'notification' ? 'task:notification_awaited' : 'task:input_required';
    if (of === task_id && event === waits) break;
  }
  return String(task_id);
}

const notify = (task_id: string, options: AskOptions) =>
  served.ask('POST', `/notify/${task_id}`, { role: null, ...options });

const token = { 'x-a2a-notification-token': 'tkn' };

async function outcome(task_id: string): Promise<Json | undefined> {
  return (await served.house.ask('task.result', { task_id, wait: 10_000 }))['result'];
}

describe('a service that calls back', () => {
  it.each([
    ['the header of A2A', token],
    ['a bearer token', { authorization: 'Bearer tkn' }],
    ['another scheme', { authorization: 'Token tkn' }],
  ])('is known by %s, without a key', async (_, headers) => {
    const task_id = await waiting();
    expect(await notify(task_id, { body: { state: 'done' }, headers })).toMatchObject({
      status: 202,
      text: '{}',
    });
    expect(await outcome(task_id)).toEqual({ kept: 'here', response: { state: 'done' } });
  });

  it('may call its JSON what it likes, and say nothing at all', async () => {
    const one = await waiting();
    const headers = { ...token, 'content-type': 'application/a2a+json; charset=utf-8' };
    expect((await notify(one, { raw: '{"a":1}', headers })).status).toBe(202);
    expect(await outcome(one)).toMatchObject({ response: { a: 1 } });
    const other = await waiting();
    expect((await notify(other, { headers: token })).status).toBe(202);
    expect(await outcome(other)).toMatchObject({ response: null });
  });

  it('is heard also where it says more than is kept', async () => {
    const task_id = await waiting();
    expect((await notify(task_id, { body: 'x'.repeat(100_000), headers: token })).status).toBe(202);
    expect(await outcome(task_id)).toMatchObject({ response: null });
    const other = await waiting();
    expect((await notify(other, { body: 'x'.repeat(300_000), headers: token })).status).toBe(413);
  });

  it('learns nothing of tasks that are not its own', async () => {
    const task_id = await waiting();
    const key = { authorization: 'Bearer wrong' };
    const wrong = await notify(task_id, { body: {}, headers: key });
    const none = await notify('01900000-0000-7000-8000-000000000000', { body: {}, headers: token });
    expect(wrong).toMatchObject({
      status: 404,
      json: { error: { message: 'nobody waits for this notification' } },
    });
    expect(none.text).toBe(wrong.text);
    expect(await notify(task_id, { body: {} })).toMatchObject({ status: 401 });
    expect(await notify('no%20such', { body: {}, headers: token })).toMatchObject({ status: 404 });
    expect(await served.house.ask('task.status', { task_id })).toMatchObject({
      status: 'executing',
      waiting_for: { kind: 'notification', ask: 'call me', attempt: 1 },
    });
  });

  it('can do nothing else here', async () => {
    const task_id = await waiting();
    expect((await served.ask('GET', `/notify/${task_id}`, { role: null })).status).toBe(405);
    expect((await served.ask('POST', '/notify', { role: null, body: {} })).status).toBe(404);
    expect((await served.ask('POST', `/notify/${task_id}/more`, { role: null, body: {} })).status).toBe(404);
    const headers = { ...token, 'content-type': 'text/plain' };
    expect((await notify(task_id, { raw: 'hello', headers })).status).toBe(415);
    expect(
      (await notify(task_id, { raw: '{', headers: { ...token, 'content-type': 'application/json' } })).status,
    ).toBe(400);
  });

  it('cannot answer what is asked of people', async () => {
    const task_id = await waiting({ kind: 'input', token: null });
    expect((await notify(task_id, { body: {}, headers: token })).status).toBe(404);
  });
});

describe('task.respond', () => {
  it('answers what task.status shows, once', async () => {
    const { call, ask } = served.house;
    const task_id = await waiting({ kind: 'input', token: null, ask: { text: 'which?' } });
    expect(await ask('task.status', { task_id })).toMatchObject({
      status: 'input_required',
      waiting_for: { kind: 'input', key: null, until: null, ask: { text: 'which?' }, attempt: 1 },
    });
    expect((await call('task.respond', { task_id, response: 'b' }, { role: 'viewer' })).error?.code).toBe(
      4002,
    );
    expect(await ask('task.respond', { task_id, response: 'b', attempt: 1 })).toMatchObject({ task_id });
    expect(await outcome(task_id)).toEqual({ kept: 'here', response: 'b' });
    expect(await ask('task.respond', { task_id, response: 'b', attempt: 1 })).toEqual({
      task_id,
      status: 'completed',
    });
    expect((await call('task.respond', { task_id, response: 'c' })).error?.code).toBe(1011);
    expect((await call('task.respond', { task_id: 'none', response: 'c' })).error?.code).toBe(1010);
    expect((await call('task.respond', { task_id })).error?.code).toBe(-32602);
  });
});
