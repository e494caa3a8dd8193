import { describe, expect, it } from 'vitest';
import { isContractCode, zoneError, zoneErrorName, zoneErrors } from './errors.ts';
import { EXECUTE_TASK, GET_ASYNC_TASK_RESULT, zoneMethods } from './methods.ts';
import { readRequest, writeRequest } from './request.ts';
import { readResponse, writeError, writeResult } from './response.ts';

const id = '6f1c9a52-6d0e-4c39-9c0e-0a4b8b1d2c3d';
const params = { channel: 'C1', text: 'hello', bot_token: 'xoxb-hidden-word' };

function refusal(message: unknown) {
  const read = readRequest(typeof message === 'string' ? message : JSON.stringify(message));
  if (!('refusal' in read)) throw new Error('it was taken for a request');
  return read.refusal;
}

/** A request of so many levels in all. */
function nested(levels: number): string {
  const deep = `${'['.repeat(levels - 2)}${']'.repeat(levels - 2)}`;
  const given = JSON.stringify({ ...params, deep: 0 }).replace('"deep":0', `"deep":${deep}`);
  return `{"jsonrpc":"2.0","id":"${id}","method":"execute_task","params":${given}}`;
}

describe('a request', () => {
  it('comes back as it was written, with members that nobody knows', () => {
    const request = { id, method: EXECUTE_TASK, params: { ...params, mood: { calm: true } } } as const;
    expect(readRequest(writeRequest(request))).toEqual({ request });
    const poll = { id, method: GET_ASYNC_TASK_RESULT, params: { task_id: 'task-1' } } as const;
    expect(readRequest(new TextEncoder().encode(writeRequest(poll)))).toEqual({ request: poll });
  });

  const whole = { jsonrpc: '2.0', id, method: EXECUTE_TASK, params };

  it.each([
    ['no JSON', '{', -32700],
    ['nothing', '', -32700],
    ['a batch', [whole], -32600],
    ['an empty batch', [], -32600],
    ['null', null, -32600],
    ['no version', { ...whole, jsonrpc: undefined }, -32600],
    ['another version', { ...whole, jsonrpc: '1.0' }, -32600],
    ['no method', { ...whole, method: undefined }, -32600],
    ['a method that is a number', { ...whole, method: 1 }, -32600],
    ['a notification', { ...whole, id: undefined }, -32600],
    ['an id that is null', { ...whole, id: null }, -32600],
    ['an id that is a number', { ...whole, id: 7 }, -32600],
    ['an id that is no UUID', { ...whole, id: 'seven' }, -32600],
    ['params that are a text', { ...whole, params: 'x' }, -32600],
    ['params that are null', { ...whole, params: null }, -32600],
    ['too many brackets', '['.repeat(1000), -32600],
    ['params that are too deep', nested(129), -32600],
  ])('is refused without an id: %s', (_, message, code) => {
    expect(refusal(message)).toMatchObject({ id: null, error: { code } });
  });

  it('is told that it is too deep where it is, and is one where it is not', () => {
    expect(refusal(nested(129)).error.data).toEqual({ reason: 'nested deeper than 128 levels' });
    expect(readRequest(nested(128))).toHaveProperty('request');
  });

  it('has a correlation_id of some length, and a longer one is not repeated', () => {
    const long = (length: number) => ({ ...params, correlation_id: 'c'.repeat(length) });
    expect(readRequest(JSON.stringify({ ...whole, params: long(256) }))).toHaveProperty('request');
    for (const method of [EXECUTE_TASK, GET_ASYNC_TASK_RESULT]) {
      const { error } = refusal({ ...whole, method, params: { ...long(257), task_id: 't' } });
      expect(error).toMatchObject({ code: -32602, data: { field: 'correlation_id' } });
      expect(JSON.stringify(error).length).toBeLessThan(200);
    }
    expect(refusal({ ...whole, method: 'ping', params: long(257) }).error).toEqual(
      zoneError('method_not_found'),
    );
  });

  it('may have a member named by its token where that is so short that it stands in names by chance', () => {
    const named = (bot_token: string) => ({
      ...whole,
      params: { ...params, bot_token, [`of ${bot_token}`]: 1 },
    });
    expect(refusal(named('12345678')).error.data).toMatchObject({ field: 'params' });
    expect(readRequest(JSON.stringify(named('1234567')))).toHaveProperty('request');
  });

  it('for a method that is not there is refused by its id', () => {
    const message = { ...whole, method: 'rpc.discover', params: { correlation_id: 'c-1' } };
    expect(refusal(message)).toEqual({ id, error: zoneError('method_not_found', { correlation_id: 'c-1' }) });
  });

  it('gives no token back, whatever method it asks for', () => {
    const sly = { bot_token: params.bot_token, correlation_id: 'for xoxb-hidden-word' };
    for (const method of ['ping', 'execute_task', 'get_async_task_result']) {
      const { error } = refusal({ ...whole, method, params: { ...sly, task_id: 7 } });
      expect(error.data).toMatchObject({ correlation_id: 'for [secret]' });
    }
  });

  it.each([
    ['channel', { channel: 1 }],
    ['channel', { channel: undefined }],
    ['text', { text: null }],
    ['bot_token', { bot_token: undefined }],
    ['bot_token', { bot_token: 17 }],
    ['attachments', { attachments: {} }],
    ['attachments/1', { attachments: [{}, 'x'] }],
    ['correlation_id', { correlation_id: 5 }],
    ['budget_ms', { budget_ms: -1 }],
    ['idempotency_key', { idempotency_key: '' }],
  ])('names the param that is wrong: %s', (field, changed) => {
    const refused = refusal({ ...whole, params: { ...params, ...changed } });
    expect(refused).toMatchObject({ id, error: { code: -32602, data: { field } } });
    expect(JSON.stringify(refused)).not.toMatch(/hidden-word|17/);
  });

  it('by position is none', () => {
    expect(refusal({ ...whole, params: ['C1'] })).toMatchObject({
      id,
      error: { code: -32602, data: { field: 'params' } },
    });
  });

  it('tells what both zones log by, unless that would give the token away', () => {
    const bad = { ...params, text: 1 };
    expect(refusal({ ...whole, params: { ...bad, correlation_id: 'c-9' } }).error.data).toMatchObject({
      correlation_id: 'c-9',
    });
    const sly = refusal({ ...whole, params: { ...bad, correlation_id: 'for xoxb-hidden-word' } });
    expect(JSON.stringify(sly)).not.toContain('hidden-word');
  });
});

describe('a response', () => {
  const request = { id, method: EXECUTE_TASK } as const;

  it('comes back as it was written', () => {
    const result = { status: 'success', response_text: 'done', blocks: [1] } as const;
    expect(readResponse(writeResult(id, result), request)).toEqual({ result });
    const error = zoneError('timeout', { correlation_id: 'c' });
    expect(readResponse(writeError({ id, error }), request)).toEqual({ error });
    expect(readResponse(writeError({ id: null, error: zoneError('parse_error') }), request)).toHaveProperty(
      'error',
    );
  });

  const answer = (fields: object) => JSON.stringify({ jsonrpc: '2.0', id, ...fields });

  it.each([
    ['no JSON', 'hello'],
    ['another id', answer({ id: id.replace('6', '7'), result: { status: 'success', response_text: '' } })],
    ['both', answer({ result: { status: 'success', response_text: '' }, error: zoneError('timeout') })],
    ['neither', answer({})],
    ['a result that is a text', answer({ result: 'done' })],
    ['a result without a status', answer({ result: { response_text: 'x' } })],
    ['a status that nobody knows', answer({ result: { status: 'maybe' } })],
    ['an acceptance without a task', answer({ result: { status: 'accepted' } })],
    ['a status of the other method', answer({ result: { status: 'pending', task_id: 'x' } })],
    ['a code that is none of the contract', answer({ error: { code: 4001, message: 'x' } })],
  ])('that breaks the contract is seen: %s', (_, body) => {
    expect(readResponse(body, request)).toHaveProperty('invalid');
  });

  it('of a poll may be pending, and not accepted', () => {
    const poll = { id, method: GET_ASYNC_TASK_RESULT } as const;
    expect(readResponse(answer({ result: { status: 'pending' } }), poll)).toHaveProperty('result');
    expect(readResponse(answer({ result: { status: 'accepted', task_id: 'x' } }), poll)).toHaveProperty(
      'invalid',
    );
  });
});

describe('the table of errors', () => {
  it('has every code once, each where JSON-RPC wants it', () => {
    const codes = Object.values(zoneErrors).map(({ code }) => code);
    expect(new Set(codes).size).toBe(codes.length);
    for (const [name, { code }] of Object.entries(zoneErrors)) {
      expect(zoneErrorName(code)).toBe(name);
      expect(isContractCode(code)).toBe(true);
      expect(code < -32599 || (code >= -32099 && code <= -32000)).toBe(true);
    }
    expect(zoneErrorName(-32050)).toBeNull();
    expect(isContractCode(-32050)).toBe(true);
    expect(isContractCode(2003)).toBe(false);
  });
});

it('no method begins with rpc., and the token is marked as a secret', () => {
  expect(Object.keys(zoneMethods).some((name) => name.startsWith('rpc.'))).toBe(false);
  expect(zoneMethods.execute_task.params.properties.bot_token).toHaveProperty('x-secret', true);
});
