import { describe, expect, it } from 'vitest';
import { readAnswer } from './answers.ts';

describe('the answer of an exchange', () => {
  it.each([
    ['{"jsonrpc":"2.0","id":1,"result":null}', { result: null }],
    ['{"jsonrpc":"2.0","id":1,"result":[1],"extra":2}', { result: [1] }],
    [
      '{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"m","data":null}}',
      { error: { code: -1, message: 'm', data: null } },
    ],
    [
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}',
      { error: { code: -32700, message: 'm' } },
    ],
    ['{"jsonrpc":"2.0","id":"1","result":1}', { invalid: 'carries another id than the call' }],
    ['{"jsonrpc":"2.0","id":null,"result":1}', { invalid: 'carries another id than the call' }],
    ['{"jsonrpc":"2.0","error":{"code":1,"message":"m"}}', { invalid: 'carries another id than the call' }],
    ['{"jsonrpc":"2.0","id":1}', { invalid: 'has neither a result nor an error' }],
    ['{"jsonrpc":"2.0","id":1,"result":1,"error":null}', { invalid: 'has both a result and an error' }],
    ['{"id":1,"result":1}', { invalid: 'does not say jsonrpc "2.0"' }],
    ['[]', { invalid: 'is no object' }],
    ['{', { invalid: 'is no JSON' }],
    ['[[[[[[', { invalid: 'is nested deeper than 5 levels', past_bounds: true }],
  ])('%s', (text, answer) => {
    expect(readAnswer(text, 1, 5)).toEqual(answer);
    expect(readAnswer(Buffer.from(text), 1, 5)).toEqual(answer);
  });

  it('of more keys than anybody needs is not parsed', () => {
    const text = `{"jsonrpc":"2.0","id":1,"result":{${Array(100_001).fill('"":0').join(',')}}}`;
    expect(readAnswer(text, 1, 5)).toEqual({
      invalid: 'has too many keys, objects and lists',
      past_bounds: true,
    });
  });
});
