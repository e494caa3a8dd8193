import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import type { LogFields } from '../../core/ports/logger.ts';
import { systemClock } from '../../embedded/system.ts';
import { agentResult, failed, succeeded } from './answer.ts';
import { callHeaders } from './headers.ts';
import { callInput, inputText } from './input.ts';
import { agentNameOf, Translation } from './translation.ts';
import { translationError, translationTrouble } from './translation-error.ts';
import { beginningOf, structureOf, wholeOf } from './written.ts';

describe('an input', () => {
  it.each<[Json, string]>([
    ['as it is', 'as it is'],
    ['', ''],
    [{ text: 'words', query: 'q' }, 'words'],
    [{ query: 'q', n: 1 }, 'q'],
    [{ text: '', query: 'q' }, 'q'],
    [{ text: null, query: 'q' }, 'q'],
    [{ text: 5 }, '5'],
    [{ text: ['a'] }, '["a"]'],
    [{ text: '' }, '{"text":""}'],
    [{ a: 1, b: { c: 'ü' } }, '{"a":1,"b":{"c":"ü"}}'],
    [{}, '{}'],
    [[1, 2], '[1,2]'],
    [null, 'null'],
    [7, '7'],
  ])('%j is said as %j', (input, text) => {
    expect(inputText(input)).toBe(text);
  });

  it('of a call names the method', () => {
    expect(callInput('search', { q: 'x' })).toEqual({ method: 'search', params: { q: 'x' } });
  });
});

describe('an answer', () => {
  it('has one form', () => {
    expect(succeeded('t1', { text: 'x' })).toEqual({
      task_id: 't1',
      status: 'success',
      output: { text: 'x' },
      error: null,
    });
    expect(failed('t1', new GleitzeitError('GLZ2010', 'no'))).toEqual({
      task_id: 't1',
      status: 'error',
      output: null,
      error: 'no',
    });
  });

  it.each<[Json, object]>([
    [{ a: 1 }, { a: 1 }],
    ['words', { text: 'words' }],
    [null, {}],
    [7, { value: 7 }],
    [[1], { value: [1] }],
    [false, { value: false }],
  ])('of %j is the result %j', (output, result) => {
    expect(agentResult(output)).toEqual(result);
  });
});

describe('a call', () => {
  it('says which it is', () => {
    expect(callHeaders({ call_id: 'c', traceparent: undefined })).toEqual({
      'x-correlation-id': 'c',
      'idempotency-key': 'c',
    });
    expect(callHeaders({ call_id: 'c', correlation_id: 'theirs' })).toEqual({
      'x-correlation-id': 'theirs',
      'idempotency-key': 'c',
    });
    expect(callHeaders({ call_id: 'c', traceparent: '00-a-b-01' })).toMatchObject({
      traceparent: '00-a-b-01',
    });
  });

  it('stands in the log by the correlation id that travels to the agent', () => {
    const ids: unknown[] = [];
    const debug = (_: string, fields: LogFields = {}) => void ids.push(fields['correlation_id']);
    const logger = { debug, info() {}, warn() {}, error() {} };
    const parts = { protocol: 'simple-a2a', agent_name: 'Writer', clock: systemClock, secrets: () => [] };
    for (const called of [{}, { correlation_id: 'theirs' }])
      new Translation({ ...parts, logger }, { task_id: 't', call_id: 'c', ...called }).request(
        {},
        () => ({}),
      );
    expect(ids).toEqual(['c', 'theirs']);
  });

  it('is made to an agent whose name stands in the id of its provider', () => {
    expect(agentNameOf('agent:Writer', 'agent/v1')).toBe('Writer');
    expect(agentNameOf('agent:Writer@web-search/v1', 'web-search/v1')).toBe('Writer');
    expect(agentNameOf('agent:me@home', 'agent/v1')).toBe('me@home');
    expect(agentNameOf('plain', 'web-search/v1')).toBe('plain');
  });
});

describe('an error of translation', () => {
  it('says which way, and keeps what was there', () => {
    const error = translationError({
      protocol: 'p',
      direction: 'request',
      trouble: 'shape',
      reason: 'is too odd',
      original_data: { a: 1 },
    });
    expect(error).toMatchObject({ code: 'GLZ1005', message: 'p: the input is too odd' });
    expect(error.details.details).toEqual({
      protocol: 'p',
      direction: 'request',
      error_type: 'shape',
      original_data: { a: 1 },
    });
    expect(translationTrouble(error)).toBe('shape');
  });

  it('is no other error', () => {
    expect(translationTrouble(new GleitzeitError('GLZ2005', 'x'))).toBeNull();
    expect(
      translationTrouble(new GleitzeitError('GLZ2005', 'x', { details: { error_type: 'shape' } })),
    ).toBeNull();
    const foreign = { details: { original_data: 1, error_type: 'mine' } };
    expect(translationTrouble(new GleitzeitError('GLZ2005', 'x', foreign))).toBeNull();
  });

  it('keeps nothing as nothing, and much as its beginning', () => {
    const kept = (original_data: unknown) =>
      translationError({ protocol: 'p', direction: 'response', trouble: 'shape', reason: 'x', original_data })
        .details.details;
    expect(kept(undefined)).toMatchObject({ original_data: null });
    expect(JSON.stringify(kept('x'.repeat(10_000)))).toContain('… (10000 characters)');
  });
});

describe('what is written down', () => {
  it('is a value, or the beginning of one', () => {
    expect(beginningOf({ a: 1 })).toEqual({ a: 1 });
    expect(beginningOf('x'.repeat(20_000))).toMatch(/^"x{16383} … \(20002 characters\)$/);
  });

  it('is all of an answer nobody could use, in pieces where it is long', () => {
    const asItIs = (text: string) => text;
    expect(wholeOf('<html>', asItIs)).toBe('<html>');
    expect(wholeOf({ a: 1 }, asItIs)).toBe('{"a":1}');
    expect(wholeOf(undefined, asItIs)).toBe('');
    const long = Array.from({ length: 3000 }, (_, n) => String(n)).join(',');
    const pieces = wholeOf(long, asItIs);
    if (typeof pieces === 'string') throw new Error('it is one piece');
    expect(pieces.join('')).toBe(long);
    expect(wholeOf('x'.repeat(250_000), asItIs).at(-1)).toBe('… 10000 characters more');
  });

  it('shows no secret, not even across pieces', () => {
    const said = `${'x'.repeat(3995)}secret-value${'x'.repeat(100)}`;
    const shown = wholeOf(said, (text) => text.replaceAll('secret-value', '[secret]'));
    expect(JSON.stringify(shown)).not.toMatch(/secret-v|lue/);
  });

  it('is the structure of JSON, and of text only its length', () => {
    expect(structureOf('{"a":"xy"}')).toBe('{"a":"string(2)"}');
    expect(structureOf({ a: 'xy' })).toBe('{"a":"string(2)"}');
    expect(structureOf('<html>')).toBe('"string(6)"');
  });
});
