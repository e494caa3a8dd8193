import { afterEach, describe, expect, it } from 'vitest';
import { manualTimers } from '../websocket/manual-timers.suite.ts';
import { ask, meeting } from './meeting.suite.ts';
import { closeFrame, frame, rawSocket } from './raw-socket.suite.ts';
import { call, post, rawClient, socketClient, start, stopAll } from './testing.suite.ts';

afterEach(stopAll);

describe('messages that are none', () => {
  it('are refused with 1003 where they are binary', async () => {
    const { url } = await start();
    const client = await socketClient(url);
    client.socket.send(Buffer.from(call('echo')));
    expect(await client.closed).toEqual({ code: 1003, reason: 'messages are text' });
  });

  it('are refused with 1009 where they are too large', async () => {
    const { listener, url } = await start({ limits: { body_bytes: 1000 } });
    const client = await socketClient(url);
    client.send(call('echo', ['x'.repeat(2000)]));
    expect((await client.closed).code).toBe(1009);
    await expect.poll(async () => (await listener.stats()).held_bytes).toBe(0);
  });

  it('are refused with 1007 where they are no UTF-8', async () => {
    const { url, port } = await start();
    const client = await rawSocket(port);
    client.write(frame(0x81, Buffer.from([0x22, 0xff, 0xfe, 0x22])));
    const text = await client.ended;
    expect(text.slice(text.indexOf('\r\n\r\n') + 4)).toContain(closeFrame(1007));
    expect((await post(url, call('echo'))).status).toBe(200);
  });

  it('are answered with a parse error where they are no JSON', async () => {
    const { url } = await start();
    const client = await socketClient(url);
    client.send('hello');
    expect(JSON.parse(await client.next())).toMatchObject({ id: null, error: { code: -32700 } });
  });
});

describe('a handshake', () => {
  const upgrade = (path: string, more: string) =>
    `GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n${more}\r\n\r\n`;
  const key = 'sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==';

  it.each([
    ['another path', upgrade('/nothing', key), 404],
    ['no key', upgrade('/rpc', 'sec-websocket-version: 13'), 400],
    ['another version', upgrade('/rpc', key.replace('13', '7')), 400],
    ['another method', upgrade('/rpc', key).replace('GET', 'PUT'), 400],
  ])('is refused for %s', async (_, text, status) => {
    const { port } = await start();
    const client = await rawClient(port);
    client.write(text);
    expect(await client.ended).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  it('is refused when too many are open', async () => {
    const { url, port } = await start({ limits: { sockets: 1 } });
    await socketClient(url);
    const client = await rawClient(port);
    client.write(upgrade('/rpc', key));
    expect(await client.ended).toMatch(/^HTTP\/1.1 429 .*retry-after: 1/s);
  });
});

describe('a peer that is gone without a word', () => {
  it('is found out by its silence', async () => {
    const timers = manualTimers();
    const { methods, socket } = meeting();
    const { url } = await start({ methods, timers, limits: { pulse_ms: 5000 } });
    const client = await socketClient(url);
    await ask(client, 'meet');
    client.socket.pause();
    const server = await socket;
    const gone = new Promise<void>((resolve) => server.onClose(resolve));
    for (let beat = 0; beat < 3; beat++) timers.pass(5000);
    await gone;
  });

  it('is known to whoever works for it', async () => {
    const aborted = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const wait = ({ signal }: { signal: AbortSignal }) => {
      signal.addEventListener('abort', () => aborted.resolve());
      begun.resolve();
      return aborted.promise;
    };
    const { url } = await start({ methods: { wait } });
    const client = await socketClient(url);
    client.send(call('wait'));
    await begun.promise;
    client.socket.terminate();
    await aborted.promise;
  });

  it('is told to those who listen, once, and at once to those who come later', async () => {
    const { methods, socket } = meeting();
    const { url } = await start({ methods });
    const client = await socketClient(url);
    await ask(client, 'meet');
    const server = await socket;
    let heard = 0;
    const gone = new Promise<void>((resolve) =>
      server.onClose(() => {
        heard++;
        resolve();
      }),
    );
    client.socket.close();
    await gone;
    server.onClose(() => heard++);
    expect([heard, server.closed, server.send('x')]).toEqual([2, true, 'full']);
    await server.drained();
  });
});
