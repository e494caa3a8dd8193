import { randomUUID } from 'node:crypto';
import { afterEach, expect, it } from 'vitest';
import { type HeldAgent, heldAgent } from '../server/held-agent.ts';
import { openScene, type Scene } from '../server/scene.ts';

let scene: Scene;
let agent: HeldAgent;
afterEach(async () => {
  await scene.close();
  await agent.close();
});

it('a server that stops answers whoever waits for a task before it waits for the task itself', async () => {
  scene = openScene();
  agent = await heldAgent();
  const provider = { type: 'jsonrpc-http', config: { url: agent.url } };
  const server = await scene.serve({
    server: { port: 0 },
    engine: { stop_timeout: '60s' },
    protocols: [{ name: 'chat/v1', methods: { answer: {} }, providers: [provider] }],
    zone: { execute: { protocol: 'chat/v1', method: 'answer' } },
  });
  const ask = async (method: string, params: object) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: randomUUID(), method, params });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${server.url}/zone`, { method: 'POST', headers, body });
    return (await answer.json()) as { readonly result: { readonly task_id: string } };
  };
  const task = { channel: 'C1', text: 'slowly', bot_token: 'xoxb-of-a-test' };
  const { result } = await ask('execute_task', { ...task, budget_ms: 0 });
  const running = [await agent.next()];
  const waiting = [
    ask('execute_task', { ...task, budget_ms: 100_000 }),
    ask('get_async_task_result', { task_id: result.task_id, budget_ms: 100_000 }),
  ];
  running.push(await agent.next());
  server.signal('SIGTERM');
  // The agent is held all the while.
  expect(await Promise.all(waiting)).toMatchObject([
    { result: { status: 'accepted' } },
    { result: { status: 'pending' } },
  ]);
  for (const call of running) call.reply({ result: 'at last' });
  expect(await server.ended).toMatchObject({ code: 0 });
});
