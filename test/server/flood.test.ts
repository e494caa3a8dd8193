import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Agent, startAgent } from './agent.ts';
import { echoProtocols, settledTask, submitEcho } from './echo.ts';
import type { FloodOptions, FloodReport } from './flood.ts';
import { openScene, type Scene, type Server } from './scene.ts';

/** The bench measures ten seconds of it, and how late a good client is served meanwhile. */
const SECONDS = Number(process.env['GLEITZEIT_TEST_FLOOD_SECONDS'] ?? 3);
const PER_SECOND = 2000;
const HALF_OPEN = 200;

let scene: Scene;
let agent: Agent;
let server: Server;

beforeAll(async () => {
  scene = openScene();
  agent = await startAgent(async ({ params }) => ({ result: params['text'] }));
  server = await scene.serve({
    server: { port: 0 },
    protocols: echoProtocols({ agent: { url: agent.url } }),
  });
});
afterAll(async () => {
  await scene.close();
  await agent.close();
});

/** Apart from the good client, which would have to wait for it otherwise. */
async function floodApart(options: FloodOptions): Promise<FloodReport> {
  const child = fork(fileURLToPath(new URL('./flood-process.ts', import.meta.url)));
  const ended = once(child, 'exit');
  child.send(options);
  const [report] = await Promise.race([
    once(child, 'message'),
    ended.then(([code]) => Promise.reject(new Error(`the flood ended with ${code}`))),
  ]);
  await ended;
  return report;
}

describe(`${PER_SECOND} bad requests a second beside ${HALF_OPEN} uploads that do not end`, () => {
  it('are answered one by one, and good clients are served all the time', async () => {
    const { port } = new URL(server.url);
    const bad = floodApart({
      port: Number(port),
      per_second: PER_SECOND,
      half_open: HALF_OPEN,
      seconds: SECONDS,
    });
    let over = false;
    void bad.finally(() => {
      over = true;
    });
    let served = 0;
    for (; !over; served++) {
      const task_id = await submitEcho(server.url, 'good');
      expect(await settledTask(server.url, task_id)).toMatchObject({ status: 'completed', result: 'good' });
    }
    expect(served).toBeGreaterThan(SECONDS);
    const { sent, answered } = await bad;
    expect(Object.values(answered).reduce((sum, count) => sum + count, 0)).toBe(sent);
    expect(Object.keys(answered)).toEqual(['200', '400', '403', '404', '405', '415']);
    expect(server.log.filter(({ level }) => level !== 'info')).toEqual([]);
  });
});
