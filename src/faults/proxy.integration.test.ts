import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import type { Timers } from '../core/ports/clock.ts';
import { systemClock, systemTimers } from '../embedded/system.ts';
import { makeAuthority } from '../rpc/http/certificates.suite.ts';
import type { FaultProxy } from './listening.ts';
import { noPlan, type Plan } from './plan.ts';
import { openFaultProxy } from './proxy.ts';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Says what it was asked, by whom and under which name. */
async function startService() {
  const server = createServer(async (asked, response) => {
    let body = '';
    for await (const piece of asked) body += piece;
    response.setHeader('x-kept', 'yes');
    // In pieces of unknown number, as frameworks write.
    response.write(`${asked.method} ${asked.url} ${asked.headers.host} `);
    response.end(body);
  });
  const sockets = new WebSocketServer({ server, path: '/ws' });
  sockets.on('connection', (socket) => socket.on('message', (data) => socket.send(String(data))));
  // What is kept stays until the other side ends it.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(async () => {
    for (const socket of sockets.clients) socket.terminate();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`), server, sockets };
}

/** Timers of the machine that know how many are set. */
function countedTimers() {
  const set = new Set<object>();
  const timers: Timers = {
    after: (ms, call) => {
      const timer = {};
      set.add(timer);
      const cancel = systemTimers.after(ms, () => {
        set.delete(timer);
        call();
      });
      return () => {
        set.delete(timer);
        cancel();
      };
    },
    soon: systemTimers.soon,
  };
  return { timers, set };
}

type Wishes = { readonly plan?: Plan; readonly timers?: Timers; readonly tls?: { readonly ca: string } };

async function startProxy(target: URL, { plan = noPlan, timers = systemTimers, tls }: Wishes = {}) {
  const failures: string[] = [];
  const planned = Promise.withResolvers<void>();
  const proxy = await openFaultProxy({
    target,
    tls: tls === undefined ? undefined : () => tls,
    plan: () => {
      planned.resolve();
      return plan;
    },
    clock: systemClock,
    timers,
    max_answer: 1000,
    failed: ({ message }) => failures.push(message),
  });
  ends.push(() => proxy.close());
  return { ...proxy, failures, planned: planned.promise };
}

async function post({ port }: Pick<FaultProxy, 'port'>, body: string, host = 'agents.example') {
  const headers = { host };
  const made = request({ port, host: '127.0.0.1', method: 'POST', path: '/rpc?a=1', headers });
  made.end(body);
  const [said] = (await once(made, 'response')) as [IncomingMessage];
  let text = '';
  for await (const piece of said) text += piece;
  return { status: said.statusCode, text, kept: said.headers['x-kept'] };
}

describe('the fault proxy', () => {
  it('passes requests and answers on as they are where nothing is planned', async () => {
    const { url } = await startService();
    const answer = await post(await startProxy(url), 'hello');
    expect(answer).toEqual({ status: 200, text: 'POST /rpc?a=1 agents.example hello', kept: 'yes' });
  });

  it('calls a service by its own name where whoever asked gave it that of the proxy', async () => {
    const { url } = await startService();
    const proxy = await startProxy(url);
    const { text } = await post(proxy, '', `127.0.0.1:${proxy.port}`);
    expect(text).toBe(`POST /rpc?a=1 ${url.host} `);
  });

  it('leaves no connection to the service that was kept for the next request', async () => {
    const { url, server } = await startService();
    const proxy = await startProxy(url);
    await post(proxy, '');
    await proxy.close();
    await untilNobodyIs(server);
  });

  it('takes the call for a WebSocket along too when whoever made it gives up', async () => {
    const asked = Promise.withResolvers<Socket>();
    const server = createTcpServer((socket) => socket.once('data', () => asked.resolve(socket)));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ends.push(() => new Promise((resolve) => server.close(resolve)));
    const { port } = await startProxy(new URL(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`));
    const socket = new WebSocket(`ws://127.0.0.1:${port}`);
    socket.on('error', () => {});
    const called = await asked.promise;
    const gone = once(
      called.on('error', () => {}),
      'close',
    );
    socket.terminate();
    await gone;
  });

  it('hands on late what a service said last over a WebSocket, before its end', async () => {
    const { url, sockets } = await startService();
    sockets.once('connection', (socket) => {
      socket.send('goodbye');
      socket.terminate();
    });
    const proxy = await startProxy(url, { plan: { ...noPlan, wait_ms: 50 } });
    const socket = new WebSocket(`ws://127.0.0.1:${proxy.port}/ws`);
    const heard: string[] = [];
    socket.on('message', (data) => heard.push(String(data)));
    await once(socket, 'close');
    expect(heard).toEqual(['goodbye']);
  });

  it('reaches services over TLS', async () => {
    const authority = makeAuthority();
    const ca = authority.cert;
    const { cert, key } = authority.issue('agents.example');
    const server = createSecureServer({ cert, key }, (_, response) => void response.end('safe'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ends.push(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    const url = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
    expect((await post(await startProxy(url, { tls: { ca } }), '')).text).toBe('safe');
    const strict = await startProxy(url);
    await expect(post(strict, '')).rejects.toThrow('socket hang up');
    expect(strict.failures).toEqual([expect.stringMatching(/certificate/)]);
  });

  it('tells of a service that is not there, and ends the connection', async () => {
    const proxy = await startProxy(new URL('http://127.0.0.1:1'));
    await expect(post(proxy, '')).rejects.toThrow('socket hang up');
    expect(proxy.failures).toEqual([expect.stringContaining('ECONNREFUSED')]);
  });

  it('takes the call to the service along when whoever made it gives up', async () => {
    const asked = Promise.withResolvers<IncomingMessage>();
    const server = createServer((request) => asked.resolve(request));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ends.push(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const { port, failures } = await startProxy(url);
    const made = request({ port, host: '127.0.0.1', method: 'POST', path: '/' });
    made.on('error', () => {});
    made.end('');
    const gone = once((await asked.promise).socket, 'close');
    made.destroy();
    await gone;
    expect(failures).toEqual([]);
  });

  it('passes on that there is no WebSocket', async () => {
    const { url } = await startService();
    const { port } = await startProxy(url);
    const socket = new WebSocket(`ws://127.0.0.1:${port}/other`);
    const [error] = (await once(socket, 'error')) as [Error];
    expect(error.message).toContain('400');
  });

  it('holds no more of an answer than it may', async () => {
    const { url } = await startService();
    const { port } = await startProxy(url);
    const { text } = await post({ port }, 'x'.repeat(10_000_000));
    expect(text.length).toBeGreaterThan(1000);
    expect(text.length).toBeLessThan(1_000_000);
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`);
    await once(socket, 'open');
    socket.send('x'.repeat(2000));
    expect((await once(socket, 'close'))[0]).toBe(1006);
  });

  it.each([
    ['half open', { ...noPlan, fault: { kind: 'half_open' } }],
    ['late', { ...noPlan, wait_ms: 3_600_000 }],
    ['slow', { ...noPlan, bytes_per_second: 1 }],
  ] as const)('leaves no connection and no timer when it is closed while answers are %s', async (_, plan) => {
    const { url, server } = await startService();
    const { timers, set } = countedTimers();
    const proxy = await startProxy(url, { plan, timers });
    const asked = post(proxy, 'hello').catch(() => 'over');
    const socket = new WebSocket(`ws://127.0.0.1:${proxy.port}/ws`);
    const closed = new Promise((resolve) => socket.on('error', () => {}).on('close', resolve));
    await proxy.planned;
    await Promise.all([proxy.close(), proxy.close()]);
    expect(await asked).toBe('over');
    await closed;
    expect(set.size).toBe(0);
    await untilNobodyIs(server);
    const [refused] = (await once(connect(proxy.port, '127.0.0.1'), 'error')) as [NodeJS.ErrnoException];
    expect(refused.code).toBe('ECONNREFUSED');
  });
});

/** The last farewells are still on their way when the proxy has closed. */
async function untilNobodyIs(server: ReturnType<typeof createServer>): Promise<void> {
  const count = () => new Promise<number>((resolve) => server.getConnections((_, found) => resolve(found)));
  while ((await count()) > 0) await new Promise(setImmediate);
}
