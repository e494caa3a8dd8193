import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { call } from '../server/call.ts';
import { type HeldAgent, heldAgent } from '../server/held-agent.ts';
import { openScene, type Scene } from '../server/scene.ts';

const TOKEN = 'xoxb-never-to-be-seen-91c2';
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

type Response = {
  readonly id: string;
  readonly result?: Record<string, unknown>;
  readonly error?: { code: number };
};

async function send(
  url: string,
  method: string,
  params: object,
  id: string = randomUUID(),
): Promise<Response> {
  const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/zone`, { method: 'POST', headers, body });
  return (await answer.json()) as Response;
}

const task = { channel: 'C1', text: 'how are you?', bot_token: TOKEN, budget_ms: 0 };
const lease = { engine: { lease_ttl: '1s', stop_timeout: '1s' } };

function executing() {
  const provider = { type: 'jsonrpc-http', config: { url: agent.url } };
  return {
    ...lease,
    server: { port: 0 },
    store: { type: 'sqlite', path: 'execution.db' },
    logging: { level: 'debug' },
    protocols: [{ name: 'chat/v1', methods: { answer: {} }, providers: [provider] }],
    zone: { execute: { protocol: 'chat/v1', method: 'answer' } },
  };
}

describe('an accepted task', () => {
  it.each([
    ['id', 'task_id', {}],
    ['key', 'workflow_id', { idempotency_key: 'asked-once' }],
  ])(
    'survives kill -9, is run once for its %s, and its token is in no file, log or event',
    async (_, of, key) => {
      const first = await scene.serve(executing());
      const id = randomUUID();
      const asked = { ...task, ...key };
      const { result: accepted } = await send(first.url, 'execute_task', asked, id);
      expect(accepted?.['status']).toBe('accepted');
      expect((await agent.next()).params).toMatchObject({ text: task.text, bot_token: TOKEN });
      first.signal('SIGKILL');
      await first.ended;

      const second = await scene.serve(executing());
      expect((await send(second.url, 'execute_task', asked, id)).result).toEqual(accepted);
      const again = await agent.next();
      const task_id = accepted?.['task_id'];
      const asking = send(second.url, 'get_async_task_result', { task_id, budget_ms: 30_000 });
      again.reply({ result: { response_text: `very well, ${TOKEN}` } });
      const done = { status: 'success', response_text: 'very well, [secret]' };
      expect((await asking).result).toEqual(done);
      expect(agent.untaken).toBe(0);
      const shown = await Promise.all(
        ['task.list', 'workflow.list'].map((method) => call(second.url, method, {})),
      );
      second.signal('SIGKILL');
      await second.ended;

      const third = await scene.serve(executing());
      expect((await send(third.url, 'get_async_task_result', { task_id })).result).toEqual(done);
      const events = JSON.stringify(await call(third.url, 'event.list', { [of]: task_id }));
      expect(events).toContain('task:completed');
      const files = readdirSync(scene.folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'));
      const outputs = [first, second, third].map((server) => server.output());
      expect(outputs.join('\n')).toContain(id);
      for (const text of [...files, ...outputs, events, JSON.stringify(shown)])
        expect(text).not.toContain(TOKEN);
    },
  );

  it('of a workflow step in another zone is waited for though both servers are killed', async () => {
    const execution = await scene.serve({ ...executing(), server: { port: 0 } }, { file: 'execution.yaml' });
    const port = Number(new URL(execution.url).port);
    const params = { channel: 'C1', bot_token: '${secrets.token}' };
    const zone = { url: `${execution.url}/zone`, params, budget: 0.1, poll: 0.05, result: '/response_text' };
    const asking = {
      ...lease,
      server: { port: 0 },
      store: { type: 'sqlite', path: 'asking.db' },
      secrets: { token: { env: 'TOKEN' } },
      protocols: [
        { name: 'far/v1', methods: { ask: {} }, providers: [{ type: 'execution-zone', config: zone }] },
      ],
    };
    const options = { file: 'asking.yaml', env: { TOKEN } };
    const first = await scene.serve(asking, options);
    const far = { protocol: 'far/v1', method: 'ask', params: { text: 'over there?' }, timeout: 60 };
    const { task_id } = await call<{ task_id: string }>(first.url, 'task.submit', far);
    expect((await agent.next()).params).toMatchObject({ text: 'over there?' });
    await execution.logged({ method: 'get_async_task_result' });
    for (const server of [first, execution]) server.signal('SIGKILL');
    await Promise.all([first.ended, execution.ended]);

    const back = await scene.serve({ ...executing(), server: { port } }, { file: 'execution.yaml' });
    const second = await scene.serve(asking, options);
    (await agent.next()).reply({ result: 'yes, here' });
    const settled = await call(second.url, 'task.result', { task_id, wait: 30_000 });
    expect(settled).toMatchObject({ status: 'completed', result: 'yes, here' });
    expect(back.output() + second.output() + first.output()).not.toContain(TOKEN);
    expect(agent.untaken).toBe(0);
  });
});
