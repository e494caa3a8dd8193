import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { manualTimers } from '../websocket/manual-timers.suite.ts';
import { ask, type Called, meeting } from './meeting.suite.ts';
import { closeFrame, frameHead, rawSocket } from './raw-socket.suite.ts';
import { call, socketClient, start, stopAll } from './testing.suite.ts';

afterEach(stopAll);

const KIB = 1024;
const MIB = 1024 * KIB;

describe('a peer that does not read', () => {
  it('is cut with 1013 when more waits than may', async () => {
    const timers = manualTimers();
    const { methods, socket } = meeting();
    const { url } = await start({ methods, timers, limits: { socket_buffer: MIB } });
    const client = await socketClient(url);
    await ask(client, 'meet');
    client.socket.pause();
    const server = await socket;
    let sent = 0;
    while (!server.closed) {
      server.send('x'.repeat(64 * KIB));
      sent++;
    }
    expect(server.buffered).toBeLessThan(2 * MIB);
    expect(server.send('more')).toBe('full');
    client.socket.resume();
    expect(await client.closed).toEqual({ code: 1013, reason: 'it does not read what it is sent' });
    expect(sent).toBeLessThan(1000);
  });

  it('is dropped when it does not even hear that', async () => {
    const timers = manualTimers();
    const { methods, socket } = meeting();
    const { listener, url } = await start({ methods, timers, limits: { socket_buffer: MIB } });
    const client = await socketClient(url);
    await ask(client, 'meet');
    client.socket.pause();
    const server = await socket;
    while (!server.closed) server.send('x'.repeat(64 * KIB));
    const gone = new Promise<void>((resolve) => server.onClose(resolve));
    timers.pass(1000);
    await gone;
    expect((await listener.stats()).sockets).toBe(0);
  });

  it('is cut when it takes nothing from one look to the next, however little waits', async () => {
    const timers = manualTimers();
    const { methods, socket } = meeting();
    const { url } = await start({ methods, timers, limits: { pulse_ms: 5000, socket_buffer: 64 * MIB } });
    const client = await socketClient(url);
    await ask(client, 'meet');
    client.socket.pause();
    const server = await socket;
    while (server.send('x'.repeat(MIB)) === 'sent');
    // What the system has taken by now was taken; from here on nothing moves.
    await new Promise(setImmediate);
    for (let beat = 0; beat < 3; beat++) timers.pass(5000);
    expect(server.closed).toBe(true);
  });

  it('is not sent more than it takes by those who wait for it', async () => {
    const stream = async ({ context: { socket } }: Called) => {
      let most = 0;
      for (let n = 0; n < 400 && socket !== null; n++) {
        if (socket.send(JSON.stringify({ n, fill: 'x'.repeat(64 * KIB) })) === 'full') await socket.drained();
        most = Math.max(most, socket.buffered);
      }
      return most;
    };
    const { url } = await start({ methods: { stream }, limits: { socket_buffer: MIB } });
    const client = await socketClient(url);
    client.send(call('stream'));
    for (let n = 0; n < 400; n++) expect(JSON.parse(await client.next())).toMatchObject({ n });
    expect(JSON.parse(await client.next()).result).toBeLessThan(MIB);
  });

  it('is asked nothing more before it has taken its answers', async () => {
    let begun = 0;
    const fill = () => {
      begun++;
      return 'x'.repeat(256 * KIB);
    };
    const { url } = await start({ methods: { fill }, limits: { socket_buffer: 4 * MIB } });
    const client = await socketClient(url);
    client.socket.pause();
    for (let id = 0; id < 400; id++) client.send(call('fill', ['p'.repeat(4 * KIB)], id));
    await expect.poll(() => begun).toBeGreaterThan(10);
    let before = 0;
    await expect
      .poll(() => {
        const still = before === begun;
        before = begun;
        return still;
      })
      .toBe(true);
    expect(begun).toBeLessThan(400);
    client.socket.resume();
    const ids = [];
    for (let id = 0; id < 400; id++) ids.push(JSON.parse(await client.next()).id);
    expect(ids.sort((a, b) => a - b)).toEqual(Array.from({ length: 400 }, (_, id) => id));
  });

  it('gets an answer larger than the bound, if it reads', async () => {
    const { url } = await start({
      methods: { fill: () => 'x'.repeat(8 * MIB) },
      limits: { socket_buffer: MIB },
    });
    const client = await socketClient(url);
    expect((await ask(client, 'fill')).result.length).toBe(8 * MIB);
  });
});

describe('a peer that sends too much', () => {
  it('has so many messages worked on, and the others wait unread', async () => {
    const held: (() => void)[] = [];
    const hold = () => new Promise<void>((resolve) => held.push(resolve));
    const { url } = await start({ methods: { hold }, limits: { socket_messages: 4 } });
    const client = await socketClient(url);
    for (let id = 0; id < 200; id++) client.send(call('hold', ['x'.repeat(10 * KIB)], id));
    let answered = 0;
    while (answered < 200) {
      await expect.poll(() => held.length, { interval: 1 }).toBeGreaterThan(0);
      expect(held.length).toBeLessThanOrEqual(4);
      for (const release of held.splice(0)) {
        release();
        await client.next();
        answered++;
      }
    }
  });

  it('is heard while its messages only wait', async () => {
    const end = Promise.withResolvers<void>();
    const wait = async ({ context }: Called) => {
      await context.aside?.(() => end.promise);
      return 'waited';
    };
    const { listener, url } = await start({ methods: { wait }, limits: { socket_messages: 2 } });
    const client = await socketClient(url);
    for (let id = 0; id < 50; id++) client.send(call('wait', [], id));
    expect(await ask(client, 'echo', ['heard'], 'later')).toMatchObject({ id: 'later', result: ['heard'] });
    const stopped = listener.stop(60_000);
    end.resolve();
    for (let n = 0; n < 50; n++) expect(JSON.parse(await client.next())).toMatchObject({ result: 'waited' });
    expect((await client.closed).code).toBe(1001);
    await stopped;
  });

  it('that goes while it waits leaves nothing behind', async () => {
    let ended = 0;
    const wait = ({ context, signal }: Called & { signal: AbortSignal }) => {
      const gone = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      return context.aside?.(() => gone).then(() => ended++);
    };
    const { listener, url } = await start({ methods: { wait }, limits: { socket_messages: 1 } });
    const client = await socketClient(url);
    for (let id = 0; id < 5; id++) client.send(call('wait', [], id));
    await ask(client, 'echo');
    client.socket.terminate();
    await expect.poll(() => ended).toBe(5);
    await expect.poll(async () => (await listener.stats()).held_bytes).toBe(0);
  });

  it('is not taken for dead while it is we who do not read', async () => {
    const timers = manualTimers();
    const held: (() => void)[] = [];
    const hold = () => new Promise<void>((resolve) => held.push(resolve));
    const limits = { socket_messages: 1, pulse_ms: 5000 };
    const { listener, url } = await start({ methods: { hold }, timers, limits });
    const client = await socketClient(url);
    const message = call('hold');
    for (let n = 0; n < 2; n++) client.send(message);
    // The second is there and waits, so that nothing more is read.
    await expect.poll(async () => (await listener.stats()).held_bytes).toBe(2 * message.length);
    for (let beat = 0; beat < 4; beat++) {
      const pinged = once(client.socket, 'ping');
      timers.pass(5000);
      await Promise.race([pinged, client.closed]);
    }
    for (let n = 0; n < 2; n++) {
      await expect.poll(() => held.length).toBe(1);
      held.pop()?.();
      expect(JSON.parse(await client.next())).toMatchObject({ id: 1 });
    }
  });

  it('that goes leaves nothing of the messages that were not begun', async () => {
    const end = Promise.withResolvers<void>();
    const { listener, url } = await start({
      methods: { hold: () => end.promise },
      limits: { socket_messages: 1 },
    });
    const client = await socketClient(url);
    const message = call('hold', ['x'.repeat(KIB)]);
    // In one packet: what comes with the first is there before reading can stop.
    const { _socket: carrier } = client.socket as unknown as { _socket: Socket };
    carrier.cork();
    for (let n = 0; n < 5; n++) client.send(message);
    carrier.uncork();
    const held = async () => (await listener.stats()).held_bytes;
    await expect.poll(held).toBe(5 * message.length);
    client.socket.terminate();
    await expect.poll(held).toBe(message.length);
    end.resolve();
    await expect.poll(held).toBe(0);
  });

  it('is cut when its unfinished message takes too much room', async () => {
    const { listener, port } = await start({ limits: { held_bytes: MIB } });
    const client = await rawSocket(port);
    client.write(frameHead(0x81, 20 * MIB));
    client.socket.on('drain', () => client.write(Buffer.alloc(64 * KIB, 0x20)));
    for (let n = 0; n < 40; n++) client.write(Buffer.alloc(64 * KIB, 0x20));
    await client.ended;
    await expect.poll(async () => (await listener.stats()).held_bytes).toBe(0);
  });

  it('is cut when its message does not come to an end in time', async () => {
    const timers = manualTimers();
    let now = 0;
    const clock = { wall: () => 0, monotonic: () => now };
    const { listener, port } = await start({ timers, clock, limits: { pulse_ms: 5000, request_ms: 9000 } });
    const client = await rawSocket(port);
    client.write(frameHead(0x81, 1000));
    client.write('some of it');
    await expect.poll(async () => (await listener.stats()).held_bytes).toBeGreaterThan(0);
    now = 10_000;
    timers.pass(5000);
    expect(await client.until(/did not arrive in time/)).toContain(closeFrame(1008));
  });

  it('is not mistaken for one when it only answers pings', async () => {
    const timers = manualTimers();
    let now = 0;
    const clock = { wall: () => 0, monotonic: () => now };
    const { url } = await start({ timers, clock, limits: { pulse_ms: 5000, request_ms: 9000 } });
    const client = await socketClient(url);
    for (let beat = 0; beat < 5; beat++) {
      const pinged = once(client.socket, 'ping');
      now += 5000;
      timers.pass(5000);
      await pinged;
      expect(await ask(client, 'echo', [beat])).toMatchObject({ result: [beat] });
    }
  });
});
