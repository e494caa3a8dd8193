import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { systemRandom, systemTimers } from '../../../embedded/system.ts';
import { quiet } from '../../../rpc/testing/quiet.suite.ts';
import { socketPeer } from '../../../rpc/websocket/peer.suite.ts';
import { CarrierError } from '../../carrier.ts';
import { executeBody } from '../../execution/site.suite.ts';
import { websocketCarrier } from './carrier.ts';

const never = new AbortController().signal;
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function open(url: string, max_bytes?: number) {
  const { logger } = quiet;
  const carrier = websocketCarrier({ url, timers: systemTimers, random: systemRandom(), logger, max_bytes });
  ends.push(() => carrier.close());
  return carrier;
}

async function peer(talk: (socket: WebSocket) => void, max_bytes?: number) {
  const opened = await socketPeer(talk);
  ends.push(() => opened.close());
  return open(opened.url, max_bytes);
}

async function troubleOf(sent: Promise<string>): Promise<CarrierError> {
  const thrown: unknown = await sent.then(
    () => null,
    (error: unknown) => error,
  );
  if (thrown instanceof CarrierError) return thrown;
  throw thrown ?? new Error('it came through');
}

/** The number of a free port, given back at once. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

/** Answers every upgrade with this. */
async function refusing(status: number): Promise<number> {
  const server = createServer((_, response) => response.writeHead(status).end());
  server.on('upgrade', (_, socket) => socket.end(`HTTP/1.1 ${status} No\r\nconnection: close\r\n\r\n`));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return (server.address() as AddressInfo).port;
}

describe('a connection that does not come about', () => {
  it.each(['/zone', '/zone-401', '/403/zone'])(
    'where nobody listens may come about later: %s',
    async (path) => {
      const error = await troubleOf(
        open(`ws://127.0.0.1:${await freePort()}${path}`).send(executeBody(), { signal: never }),
      );
      expect(error).toMatchObject({ trouble: 'unreachable', arrived: 'no', mayPass: true });
    },
  );

  it.each([
    [401, 'unauthenticated', false],
    [403, 'unauthenticated', false],
    [404, 'misconfigured', false],
    [429, 'throttled', true],
    [503, 'throttled', true],
    [500, 'broken', true],
  ])('with %i is %s', async (status, trouble, mayPass) => {
    const url = `ws://127.0.0.1:${await refusing(status)}/zone`;
    const error = await troubleOf(open(url).send(executeBody(), { signal: never }));
    expect(error).toMatchObject({ trouble, arrived: 'no', mayPass });
  });
});

describe('what is too large', () => {
  const large = executeBody({ text: 'x'.repeat(10_000) });

  it('for the other side ends its own exchange, and lets the others come again', async () => {
    const arrived = Promise.withResolvers<void>();
    const carrier = await peer((socket) => {
      socket.on('message', (message) => {
        if (String(message).length > 10_000) socket.close(1009, 'too large');
        else arrived.resolve();
      });
    });
    const small = troubleOf(carrier.send(executeBody(), { signal: never }));
    await arrived.promise;
    const error = await troubleOf(carrier.send(large, { signal: never }));
    expect(error).toMatchObject({ trouble: 'too_large', arrived: 'no' });
    expect(await small).toMatchObject({ trouble: 'unreachable', arrived: 'maybe', mayPass: true });
  });

  it('for us ends its own exchange and no other', async () => {
    const all: string[] = [];
    const carrier = await peer((socket) => {
      socket.on('message', (message) => {
        all.push((JSON.parse(String(message)) as { id: string }).id);
        if (all.length < 2) return;
        socket.send(JSON.stringify({ jsonrpc: '2.0', result: { text: 'x'.repeat(3000) }, id: all[0] }));
        socket.send(JSON.stringify({ jsonrpc: '2.0', result: {}, id: all[1] }));
      });
    }, 2048);
    const first = troubleOf(carrier.send(executeBody(), { signal: never }));
    const second = carrier.send(executeBody(), { signal: never });
    expect(await first).toMatchObject({ trouble: 'too_large', arrived: 'maybe' });
    expect(JSON.parse(await second)).toMatchObject({ result: {} });
  });

  it('for us by far ends the connection, and is held against the only exchange there is', async () => {
    const carrier = await peer((socket) => {
      socket.on('message', () => socket.send('x'.repeat(10_000)));
    }, 2048);
    const error = await troubleOf(carrier.send(executeBody(), { signal: never }));
    expect(error).toMatchObject({ trouble: 'too_large', arrived: 'maybe' });
  });
});
