import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../../core/errors.ts';
import type { ArrivedAnswer } from '../../core/ports/dispatch.ts';
import { readAgentResult, writeForeignResult, writeOwnResult } from './agent-result.ts';
import type { ToldAnswer } from './answer.ts';
import { bytes, changed, mirror, NOW } from './testing.suite.ts';

const called = { protocol: 'web-search/v1', method: 'search', secrets: false };
const name = { task_id: 'task-1', attempt: 2, generation: 0 };

function written(answer: ToldAnswer, secret = false) {
  const result = { name, run_id: 'run-1', provider: 'search-1', answer, took_ms: 12.4, called };
  return writeOwnResult({ ...result, now_ms: NOW, secret }, mirror);
}

const error = {
  code: 2004,
  message: 'slow down',
  data: { error_code: 'GLZ2004', retry_after_ms: 50, details: { a: [1] } },
} as const;

const answers: readonly [string, ToldAnswer][] = [
  ['an object', { word: 'done', result: '{"a":[1,null,"x"]}' }],
  ['a list', { word: 'done', result: '[1]', usage: { input_tokens: 3 } }],
  ['null', { word: 'done', result: 'null' }],
  ['an error', { word: 'failed', error }],
  ['another time', { word: 'again', after_ms: 250, reason: 'not yet' }],
  [
    'a question',
    {
      word: 'outside',
      wait: {
        ...{
          kind: 'input',
          ask: { q: 'why?' },
          kept: 7,
          token: 'secret-token',
          after_ms: null,
          late: 'fail',
        },
      },
    },
  ],
];

describe('the result of a call of ours', () => {
  it.each(answers)('with %s comes back as it was', (_, answer) => {
    for (const secret of [false, true]) {
      const message = written(answer, secret);
      const arrived: ArrivedAnswer = { ...name, provider: 'search-1', answer, took_ms: 12, called };
      expect(message.key).toBe('task-1/2');
      expect(readAgentResult(bytes(message), mirror).arrived).toEqual(arrived);
    }
  });

  it('reads for others as the seeds have it', () => {
    expect(JSON.parse(String(written({ word: 'done', result: '"text"' }).value))).toMatchObject({
      run_id: 'run-1',
      task_id: 'task-1',
      status: 'SUCCESS',
      output_data: { result: 'text' },
      correlation_id: 'task-1/2',
      error_message: null,
      timestamp: '2026-01-31T12:00:00.250Z',
    });
    const [, question] = answers[5] ?? [];
    if (question === undefined) throw new Error('there is no question');
    expect(JSON.parse(String(written(question).value))).toMatchObject({
      status: 'FAILURE',
      output_data: null,
      error_message: 'Task state: input-required',
    });
  });

  it('shows nobody a secret result, nor the token of a question', () => {
    expect(String(written({ word: 'done', result: '{"key":"hidden-word"}' }, true).value)).not.toContain(
      'hidden-word',
    );
    const [, question] = answers[5] ?? [];
    if (question === undefined) throw new Error('there is no question');
    expect(String(written(question).value)).not.toContain('secret-token');
  });

  it('is a failure where it was sealed by a key that is not here', () => {
    const open = () => {
      throw new GleitzeitError('GLZ3010', 'it was sealed with a key that is not there');
    };
    const { arrived } = readAgentResult(bytes(written({ word: 'done', result: '1' }, true)), { open });
    expect(arrived?.answer).toMatchObject({ word: 'failed', error: { data: { error_code: 'GLZ3010' } } });
  });

  it.each([
    ['another correlation id', { correlation_id: 'task-1/3' }],
    ['an answer in unknown words', { answer: { word: 'maybe' } }],
    ['a wrapped result that is not there', { answer: { word: 'done', wrapped: true }, output_data: {} }],
    ['a sealed result that is not', { answer: { word: 'done', sealed: true }, output_data: {} }],
    ['a status in unknown words', { status: 'OK' }],
    ['an error without a code', { answer: { word: 'failed', error: { code: 1, message: 'x', data: {} } } }],
  ])('is refused with %s', (_, fields) => {
    const message = changed(written({ word: 'done', result: '{}' }), fields);
    expect(() => readAgentResult(message, mirror)).toThrow(/AgentResult/);
  });
});

describe('the result that a foreign bridge wrote', () => {
  const base = {
    run_id: 'run-1',
    task_id: 'task-1',
    status: 'SUCCESS',
    output_data: { text: 'hello' },
    correlation_id: 'task-1/2',
    error_message: null,
    timestamp: '2026-01-31T12:00:00',
  };
  const read = (fields: object) => readAgentResult(bytes(JSON.stringify({ ...base, ...fields })), mirror);

  it('is taken for what it says', () => {
    const answer = { word: 'done', result: '{"text":"hello"}' };
    expect(read({}).arrived).toEqual({ ...name, provider: null, answer });
  });

  it('is a failure that may pass where it failed', () => {
    const failed = { status: 'FAILURE', output_data: null, error_message: 'HTTP 503' };
    expect(read(failed).arrived?.answer).toEqual({
      word: 'failed',
      error: { code: -32603, message: 'HTTP 503', data: { error_code: 'GLZ2001' } },
    });
    expect(read({ ...failed, error_message: undefined }).arrived?.answer).toMatchObject({ word: 'failed' });
  });

  it.each([{ correlation_id: '5f0c' }, { correlation_id: 'task-2/2' }])('is nobody else’s: %j', (fields) => {
    expect(read(fields).arrived).toBeNull();
  });
});

it('a result for another executor has the members it knows, and no others', () => {
  const ids = { run_id: 'r', task_id: 't', correlation_id: 'c' };
  const message = writeForeignResult({ ...ids, answer: { word: 'failed', error }, now_ms: NOW });
  expect(message.key).toBe('c');
  expect(JSON.parse(String(message.value))).toEqual({
    ...ids,
    status: 'FAILURE',
    output_data: null,
    error_message: 'slow down',
    timestamp: '2026-01-31T12:00:00.250Z',
  });
});
