import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { systemClock, systemTimers } from '../../embedded/system.ts';
import { defaultListenerLimits } from '../../rpc/listener/limits.ts';
import { createListener, type Listener, type ListenerOptions } from '../../rpc/listener/listener.ts';
import { isResponse } from '../response.suite.ts';
import { httpsRoute } from './https/serve.ts';
import { silent } from './sites.suite.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function serve(options: Partial<ListenerOptions> = {}): Promise<{ listener: Listener; url: string }> {
  const listener = createListener({
    ...{ on: { host: '127.0.0.1', port: 0 }, limits: defaultListenerLimits, logger: silent },
    ...{ allowed_hosts: [], allowed_origins: [], clock: systemClock, timers: systemTimers, ...options },
  });
  const endpoint = async () => '{"the zone":"was asked"}';
  listener.mount(httpsRoute({ endpoint, stopping: new AbortController().signal }, '/zone'));
  const { url } = await listener.start();
  ends.push(() => listener.stop(0));
  return { listener, url };
}

const id = randomUUID();
const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'execute_task', params: {} });
const json = { 'content-type': 'application/json' };

async function ask(
  url: string,
  { method = 'POST', headers = {} }: { method?: string; headers?: object } = {},
) {
  const asking = request(`${url}/zone`, { method, headers: { ...json, ...headers } });
  asking.end(method === 'POST' ? body : undefined);
  const [answer] = await once(asking, 'response');
  const said = await text(answer);
  expect(isResponse(said)).toBe(true);
  return { status: answer.statusCode, said: JSON.parse(said) };
}

describe('what refuses a request before it reaches the zone speaks as the contract does', () => {
  it.each([
    ['another name', { headers: { host: 'elsewhere.example.org' } }, 403, -32008],
    ['the page of another origin', { headers: { origin: 'https://elsewhere.example.org' } }, 403, -32008],
    ['another content type', { headers: { 'content-type': 'text/plain' } }, 415, -32600],
    ['another method', { method: 'GET' }, 405, -32600],
  ])('%s', async (_, asked, status, code) => {
    const { url } = await serve();
    expect(await ask(url, asked)).toMatchObject({ status, said: { error: { code } } });
  });

  it('a key that is missing', async () => {
    const { url } = await serve({ authenticate: () => null });
    expect(await ask(url)).toMatchObject({ status: 401, said: { error: { code: -32008 } } });
  });

  it('who asks cannot be found out', async () => {
    const authenticate = () => Promise.reject(new Error('the keys are away'));
    const { url } = await serve({ authenticate });
    const { status, said } = await ask(url);
    expect({ status, code: said.error.code }).toEqual({ status: 500, code: -32603 });
    expect(JSON.stringify(said)).not.toContain('away');
  });

  it('too much to do', async () => {
    const { url } = await serve({ limits: { ...defaultListenerLimits, requests: 0 } });
    const error = { code: -32006, data: { retry_after_ms: 1000 } };
    expect(await ask(url)).toMatchObject({ status: 429, said: { error } });
  });

  it('a server that stops, by POST and over a WebSocket', async () => {
    const { listener, url } = await serve();
    const socket = new WebSocket(`${url.replace('http', 'ws')}/zone`);
    await once(socket, 'open');
    await listener.quiet();
    const said = { jsonrpc: '2.0', id, error: { code: -32007, data: { retry_after_ms: 1000 } } };
    expect(await ask(url)).toMatchObject({ status: 503, said });
    socket.send(body);
    const [message] = await once(socket, 'message');
    expect(JSON.parse(String(message))).toMatchObject(said);
    socket.terminate();
  });
});
