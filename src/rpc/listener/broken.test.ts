import { once } from 'node:events';
import { connect as connectSecurely } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { call, post, rawClient, rawPost, start, stopAll } from './testing.suite.ts';

afterEach(stopAll);

const hidden = rawPost(call('update', ['smuggled']));

describe('what is not HTTP', () => {
  it.each([
    ['garbage', '\x00\x01\x02 hello\r\n\r\n'],
    ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['an unknown method', 'BREW /rpc HTTP/1.1\r\nhost: localhost\r\n\r\n'],
    ['no version', 'POST /rpc\r\nhost: localhost\r\n\r\n'],
    ['a version of its own', 'POST /rpc HTTP/9.9\r\nhost: localhost\r\n\r\n'],
    ['no host', 'POST /rpc HTTP/1.1\r\ncontent-length: 0\r\n\r\n'],
    ['a header without a name', 'POST /rpc HTTP/1.1\r\nhost: localhost\r\n: x\r\n\r\n'],
    ['a space before the colon', 'POST /rpc HTTP/1.1\r\nhost: localhost\r\ncontent-length : 2\r\n\r\n{}'],
    ['a length that is no number', 'POST /rpc HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0x10\r\n\r\n'],
    ['a negative length', 'POST /rpc HTTP/1.1\r\nhost: localhost\r\ncontent-length: -1\r\n\r\n'],
    ['a control character in a header', 'POST /rpc HTTP/1.1\r\nhost: localhost\r\nx: a\x00b\r\n\r\n'],
  ])('is refused: %s', async (_, text) => {
    const { url, port } = await start();
    const client = await rawClient(port);
    client.write(text);
    expect(await client.ended).toMatch(/^HTTP\/1.1 4\d\d /);
    expect((await post(url, call('echo'))).status).toBe(200);
  });

  it.each([
    ['two lengths', 'content-length: 2\r\ncontent-length: 3'],
    ['a length and chunks', 'content-length: 2\r\ntransfer-encoding: chunked'],
    ['chunks and a length', 'transfer-encoding: chunked\r\ncontent-length: 2'],
    ['chunks that are not the last coding', 'transfer-encoding: chunked, identity'],
    ['a coding like chunked', 'transfer-encoding: xchunked'],
    ['chunked twice', 'transfer-encoding: chunked\r\ntransfer-encoding: chunked, gzip'],
    ['a folded header', 'transfer-encoding:\r\n chunked\r\ncontent-length: 2'],
  ])('hides no second request behind %s', async (_, headers) => {
    const updates: unknown[] = [];
    const { port } = await start({ methods: { update: ({ params }) => updates.push(params) } });
    const client = await rawClient(port);
    client.write(
      `POST /rpc HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n${headers}\r\n\r\n0\r\n\r\n${hidden}`,
    );
    expect(await client.ended).toMatch(/^HTTP\/1.1 4\d\d /);
    expect(updates).toEqual([]);
  });

  it.each([
    ['a chunk size that is no number', 'zz\r\n{}\r\n0\r\n\r\n'],
    ['a chunk longer than it says', '1\r\n{}\r\n0\r\n\r\n'],
    ['a chunk size past all numbers', 'fffffffffffffffff\r\n{}\r\n0\r\n\r\n'],
    ['an endless chunk extension', `2;${'x'.repeat(100_000)}`],
  ])('is refused in the middle of a body: %s', async (_, chunks) => {
    const { listener, port } = await start();
    const client = await rawClient(port);
    client.write(
      `POST /rpc HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n${chunks}`,
    );
    // What is still coming when the connection ends may take the answer with it.
    expect(await client.ended).toMatch(/^(HTTP\/1.1 4\d\d |$)/);
    expect((await listener.stats()).held_bytes).toBe(0);
  });

  it('is refused for headers that are too long', async () => {
    const { port } = await start({ limits: { header_bytes: 8192 } });
    const long = await rawClient(port);
    long.write(`POST /rpc HTTP/1.1\r\nhost: localhost\r\nx: ${'a'.repeat(10_000)}\r\n\r\n`);
    expect(await long.ended).toMatch(/^HTTP\/1.1 431 .*"message":"the headers are too long"/s);
    const path = await rawClient(port);
    path.write(`GET /${'a'.repeat(10_000)} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
    expect(await path.ended).toMatch(/^HTTP\/1.1 431 /);
  });

  it('does not get between an answer that is being sent and its reader', async () => {
    const done = Promise.withResolvers<string>();
    const begun = Promise.withResolvers<void>();
    const hold = () => {
      begun.resolve();
      return done.promise;
    };
    const { port } = await start({ methods: { hold } });
    const client = await rawClient(port);
    client.write(rawPost(call('hold')));
    await begun.promise;
    client.write('garbage\r\n\r\n');
    expect(await client.ended).toBe('');
    done.resolve('late');
  });

  it('is refused where it is TLS', async () => {
    const { url, port } = await start();
    const client = connectSecurely({ port, host: '127.0.0.1' });
    await once(client, 'error');
    expect((await post(url, call('echo'))).status).toBe(200);
  });
});

describe('what is unusual', () => {
  it('an offer to speak HTTP/2 is not taken, and the request is served', async () => {
    const { port } = await start();
    const client = await rawClient(port);
    const headers =
      'connection: upgrade, http2-settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAAQAoAAA\r\n';
    client.write(rawPost(call('echo', ['hello']), headers));
    expect(await client.until(/hello/)).toMatch(/^HTTP\/1.1 200 /);
  });

  it('HTTP/1.0 with a host is served, and its connection ended', async () => {
    const { port } = await start();
    const client = await rawClient(port);
    client.write(rawPost(call('echo', ['hello'])).replace('HTTP/1.1', 'HTTP/1.0'));
    expect(await client.ended).toMatch(/^HTTP\/1.1 200 .*hello/s);
  });

  it('a body in small pieces is put together', async () => {
    const { port } = await start();
    const client = await rawClient(port);
    client.socket.setNoDelay();
    for (const character of rawPost(call('echo', ['grüße']))) {
      client.write(character);
      await new Promise(setImmediate);
    }
    expect(Buffer.from(await client.until(/\}$/), 'latin1').toString()).toContain('grüße');
  });

  it('connections past the bound are dropped, the others go on', async () => {
    const { port } = await start({ limits: { connections: 2 } });
    const [first, second] = [await rawClient(port), await rawClient(port)];
    const third = await rawClient(port);
    expect(await third.ended).toBe('');
    first.write(rawPost(call('echo', ['first'])));
    second.write(rawPost(call('echo', ['second'])));
    await Promise.all([first.until(/first/), second.until(/second/)]);
  });
});
