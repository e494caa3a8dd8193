import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { httpPeer, rejectionOf, tcpPeer } from '../http/peer.suite.ts';
import { quiet } from '../testing/quiet.suite.ts';
import { systemTimers } from '../testing/timers.suite.ts';
import { webSocketChannel } from './channel.ts';
import { ask, closeAll, echo, open, random, serve } from './channel-support.suite.ts';
import { manualTimers } from './manual-timers.suite.ts';

afterEach(closeAll);

/** Waited for while a connection is being made. */
const CONNECT_MS = 10_000;

describe('a connection that is gone', () => {
  it('ends the calls under way, and is made again after a while that grows', async () => {
    const timers = manualTimers();
    const peer = await serve((socket) => socket.on('message', () => socket.terminate()));
    const channel = open(peer.url, { timers });
    for (const wait_ms of [100, 200, 400]) {
      const error = await rejectionOf(ask(channel));
      expect([error.code, error.message]).toEqual(['GLZ2002', `the connection to ${peer.url} was cut`]);
      for (const part_ms of [100, wait_ms - 100].filter((ms) => ms > 0)) {
        expect(timers.waiting).toEqual([part_ms]);
        timers.pass(part_ms);
      }
      await peer.next();
    }
  });

  it('is waited for shortly once answers have come over it', async () => {
    const timers = manualTimers();
    const peer = await serve(echo);
    const channel = open(peer.url, { timers });
    for (let round = 0; round < 3; round++) {
      await ask(channel);
      peer.sockets.at(-1)?.socket.terminate();
      await timers.set(100);
      timers.pass(100);
      expect(timers.waiting).toEqual([CONNECT_MS]);
    }
  });

  it('is told by its code and reason', async () => {
    const peer = await serve((socket) => socket.on('message', () => socket.close(1001, 'restarting')));
    const error = await rejectionOf(ask(open(peer.url)));
    expect(error.message).toContain('closed by it with code 1001 (restarting)');
  });

  it('is found out by its silence', async () => {
    const timers = manualTimers();
    const asked = Promise.withResolvers<void>();
    const peer = await serve((socket) =>
      socket.on('message', () => {
        socket.pause();
        asked.resolve();
      }),
    );
    const call = rejectionOf(ask(open(peer.url, { timers, ping_ms: 7000 })));
    await asked.promise;
    timers.pass(7000);
    timers.pass(7000);
    expect((await call).message).toContain('is silent');
  });

  it('is kept as long as pings are answered, however long a call takes', async () => {
    const timers = manualTimers();
    const asked = Promise.withResolvers<() => void>();
    const peer = await serve((socket) =>
      socket.on('message', () =>
        asked.resolve(() => socket.send('{"jsonrpc":"2.0","id":1,"result":"late"}')),
      ),
    );
    const channel = open(peer.url, { timers, ping_ms: 7000 });
    const call = ask(channel);
    const answer = await asked.promise;
    const socket = peer.sockets[0]?.socket;
    if (socket === undefined) throw new Error('nobody connected');
    for (let beat = 0; beat < 4; beat++) {
      const pinged = once(socket, 'ping');
      timers.pass(7000);
      await pinged;
      // The pong has left; it has arrived when something sent after it has.
      const heard = once(socket, 'pong');
      socket.ping();
      await heard;
    }
    answer();
    expect(await call).toEqual({ result: 'late' });
  });
});

describe('a connection that does not come about', () => {
  it('rejects those who wait for it, each time', async () => {
    const peer = await serve(echo);
    await peer.close();
    const channel = open(peer.url);
    const errors = await Promise.all([rejectionOf(ask(channel, 1)), rejectionOf(ask(channel, 2))]);
    expect(errors.map(({ code }) => code)).toEqual(['GLZ2002', 'GLZ2002']);
    expect(errors[0]?.message).toContain('refused the connection');
    expect((await rejectionOf(ask(channel))).code).toBe('GLZ2002');
  });

  it.each([
    [401, 'GLZ2010'],
    [404, 'GLZ2010'],
    [503, 'GLZ2001'],
    [429, 'GLZ2004'],
    [302, 'GLZ2010'],
  ])('says that it was answered with HTTP %d', async (status, code) => {
    const peer = await httpPeer((_, response) => response.writeHead(status, { location: '/other' }).end());
    const error = await rejectionOf(ask(open(peer.url.replace('http', 'ws'))));
    expect([error.code, error.details.details]).toEqual([code, { http_status: status }]);
    expect(error.message).toContain(`answered HTTP ${status}`);
  });

  it('gives up in time', async () => {
    const timers = manualTimers();
    const reached = Promise.withResolvers<void>();
    const peer = await tcpPeer(() => reached.resolve());
    const call = rejectionOf(ask(open(peer.url.replace('http', 'ws'), { timers, connect_timeout_ms: 3000 })));
    await reached.promise;
    timers.pass(3000);
    expect((await call).message).toContain('within 3000 ms');
  });

  it('asks the resolver it was given', async () => {
    const asked: string[] = [];
    const error = await rejectionOf(
      ask(
        open('ws://agent.example:1/rpc', {
          lookup: (name, _, done) => {
            asked.push(name);
            done(Object.assign(new Error('unknown'), { code: 'ENOTFOUND' }), '', 4);
          },
        }),
      ),
    );
    expect([asked, error.message]).toEqual([
      ['agent.example'],
      'the name of ws://agent.example:1/rpc is not known',
    ]);
  });

  it('is an error of the options where a header cannot be written', async () => {
    const error = await rejectionOf(ask(open('ws://127.0.0.1:1/', { headers: { a: 'b\nc' } })));
    expect(error.code).toBe('GLZ1012');
  });

  it('takes only ws and wss addresses', () => {
    const options = { timers: systemTimers, random, logger: quiet.logger };
    expect(() => webSocketChannel({ ...options, url: 'http://a/' })).toThrow(/ws:\/\//);
  });
});

describe('a channel that is used', () => {
  it('tells of every connection, and sends its headers with each', async () => {
    const seen: (string | undefined)[] = [];
    const peer = await serve(echo);
    peer.server.on('upgrade', (request) => seen.push(request.headers['x-key']?.toString()));
    const twice = Promise.withResolvers<void>();
    let connections = 0;
    const connected = () => {
      connections++;
      if (connections === 2) twice.resolve();
    };
    const channel = open(peer.url, {
      headers: () => ({ 'x-key': `k${seen.length}` }),
      connected,
      backoff: { first_ms: 1, longest_ms: 1 },
    });
    await ask(channel);
    peer.sockets[0]?.socket.terminate();
    await twice.promise;
    expect(seen).toEqual(['k0', 'k1']);
  });

  it('is closed politely, and reconnects no more', async () => {
    const timers = manualTimers();
    const peer = await serve(echo);
    const channel = open(peer.url, { timers });
    await ask(channel);
    const socket = peer.sockets[0]?.socket;
    if (socket === undefined) throw new Error('nobody connected');
    const closed = once(socket, 'close');
    await channel.close();
    expect((await closed)[0]).toBe(1000);
    expect(timers.waiting).toEqual([]);
  });
});
