import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { call } from './call.ts';
import { echoProtocol, echoProtocols, settledTask, submitEcho } from './echo.ts';
import { type HeldAgent, heldAgent } from './held-agent.ts';
import { openScene, type Scene } from './scene.ts';

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

const start = (more: object = {}) =>
  scene.serve({ server: { port: 0 }, protocols: echoProtocols({ agent: { url: agent.url } }), ...more });

describe('a server that is asked to stop', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('by %s lets running calls finish', async (signal) => {
    const server = await start({ logging: { level: 'debug' } });
    const task_id = await submitEcho(server.url, 'hello');
    const held = await agent.next();
    const waiting = settledTask(server.url, task_id);
    await server.logged({ message: 'request', method: 'task.result' });
    server.signal(signal);
    await refusesWork(server.url);
    held.reply({ result: 'finished' });
    expect(await waiting).toMatchObject({ status: 'completed', result: 'finished' });
    expect(await server.ended).toEqual({ code: 0, signal: null });

    const next = await start();
    expect(await settledTask(next.url, task_id)).toMatchObject({ status: 'completed', result: 'finished' });
    expect(agent.untaken).toBe(0);
  });

  it('goes on in its next life with what did not finish in time', async () => {
    const server = await start({ engine: { stop_timeout: '200ms' } });
    const task_id = await submitEcho(server.url, 'hello');
    const cut = await agent.next();
    server.signal('SIGTERM');
    expect(await server.ended).toEqual({ code: 0, signal: null });
    cut.reply({ result: 'too late' });
    const next = await start();
    const again = await agent.next();
    expect(again.call_id).toBe(cut.call_id);
    again.reply({ result: 'in time' });
    expect(await settledTask(next.url, task_id)).toMatchObject({ status: 'completed', result: 'in time' });
  });

  it('a second time goes at once, and loses nothing', async () => {
    const server = await start();
    const task_id = await submitEcho(server.url, 'hello');
    await agent.next();
    server.signal('SIGINT');
    await refusesWork(server.url);
    server.signal('SIGINT');
    expect(await server.ended).toEqual({ code: 130, signal: null });
    const next = await start();
    (await agent.next()).reply({ result: 'done' });
    expect(await settledTask(next.url, task_id)).toMatchObject({ result: 'done' });
  });

  it('with nothing to do ends at once, whoever still listens', async () => {
    const server = await start();
    const stream = await fetch(`${server.url}/events`);
    server.signal('SIGTERM');
    expect(await server.ended).toEqual({ code: 0, signal: null });
    await stream.text();
  });
});

describe('a server that is killed with -9', () => {
  it('finishes after the restart whatever it accepted', async () => {
    const server = await start();
    const running = await submitEcho(server.url, 'running');
    await agent.next();
    const accepted = await Promise.all(
      Array.from({ length: 20 }, (_, index) => submitEcho(server.url, `task ${index}`)),
    );
    const workflow = {
      name: 'two in a row',
      tasks: [
        { id: 'a', protocol: 'echo/v1', method: 'say', params: { text: 'a' } },
        { id: 'b', protocol: 'echo/v1', method: 'say', params: { text: '${a.result}' } },
      ],
    };
    const { workflow_id } = await call<{ workflow_id: string }>(server.url, 'workflow.submit', { workflow });
    server.signal('SIGKILL');
    expect(await server.ended).toEqual({ code: null, signal: 'SIGKILL' });

    const next = await start();
    const outcomes = Promise.all([running, ...accepted].map((task_id) => settledTask(next.url, task_id)));
    const results = call(next.url, 'workflow.results', { workflow_id, wait: 30_000 });
    let over = false;
    void Promise.all([outcomes, results]).finally(() => {
      over = true;
    });
    answerAll(() => over);
    for (const outcome of await outcomes) expect(outcome).toMatchObject({ status: 'completed' });
    expect(await results).toMatchObject({ status: 'completed', results: { a: 'said a', b: 'said said a' } });
  });
});

/** A program that answers, and holds a line to the test as long as it lives. */
const childWithLine = `
require('node:net').connect(Number(process.argv[2]), '127.0.0.1');
const lines = require('node:readline').createInterface({ input: process.stdin });
lines.on('line', (line) => console.log(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(line).id, result: 1 })));
lines.on('close', () => process.exit());`;

describe('a program that the server started', () => {
  it.each(['SIGTERM', 'SIGKILL'] as const)('ends with it, by %s', async (signal) => {
    const listener = createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const { port } = listener.address() as AddressInfo;
    const command = ['node', scene.write('child.cjs', childWithLine), String(port)];
    const provider = { id: 'child', type: 'jsonrpc-stdio', config: { command } };
    const server = await start({ protocols: [{ ...echoProtocol, providers: [provider] }] });
    const connected = once(listener, 'connection');
    expect(await settledTask(server.url, await submitEcho(server.url, 'hello'))).toMatchObject({ result: 1 });
    const [line] = (await connected) as [Socket];
    const cut = new Promise((resolve) => line.on('error', () => {}).once('close', resolve));
    line.resume();
    server.signal(signal);
    await Promise.all([cut, server.ended]);
    listener.close();
  });
});

/** Answers every call from now on, also those that came from a life before and reach nobody. */
async function answerAll(isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const { params, reply } = await agent.next();
    reply({ result: `said ${params['text']}` });
  }
}

/** Resolves when the server takes no more work; what it says until then is right as well. */
async function refusesWork(url: string): Promise<void> {
  for (;;) {
    const status = await fetch(`${url}/ready`).then(
      (response) => response.status,
      () => 'gone',
    );
    if (status !== 200) return;
  }
}
