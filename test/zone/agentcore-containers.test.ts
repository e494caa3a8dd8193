import { randomBytes, randomUUID } from 'node:crypto';
import { afterEach, expect, inject, it } from 'vitest';
import { startStandIn } from '../../src/zone/carriers/agentcore/stand-in.suite.ts';
import { agentcoreTo } from '../../src/zone/carriers/sites.suite.ts';
import { heldAgent } from '../server/held-agent.ts';
import { openScene, type Server } from '../server/scene.ts';
import { freshDatabase } from '../services/fresh-database.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

it('what one container accepted is asked for at another, where they share a store and the key for secrets', async () => {
  const database = await freshDatabase(inject('postgresUrl'));
  closing.push(() => database.drop());
  const agent = await heldAgent();
  closing.push(() => agent.close());
  const scene = openScene();
  closing.push(() => scene.close());
  const provider = { type: 'jsonrpc-http', config: { url: agent.url } };
  const config = {
    server: { port: 0 },
    store: { type: 'postgres', url: database.url },
    protocols: [{ name: 'chat/v1', methods: { answer: {} }, providers: [provider] }],
    zone: { execute: { protocol: 'chat/v1', method: 'answer' }, agentcore: 'open' },
  };
  const env = { GLEITZEIT_SECRET_KEY: randomBytes(32).toString('base64') };
  const serve = (file: string) => scene.serve(config, { file, env });
  const servers = await Promise.all([serve('one.yaml'), serve('two.yaml')]);
  const used: Server[] = [];
  const service = await startStandIn({
    container: {
      of: () => {
        const server = servers[used.length];
        if (server === undefined) throw new Error('there are no more containers');
        used.push(server);
        return (body: Uint8Array) => invoke(server, body);
      },
    },
  });
  closing.push(() => service.close());
  const carrier = agentcoreTo(service);
  closing.push(() => carrier.close());
  const ask = async (method: string, params: object) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: randomUUID(), method, params });
    const said = await carrier.send(body, { signal: new AbortController().signal });
    return JSON.parse(said) as { readonly result: { readonly task_id: string } };
  };
  const params = { channel: 'C1', text: 'slowly', bot_token: 'xoxb-of-a-test', budget_ms: 0 };
  const { result } = await ask('execute_task', params);
  expect(result).toMatchObject({ status: 'accepted' });
  const call = await agent.next();
  const asking = ask('get_async_task_result', { task_id: result.task_id, budget_ms: 60_000 });
  call.reply({ result: 'at last' });
  expect(await asking).toMatchObject({ result: { status: 'success', response_text: 'at last' } });
  expect(used).toEqual(servers);
});

async function invoke({ url }: Server, body: Uint8Array): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/invocations`, { method: 'POST', headers, body: Buffer.from(body) });
  return answer.text();
}
