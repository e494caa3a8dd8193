import { once } from 'node:events';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { call } from './call.ts';
import { echoProtocols, settledTask, submitEcho } from './echo.ts';
import { openScene, type Scene } from './scene.ts';

let scene: Scene;
let service: HttpServer;
let calls = 0;

/** Asks to be left alone for an hour the first time, and answers afterwards. */
beforeEach(async () => {
  scene = openScene();
  calls = 0;
  service = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    if (++calls === 1) return response.writeHead(429, { 'retry-after': '3600' }).end();
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

type Waits = { readonly waiting_for: { readonly kind: string } | null };
type Paused = { readonly paused_until: string | null };

it('a service that asked to be left alone is also after a kill -9, until somebody resumes it', async () => {
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const config = { server: { port: 0 }, protocols: echoProtocols({ busy: { url } }) };
  const pausedIn = async (at: string) =>
    (await call<Paused>(at, 'provider.status', { id: 'busy' })).paused_until;
  const first = await scene.serve(config);
  await submitEcho(first.url, 'one');
  await expect.poll(() => pausedIn(first.url)).not.toBeNull();
  // What is told to others is committed with what comes after it.
  const second_id = await submitEcho(first.url, 'two');
  first.signal('SIGKILL');
  await first.ended;

  const second = await scene.serve(config);
  expect(await pausedIn(second.url)).not.toBeNull();
  const third_id = await submitEcho(second.url, 'three');
  const waits = async (task_id: string) =>
    (await call<Waits>(second.url, 'task.status', { task_id })).waiting_for?.kind;
  await expect.poll(() => waits(third_id)).toBe('rate');
  await expect.poll(() => waits(second_id)).toBe('rate');
  expect(calls).toBe(1);
  await call(second.url, 'provider.resume', { id: 'busy' });
  expect(await settledTask(second.url, third_id)).toMatchObject({ status: 'completed', result: 'hello' });
});
