import { once } from 'node:events';
import { link, mkdtemp, rm, stat, unlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectSecurely } from 'node:tls';
import { Agent, request as undiciRequest } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { makeAuthority } from '../http/certificates.suite.ts';
import { httpChannel } from '../http/channel.ts';
import { rejectionOf } from '../http/peer.suite.ts';
import { quiet } from '../testing/quiet.suite.ts';
import { systemTimers } from '../testing/timers.suite.ts';
import { webSocketChannel } from '../websocket/channel.ts';
import { call, start, stopAll } from './testing.suite.ts';

afterEach(stopAll);

const signal = new AbortController().signal;
const random = { next: () => 0.5, bytes: (count: number) => new Uint8Array(count) };

describe('a port', () => {
  it('that is taken is named', async () => {
    const { port } = await start();
    const error = await rejectionOf(start({ on: { host: '127.0.0.1', port } }));
    expect(error.message).toBe(`somebody listens on 127.0.0.1:${port} already`);
  });

  it('may be asked for by the name localhost', async () => {
    const { url } = await start({ on: { host: 'localhost', port: 0 } });
    expect(url).toMatch(/^http:\/\/localhost:\d+$/);
    expect((await fetch(`${url}/rpc`)).status).toBe(405);
  });

  it('at an address that is not ours is refused', async () => {
    const on = { host: '192.0.2.1', port: 0 };
    const error = await rejectionOf(start({ on, authenticate: () => null }));
    expect(error.message).toContain('cannot listen on 192.0.2.1:0');
  });
});

describe('TLS', () => {
  const authority = makeAuthority();
  const { cert, key } = authority.issue('localhost');

  it('carries calls and WebSockets', async () => {
    const { url, port } = await start({ tls: { cert, key } });
    expect(url).toBe(`https://127.0.0.1:${port}`);
    const tls = { ca: authority.cert };
    const http = httpChannel({ url: `${url}/rpc`, wall: Date.now, timers: systemTimers, tls });
    const socket = webSocketChannel({
      url: `wss://127.0.0.1:${port}/rpc`,
      tls,
      timers: systemTimers,
      random,
      logger: quiet.logger,
    });
    for (const channel of [http, socket]) {
      const answer = await channel.call({ id: 1, method: 'echo', params: ['hello'], signal });
      expect(answer).toMatchObject({ result: ['hello'] });
      await channel.close();
    }
  });

  it('is spoken from 1.2 on', async () => {
    const { port } = await start({ tls: { cert, key } });
    const options = { port, host: '127.0.0.1', ca: authority.cert };
    const old = connectSecurely({
      ...options,
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT:@SECLEVEL=0',
    });
    await once(old, 'error');
    const current = connectSecurely({ ...options, maxVersion: 'TLSv1.2' });
    await once(current, 'secureConnect');
    expect(current.getProtocol()).toBe('TLSv1.2');
    current.destroy();
  });

  it('may ask for a certificate in return', async () => {
    const { url } = await start({ tls: { cert, key, client_ca: authority.cert } });
    const trusted = { ca: authority.cert, ...authority.issue('client') };
    const stranger = { ca: authority.cert, ...makeAuthority().issue('client') };
    const known = httpChannel({ url: `${url}/rpc`, wall: Date.now, timers: systemTimers, tls: trusted });
    const unknown = httpChannel({ url: `${url}/rpc`, wall: Date.now, timers: systemTimers, tls: stranger });
    expect(await known.call({ id: 1, method: 'echo', signal })).toMatchObject({ result: null });
    expect((await rejectionOf(unknown.call({ id: 1, method: 'echo', signal }))).code).toBe('GLZ2002');
    await known.close();
    await unknown.close();
  });
});

describe('a Unix socket', () => {
  async function inFolder(test: (path: string) => Promise<void>): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), 'glz-'));
    try {
      await test(join(folder, 'socket'));
    } finally {
      await stopAll();
      await rm(folder, { recursive: true });
    }
  }

  async function echoOver(socketPath: string): Promise<unknown> {
    const agent = new Agent({ connect: { socketPath } });
    const { body } = await undiciRequest('http://whatever/rpc', {
      dispatcher: agent,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: call('echo', ['hello']),
    });
    const answer = await body.json();
    await agent.close();
    return answer;
  }

  it('is served to its owner alone, under any name', () =>
    inFolder(async (socket_path) => {
      const before = process.umask();
      const { url } = await start({ on: { socket_path } });
      expect(url).toBe(`unix:${socket_path}`);
      expect((await stat(socket_path)).mode & 0o777).toBe(0o600);
      expect(process.umask()).toBe(before);
      expect(await echoOver(socket_path)).toMatchObject({ result: ['hello'] });
    }));

  it('is gone after the end', () =>
    inFolder(async (socket_path) => {
      const { listener } = await start({ on: { socket_path } });
      await listener.stop(1000);
      await expect(stat(socket_path)).rejects.toThrow(/ENOENT/);
    }));

  it('takes the place of one whose process died, not of one that is alive', () =>
    inFolder(async (socket_path) => {
      const { listener } = await start({ on: { socket_path } });
      const error = await rejectionOf(start({ on: { socket_path } }));
      expect(error.message).toContain('somebody listens');
      await listener.stop(1000);
      await leaveBehind(socket_path);
      await start({ on: { socket_path } });
      expect(await echoOver(socket_path)).toMatchObject({ result: ['hello'] });
    }));

  /** A path with nobody behind it, as a process leaves it that is killed. */
  async function leaveBehind(path: string): Promise<void> {
    const server = createServer();
    server.listen(`${path}.other`);
    await once(server, 'listening');
    await link(`${path}.other`, path);
    server.close();
    await once(server, 'close');
    await unlink(`${path}.other`).catch(() => {});
  }
});
