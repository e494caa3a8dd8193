import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { GleitzeitError } from '../core/errors.ts';
import { systemClock, systemRandom, systemTimers } from '../embedded/system.ts';
import { defaultListenerLimits } from '../rpc/listener/limits.ts';
import { createListener } from '../rpc/listener/listener.ts';
import { createKey } from './access/keys.ts';
import { createFace, type FaceParts } from './face.ts';
import { echo } from './testing/caller.suite.ts';
import { openHouse } from './testing/house.suite.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** The house with its door open. */
async function serve(given: Partial<FaceParts> = {}) {
  const house = await openHouse(given);
  closing.push(house.close);
  const { authenticate, routes } = house.face;
  const listener = createListener({
    on: { host: '127.0.0.1', port: 0 },
    limits: defaultListenerLimits,
    allowed_hosts: [],
    allowed_origins: [],
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    clock: systemClock,
    timers: systemTimers,
    ...(authenticate === undefined ? {} : { authenticate }),
  });
  for (const route of routes) listener.mount(route);
  const { url } = await listener.start();
  closing.push(() => listener.stop(1000));
  const post = (method: string, params: object, headers: Record<string, string> = {}) =>
    fetch(`${url}/rpc`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
  return { house, url, listener, post };
}

/** Messages of a stream as they are written, up to the number asked for. */
async function readStream(response: Response, count: number): Promise<string[]> {
  const reader = response.body?.getReader();
  let text = '';
  const complete = () =>
    text
      .split('\n\n')
      .slice(0, -1)
      .filter((block) => !block.startsWith(':'));
  while (reader !== undefined && complete().length < count) {
    const { value, done } = await reader.read();
    if (done) break;
    text += Buffer.from(value).toString();
  }
  await reader?.cancel();
  return complete().slice(0, count);
}

describe('the face of the server', () => {
  it('takes work by POST and tells of it over a WebSocket', async () => {
    const { post, url } = await serve();
    const socket = new WebSocket(url.replace('http', 'ws').concat('/rpc'));
    await once(socket, 'open');
    const messages: {
      id?: number;
      result?: object;
      method?: string;
      params?: { event: string; task_id: string };
    }[] = [];
    socket.on('message', (data) => messages.push(JSON.parse(String(data))));
    socket.send(
      JSON.stringify({
        jsonrpc: '2.0',
        id: 7,
        method: 'event.subscribe',
        params: { events: 'task:completed' },
      }),
    );
    await expect.poll(() => messages).toMatchObject([{ id: 7, result: { cursor: expect.any(Number) } }]);
    const { result } = (await (await post('task.submit', echo)).json()) as { result: { task_id: string } };
    await expect
      .poll(() => messages[1])
      .toMatchObject({
        method: 'event',
        params: { event: 'task:completed', task_id: result.task_id },
      });
    socket.close();
    await once(socket, 'close');
  });

  it('names a subscription before its first event, in a batch too, and opens none that nobody could name', async () => {
    const { post, url } = await serve();
    const socket = new WebSocket(url.replace('http', 'ws').concat('/rpc'));
    await once(socket, 'open');
    const messages: unknown[] = [];
    socket.on('message', (data) => messages.push(JSON.parse(String(data))));
    const { result } = (await (await post('task.submit', echo)).json()) as { result: { task_id: string } };
    const { task_id } = result;
    const subscribe = { jsonrpc: '2.0', method: 'event.subscribe', params: { cursor: 0 } };
    const slow = { jsonrpc: '2.0', id: 2, method: 'task.result', params: { task_id, wait: 10_000 } };
    socket.send(JSON.stringify(subscribe));
    socket.send(JSON.stringify([{ ...subscribe, id: 1 }, slow]));
    await expect.poll(() => messages.length).toBeGreaterThan(4);
    const [answers, ...events] = messages as [{ result: { subscription_id?: string } }[], ...object[]];
    const subscription_id = answers[0]?.result.subscription_id;
    expect(subscription_id).toEqual(expect.any(String));
    for (const event of events) expect(event).toMatchObject({ method: 'event', params: { subscription_id } });
    socket.close();
    await once(socket, 'close');
  });

  it('streams events, and goes on after the last that was seen', async () => {
    const { post, url } = await serve();
    await post('task.submit', echo);
    const [start, first, second] = await readStream(await fetch(`${url}/events?cursor=0`), 3);
    expect(start).toBe('id: 0');
    expect(first).toMatch(/^id: 1\nevent: task:queued\ndata: \{"cursor":1,"event":"task:queued"/);
    expect(second).toMatch(/^id: 2\nevent: task:validated\n/);
    const again = await fetch(`${url}/events?cursor=0`, { headers: { 'last-event-id': '2' } });
    expect((await readStream(again, 2))[1]).toMatch(/^id: 3\n/);
    const filtered = await fetch(`${url}/events?cursor=0&events=task:completed,task:failed`);
    expect((await readStream(filtered, 2))[1]).toMatch(/\nevent: task:completed\n/);
  });

  it.each([
    ['cursor=x', 'cursor'],
    ['cursor=-1', 'cursor'],
    ['cursor=99999', 'cursor'],
    ['cursor=1&cursor=2', 'cursor'],
    ['events=task:finished', 'events'],
    ['evnets=task:failed', 'evnets'],
    ['__proto__=1', '__proto__'],
    ['task_id=', 'task_id'],
  ])('refuses a stream of ?%s', async (query, field) => {
    const { url } = await serve();
    const response = await fetch(`${url}/events?${query}`);
    expect(response.status).toBe(400);
    const text = await response.text();
    expect(text).toContain('GLZ1012');
    expect(text).toContain(field);
  });

  it('answers plain questions', async () => {
    const { url } = await serve({
      metrics: async () => ({ type: 'text/plain; version=0.0.4', text: 'up 1\n' }),
    });
    const get = async (path: string) => {
      const response = await fetch(`${url}${path}`);
      return {
        status: response.status,
        type: response.headers.get('content-type'),
        text: await response.text(),
      };
    };
    expect(await get('/health')).toMatchObject({ status: 200, text: '{"status":"ok"}' });
    expect(await get('/ready')).toMatchObject({ status: 200, text: '{"status":"ready"}' });
    expect(await get('/metrics')).toMatchObject({ status: 200, text: 'up 1\n' });
    expect(JSON.parse((await get('/openrpc.json')).text)).toMatchObject({ openrpc: '1.3.2' });
    expect((await get('/nothing')).status).toBe(404);
  });

  it('is not ready while the store is away, and does not tell where that is', async () => {
    const away = new GleitzeitError('GLZ3001', 'postgres://user:hush@db.internal does not answer');
    const { house, url } = await serve();
    const reads = { ...house.store.reads, cursor: () => Promise.reject(away) };
    const { routes } = createFace({ ...house.faceParts, reads });
    const ready = routes.find((route) => route.kind === 'get' && route.path === '/ready');
    const answer = ready?.kind === 'get' ? await ready.answer({} as never) : null;
    expect(answer).toMatchObject({
      status: 503,
      body: '{"status":"unavailable","error_code":"GLZ3001","reason":"store_unavailable"}',
    });
    expect((await fetch(`${url}/ready`)).status).toBe(200);
  });
});

describe('with keys', () => {
  const viewer = createKey('grafana', 'viewer', systemRandom());
  const operator = createKey('ci', 'operator', systemRandom());
  const keys = () => [viewer.entry, operator.entry];
  const as = ({ key }: { key: string }) => ({ authorization: `Bearer ${key}` });

  it('nobody gets in without one but those who ask whether it lives', async () => {
    const { url, post } = await serve({ keys, metrics: async () => ({ type: 'text/plain', text: '' }) });
    for (const path of ['/events', '/openrpc.json', '/metrics'])
      expect((await fetch(url + path)).status, path).toBe(401);
    for (const path of ['/health', '/ready']) expect((await fetch(url + path)).status, path).toBe(200);
    expect((await post('system.info', {})).status).toBe(401);
    expect((await post('system.info', {}, { authorization: 'Bearer glz_x_y' })).status).toBe(401);
    expect((await fetch(`${url}/metrics`, { headers: as(viewer) })).status).toBe(200);
  });

  it('each may do what its role allows', async () => {
    const { post } = await serve({ keys });
    expect(await (await post('system.info', {}, as(viewer))).json()).toMatchObject({
      result: { caller: { name: 'grafana', role: 'viewer' } },
    });
    expect(await (await post('task.submit', echo, as(viewer))).json()).toMatchObject({
      error: { code: 4002, data: { error_code: 'GLZ4002', reason: expect.stringContaining('operator') } },
    });
    expect(await (await post('task.submit', echo, as(operator))).json()).toMatchObject({
      result: { status: 'queued' },
    });
  });

  it('a ticket opens one WebSocket or one stream', async () => {
    const { url, post, house } = await serve({ keys });
    const ticket = async () => {
      const answer = (await (await post('auth.ticket', {}, as(viewer))).json()) as {
        result: { ticket: string };
      };
      return answer.result.ticket;
    };
    const one = await ticket();
    const stream = await fetch(`${url}/events?cursor=0&ticket=${one}`);
    expect(stream.status).toBe(200);
    await stream.body?.cancel();
    expect((await fetch(`${url}/events?ticket=${one}`)).status).toBe(401);
    const socket = new WebSocket(`${url.replace('http', 'ws')}/rpc?ticket=${await ticket()}`);
    await once(socket, 'open');
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'system.info' }));
    const [message] = await once(socket, 'message');
    expect(JSON.parse(String(message))).toMatchObject({ result: { caller: { name: 'grafana' } } });
    socket.close();
    await once(socket, 'close');
    const logged = JSON.stringify(house.log);
    expect(logged).not.toContain(one);
    expect(logged).not.toContain(viewer.key);
  });
});
