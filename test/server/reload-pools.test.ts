import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { call } from './call.ts';
import { echoProtocol, settledTask, submitEcho } from './echo.ts';
import { type HeldAgent, heldAgent } from './held-agent.ts';
import { openScene, type Scene, type Server } from './scene.ts';

let scene: Scene;
let agent: HeldAgent;

beforeEach(async () => {
  scene = openScene();
  agent = await heldAgent();
});
afterEach(async () => {
  await scene.close();
  await agent.close();
});

function configOf(provider: object, protocol: object = {}): object {
  const only = { id: 'only', type: 'jsonrpc-http', config: { url: `${agent.url}/only` }, ...provider };
  return { server: { port: 0 }, protocols: [{ ...echoProtocol, ...protocol, providers: [only] }] };
}

async function rewrite(server: Server, content: object) {
  const after = server.log.length;
  scene.write('gleitzeit.yaml', content);
  return server.logged({ message: 'the configuration was changed' }, after);
}

async function waitsFor(server: Server, task_id: string): Promise<unknown> {
  for (;;) {
    const told = await call<{ waiting_for: { kind: string } | null }>(server.url, 'task.status', { task_id });
    if (told.waiting_for !== null && told.waiting_for.kind !== 'slot') return told.waiting_for;
  }
}

describe('limits in a changed configuration', () => {
  it('are those of the provider as it is, whose calls go on; who waited comes', async () => {
    const server = await scene.serve(configOf({ limits: { concurrency: 1 } }));
    const first = await submitEcho(server.url, 'first');
    const held = await agent.next();
    const second = await submitEcho(server.url, 'second');
    expect(await waitsFor(server, second)).toEqual({
      kind: 'concurrency',
      key: 'provider only',
      until: null,
    });
    const { since } = await call<{ since: string }>(server.url, 'provider.status', { id: 'only' });
    expect(await rewrite(server, configOf({ limits: { concurrency: 2 }, weight: 3 }))).toMatchObject({
      providers: { changed: 1, added: 0, removed: 0 },
    });
    (await agent.next()).reply({ result: 2 });
    expect(await settledTask(server.url, second)).toMatchObject({ result: 2 });
    expect(await call(server.url, 'provider.status', { id: 'only' })).toMatchObject({
      since,
      weight: 3,
      in_flight: 1,
      concurrency: { most: 2, left: 1 },
    });
    held.reply({ result: 1 });
    expect(await settledTask(server.url, first)).toMatchObject({ result: 1 });
  });

  it('of a protocol are taken over too, and a rate is remembered over a restart', async () => {
    const slow = { limits: { rate: '1/h' } };
    const server = await scene.serve(configOf({}));
    await rewrite(server, configOf({}, slow));
    const first = await submitEcho(server.url, 'first');
    (await agent.next()).reply({ result: 1 });
    expect(await settledTask(server.url, first)).toMatchObject({ result: 1 });
    const second = await submitEcho(server.url, 'second');
    const { until, ...line } = (await waitsFor(server, second)) as { until: string };
    expect(line).toEqual({ kind: 'rate', key: 'protocol echo/v1' });
    expect(Math.round((Date.parse(until) - Date.now()) / 600_000)).toBe(6);
    server.signal('SIGKILL');
    await server.ended;
    const again = await scene.serve(configOf({}, slow));
    const third = await submitEcho(again.url, 'third');
    expect(await waitsFor(again, third)).toMatchObject({ kind: 'rate', key: 'protocol echo/v1' });
    await rewrite(again, configOf({}));
    for (let turn = 0; turn < 2; turn++) (await agent.next()).reply({ result: 2 });
    expect(await settledTask(again.url, second)).toMatchObject({ status: 'completed' });
    expect(await settledTask(again.url, third)).toMatchObject({ status: 'completed' });
  });
});
