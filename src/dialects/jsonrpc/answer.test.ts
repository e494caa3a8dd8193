import { describe, expect, it } from 'vitest';
import { classOf } from '../../core/errors.ts';
import type { RpcAnswer } from '../../rpc/channel.ts';
import { answerFrom } from './answer.ts';

function failed(said: RpcAnswer) {
  const answer = answerFrom(said);
  if (answer.word !== 'failed') throw new Error(`not failed: ${JSON.stringify(answer)}`);
  return { ...answer.error, class: classOf(answer.error) };
}

const error = (code: number, data?: object) =>
  ({ error: { code, message: 'said', ...(data === undefined ? {} : { data }) } }) as RpcAnswer;

describe('what a JSON-RPC service says', () => {
  it('is done with a result, whatever status carried it', () => {
    expect(answerFrom({ result: { a: [1] } })).toEqual({ word: 'done', result: '{"a":[1]}' });
    expect(answerFrom({ result: null, http_status: 500 })).toEqual({ word: 'done', result: 'null' });
  });

  it.each([
    [-32603, 'server'],
    [-32000, 'server'],
    [-32099, 'server'],
    [-32700, 'rejected'],
    [-32600, 'rejected'],
    [-32601, 'rejected'],
    [-32602, 'rejected'],
    [-32100, 'rejected'],
    [-31999, 'rejected'],
    [0, 'rejected'],
    [42, 'rejected'],
  ])('is judged by its code alone: %d is %s', (code, expected) => {
    for (const http_status of [undefined, 200])
      expect(failed({ ...error(code), ...(http_status === undefined ? {} : { http_status }) })).toMatchObject(
        {
          class: expected,
          message: 'said',
          data: { remote_code: code },
        },
      );
  });

  it.each([
    [42, 408, 'timeout'],
    [42, 425, 'server'],
    [42, 429, 'rate_limit'],
    [-32602, 429, 'rate_limit'],
    [42, 500, 'server'],
    [42, 503, 'server'],
    [-32000, 503, 'server'],
    [-32601, 500, 'rejected'],
    [-32602, 503, 'rejected'],
    [-32000, 401, 'rejected'],
    [-32603, 403, 'rejected'],
    [-32603, 400, 'server'],
    [42, 400, 'rejected'],
    [42, 404, 'rejected'],
  ])('is judged by its status too: %d under HTTP %d is %s', (code, http_status, expected) => {
    expect(failed({ ...error(code), http_status })).toMatchObject({
      class: expected,
      data: { remote_code: code, reason: `HTTP ${http_status}` },
    });
  });

  it.each([
    [-32601, undefined, 'method'],
    [-32601, 404, 'method'],
    [-32601, 401, 'provider'],
    [42, 401, 'provider'],
    [42, 407, 'provider'],
    [42, 403, undefined],
    [42, 404, undefined],
    [-32602, undefined, undefined],
    [-32603, undefined, undefined],
  ])('says whether it is the call that is wrong: %d under %s', (code, http_status, fault) => {
    const status = http_status === undefined ? {} : { http_status };
    expect(failed({ ...error(code), ...status }).data.fault).toBe(fault);
  });

  it('keeps the data of the service', () => {
    expect(failed(error(42, { why: 'so' })).data).toEqual({
      error_code: 'GLZ2010',
      remote_code: 42,
      details: { why: 'so' },
    });
  });

  it.each([
    [-32603, 'GLZ9002', 'GLZ2001', 'server'],
    [-32603, 'GLZ3001', 'GLZ2001', 'server'],
    [-32000, 'GLZ2009', 'GLZ2001', 'server'],
    [-32602, 'GLZ1005', 'GLZ2010', 'rejected'],
    [2004, 'GLZ2004', 'GLZ2010', 'rejected'],
  ])('does not speak for us: %d with the code %s is %s', (code, error_code, ours, expected) => {
    const data = { error_code, retry_after_ms: 5, hint: 'later' };
    expect(failed(error(code, data))).toMatchObject({
      class: expected,
      data: { error_code: ours, remote_code: code, retry_after_ms: 5, details: data },
    });
  });

  it.each([
    [{ retry_after_ms: 1500 }, {}, 1500],
    [{ retry_after_ms: 1500 }, { retry_after_ms: 10 }, 1500],
    [{}, { retry_after_ms: 250 }, 250],
    [{}, { retry_after_ms: 1e15 }, 24 * 60 * 60 * 1000],
    [{}, { retry_after_ms: -1 }, undefined],
    [{}, { retry_after_ms: '5' }, undefined],
  ])('waits as long as header %j and data %j ask: %s', (header, data, expected) => {
    expect(failed({ ...error(-32000, data), ...header }).data.retry_after_ms).toBe(expected);
  });
});
