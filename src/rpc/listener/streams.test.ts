import { afterEach, describe, expect, it } from 'vitest';
import { GleitzeitError } from '../../core/errors.ts';
import { manualTimers } from '../websocket/manual-timers.suite.ts';
import type { CalledRequest, StreamEvent, StreamRoute } from './route.ts';
import { rawClient, request, start, stopAll } from './testing.suite.ts';

afterEach(stopAll);

function streaming(open: StreamRoute['open']): StreamRoute {
  return { kind: 'stream', path: '/events', access: 'viewer', open };
}

async function* of(...events: StreamEvent[]): AsyncGenerator<StreamEvent> {
  yield* events;
}

const ask = 'GET /events HTTP/1.1\r\nhost: localhost\r\n\r\n';

/** Events without end, and a word on how far it came. */
function endless(size: number) {
  const ended = Promise.withResolvers<void>();
  const state = { made: 0, ended: ended.promise };
  const open = async function* ({ signal }: CalledRequest): AsyncGenerator<StreamEvent> {
    try {
      while (!signal.aborted) {
        state.made++;
        yield { id: String(state.made), data: 'x'.repeat(size) };
      }
    } finally {
      ended.resolve();
    }
  };
  return { state, route: streaming(open) };
}

/** Nothing, until whoever listens is gone. */
function silent() {
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const open = async function* ({ signal }: CalledRequest): AsyncGenerator<StreamEvent> {
    begun.resolve();
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    ended.resolve();
  };
  return { route: streaming(open), begun: begun.promise, ended: ended.promise };
}

describe('a stream of events', () => {
  it('is written as browsers read it', async () => {
    const events = of({ id: '0' }, { id: '1', event: 'task', data: '{"a":1}' }, { data: 'two\r\nlines\n' });
    const { url } = await start({ routes: [streaming(() => events)] });
    const { status, headers, text } = await request(`${url}/events`);
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
      'no-store',
    ]);
    expect(text).toBe(
      ': here\n\nid: 0\n\nid: 1\nevent: task\ndata: {"a":1}\n\ndata: two\ndata: lines\ndata: \n\n',
    );
  });

  it('sees who asks, and what for', async () => {
    const open = ({ query, headers, caller }: CalledRequest) =>
      of({ data: `${caller?.name} ${query.get('cursor')} ${headers['last-event-id']}` });
    const { url } = await start({ routes: [streaming(open)] });
    const { text } = await request(`${url}/events?cursor=5`, { headers: { 'last-event-id': '9' } });
    expect(text).toContain('data: local 5 9\n');
  });

  it('that cannot be opened says why', async () => {
    const open = () => Promise.reject(new GleitzeitError('GLZ1005', 'no such cursor', { field: 'cursor' }));
    const { url } = await start({ routes: [streaming(open)] });
    const { status, json } = await request(`${url}/events`);
    expect([status, json()]).toMatchObject([400, { error: { data: { field: 'cursor' } } }]);
  });

  it('that breaks is cut, and does not look as if it had ended', async () => {
    const seen = Promise.withResolvers<void>();
    const open = async function* () {
      yield { data: 'first' };
      await seen.promise;
      throw new Error('secret-4711');
    };
    const { port } = await start({ routes: [streaming(open)] });
    const client = await rawClient(port);
    client.write(ask);
    await client.until(/data: first/);
    seen.resolve();
    const text = await client.ended;
    expect(text).not.toMatch(/4711|\r\n0\r\n\r\n$/);
  });

  it('is refused without a key, when too many are open, and when the server stops', async () => {
    const { route, begun } = silent();
    const { listener, url, port } = await start({ routes: [route], limits: { streams: 1 } });
    const client = await rawClient(port);
    client.write(ask);
    await begun;
    const refused = await request(`${url}/events`);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    await listener.quiet();
    expect((await request(`${url}/events`)).status).toBe(503);
    const locked = await start({ routes: [route], authenticate: () => null });
    expect((await request(`${locked.url}/events`)).status).toBe(401);
  });

  it('has no HEAD', async () => {
    const { url } = await start({ routes: [silent().route] });
    const { status, headers } = await request(`${url}/events`, { method: 'HEAD' });
    expect([status, headers.get('allow')]).toEqual([405, 'GET']);
  });

  it('ends with whoever listens', async () => {
    const { route, begun, ended } = silent();
    const { listener, port } = await start({ routes: [route] });
    const client = await rawClient(port);
    client.write(ask);
    await begun;
    client.socket.destroy();
    await ended;
    await expect.poll(async () => (await listener.stats()).streams).toBe(0);
  });

  it('is kept alive while there is nothing to tell', async () => {
    const timers = manualTimers();
    const { route, begun } = silent();
    const { port } = await start({ routes: [route], timers, limits: { pulse_ms: 5000 } });
    const client = await rawClient(port);
    client.write(ask);
    await begun;
    await client.until(/: here/);
    timers.pass(5000);
    timers.pass(5000);
    await client.until(/(: still here.*){2}/s);
  });

  it('makes no more events than are taken', async () => {
    const { state, route } = endless(100_000);
    const { port } = await start({ routes: [route] });
    const client = await rawClient(port);
    client.socket.pause();
    client.write(ask);
    let before = -1;
    await expect
      .poll(() => {
        const still = state.made === before && before > 0;
        before = state.made;
        return still;
      })
      .toBe(true);
    expect(state.made).toBeLessThan(500);
    client.socket.resume();
    await expect.poll(() => state.made).toBeGreaterThan(before);
    client.socket.destroy();
    await state.ended;
  });

  it('that nobody takes is cut', async () => {
    const { state, route } = endless(100_000);
    const { port } = await start({ routes: [route], limits: { pulse_ms: 50 } });
    const client = await rawClient(port);
    client.socket.pause();
    client.write(ask);
    await state.ended;
  });
});
