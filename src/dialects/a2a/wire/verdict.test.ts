import { describe, expect, it } from 'vitest';
import type { Json } from '../../../core/json.ts';
import { readSaid } from './said.ts';
import { judgeMessage, judgeTask } from './verdict.ts';

function judge(result: unknown, structured = false) {
  const odd: string[] = [];
  const raw = result as Json;
  const said = readSaid(raw, odd);
  if (said.is === 'message') return { verdict: judgeMessage(said.message, { raw, structured, odd }), odd };
  if (said.is !== 'task') throw new Error(`it is a ${said.is}`);
  return { verdict: judgeTask(said.task, { raw, structured, odd }), odd };
}

function outputOf(result: unknown, structured = false): Json {
  const { verdict } = judge(result, structured);
  if (verdict.is !== 'success') throw new Error(JSON.stringify(verdict));
  return verdict.output;
}

const text = (words: string) => ({ kind: 'text', text: words });
const says = (role: string, ...parts: unknown[]) => ({ kind: 'message', messageId: 'm', role, parts });
const done = (more: object) => ({ kind: 'task', id: 't', status: { state: 'completed' }, ...more });

describe('the output of a task', () => {
  it('is the text of its artifacts, and the artifacts as they came', () => {
    const artifacts = [
      { artifactId: 'a', parts: [text('one'), { kind: 'data', data: {} }, text('two')], own: 'kept' },
      { artifactId: 'b', parts: [text('three')] },
    ];
    expect(outputOf(done({ artifacts, contextId: 'c', metadata: { m: 1 } }))).toEqual({
      text: 'one\ntwo\nthree',
      artifacts,
      metadata: { m: 1 },
      context_id: 'c',
    });
  });

  it('has artifacts of the new version in the old spelling', () => {
    const artifacts = [{ artifactId: 'a', parts: [{ text: 'one' }, { data: [1] }] }];
    const task = { id: 't', status: { state: 'TASK_STATE_COMPLETED' }, artifacts };
    expect(outputOf({ task })).toEqual({
      text: 'one',
      artifacts: [{ artifactId: 'a', parts: [text('one'), { kind: 'data', data: { value: [1] } }] }],
    });
  });

  it('has the newest words of the agent, which are its text where there is no other', () => {
    const history = [
      says('agent', text('old')),
      says('agent', text('a'), text('b')),
      says('user', text('me')),
    ];
    expect(outputOf(done({ history }))).toEqual({ text: 'a\nb', response: 'a\nb' });
    const status = { state: 'completed', message: says('agent', text('newest')) };
    const artifacts = [{ artifactId: 'a', parts: [text('made')] }];
    expect(outputOf({ ...done({ history, artifacts }), status })).toMatchObject({
      text: 'made',
      response: 'newest',
    });
    const silent = [says('agent', text('old')), says('agent', { kind: 'data', data: {} })];
    expect(outputOf(done({ history: silent }))).toEqual({ text: 'old', response: 'old' });
  });

  it('is all the agent said where there is nothing in any place of it', () => {
    const { verdict, odd } = judge(done({ answer: 42, contextId: 'c' }));
    expect(verdict).toEqual({
      is: 'success',
      output: { ...done({ answer: 42, contextId: 'c' }), context_id: 'c' },
    });
    expect(odd).toEqual(['has neither artifacts nor words of the agent']);
    const bare = { status: { state: 'completed' }, answer: 42 };
    expect(outputOf({ task: bare })).toEqual(bare);
  });

  it('of a message is what it says', () => {
    expect(outputOf(says('agent', text('a'), text('b')))).toEqual({ text: 'a\nb', response: 'a\nb' });
    expect(outputOf({ ...says('agent', { kind: 'data', data: { a: 1 } }), contextId: 'c' })).toEqual({
      artifacts: [{ artifactId: 'm', parts: [{ kind: 'data', data: { a: 1 } }] }],
      context_id: 'c',
    });
    const empty = judge({ ...says('agent'), answer: 1 });
    expect(empty.verdict).toMatchObject({ is: 'success', output: { answer: 1 } });
    expect(empty.odd).toEqual(['has a message without parts']);
  });

  it('of a protocol is data, or JSON in its text, or what any task would see', () => {
    const data = { kind: 'data', data: { hits: 3 } };
    const artifacts = (...parts: unknown[]) => ({ artifacts: [{ artifactId: 'a', parts }] });
    expect(outputOf(done(artifacts(text('{"hits":1}'), data)), true)).toEqual({ hits: 3 });
    expect(outputOf(done(artifacts(text('{"hits":1}'))), true)).toEqual({ hits: 1 });
    expect(outputOf(done(artifacts(text('three'))), true)).toMatchObject({ text: 'three' });
    expect(outputOf(says('agent', data), true)).toEqual({ hits: 3 });
    expect(outputOf(done({ status: { state: 'completed', message: says('agent', data) } }), true)).toEqual({
      hits: 3,
    });
    expect(outputOf(done(artifacts({ kind: 'file', file: { uri: 'http://x/' } })), true)).toHaveProperty(
      'artifacts',
    );
  });
});

describe('what a state means', () => {
  const at = (state: string, more: object = {}) =>
    judge({ kind: 'task', id: 't', status: { state }, ...more });

  it.each(['submitted', 'working', 'TASK_STATE_WORKING'])('%s: it goes on', (state) => {
    expect(at(state).verdict).toEqual({ is: 'open' });
  });

  it('a task without a name cannot be followed', () => {
    expect(judge({ status: { state: 'working' } }).verdict).toMatchObject({
      error: { message: 'Task state: working' },
    });
  });

  it.each(['failed', 'canceled', 'rejected', 'unknown', 'tidied up'])('%s: it failed, finally', (state) => {
    const { verdict } = at(state);
    if (verdict.is !== 'error') throw new Error(verdict.is);
    expect(verdict.error).toMatchObject({ code: 'GLZ2010', message: `Task state: ${state}` });
  });

  it.each([
    ['TASK_STATE_FAILED', 'failed'],
    ['TASK_STATE_REJECTED', 'rejected'],
    ['TASK_STATE_CANCELED', 'canceled'],
    ['cancelled', 'canceled'],
    ['TASK_STATE_UNSPECIFIED', 'unknown'],
    ['', 'unknown'],
    ['TASK_STATE_TIDIED_UP', 'TASK_STATE_TIDIED_UP'],
  ])('%s is called %s, as in every version', (said, word) => {
    expect(at(said).verdict).toMatchObject({ is: 'error', error: { message: `Task state: ${word}` } });
  });

  it('what failed says why, and what it had brought', () => {
    const status = { state: 'failed', message: says('agent', text('no quota')) };
    const artifacts = [{ artifactId: 'a', parts: [text('half')] }];
    const { verdict } = judge({ kind: 'task', id: 't', status, artifacts });
    if (verdict.is !== 'error') throw new Error(verdict.is);
    expect(verdict.error.details).toEqual({
      reason: 'no quota',
      details: { state: 'failed', output: { text: 'half', response: 'no quota', artifacts } },
    });
  });

  it('it asks for input or for permission', () => {
    const message = says('agent', text('which one?'), { kind: 'data', data: { choices: [1, 2] } });
    const status = { state: 'input-required', message };
    expect(judge({ kind: 'task', id: 't', status }).verdict).toEqual({
      is: 'asks',
      kind: 'input',
      ask: {
        state: 'input-required',
        text: 'which one?',
        parts: [{ kind: 'data', data: { choices: [1, 2] } }],
      },
    });
    expect(at('TASK_STATE_AUTH_REQUIRED').verdict).toEqual({
      is: 'asks',
      kind: 'auth',
      ask: { state: 'auth-required' },
    });
  });
});
