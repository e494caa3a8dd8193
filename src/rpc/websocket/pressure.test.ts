import { afterEach, describe, expect, it } from 'vitest';
import { rejectionOf } from '../http/peer.suite.ts';
import { ask, closeAll, echo, open, serve } from './channel-support.suite.ts';

afterEach(closeAll);

describe('a peer that does not read', () => {
  const big = 'x'.repeat(1024 * 1024);

  it('makes calls wait, and refuses them when too many do', async () => {
    const peer = await serve((socket) => {
      socket.pause();
      echo(socket);
    });
    const connected = Promise.withResolvers<void>();
    const channel = open(peer.url, {
      max_buffered_bytes: 1024 * 1024,
      max_waiting: 3,
      connected: connected.resolve,
    });
    const calls = [ask(channel, 'first')];
    await connected.promise;
    // What the system takes is not ours to say: ask until three wait.
    const refused = Promise.withResolvers<string>();
    for (let n = 0; n < 100; n++) {
      const call = ask(channel, n, [big]);
      calls.push(call);
      call.catch((error) => refused.resolve(error.code));
    }
    expect(await refused.promise).toBe('GLZ4003');
    peer.sockets[0]?.socket.resume();
    const outcomes = await Promise.allSettled(calls);
    const served = outcomes.filter(({ status }) => status === 'fulfilled').length;
    expect(served).toBeGreaterThanOrEqual(4);
    expect(served).toBeLessThan(101);
    expect(await ask(channel, 'after')).toEqual({ result: [] });
  });

  it('leaves those that are given up while they wait unsent', async () => {
    const seen: unknown[] = [];
    const peer = await serve((socket) => {
      socket.pause();
      socket.on('message', (message) => seen.push(JSON.parse(String(message)).id));
      echo(socket);
    });
    const channel = open(peer.url, { max_buffered_bytes: 1024 * 1024 });
    const connected = peer.next();
    const first = ask(channel, 'first');
    await connected;
    const calls = Array.from({ length: 20 }, (_, n) => ask(channel, n, [big]));
    const controller = new AbortController();
    const late = rejectionOf(channel.call({ id: 'late', method: 'ask', signal: controller.signal }));
    controller.abort();
    expect((await late).code).toBe('GLZ2003');
    peer.sockets[0]?.socket.resume();
    await Promise.all([first, ...calls]);
    expect(seen).not.toContain('late');
  });
});

describe('messages that are too large', () => {
  it('end the only call for good', async () => {
    const peer = await serve(echo);
    const channel = open(peer.url, { max_answer_bytes: 1000 });
    for (const size of [2000, 8000]) {
      const error = await rejectionOf(ask(channel, 1, ['x'.repeat(size)]));
      expect([error.code, error.class]).toEqual(['GLZ2005', 'rejected']);
    }
    expect(await ask(channel)).toEqual({ result: [] });
    expect(peer.sockets.length).toBe(2);
  });

  it('do not end those under way with it for good', async () => {
    const peer = await serve((socket) =>
      socket.on('message', (message) => {
        if (JSON.parse(String(message)).id === 2) socket.close(1009, 'too large');
      }),
    );
    const channel = open(peer.url);
    const first = rejectionOf(ask(channel, 1));
    const second = rejectionOf(ask(channel, 2));
    expect([(await first).code, (await second).code]).toEqual(['GLZ2002', 'GLZ2002']);
    const alone = rejectionOf(ask(channel, 2));
    expect((await alone).code).toBe('GLZ2010');
  });
});
