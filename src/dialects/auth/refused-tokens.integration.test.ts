import { describe, expect, it } from 'vitest';
import type { Asked } from './service.suite.ts';
import { stage } from './stage.suite.ts';

const many = Array.from({ length: 100 }, (_, n) => n);

describe('a token the service refuses', () => {
  const revoked = ({ headers }: Asked) => (headers.authorization === 'Bearer token-1' ? 401 : 200);

  it.each(['jsonrpc-http', 'jsonrpc-ws'])('is replaced, and the call repeated, over %s', async (type) => {
    const { call, shown, tokens } = await stage({ door: revoked }, { type });
    expect(await call()).toBe('in');
    expect([shown(), tokens.length]).toEqual([['1', '2'], 2]);
  });

  it('is replaced once for all calls that had it', async () => {
    const { call, tokens, calls } = await stage({ door: revoked });
    const outcomes = await Promise.all(many.map(() => call()));
    expect(new Set(outcomes)).toEqual(new Set(['in']));
    expect(tokens).toHaveLength(2);
    expect(calls.length).toBeLessThanOrEqual(200);
  });

  it.each(['jsonrpc-http', 'jsonrpc-ws'])(
    'is not replaced for ever: over %s the second is the last',
    async (type) => {
      const { call, shown, tokens } = await stage({ door: () => 401 }, { type });
      expect(await call()).toMatch(/^GLZ2010: .*HTTP 401/);
      expect([shown(), tokens.length]).toEqual([['1', '2'], 2]);
    },
  );

  it('is replaced also where it has just replaced another', async () => {
    let least = 1;
    const number = ({ headers }: Asked) => Number(headers.authorization?.replace('Bearer token-', ''));
    const { call, shown } = await stage({ door: (asked) => (number(asked) < least ? 401 : 200) });
    expect(await call()).toBe('in');
    for (least of [2, 3]) expect(new Set(await Promise.all(many.map(() => call())))).toEqual(new Set(['in']));
    expect(shown().at(-1)).toBe('3');
  });

  it('is replaced three times, and then once in a second, where no token is accepted', async () => {
    let closed = true;
    const { call, tokens, pass } = await stage({ door: () => (closed ? 401 : 200) });
    for (let turn = 0; turn < 9; turn++) expect(await call()).toMatch(/^GLZ2010: .*HTTP 401/);
    expect(tokens).toHaveLength(4);
    for (const seconds of [1, 2]) {
      pass(1_000);
      for (let turn = 0; turn < 9; turn++) await Promise.all([call(), call()]);
      expect(tokens).toHaveLength(4 + seconds);
    }
    closed = false;
    expect(await call()).toBe('in');
  });

  it('is replaced by the first call after that second, which is let in where the service takes tokens again', async () => {
    let mended = false;
    const fresh = ({ headers }: Asked) => mended && headers.authorization !== 'Bearer token-4';
    const { call, shown, pass } = await stage({ door: (asked) => (fresh(asked) ? 200 : 401) });
    for (let turn = 0; turn < 9; turn++) await call();
    mended = true;
    pass(1_000);
    expect(await call()).toBe('in');
    expect(shown().slice(-2)).toEqual(['4', '5']);
  });
});
