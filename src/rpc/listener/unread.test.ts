import { afterEach, describe, expect, it } from 'vitest';
import { plainPolicy } from '../policy.ts';
import { call, request, socketClient, start, stopAll } from './testing.suite.ts';

afterEach(stopAll);

const unread = {
  too_large: { code: -32009, message: 'Too large' },
  binary: { code: -32600, message: 'Text, please' },
};
const policy = { ...plainPolicy, unread };

async function open() {
  const { listener, url } = await start({ policy, limits: { body_bytes: 1000 } });
  return { listener, url: `${url}/rpc`, socket: () => socketClient(url) };
}

/** Too large where its text is longer than 1000. */
function echo(length: number, id = 1): string {
  return call('echo', ['x'.repeat(length)], id);
}

describe('an endpoint with words for what is not read', () => {
  it.each([
    ['its length is told', {}],
    ['its length is not told', { chunked: true }],
  ])('says them with the status of its answers where a body is too large and %s', async (_, how) => {
    const { listener, url } = await open();
    const text = echo(2000);
    const body = 'chunked' in how ? new Blob([text]).stream() : text;
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body, duplex: 'half' as const };
    const answer = await request(url, init);
    expect(answer.status).toBe(200);
    expect(answer.json()).toEqual({ jsonrpc: '2.0', error: unread.too_large, id: null });
    expect((await listener.stats()).refused).toEqual({ 413: 1 });
  });

  it('goes on with a WebSocket that brought what is too large, and says whose it was', async () => {
    const { listener, socket } = await open();
    const client = await socket();
    client.send(echo(1500, 7));
    client.send(echo(10, 8));
    expect(JSON.parse(await client.next())).toEqual({ jsonrpc: '2.0', error: unread.too_large, id: 7 });
    expect(JSON.parse(await client.next())).toMatchObject({ id: 8, result: ['x'.repeat(10)] });
    expect((await listener.stats()).held_bytes).toBe(0);
  });

  it('goes on with a WebSocket that brought bytes', async () => {
    const { socket } = await open();
    const client = await socket();
    client.socket.send(Buffer.from(echo(10)));
    client.send(echo(10, 2));
    expect(JSON.parse(await client.next())).toEqual({ jsonrpc: '2.0', error: unread.binary, id: null });
    expect(JSON.parse(await client.next())).toMatchObject({ id: 2 });
  });

  it('still ends a WebSocket that brings more than twice as much', async () => {
    const { listener, socket } = await open();
    const client = await socket();
    client.send(echo(3000));
    expect((await client.closed).code).toBe(1009);
    await expect.poll(async () => (await listener.stats()).held_bytes).toBe(0);
  });
});
