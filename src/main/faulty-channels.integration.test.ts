import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import type { ChannelFactories } from '../dialects/registry.ts';
import { readFaults } from '../faults/spec.ts';
import type { Channel } from '../rpc/channel.ts';
import { bodyOf, closePeers, echo, httpPeer, respond } from '../rpc/http/peer.suite.ts';
import { channelFactories } from './channels.ts';
import { openFaultyWay } from './faulty-channels.ts';
import { lookFrom } from './look.ts';

const logger = { debug() {}, info() {}, warn() {}, error() {} };
const { signal } = new AbortController();
const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  await closePeers();
});

/** The carriers of a process with faults. */
function faulty(spec: string, other: Partial<ChannelFactories> = {}): ChannelFactories {
  const way = openFaultyWay({ spec: readFaults(spec), seed: 7 }, logger);
  ends.push(() => way.close());
  return way.over({ ...channelFactories({ logger, folder: '.', environment: {} }), ...other });
}

function closing<Carrier extends { close(): Promise<void> }>(carrier: Carrier): Carrier {
  ends.push(() => carrier.close());
  return carrier;
}

const reached = (url: string) => ({ url, tls: null, credentials: null });
const ask = (channel: Channel) => channel.call({ id: 1, method: 'ask', params: [1], signal });

it('shows services the name and the password of their address', async () => {
  const shown: unknown[] = [];
  const peer = await httpPeer(async (request, response) => {
    shown.push(request.headers.authorization);
    await bodyOf(request);
    respond(response, 200, { jsonrpc: '2.0', id: 1, result: null });
  });
  const sockets = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(sockets, 'listening');
  ends.push(() => sockets.close());
  sockets.on('connection', (socket, { headers }) => {
    shown.push(headers.authorization);
    socket.on('message', () => socket.send('{"jsonrpc":"2.0","id":1,"result":null}'));
  });
  const channels = faulty('latency=1ms');
  const url = peer.url.replace('http://', 'http://ann:secret@');
  await ask(closing(channels.http({ ...reached(url), headers: {}, connections: 1 })));
  const request = { method: 'GET', headers: {}, body: null, signal, max_bytes: 1000 };
  const client = closing(channels.web({ ...reached(url), connections: 1 }));
  for (const at of [url, peer.url]) await client.request({ ...request, url: new URL(at) });
  const place = `ws://ann:secret@127.0.0.1:${(sockets.address() as AddressInfo).port}/`;
  await ask(closing(channels.websocket({ ...reached(place), headers: () => ({}) })));
  expect(shown).toEqual(Array(4).fill(`Basic ${Buffer.from('ann:secret').toString('base64')}`));
});

it('asks a service for what its path says, whatever it looks like', async () => {
  const paths: unknown[] = [];
  const peer = await httpPeer((request, response) => {
    paths.push(request.url);
    respond(response, 200, {});
  });
  const client = closing(faulty('latency=1ms').web({ ...reached(peer.url), connections: 1 }));
  const url = new URL(`${new URL(peer.url).origin}//127.0.0.1:1/a?b=1`);
  await client.request({ method: 'GET', headers: {}, body: null, signal, max_bytes: 1000, url });
  expect(paths).toEqual(['//127.0.0.1:1/a?b=1']);
});

it('gives each channel faults of its own, and the same ones again for the same seed', async () => {
  const { url } = await httpPeer(echo);
  const missed = async (channel: Channel) => {
    let met = '';
    for (let turn = 0; turn < 24; turn++)
      met += await ask(channel).then(
        () => '.',
        () => 'x',
      );
    return met;
  };
  const inTurn = async () => {
    const { http } = faulty('wrong_answers=50%:empty');
    const open = () => closing(http({ ...reached(url), headers: {}, connections: 1 }));
    return [await missed(open()), await missed(open())];
  };
  const [first, second] = await inTurn();
  expect(first).not.toBe(second);
  expect(await inTurn()).toEqual([first, second]);
});

it('leaves nobody listening after a look at the health of a service', async () => {
  const { url } = await httpPeer((_, response) => respond(response, 204, ''));
  const places: string[] = [];
  const look = (target: Parameters<ReturnType<typeof lookFrom>>[0]) => {
    places.push(target.url);
    return lookFrom(logger)(target);
  };
  expect(await faulty('latency=1ms', { look }).look?.({ url, tls: null })('/health', signal)).toBe(204);
  const [refused] = (await once(connect(Number(new URL(places[0] ?? '').port), '127.0.0.1'), 'error')) as [
    NodeJS.ErrnoException,
  ];
  expect([places.length, refused.code]).toEqual([1, 'ECONNREFUSED']);
});
