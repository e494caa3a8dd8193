import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { artifact, ask, done, echo, messageIn, result, text } from './scene.ts';

describe('Requirement 5: HTTP communication', () => {
  it('5.1 an agent is called by POST', async () => {
    const { asked } = await ask('hello', echo);
    expect(asked.map(({ method }) => method)).toEqual(['POST']);
  });

  it('5.2 Content-Type is application/json', async () => {
    const { request } = await ask('hello', echo);
    expect(request.headers['content-type']).toBe('application/json');
  });

  it('5.3 Accept is application/json', async () => {
    const { request } = await ask('hello', echo);
    expect(request.headers.accept).toBe('application/json');
  });

  it('5.4 the body is the JSON-RPC request', async () => {
    const { request } = await ask({ text: 'grüße ☃' }, echo);
    expect(request.body).toMatchObject({ jsonrpc: '2.0', method: 'message/send' });
    expect(messageIn(request.body)).toMatchObject({ parts: [{ kind: 'text', text: 'grüße ☃' }] });
  });

  it('5.5 a correlation id travels in the headers, the same as in the log', async () => {
    const { request, lines } = await ask('hello', echo);
    const id = request.headers['x-correlation-id'];
    expect(id).toMatch(/.{8}/);
    expect(new Set(lines.map((line) => line['correlation_id']))).toEqual(new Set([id]));
    const simple = await ask('hello', () => ({ json: { status: 'success', output: {} } }), {
      dialect: 'simple-a2a',
    });
    expect(simple.request.headers['x-correlation-id']).toBe(simple.lines[0]?.['correlation_id']);
  });
});

/** What agents that are out there do, beyond the criteria. */
describe('agents as they are', () => {
  it('a failing agent is called again with the same id; one that refuses is not', async () => {
    const task = { retry_config: { max_attempts: 3, initial_delay: 0.001, jitter: 0 } };
    const good = result(done({ artifacts: [artifact(text('at last'))] }));
    let calls = 0;
    const passing = await ask('hello', (asked) => (++calls < 3 ? { status: 503 } : good(asked)), { task });
    expect(passing).toMatchObject({ status: 'completed', result: { text: 'at last' } });
    const ids = passing.asked.map(({ body }) => [body['id'], messageIn(body)['messageId']]);
    expect(ids).toEqual(Array.from({ length: 3 }, () => [passing.task_id, `msg-${passing.task_id}`]));
    const refused = await ask('hello', () => ({ status: 403, body: 'no' }), { task });
    expect(refused.asked).toHaveLength(1);
    expect(refused).toMatchObject({ status: 'failed', error: { data: { error_code: 'GLZ2010' } } });
  });

  it('an agent that speaks HTTP/1.0 without a length, and closes, is understood', async () => {
    const body = JSON.stringify({ task_id: 'x', status: 'success', output: { text: 'old but fine' } });
    const server = createServer((socket) => {
      socket.once('data', () =>
        socket.end(`HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n${body}`),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    try {
      const config = { url: `http://127.0.0.1:${port}/` };
      const outcome = await ask('hello', echo, { dialect: 'simple-a2a', config });
      expect(outcome).toMatchObject({ status: 'completed', result: { text: 'old but fine' } });
    } finally {
      server.close();
    }
  });
});
