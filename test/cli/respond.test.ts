import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { play } from '../../src/cli/play.suite.ts';
import type { Agent } from '../server/agent.ts';
import { openScene, type Scene, type Server } from '../server/scene.ts';
import { startAskingAgent } from './asking-agent.ts';

let scene: Scene;
let agent: Agent;
let server: Server;

const serve = () =>
  scene.serve({
    server: { port: 0 },
    store: { type: 'sqlite', path: 'store.db' },
    agents: [{ name: 'Painter', url: agent.url, protocol: 'jsonrpc-2.0' }],
  });

beforeAll(async () => {
  scene = openScene();
  agent = await startAskingAgent();
  server = await serve();
  scene.write('paint.yaml', {
    name: 'paint',
    tasks: [{ id: 'picture', agent: 'Painter', input: 'a bee' }],
  });
  scene.write('two.yaml', {
    name: 'two',
    tasks: [
      { id: 'one', agent: 'Painter', input: 'a bee' },
      { id: 'other', agent: 'Painter', input: 'a cat' },
    ],
  });
});
afterAll(async () => {
  await scene.close();
  await agent.close();
});

const asked = (...argv: readonly string[]) =>
  play(argv, { cwd: scene.folder, env: { GLEITZEIT_SERVER_URL: server.url, HOME: scene.folder } });

async function waitingRun(file = 'paint.yaml'): Promise<{ run: string; task: string }> {
  const run = (await asked('submit', file, '-o', 'name')).out.trim();
  expect((await asked('watch', run)).status).toBe(12);
  const { tasks } = JSON.parse((await asked('status', run, '-o', 'json')).out);
  return { run, task: tasks[0].task_id };
}

describe('a run that needs somebody', () => {
  it('is left with what is asked and how it is answered', async () => {
    const told = await asked('run', 'paint.yaml', '--progress', 'plain');
    expect(told.status).toBe(12);
    expect(told.err).toMatch(/picture: needs input, Which colour\?, gleitzeit respond \S+ <answer>\n/);
    expect(told.err).toMatch(
      /It waits for input\.\n {2}picture: Which colour\?\n {4}gleitzeit respond \S+ <answer>\n/,
    );
  });

  it('shows it in its status, and goes on after a restart when it is answered', async () => {
    const { run, task } = await waitingRun();
    expect((await asked('status', task)).out).toMatch(
      new RegExp(
        `Status: +input_required\\n(.*\\n)*Asks: +Which colour\\?\\nAnswer: +gleitzeit respond ${task}`,
      ),
    );
    expect((await asked('status', run)).out).toMatch(
      new RegExp(`Asks: +picture\\nAnswer: +gleitzeit status ${task} shows what it asks\\n`),
    );
    server.signal('SIGKILL');
    await server.ended;
    server = await serve();
    const answered = await asked('respond', task, 'yellow');
    expect([answered.status, answered.err]).toEqual([0, `gleitzeit watch ${task} follows it\n`]);
    const watched = await asked('watch', run, '-o', 'json');
    expect(watched.status).toBe(0);
    expect(JSON.parse(watched.out)).toMatchObject({
      status: 'completed',
      results: { picture: { text: 'a bee in yellow' } },
    });
  });

  it('is answered by the id of the run, and once', async () => {
    const { run, task } = await waitingRun();
    expect(JSON.parse((await asked('respond', run, '--json', '"blue"', '-o', 'json')).out)).toMatchObject({
      task_id: task,
    });
    expect((await asked('watch', run)).status).toBe(0);
    expect((await asked('respond', task, 'blue')).status).toBe(0);
    expect((await asked('respond', task, 'red')).status).toBe(8);
    expect((await asked('respond', run, 'red')).err).toContain('no task of the run');
  });

  it('says whom to answer where several ask', async () => {
    const { run, task } = await waitingRun('two.yaml');
    const told = await asked('respond', run, 'blue');
    expect(told.status).toBe(8);
    expect(told.err).toContain(`gleitzeit respond ${task}`);
  });

  it('takes one answer, in one form', async () => {
    const { task } = await waitingRun();
    expect(await asked('respond', task)).toMatchObject({
      status: 2,
      err: expect.stringContaining('there is no answer'),
    });
    const twice = await asked('respond', task, 'blue', '--input', 'a=1');
    expect(twice).toMatchObject({ status: 2, err: expect.stringContaining('more than one answer') });
    expect((await asked('respond', task, '--input', 'text=green')).status).toBe(0);
    expect(JSON.parse((await asked('result', task, '--wait', '-o', 'json')).out)).toMatchObject({
      result: { text: 'a bee in green' },
    });
  });
});
