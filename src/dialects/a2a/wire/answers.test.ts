import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../../../core/errors.ts';
import type { Json } from '../../../core/json.ts';
import { translationTrouble } from '../../agent/translation-error.ts';
import { readEnvelope } from './answers.ts';
import { agentError, speaksOtherWire } from './errors.ts';

const read = (message: unknown, id: string | number = 't1') => readEnvelope(message as Json, id);

describe('the envelope of an answer', () => {
  it('holds a result or an error', () => {
    expect(read({ jsonrpc: '2.0', id: 't1', result: null })).toEqual({ result: null });
    const error = { code: -32603, message: 'no' };
    expect(read({ jsonrpc: '2.0', id: 't1', error })).toEqual({ error });
    expect(read({ jsonrpc: '2.0', id: null, error })).toEqual({ error });
  });

  it('may give a number back as text, and the other way round', () => {
    expect(read({ jsonrpc: '2.0', id: 7, result: 1 }, '7')).toEqual({ result: 1 });
    expect(read({ jsonrpc: '2.0', id: '7', result: 1 }, 7)).toEqual({ result: 1 });
  });

  it.each([
    [7, 'is no object', 'envelope'],
    [{ id: 't1', result: 1 }, 'has no jsonrpc field', 'envelope'],
    [{ jsonrpc: '1.0', id: 't1', result: 1 }, 'says jsonrpc "1.0" instead of "2.0"', 'version'],
    [{ jsonrpc: 2, id: 't1', result: 1 }, 'says jsonrpc 2 instead of "2.0"', 'version'],
    [{ jsonrpc: '2.0', result: 1 }, 'has no id field', 'envelope'],
    [{ jsonrpc: '2.0', id: 't1' }, 'has neither a result nor an error', 'envelope'],
    [{ jsonrpc: '2.0', id: 't1', result: 1, error: {} }, 'has both a result and an error', 'envelope'],
    [{ jsonrpc: '2.0', id: 't1', error: 'no' }, 'has an error that is no object', 'envelope'],
    [{ jsonrpc: '2.0', id: 't2', result: 1 }, 'carries the id "t2" instead of', 'id'],
    [{ jsonrpc: '2.0', id: null, result: 1 }, 'carries the id null instead of', 'id'],
  ])('is not %j', (message, reason, trouble) => {
    let thrown: unknown;
    try {
      read(message);
    } catch (error) {
      thrown = error;
    }
    const error = GleitzeitError.from(thrown);
    expect(error).toMatchObject({ code: 'GLZ2005', class: 'rejected' });
    expect(error.message).toContain(`jsonrpc-2.0: the answer ${reason}`);
    expect(translationTrouble(error)).toBe(trouble);
    expect(error.details.details).toMatchObject({
      protocol: 'jsonrpc-2.0',
      direction: 'response',
      original_data: message,
    });
  });

  it('keeps only the beginning of what is long', () => {
    const error = (() => {
      try {
        read({ jsonrpc: '1.0', id: 't1', result: 'x'.repeat(100_000) });
      } catch (thrown) {
        return GleitzeitError.from(thrown);
      }
      throw new Error('it was read');
    })();
    const { details } = error.details;
    const text = JSON.stringify(details);
    expect(text.length).toBeLessThan(10_000);
    expect(text).toContain('characters)');
  });
});

describe('an error of an agent', () => {
  const failed = (code: number, more: object = {}) => agentError({ error: { code, message: 'no' }, ...more });

  it('says code and message', () => {
    expect(failed(-32603).message).toBe('JSON-RPC Error -32603: no');
    expect(failed(-32603).details.remote_code).toBe(-32603);
  });

  it.each([-32600, -32601, -32602, -32700])('%d is final, but for an agent that broke down', (code) => {
    expect([failed(code).class, failed(code, { http_status: 400 }).class]).toEqual(['rejected', 'rejected']);
    expect(failed(code, { http_status: 500 }).class).toBe('server');
  });

  it.each([-32001, -32002, -32003, -32004, -32005, -32006, -32007, -32008, -32009])(
    '%d is final, also under a status that is not',
    (code) => {
      expect(failed(code).class).toBe('rejected');
      expect(failed(code, { http_status: 500 }).class).toBe('rejected');
    },
  );

  it.each([-32603, -32000, -32010, -32099])('%d may pass', (code) => {
    expect(failed(code).class).toBe('server');
  });

  it('goes by a status that says more', () => {
    expect(failed(-32050, { http_status: 429, retry_after_ms: 7000 })).toMatchObject({
      class: 'rate_limit',
      details: { retry_after_ms: 7000 },
    });
    expect(failed(-32001, { http_status: 429 }).class).toBe('rate_limit');
    expect(failed(1, { http_status: 503 }).class).toBe('server');
    expect(failed(1, { http_status: 400 }).class).toBe('rejected');
  });

  it('may mean that the other wire is spoken', () => {
    expect([-32601, -32009].map((code) => speaksOtherWire({ code, message: '' }))).toEqual([true, true]);
    expect([-32600, -32602, -32001].some((code) => speaksOtherWire({ code, message: '' }))).toBe(false);
  });
});
