import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ProviderCall } from '../../core/ports/provider.ts';
import { AskAgain, type FunctionContext, type Functions, functionProvider } from './provider.ts';

function callOf(
  method: string,
  params: JsonObject = {},
  signal = new AbortController().signal,
): ProviderCall {
  return { method, params, call_id: 'c1', task_id: 't1', workflow_id: 'w1', attempt: 2, signal };
}

const provider = (methods: Functions) => functionProvider({ id: 'p', protocol: 'x/v1', methods });
const answer = (made: () => unknown) => provider({ run: made }).call(callOf('run'));

describe('a provider of functions', () => {
  it('has the methods it was given, and no other', async () => {
    const made = provider({ run: () => 1 });
    expect([made.id, made.protocol]).toEqual(['p', 'x/v1']);
    expect(['run', 'toString', '__proto__', ''].map((name) => made.hasMethod(name))).toEqual([
      true,
      false,
      false,
      false,
    ]);
    expect(await made.call(callOf('constructor'))).toMatchObject({
      word: 'failed',
      error: { data: { error_code: 'GLZ2010' } },
    });
  });

  it('hands over params and what the call is about', async () => {
    const seen: unknown[] = [];
    const { signal } = new AbortController();
    const made = provider({
      run: (params: { a: number }, context: FunctionContext) => {
        const { call_id, task_id, workflow_id, attempt } = context;
        seen.push({ call_id, task_id, workflow_id, attempt }, context.signal === signal);
        return params.a + 1;
      },
    });
    expect(await made.call(callOf('run', { a: 1 }, signal))).toEqual({ word: 'done', result: '2' });
    expect(seen).toEqual([{ call_id: 'c1', task_id: 't1', workflow_id: 'w1', attempt: 2 }, true]);
  });

  it('lets functions report, whether somebody listens or not', async () => {
    const made = provider({
      run: (_params: object, { report }: FunctionContext) => {
        report({ progress: 1, total: 2 });
        return 'done';
      },
    });
    const told: unknown[] = [];
    await made.call({ ...callOf('run'), report: (progress) => void told.push(progress) });
    expect(told).toEqual([{ progress: 1, total: 2 }]);
    expect(await made.call(callOf('run'))).toMatchObject({ word: 'done' });
  });

  it.each([
    [undefined, 'null'],
    [null, 'null'],
    [0, '0'],
    ['text', '"text"'],
    [{ a: [1, undefined], b: undefined }, '{"a":[1,null]}'],
    [new Date(0), '"1970-01-01T00:00:00.000Z"'],
  ])('makes the result of what is returned: %j', async (value, result) => {
    expect(await answer(() => value)).toEqual({ word: 'done', result });
    expect(await answer(async () => value)).toEqual({ word: 'done', result });
  });

  it('refuses what JSON cannot hold, for good: another try would end the same', async () => {
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    for (const value of [() => 1, Symbol('s'), 10n, cycle, { toJSON: () => undefined }]) {
      expect(await answer(() => value)).toMatchObject({
        word: 'failed',
        error: { data: { error_code: 'GLZ2005' } },
      });
    }
  });

  it.each([
    ['an error', new Error('broke'), 'GLZ2001', 'broke'],
    ['an error of ours', new GleitzeitError('GLZ2010', 'never'), 'GLZ2010', 'never'],
    ['a text', 'just text', 'GLZ2001', 'just text'],
    ['a refusal as JSON-RPC has it', { code: -32602, message: 'bad' }, 'GLZ2010', 'bad'],
    ['trouble as JSON-RPC has it', { code: -32000, message: 'busy' }, 'GLZ2001', 'busy'],
    ['a record of ours', new GleitzeitError('GLZ2004', 'slow down').toRecord(), 'GLZ2004', 'slow down'],
    ['nothing', undefined, 'GLZ2001', 'something that is not an error was thrown: undefined'],
    ['a number', 7, 'GLZ2001', 'something that is not an error was thrown: 7'],
    ['an object', { why: 'so' }, 'GLZ2001', "something that is not an error was thrown: { why: 'so' }"],
    ['half an error', { code: 7 }, 'GLZ2001', 'something that is not an error was thrown: { code: 7 }'],
  ])('makes the error of what is thrown: %s', async (_what, thrown, error_code, message) => {
    const expected = { word: 'failed', error: { message, data: { error_code } } };
    const fail = () => {
      throw thrown;
    };
    expect(await answer(fail)).toMatchObject(expected);
    expect(await answer(async () => fail())).toMatchObject(expected);
  });

  it('keeps only what fits in a record of what is thrown', async () => {
    const thrown = { code: -32602, message: 'bad', data: { big: 10n } };
    const answered = await answer(() => Promise.reject(thrown));
    expect(answered).toMatchObject({ error: { message: 'bad', data: { error_code: 'GLZ2010' } } });
    expect(() => JSON.stringify(answered)).not.toThrow();
    const long = await answer(() => Promise.reject({ text: 'x'.repeat(10_000) }));
    expect(JSON.stringify(long).length).toBeLessThan(500);
    const unreadable = {
      get code() {
        throw new Error('no');
      },
    };
    expect(await answer(() => Promise.reject(unreadable))).toMatchObject({ word: 'failed' });
  });

  it('asks to be asked again when a function does', async () => {
    const again = (asked: AskAgain) =>
      answer(() => {
        throw asked;
      });
    expect(await again(new AskAgain(250))).toEqual({
      word: 'again',
      after_ms: 250,
      reason: 'asked to come again',
    });
    expect(await again(new AskAgain(0, 'not yet'))).toMatchObject({ after_ms: 0, reason: 'not yet' });
  });
});
