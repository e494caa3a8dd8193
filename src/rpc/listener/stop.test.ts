import { afterEach, describe, expect, it } from 'vitest';
import { rememberingLogger } from '../testing/quiet.suite.ts';
import type { CalledRequest, Route, StreamEvent } from './route.ts';
import { call, post, rawClient, rawPost, request, socketClient, start, stopAll } from './testing.suite.ts';

afterEach(stopAll);

function holding() {
  const begun = Promise.withResolvers<void>();
  const done = Promise.withResolvers<string>();
  const hold = () => {
    begun.resolve();
    return done.promise;
  };
  return { methods: { hold }, begun: begun.promise, release: () => done.resolve('done') };
}

const plain = (path: string, when_quiet: 'served' | 'refused'): Route => ({
  kind: 'get',
  path,
  access: 'open',
  when_quiet,
  answer: () => ({ status: 200, type: 'text/plain', body: 'yes' }),
});

describe('a quiet listener', () => {
  it('takes no more calls, says so, and finishes those it has', async () => {
    const { methods, begun, release } = holding();
    const { listener, url } = await start({ methods });
    const first = post(url, call('hold'));
    await begun;
    await listener.quiet();
    const refused = await post(url, call('echo'));
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect(refused.json()).toMatchObject({ jsonrpc: '2.0', id: 1, error: { code: 9002 } });
    const ids = ['"seven"', 'null', '{}'].map((id) => `{"jsonrpc":"2.0","id":${id},"method":"m"}`);
    const bodies = [...ids, '[]', `[${ids[0]}]`, 'nonsense', call('echo', ['x'.repeat(70_000)])];
    const told = await Promise.all(bodies.map(async (body) => (await post(url, body)).json()));
    expect(told).toMatchObject(
      ['seven', null, null, null, null, null, null].map((id) => ({ id, error: { code: 9002 } })),
    );
    release();
    expect((await first).json()).toMatchObject({ result: 'done' });
  });

  it('says once in the log that it stops', async () => {
    const logger = rememberingLogger();
    const { listener } = await start({ logger });
    await listener.quiet();
    await listener.quiet();
    await listener.stop(1000);
    expect(logger.lines.map(([message]) => message)).toEqual([
      'the server is stopping: it takes no more calls',
    ]);
  });

  it('is not ready any more, but well', async () => {
    const { listener, url } = await start({
      routes: [plain('/ready', 'refused'), plain('/health', 'served')],
    });
    expect((await request(`${url}/ready`)).status).toBe(200);
    await listener.quiet();
    expect((await request(`${url}/ready`)).status).toBe(503);
    expect((await request(`${url}/health`)).status).toBe(200);
  });

  it('answers each call over a WebSocket with an error of its own, and notifications with nothing', async () => {
    const { methods, begun, release } = holding();
    const { listener, url } = await start({ methods });
    const client = await socketClient(url);
    client.send(call('hold', [], 'held'));
    await begun;
    await listener.quiet();
    client.send('{"jsonrpc":"2.0","method":"update"}');
    client.send(call('echo', [], 'seven'));
    expect(JSON.parse(await client.next())).toMatchObject({ id: 'seven', error: { code: 9002 } });
    release();
    expect(JSON.parse(await client.next())).toMatchObject({ id: 'held', result: 'done' });
    await expect(socketClient(url)).rejects.toThrow(/503/);
  });
});

describe('a listener that stops', () => {
  it('waits for what is under way, and ends every connection', async () => {
    const { methods, begun, release } = holding();
    const { listener, url, port } = await start({ methods });
    const idle = await rawClient(port);
    idle.write(rawPost(call('echo')));
    await idle.until(/\}$/);
    const busy = await rawClient(port);
    busy.write(rawPost(call('hold')));
    await begun;
    const stopped = listener.stop(60_000);
    await idle.ended;
    release();
    expect(await busy.ended).toMatch(/connection: close.*"result":"done"/is);
    await stopped;
    await expect(post(url, call('echo'))).rejects.toThrow();
  });

  it('closes WebSockets with 1001, after the answers they wait for', async () => {
    const { methods, begun, release } = holding();
    const { listener, url } = await start({ methods });
    const [idle, busy] = [await socketClient(url), await socketClient(url)];
    busy.send(call('hold'));
    await begun;
    const stopped = listener.stop(60_000);
    expect(await idle.closed).toEqual({ code: 1001, reason: 'the server is stopping' });
    release();
    expect(JSON.parse(await busy.next())).toMatchObject({ result: 'done' });
    expect((await busy.closed).code).toBe(1001);
    await stopped;
  });

  it('ends streams as streams end', async () => {
    const begun = Promise.withResolvers<void>();
    const open = async function* ({ signal }: CalledRequest): AsyncGenerator<StreamEvent> {
      begun.resolve();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    };
    const { listener, url } = await start({
      routes: [{ kind: 'stream', path: '/events', access: 'viewer', open }],
    });
    const stream = request(`${url}/events`);
    await begun.promise;
    await listener.stop(60_000);
    expect((await stream).text).toBe(': here\n\n');
  });

  it('keeps its deadline, whoever does not let go', async () => {
    const { methods, begun } = holding();
    const { listener, url, port } = await start({ methods });
    const held = post(url, call('hold'));
    await begun;
    const deaf = await socketClient(url);
    deaf.socket.pause();
    const half = await rawClient(port);
    half.write('POST /rpc HTTP/1.1\r\nhost: localhost\r\ncontent-le');
    const caught = expect(held).rejects.toThrow();
    await listener.stop(50);
    await caught;
    await half.ended;
  });

  it('may be stopped again, or without having started', async () => {
    const { listener } = await start();
    await Promise.all([listener.stop(1000), listener.stop(1000)]);
    await listener.stop(1000);
  });
});
