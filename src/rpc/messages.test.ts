import { describe, expect, it } from 'vitest';
import { isLegalId, requestText } from './messages.ts';

describe('the text of a request', () => {
  it.each([
    [{ id: 1, method: 'a' }, '{"jsonrpc":"2.0","id":1,"method":"a"}'],
    [{ id: 'x"', method: 'é"', params: [1] }, '{"jsonrpc":"2.0","id":"x\\"","method":"é\\"","params":[1]}'],
    [{ method: 'a', params: {} }, '{"jsonrpc":"2.0","method":"a","params":{}}'],
    [{ method: 'a', params: undefined }, '{"jsonrpc":"2.0","method":"a"}'],
  ])('%o', (message, text) => expect(requestText(message)).toBe(text));
});

describe('an id', () => {
  it.each(['', 'a', 0, -1, 1.5, 2 ** 53 - 1, null])('%o is legal', (id) => expect(isLegalId(id)).toBe(true));
  it.each([true, {}, [], undefined, 2 ** 53, -(2 ** 60), Number.POSITIVE_INFINITY, Number.NaN])(
    '%o is not',
    (id) => expect(isLegalId(id)).toBe(false),
  );
});
