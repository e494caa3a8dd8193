import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type Agent, startAgent } from './agent.ts';
import { requestText } from './ask.ts';
import { attacks, send } from './attacks.ts';
import { bombs } from './bombs.ts';
import { call } from './call.ts';
import { echoProtocols, settledTask, submitEcho } from './echo.ts';
import { openScene, type Scene, type Server } from './scene.ts';

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

/** A good client, busy until `work` is done; how often it was served, each time as it should be. */
async function meanwhile(work: Promise<unknown>): Promise<number> {
  let over = false;
  const ended = () => {
    over = true;
  };
  work.then(ended, ended);
  let served = 0;
  do {
    const task_id = await submitEcho(server.url, 'good');
    expect(await settledTask(server.url, task_id)).toMatchObject({ status: 'completed', result: 'good' });
    served++;
  } while (!over);
  return served;
}

/** The most its process ever held. */
function peakMegabytes(pid: number): number {
  const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

describe('whoever configures', () => {
  it.each(bombs.slice(0, 3).map((bomb) => [bomb.name, bomb] as const))(
    '%s is told so instead of a start',
    async (_, { text, says }) => {
      const program = scene.start(['serve', '--config', scene.write('bomb.yaml', text())]);
      expect(await program.ended).toEqual({ code: 7, signal: null });
      expect(program.output()).toMatch(says);
      expect(program.output().length).toBeLessThan(2000);
    },
  );

  it.each(bombs.map((bomb) => [bomb.name, bomb] as const))(
    '%s while the server runs is told so, and what was configured stays',
    async (_, { text, says }) => {
      const after = server.log.length;
      scene.write('gleitzeit.yaml', text());
      const message = 'the changed configuration is not taken; the one before stays in force';
      const refused = server.logged({ message }, after);
      expect(await meanwhile(refused)).toBeGreaterThan(0);
      expect(String((await refused)['problems'])).toMatch(says);
    },
  );
});

describe('whoever sends', () => {
  it.each(attacks.map((attack) => [attack.name, attack] as const))(
    '%s is told so, and others are served',
    async (_, { make, status, says }) => {
      const answered = send(server.url, make());
      expect(await meanwhile(answered)).toBeGreaterThan(0);
      const { text, ...answer } = await answered;
      expect([answer.status, text]).toEqual([status, expect.stringMatching(says)]);
      const { jsonrpc, error, result } = JSON.parse(text);
      expect([jsonrpc, result]).toEqual(['2.0', undefined]);
      expect(error).toMatchObject({
        code: expect.any(Number),
        data: { error_code: expect.stringMatching(/^GLZ/) },
      });
      expect(text).not.toMatch(/\bat .*\.[jt]s:\d/);
      expect(text.length).toBeLessThan(10_000);
    },
  );

  it('tasks with the names of what every object has gets their results', async () => {
    const names = ['__proto__', 'constructor', 'toString', 'prototype'];
    const say = (id: string, text: string) => ({ id, protocol: 'echo/v1', method: 'say', params: { text } });
    const tasks = [
      ...names.map((id) => say(id, `of ${id}`)),
      say('last', '${constructor.result}, ${toString.result}'),
    ];
    const { workflow_id } = await call<{ workflow_id: string }>(server.url, 'workflow.submit', {
      workflow: { name: 'odd names', tasks },
    });
    const { results } = await call<{ results: object }>(server.url, 'workflow.results', {
      workflow_id,
      wait: 30_000,
    });
    expect(Object.entries(results)).toEqual([
      ...names.map((id) => [id, `of ${id}`]),
      ['last', 'of constructor, of toString'],
    ]);
  });

  it.runIf(process.platform === 'linux')('100 MB costs no 100 MB of memory', async () => {
    const [announced, chunked] = attacks.slice(0, 2).map(({ make }) => make());
    if (announced === undefined || chunked === undefined) throw new Error('there are no such attacks');
    const before = peakMegabytes(server.pid);
    await Promise.all([announced, announced, announced, chunked].map((request) => send(server.url, request)));
    expect(peakMegabytes(server.pid) - before).toBeLessThan(100);
  });

  it('the same over a WebSocket is told so, and its connection goes on', async () => {
    const socket = new WebSocket(`${server.url.replace('http:', 'ws:')}/rpc`);
    await once(socket, 'open');
    const say = async (text: string) => {
      socket.send(text);
      const [data] = await once(socket, 'message');
      return JSON.parse(String(data));
    };
    const info = requestText('system.info');
    expect(await say('['.repeat(100_000))).toMatchObject({ error: { code: -32600 } });
    expect(await say(`[${Array(100_000).fill(info).join(',')}]`)).toMatchObject({ error: { code: -32600 } });
    expect(await say('{"jsonrpc":')).toMatchObject({ error: { code: -32700 } });
    expect(await say(info)).toMatchObject({ result: { name: 'gleitzeit' } });
    socket.close();
  });

  it.each([{ origin: 'https://evil.example' }, { host: 'evil.example' }])(
    'a page that wants a WebSocket by %j is refused',
    async (headers) => {
      const socket = new WebSocket(`${server.url.replace('http:', 'ws:')}/rpc`, { headers });
      socket.on('error', () => {});
      const [request, response] = await once(socket, 'unexpected-response');
      request.destroy();
      expect(response.statusCode).toBe(403);
    },
  );

  it('all of that leaves the server as it was', async () => {
    expect(await call(server.url, 'task.list', { status: ['queued', 'executing'] })).toMatchObject({
      items: [],
    });
    const problems = server.log.filter(({ level, problems }) => level !== 'info' && problems === undefined);
    expect(problems).toEqual([]);
  });
});
