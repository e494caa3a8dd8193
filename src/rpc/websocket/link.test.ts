import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { httpPeer, rejectionOf, tcpPeer } from '../http/peer.suite.ts';
import { quiet } from '../testing/quiet.suite.ts';
import { ask, closeAll, echo, open, random, serve } from './channel-support.suite.ts';
import { Link } from './link.ts';
import { type ManualTimers, manualTimers } from './manual-timers.suite.ts';
import type { SocketPeer } from './peer.suite.ts';

afterEach(closeAll);

const CONNECT_MS = 10_000;

/** A service that is down, and can come back where it was. */
async function down(): Promise<SocketPeer & { comeBack(): Promise<void> }> {
  const peer = await serve(echo);
  await peer.close();
  const port = Number(new URL(peer.url).port);
  const comeBack = () => new Promise<void>((resolve) => void peer.server.listen(port, '127.0.0.1', resolve));
  return { ...peer, comeBack };
}

/** So many tries in vain, each for a call. */
async function failing(
  ask: () => Promise<unknown>,
  { timers, times }: { timers: ManualTimers; times: number },
) {
  for (let n = 0; n < times; n++) {
    const call = rejectionOf(ask());
    timers.pass(100);
    await call;
  }
}

describe('a call that needs the connection', () => {
  it('has it tried at once where the last try is a while ago, however many failed before', async () => {
    const timers = manualTimers();
    const peer = await down();
    const channel = open(peer.url, { timers });
    await failing(() => ask(channel), { timers, times: 6 });
    timers.pass(100);
    expect(timers.waiting).toEqual([3100]);
    await peer.comeBack();
    expect(await ask(channel)).toEqual({ result: [] });
    expect(timers.waiting).not.toContain(3100);
  });

  it('waits no longer than after a first failure where the last try has just failed', async () => {
    const timers = manualTimers();
    const peer = await down();
    const channel = open(peer.url, { timers });
    await failing(() => ask(channel), { timers, times: 6 });
    await peer.comeBack();
    const call = ask(channel);
    expect(timers.waiting).toEqual([100]);
    timers.pass(100);
    expect(await call).toEqual({ result: [] });
  });

  it('is answered soon after a service has come back that was asked in vain', async () => {
    const peer = await down();
    const channel = open(peer.url);
    for (let n = 0; n < 7; n++)
      expect((await rejectionOf(ask(channel))).message).toContain('refused the connection');
    await peer.comeBack();
    const since = performance.now();
    expect(await ask(channel)).toEqual({ result: [] });
    // Left to itself the channel would come back after 6.4 s.
    expect(performance.now() - since).toBeLessThan(2000);
  });

  it('shares the try, and what comes of it, with all that wait', async () => {
    const timers = manualTimers();
    let tries = 0;
    const peer = await httpPeer((_, response) => {
      tries++;
      response.writeHead(503).end();
    });
    const channel = open(peer.url.replace('http', 'ws'), { timers });
    await failing(() => ask(channel), { timers, times: 4 });
    const calls = [1, 2, 3].map((id) => rejectionOf(ask(channel, id)));
    timers.pass(100);
    const errors = await Promise.all(calls);
    expect(errors.map(({ code }) => code)).toEqual(['GLZ2001', 'GLZ2001', 'GLZ2001']);
    expect(new Set(errors.map(({ message }) => message)).size).toBe(1);
    expect([tries, errors[0]?.message]).toEqual([5, expect.stringContaining('answered HTTP 503')]);
  });

  it('is not left to the long wait where it came while a connection was ending', async () => {
    const timers = manualTimers();
    const peer = await serve(() => {});
    const link = linkTo(peer.url, timers);
    await link.open();
    peer.sockets[0]?.socket.terminate();
    await timers.set(100);
    timers.pass(100);
    await link.open();
    // It has said that it goes, and does not hear the answer.
    peer.sockets[1]?.socket.pause();
    peer.sockets[1]?.socket.close(1001);
    await expect.poll(() => link.now).toBeNull();
    const again = link.open();
    peer.sockets[1]?.carrier.destroy();
    await timers.set(100);
    timers.pass(100);
    expect(timers.waiting).toEqual([CONNECT_MS]);
    await again;
    await link.close();
  });
});

describe('a flood of calls to a service that is down', () => {
  it('has one connection tried at a time, and each call is told why there is none', async () => {
    const timers = manualTimers();
    const peer = await tcpPeer((socket) => socket.destroy());
    const channel = open(peer.url.replace('http', 'ws'), { timers });
    const codes = new Set<string>();
    for (let round = 1; round <= 10; round++) {
      const calls = Array.from({ length: 20 }, (_, id) => rejectionOf(ask(channel, id)));
      timers.pass(100);
      for (const { code, message } of await Promise.all(calls)) codes.add(`${code} ${message}`);
      expect(peer.sockets.length).toBe(round);
    }
    expect([...codes]).toEqual([expect.stringMatching(/^GLZ2002 .*(cut|reset|hang up|closed)/)]);
  });

  it('costs no more tries than there are pauses between them, and no call its time', async () => {
    const peer = await tcpPeer((socket) => socket.destroy());
    const channel = open(peer.url.replace('http', 'ws'), { backoff: { first_ms: 20, longest_ms: 10_000 } });
    const since = performance.now();
    const codes: string[] = [];
    const oneAfterAnother = async (caller: number) => {
      for (let n = 0; n < 20; n++) {
        const call = { id: `${caller}-${n}`, method: 'ask', signal: AbortSignal.timeout(5000) };
        codes.push((await rejectionOf(channel.call(call))).code);
      }
    };
    await Promise.all(Array.from({ length: 10 }, (_, caller) => oneAfterAnother(caller)));
    const pauses = (performance.now() - since) / 20;
    expect([codes.length, new Set(codes)]).toEqual([200, new Set(['GLZ2002'])]);
    // A timer may end a millisecond early.
    expect(peer.sockets.length).toBeLessThanOrEqual(1 + pauses * 1.1);
    expect(peer.sockets.length).toBeGreaterThanOrEqual(20);
  });
});

describe('closing while a connection is to be tried', () => {
  it.each([
    ['soon, for a call', true],
    ['later, for nobody', false],
  ])('%s: leaves no timer, and nobody waiting', async (_, asked) => {
    const timers = manualTimers();
    const peer = await down();
    const channel = open(peer.url, { timers });
    await failing(() => ask(channel), { timers, times: 3 });
    if (!asked) timers.pass(100);
    const call = asked ? rejectionOf(ask(channel)) : null;
    expect(timers.waiting).toEqual([asked ? 100 : 300]);
    await channel.close();
    expect(timers.waiting).toEqual([]);
    expect((await call)?.message ?? 'is closed').toContain('is closed');
    expect((await rejectionOf(ask(channel))).message).toContain('is closed');
  });
});

function linkTo(url: string, timers: ManualTimers): Link {
  return new Link({
    peer: url,
    connect: () => new WebSocket(url),
    credentials: null,
    connect_timeout_ms: CONNECT_MS,
    ping_ms: 20_000,
    backoff: { first_ms: 100, longest_ms: 10_000 },
    ...{ timers, random, logger: quiet.logger },
    received: () => {},
    cut: () => {},
    connected: () => {},
  });
}
