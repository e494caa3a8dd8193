import { once } from 'node:events';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { call } from './call.ts';
import { echoProtocol, settledTask, submitEcho } from './echo.ts';
import { openScene, type Scene, type Server } from './scene.ts';

let scene: Scene;
let service: HttpServer;
let calls = 0;
let isWell = false;

/** Is ill until somebody sees to it. */
beforeEach(async () => {
  scene = openScene();
  [calls, isWell] = [0, false];
  service = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    calls++;
    if (!isWell) return response.writeHead(500).end();
    response.setHeader('content-type', 'application/json');
    return response.end(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(body).id, result: 'hello' }));
  });
  await once(service.listen(0, '127.0.0.1'), 'listening');
});
afterEach(async () => {
  await scene.close();
  service.close();
  service.closeAllConnections();
});

type Status = { readonly breakers: readonly { readonly state: string }[] };

const breakersIn = async ({ url }: Server) =>
  (await call<Status>(url, 'provider.status', { id: 'ill' })).breakers.map(({ state }) => state);

/** As many tasks as come at once, none of which is tried again. */
async function submitMany({ url }: Server, count: number): Promise<void> {
  const task = {
    ...{ protocol: 'echo/v1', method: 'say', params: { text: 'x' } },
    retry_config: { max_attempts: 1 },
  };
  await call(url, 'task.submit_many', { tasks: Array.from({ length: count }, () => task) });
}

const failed = async ({ url }: Server) =>
  (await call<{ tasks: { failed?: number } }>(url, 'queue.stats', {})).tasks.failed ?? 0;

it('a service that was left in peace when the server was killed gets no flood from the next one', async () => {
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const breaker = { failures: 5, cool_down: '1h', most_cool_down: '2h' };
  const provider = { id: 'ill', type: 'jsonrpc-http', breaker, limits: { concurrency: 20 }, config: { url } };
  const config = { server: { port: 0 }, protocols: [{ ...echoProtocol, providers: [provider] }] };
  const first = await scene.serve(config);
  await submitMany(first, 300);
  await expect.poll(() => breakersIn(first)).toEqual(['open']);
  await expect.poll(async () => (await failed(first)) === calls).toBe(true);
  const before = calls;
  expect(before).toBeLessThan(60);
  // That it is open is committed with what comes after it.
  await submitEcho(first.url, 'after');
  first.signal('SIGKILL');
  await first.ended;

  const second = await scene.serve(config);
  expect(await breakersIn(second)).toEqual(['open']);
  const task_id = await submitEcho(second.url, 'later');
  const kind = async () =>
    (await call<{ waiting_for: { kind: string } | null }>(second.url, 'task.status', { task_id })).waiting_for
      ?.kind;
  await expect.poll(kind).toBe('breaker');
  expect([calls, await failed(second)]).toEqual([before, before]);
  second.signal('SIGTERM');
  await second.ended;

  isWell = true;
  const third = await scene.serve(config);
  expect(await breakersIn(third)).toEqual(['open']);
  await call(third.url, 'provider.resume', { id: 'ill' });
  expect(await settledTask(third.url, task_id)).toMatchObject({ status: 'completed', result: 'hello' });
  expect(await failed(third)).toBe(before);
  third.signal('SIGKILL');
  await third.ended;

  expect(await breakersIn(await scene.serve(config))).toEqual([]);
});
