import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/core/json.ts';
import { artifact, ask, done, exactly, result, rpcError, says, text } from './scene.ts';

const task = done({ artifacts: [artifact(text('the answer'))] });

async function refusal(make: (id: Json) => Json): Promise<string> {
  const { status, error, result: value } = await ask('hello', exactly(make));
  expect({ status, value }).toEqual({ status: 'failed', value: null });
  return error?.message ?? '';
}

describe('Requirement 2: JSON-RPC response parsing', () => {
  it('2.1 a response without jsonrpc or without id is refused', async () => {
    expect(await refusal((id) => ({ id, result: task }))).toContain('has no jsonrpc field');
    expect(await refusal(() => ({ jsonrpc: '2.0', result: task }))).toContain('has no id field');
  });

  it('2.2 a response whose jsonrpc is not "2.0" is refused', async () => {
    expect(await refusal((id) => ({ jsonrpc: '1.0', id, result: task }))).toContain('"1.0" instead of "2.0"');
  });

  it('2.3 a response has either result or error', async () => {
    expect(await refusal((id) => ({ jsonrpc: '2.0', id }))).toContain('neither a result nor an error');
    const both = { result: task, error: { code: 1, message: 'no' } };
    expect(await refusal((id) => ({ jsonrpc: '2.0', id, ...both }))).toContain('both a result and an error');
  });

  it('2.4 the output of the task is taken from result', async () => {
    expect(await ask('hello', result(task))).toMatchObject({
      status: 'completed',
      result: { text: 'the answer' },
    });
  });

  it('2.5 a response with error is a failure of the task', async () => {
    const outcome = await ask('hello', rpcError(-32602, 'bad params'));
    expect(outcome).toMatchObject({ status: 'failed', result: null });
  });

  it('2.6 content is looked for in artifacts', async () => {
    const artifacts = [artifact(text('one')), { artifactId: 'a2', name: 'second', parts: [text('two')] }];
    expect((await ask('hello', result(done({ artifacts })))).result).toEqual({ text: 'one\ntwo', artifacts });
  });

  it('2.7 of artifacts the parts of kind "text" are the text', async () => {
    const file = { kind: 'file', file: { uri: 'http://127.0.0.1/x', name: 'x' } };
    const mixed = artifact(text('one'), file, { kind: 'data', data: { text: 'not this' } }, text('two'));
    const outcome = await ask('hello', result(done({ artifacts: [mixed] })));
    expect(outcome.result).toMatchObject({ text: 'one\ntwo' });
  });

  it('2.8 words of the agent are looked for in history', async () => {
    const history = [says('user', text('hello')), says('agent', text('hi there'))];
    expect((await ask('hello', result(done({ history })))).result).toMatchObject({ response: 'hi there' });
  });

  it('2.9 of history the most recent message of the agent counts', async () => {
    const history = [
      says('agent', text('first')),
      says('user', text('go on')),
      says('agent', text('last')),
      says('user', text('thanks')),
    ];
    expect((await ask('hello', result(done({ history })))).result).toMatchObject({ response: 'last' });
  });

  it('2.10 the state "completed" is the success of the task, and no other state is', async () => {
    const at = (state: string) => ask('hello', result({ ...task, status: { state } }));
    expect((await at('completed')).status).toBe('completed');
    for (const state of ['failed', 'rejected', 'canceled', 'unknown'])
      expect(await at(state)).toMatchObject({ status: 'failed', error: { message: `Task state: ${state}` } });
  });
});
