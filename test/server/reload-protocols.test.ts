import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { call } from './call.ts';
import { settledTask } from './echo.ts';
import { type HeldAgent, heldAgent } from './held-agent.ts';
import { openScene, type Scene, type Server } from './scene.ts';

const CHANGED = 'the configuration was changed';
const REFUSED = 'the changed configuration is not taken; the one before stays in force';

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

const configOf = (protocols: readonly object[]) => ({ server: { port: 0 }, protocols });

async function rewrite(server: Server, protocols: readonly object[], message = CHANGED) {
  const after = server.log.length;
  scene.write('gleitzeit.yaml', configOf(protocols));
  return server.logged({ message }, after);
}

async function methodsOf({ url }: Server, name: string): Promise<string[]> {
  const { methods } = await call<{ methods: object }>(url, 'protocol.get', { name });
  return Object.keys(methods).sort();
}

describe('a protocol that extends one further down in the file', () => {
  it('has its methods, from the start and when that changes', async () => {
    const only = { type: 'jsonrpc-http', config: { url: agent.url, only: ['inherited'] } };
    const heir = { name: 'heir/v1', extends: 'base/v1', methods: { of_its_own: {} }, providers: [only] };
    const base = { name: 'base/v1', methods: { inherited: {} } };
    const server = await scene.serve(configOf([heir, base]));
    expect(await methodsOf(server, 'heir/v1')).toEqual(['inherited', 'of_its_own']);
    const task = { protocol: 'heir/v1', method: 'inherited', params: {} };
    const { task_id } = await call<{ task_id: string }>(server.url, 'task.submit', task);
    (await agent.next()).reply({ result: 'done' });
    expect(await settledTask(server.url, task_id)).toMatchObject({ result: 'done' });

    await rewrite(server, [heir, { ...base, methods: { ...base.methods, later: {} } }]);
    expect(await methodsOf(server, 'heir/v1')).toEqual(['inherited', 'later', 'of_its_own']);
    const { problems } = await rewrite(server, [heir, { ...base, extends: 'heir/v1' }], REFUSED);
    expect(String(problems)).toContain('heir/v1 → base/v1 → heir/v1');
    await rewrite(server, [{ ...heir, providers: [] }]);
    await expect.poll(() => methodsOf(server, 'heir/v1')).toEqual(['of_its_own']);
  });

  it('is refused where one that was registered over the API leads back to it', async () => {
    const server = await scene.serve(configOf([]));
    const stored = { name: 'stored/v1', extends: 'heir/v1', methods: { of_the_api: {} } };
    await call(server.url, 'protocol.register', { protocol: stored });
    const { reason } = await rewrite(
      server,
      [{ name: 'heir/v1', extends: 'stored/v1', methods: {} }],
      REFUSED,
    );
    expect(reason).toContain('heir/v1 → stored/v1 → heir/v1');
  });
});

describe('an entry that leaves the file', () => {
  const provider = () => ({ type: 'jsonrpc-http', config: { url: agent.url } });
  const entry = { name: 'a/v1', methods: { of_the_file: {} } };
  const overApi = { protocol: { name: 'a/v1', methods: { of_the_api: {} } } };

  it('makes room for the protocol of its name that was registered over the API', async () => {
    const server = await scene.serve(configOf([]));
    await call(server.url, 'protocol.register', overApi);
    await rewrite(server, [{ ...entry, providers: [provider()] }]);
    expect(await methodsOf(server, 'a/v1')).toEqual(['of_the_file']);
    await rewrite(server, []);
    await expect.poll(() => methodsOf(server, 'a/v1')).toEqual(['of_the_api']);
  });

  it('does so once its last call has ended, whose result is judged by it', async () => {
    const server = await scene.serve(configOf([]));
    await call(server.url, 'protocol.register', overApi);
    await rewrite(server, [{ ...entry, providers: [provider()] }]);
    const task = { protocol: 'a/v1', method: 'of_the_file', params: {} };
    const { task_id } = await call<{ task_id: string }>(server.url, 'task.submit', task);
    const held = await agent.next();
    await rewrite(server, []);
    held.reply({ result: 1 });
    expect(await settledTask(server.url, task_id)).toMatchObject({ status: 'completed', result: 1 });
    await expect.poll(() => methodsOf(server, 'a/v1')).toEqual(['of_the_api']);
  });

  it('is gone, whether it had providers or not', async () => {
    const server = await scene.serve(configOf([entry]));
    await rewrite(server, []);
    const { items } = await call<{ items: unknown[] }>(server.url, 'protocol.list', {});
    expect(items).toEqual([]);
  });
});
