import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/core/json.ts';
import { artifact, ask, done, exactly, lineOf, type Outcome, result, rpcError, says, text } from './scene.ts';

const translationError = (outcome: Outcome) => lineOf(outcome, 'protocol_translation_error');

/** Everything of an answer that came in pieces. */
function whole(data: unknown): string {
  return Array.isArray(data) ? data.join('') : String(data);
}

async function malformed(make: (id: Json) => Json): Promise<Outcome> {
  const outcome = await ask('hello', exactly(make), { task: { retry_config: { max_attempts: 3 } } });
  expect(outcome.status).toBe('failed');
  // It would not be understood the next time either.
  expect(outcome.asked).toHaveLength(1);
  return outcome;
}

describe('Requirement 4: error handling', () => {
  it('4.1 a malformed response is logged as an error with its full body', async () => {
    const page = `<html>${Array.from({ length: 4000 }, (_, n) => `<p>${n}</p>`).join('')}</html>`;
    const outcome = await ask('hello', () => ({ body: page, headers: { 'content-type': 'text/html' } }));
    expect(outcome).toMatchObject({ status: 'failed', error: { data: { error_code: 'GLZ2005' } } });
    const line = translationError(outcome);
    expect(line).toMatchObject({
      level: 'error',
      protocol: 'jsonrpc-2.0',
      direction: 'response',
      error_type: 'no_json',
    });
    expect(whole(line['data'])).toBe(page);
    expect(outcome.error?.data.details).toMatchObject({ protocol: 'jsonrpc-2.0', direction: 'response' });
    expect(outcome.error?.data.details).toHaveProperty('original_data');
    expect(outcome.metrics).toContain(
      'protocol_translation_errors_total{protocol="jsonrpc-2.0",direction="response",error_type="no_json"} 1',
    );
  });

  it('4.2 another version of JSON-RPC is logged as an error and fails the task', async () => {
    const outcome = await malformed((id) => ({ jsonrpc: '1.1', id, result: done() }));
    expect(translationError(outcome)).toMatchObject({ level: 'error', error_type: 'version' });
    expect(outcome.error?.message).toContain('says jsonrpc "1.1" instead of "2.0"');
  });

  it('4.3 neither result nor error is logged as an error and fails the task', async () => {
    const outcome = await malformed((id) => ({ jsonrpc: '2.0', id, answer: 42 }));
    expect(translationError(outcome)).toMatchObject({ level: 'error', error_type: 'envelope' });
    expect(whole(translationError(outcome)['data'])).toContain('"answer":42');
    expect(outcome.error?.message).toContain('has neither a result nor an error');
  });

  it('4.4 code and message are taken from an error', async () => {
    const { lines } = await ask('hello', rpcError(-32005, 'no such content type'));
    expect(lineOf({ lines } as Outcome, 'agent_call_failed')).toMatchObject({
      level: 'error',
      remote_code: -32005,
      error: 'JSON-RPC Error -32005: no such content type',
    });
  });

  it('4.5 the failure of the task says code and message', async () => {
    const { error } = await ask('hello', rpcError(-32005, 'no such content type'));
    expect(error).toMatchObject({
      message: 'JSON-RPC Error -32005: no such content type',
      data: { remote_code: -32005 },
    });
  });

  it('4.6 where nothing can be extracted it is logged, and the full result is the output', async () => {
    const odd = { status: { state: 'completed' }, answer: { is: 42 } };
    const outcome = await ask('hello', result(odd));
    expect(outcome).toMatchObject({ status: 'completed', result: odd });
    const line = lineOf(outcome, 'protocol_unexpected_response');
    expect(line).toMatchObject({
      level: 'warn',
      task_id: outcome.task_id,
      reasons: ['the answer has neither artifacts nor words of the agent'],
    });
    expect(whole(line['response'])).toContain('"is":42');
  });

  it('4.7 an unexpected structure is logged as a warning, and what there is of output is taken', async () => {
    const artifacts = ['no artifact', artifact(7, { kind: 'hologram' }, text('still here'))];
    const odd = done({
      artifacts,
      history: { not: 'a list' },
      status: { state: 'completed', message: says('agent') },
    });
    const outcome = await ask('hello', result(odd));
    expect(outcome).toMatchObject({ status: 'completed', result: { text: 'still here' } });
    const line = lineOf(outcome, 'protocol_unexpected_response');
    expect(line.level).toBe('warn');
    expect(line['reasons']).toHaveLength(3);
  });
});
