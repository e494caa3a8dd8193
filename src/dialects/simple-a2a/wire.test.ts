import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { translationTrouble } from '../agent/translation-error.ts';
import { readAnswer, requestBody } from './wire.ts';

function read(body: unknown) {
  const odd: string[] = [];
  return { answer: readAnswer(body as Json, 't1', odd), odd };
}

function refusal(body: unknown): GleitzeitError {
  try {
    read(body);
  } catch (thrown) {
    if (thrown instanceof GleitzeitError) return thrown;
  }
  throw new Error('it was read');
}

describe('simple A2A', () => {
  it('is a task id and an input', () => {
    expect(requestBody('t1', { text: 'hi' })).toEqual({ task_id: 't1', input: { text: 'hi' } });
  });

  it.each(['success', 'completed', 'ok', 'OK'])('takes the status %s for success', (status) => {
    expect(read({ task_id: 't1', status, output: { text: 'x' }, error: null })).toEqual({
      answer: { output: { text: 'x' } },
      odd: [],
    });
  });

  it('takes an output that is not there for none', () => {
    expect(read({ task_id: 't1', status: 'ok' }).answer).toEqual({ output: null });
  });

  it.each([
    ['error', 'it broke', 'it broke', undefined],
    ['failed', { code: 3, message: 'it broke' }, 'it broke', undefined],
    ['failed', { code: 3 }, '{"code":3}', undefined],
    ['error', null, 'Task status: error', undefined],
    ['error', '', 'Task status: error', undefined],
    ['half done', 'it broke', 'Task status: half done', 'it broke'],
    ['working', undefined, 'Task status: working', undefined],
  ])('takes the status %s with the error %j for an error', (status, error, message, reason) => {
    const { answer } = read({ task_id: 't1', status, output: 'never seen', error });
    if (!('error' in answer)) throw new Error('it was a success');
    expect(answer.error).toMatchObject({ code: 'GLZ2010', message });
    expect(answer.error.details.reason).toBe(reason);
  });

  it('notices the task id of somebody else, and goes on', () => {
    expect(read({ task_id: 't2', status: 'ok', output: 1 })).toEqual({
      answer: { output: 1 },
      odd: ['carries the task_id "t2" instead of the request\'s'],
    });
    expect(read({ status: 'ok' }).odd).toEqual(["carries the task_id nothing instead of the request's"]);
  });

  it.each([
    [{ task_id: 't1', output: 1 }, 'has no status field', 'status'],
    [{ task_id: 't1', status: 1 }, 'has a status that is no text', 'status'],
    [{ task_id: 't1', status: null }, 'has a status that is no text', 'status'],
    [[], 'is no object', 'shape'],
    [null, 'is no object', 'shape'],
    ['success', 'is no object', 'shape'],
  ])('does not take %j for an answer', (body, reason, trouble) => {
    const error = refusal(body);
    expect(error).toMatchObject({ code: 'GLZ2005', message: `simple-a2a: the answer ${reason}` });
    expect(translationTrouble(error)).toBe(trouble);
    expect(error.details.details).toMatchObject({
      protocol: 'simple-a2a',
      direction: 'response',
      original_data: body,
    });
  });

  it('never throws anything but an error of translation', () => {
    const body = fc.oneof(
      fc.jsonValue(),
      fc.record(
        {
          task_id: fc.jsonValue(),
          status: fc.oneof(fc.constantFrom('success', 'failed', 'error'), fc.jsonValue()),
          output: fc.jsonValue(),
          error: fc.jsonValue(),
        },
        { requiredKeys: [] },
      ),
    );
    fc.assert(
      fc.property(body, (value) => {
        try {
          read(value);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(GleitzeitError);
          expect(translationTrouble(GleitzeitError.from(thrown))).not.toBeNull();
        }
      }),
    );
  });
});
