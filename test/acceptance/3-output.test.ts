import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { artifact, ask, done, lineOf, type Outcome, result, rpcError, text, type Wishes } from './scene.ts';

const good = result(done({ artifacts: [artifact(text('the answer'))] }));
const bad = rpcError(-32603, 'out of order');

const simple: Wishes = { dialect: 'simple-a2a' };
const simply = (answer: JsonObject) => () => ({ json: answer });

/** What the executor is told, in whichever form the agent said it. */
function told(outcome: Outcome, event = 'agent_output') {
  const { task_id, status, output, error } = lineOf(outcome, event);
  return { task_id, status, output, error };
}

describe('Requirement 3: output format conversion', () => {
  it('3.1 an answer has the form {task_id, status, output}, whatever the agent speaks', async () => {
    const outcome = await ask('hello', good);
    const output = { text: 'the answer', artifacts: [artifact(text('the answer'))] };
    expect(told(outcome)).toEqual({ task_id: outcome.task_id, status: 'success', output, error: null });
    const other = await ask('hello', simply({ status: 'success', output: { text: 'the answer' } }), simple);
    expect(told(other)).toEqual({
      task_id: other.task_id,
      status: 'success',
      output: { text: 'the answer' },
      error: null,
    });
    const texts = [outcome, other].map(({ result: value }) => (value as JsonObject)['text']);
    expect(texts).toEqual(['the answer', 'the answer']);
  });

  it('3.2 the status of a success is "success"', async () => {
    const outcome = await ask('hello', good);
    expect(outcome.status).toBe('completed');
    expect(told(outcome).status).toBe('success');
  });

  it('3.3 the status of a failure is "error"', async () => {
    const outcome = await ask('hello', bad);
    expect(outcome.status).toBe('failed');
    expect(told(outcome, 'agent_call_failed').status).toBe('error');
  });

  it('3.4 a success has the extracted output', async () => {
    const outcome = await ask('hello', good);
    expect(outcome.result).toMatchObject({ text: 'the answer' });
    expect(told(outcome).output).toEqual(outcome.result);
  });

  it('3.5 a failure has no output, and says what went wrong', async () => {
    const outcome = await ask('hello', bad);
    const message = 'JSON-RPC Error -32603: out of order';
    expect(outcome).toMatchObject({ result: null, error: { message } });
    expect(told(outcome, 'agent_call_failed')).toMatchObject({ output: null, error: message });
  });

  it('3.6 the task_id is that of the request, whatever the agent names', async () => {
    const outcome = await ask('hello', result(done({ id: 'another', artifacts: [artifact(text('x'))] })));
    expect(told(outcome).task_id).toBe(outcome.request.body['id']);
    const wrong = { task_id: 'another', status: 'success', output: { text: 'x' } };
    const other = await ask('hello', simply(wrong), simple);
    expect(other).toMatchObject({ status: 'completed', result: { text: 'x' } });
    expect(told(other).task_id).toBe(other.request.body['task_id']);
    expect(lineOf(other, 'protocol_unexpected_response')).toMatchObject({
      level: 'warn',
      reasons: ['the answer carries the task_id "another" instead of the request\'s'],
    });
  });
});
