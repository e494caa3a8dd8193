import { describe, expect, it } from 'vitest';
import {
  AGENT,
  artifact,
  ask,
  done,
  echo,
  exactly,
  lineOf,
  result,
  rpcError,
  text,
  type Wishes,
} from './scene.ts';

const words = 'nobody else is to read this';

describe('Requirement 7: logging and observability', () => {
  it('7.1 the structure of a request is logged at debug', async () => {
    const outcome = await ask({ text: words }, echo);
    const line = lineOf(outcome, 'protocol_request_translation');
    expect(line.level).toBe('debug');
    expect(JSON.parse(String(line['request']))).toMatchObject({
      method: 'string(12)',
      params: {
        message: { role: 'string(4)', parts: [{ kind: 'string(4)', text: `string(${words.length})` }] },
      },
    });
    expect(line['input_size']).toBeGreaterThan(words.length);
    // Its structure, not what it says.
    expect(JSON.stringify(line)).not.toContain(words);
  });

  it('7.2 the structure of a response is logged at debug', async () => {
    const outcome = await ask('hello', result(done({ artifacts: [artifact(text(words))] })));
    const line = lineOf(outcome, 'protocol_response_translation');
    expect(line.level).toBe('debug');
    const parts = [{ kind: 'string(4)', text: `string(${words.length})` }];
    expect(JSON.parse(String(line['response']))).toMatchObject({
      jsonrpc: 'string(3)',
      result: { artifacts: [{ parts }] },
    });
    expect(line['response_size']).toBeGreaterThan(words.length);
    expect(JSON.stringify(line)).not.toContain(words);
  });

  it('7.3 the extracted output is logged at info', async () => {
    const outcome = await ask('hello', result(done({ artifacts: [artifact(text('the answer'))] })));
    const line = lineOf(outcome, 'agent_output');
    expect(line).toMatchObject({ level: 'info', output: { text: 'the answer' } });
  });

  it('7.4 an error is logged at error, with all that is known of it', async () => {
    const failed = await ask('hello', rpcError(-32603, 'out of order'));
    const line = lineOf(failed, 'agent_call_failed');
    expect(line).toMatchObject({ level: 'error', error_code: 'GLZ2001', remote_code: -32603 });
    expect(line['response']).toContain('out of order');
    const odd = await ask(
      'hello',
      exactly((id) => ({ id, result: done() })),
    );
    expect(lineOf(odd, 'protocol_translation_error')).toMatchObject({
      level: 'error',
      direction: 'response',
      error_type: 'envelope',
      data: expect.stringContaining('completed'),
    });
    const away = await ask('hello', echo, { config: { url: 'http://127.0.0.1:9/', card: 'none' } });
    expect(lineOf(away, 'agent_call_failed')).toMatchObject({ level: 'error', error_code: 'GLZ2002' });
  });

  it('7.5 every line names the task, the agent and the correlation id', async () => {
    const outcomes = [
      await ask('hello', echo),
      await ask('hello', rpcError(-32603, 'no')),
      await ask(
        'hello',
        exactly(() => []),
      ),
      await ask('hello', result({ status: { state: 'completed' } })),
    ];
    for (const { lines, task_id, request } of outcomes) {
      expect(lines.length).toBeGreaterThanOrEqual(4);
      for (const line of lines)
        expect(line).toMatchObject({
          task_id,
          agent_name: AGENT,
          correlation_id: request.headers['x-correlation-id'],
          protocol: 'jsonrpc-2.0',
        });
    }
  });
});

describe('besides the criteria', () => {
  const auth = { type: 'bearer', token: '${secrets.agent}' };
  const spoken: Wishes[] = [{ config: { auth } }, { dialect: 'simple-a2a', config: { auth } }];

  it('a call is told at info, and counted', async () => {
    const outcome = await ask('hello', echo);
    expect(lineOf(outcome, 'http_call')).toMatchObject({
      level: 'info',
      message: "Invoking agent 'Writer' using jsonrpc-2.0",
    });
    const { metrics } = outcome;
    expect(metrics).toContain('agent_protocol_requests_total{protocol="jsonrpc-2.0",agent_name="Writer"} 1');
    for (const direction of ['request', 'response'])
      expect(metrics).toContain(
        `protocol_translation_duration_seconds_count{protocol="jsonrpc-2.0",direction="${direction}"} 1`,
      );
  });

  it('no secret is in a log, an error or a metric, even where the agent says it back', async () => {
    for (const wishes of spoken) {
      const outcome = await ask(
        'hello',
        ({ headers }) => ({ json: { jsonrpc: '9', status: 7, said: headers.authorization ?? '' } }),
        wishes,
      );
      const { lines, error, metrics, request } = outcome;
      expect(request.headers.authorization).toBe('Bearer value-of-agent');
      expect(JSON.stringify({ lines, error, metrics })).not.toContain('value-of-agent');
      expect(JSON.stringify(lineOf(outcome, 'protocol_translation_error'))).toContain('[secret]');
    }
  });
});
