import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { startAgent as startSample } from '../agents/start.ts';
import { type FreshDatabase, freshDatabase } from '../services/fresh-database.ts';
import { call } from './call.ts';
import { settledTask } from './echo.ts';
import { openScene, type Scene, type Server } from './scene.ts';

let scene: Scene;
let database: FreshDatabase;
let sample: Awaited<ReturnType<typeof startSample>>;

beforeEach(async () => {
  scene = openScene();
  database = await freshDatabase(inject('postgresUrl'));
  sample = await startSample('node', { TOKEN: 'token-of-the-sample' });
});
afterEach(async () => {
  await scene.close();
  await database.drop();
  await sample.stop();
});

const keys = (...fill: number[]) => ({
  GLEITZEIT_SECRET_KEY: fill.map((one) => Buffer.alloc(32, one).toString('base64')).join(','),
});
const auth_config = { type: 'bearer', token: 'token-of-the-sample' };

async function submit(server: Server, text: string): Promise<string> {
  const task = { agent: 'Sample', input: { text: `upper: ${text}` } };
  return (await call<{ task_id: string }>(server.url, 'task.submit', task)).task_id;
}

describe('an agent that changes its dialect while work is running', () => {
  it('gives the same text whichever it speaks, on both engines, and no task is lost', async () => {
    const config = { server: { port: 0 }, store: { type: 'postgres', url: database.url } };
    const env = keys(1);
    const [one, two] = await Promise.all([
      scene.serve(config, { file: 'one.yaml', env }),
      scene.serve(config, { file: 'two.yaml', env }),
    ]);
    await call(one.url, 'agent.create', { name: 'Sample', url: sample.url, auth_config });
    const ids: string[] = [];
    for (const protocol of ['jsonrpc-2.0', 'simple-a2a', 'auto', 'simple-a2a', 'a2a']) {
      for (const server of [one, two, one, two]) ids.push(await submit(server, `text ${ids.length}`));
      await call(two.url, 'agent.update', { name: 'Sample', protocol });
    }
    for (const [index, task_id] of ids.entries())
      expect(await settledTask(one.url, task_id)).toMatchObject({
        status: 'completed',
        result: { text: `TEXT ${index}` },
      });
    expect(await call(one.url, 'agent.get', { name: 'Sample' })).toMatchObject({
      protocol: 'a2a',
      version: 6,
    });
  });
});

describe('a key that is replaced', () => {
  it('is needed no more after one start with both', async () => {
    const config = { server: { port: 0 }, store: { type: 'sqlite', path: 'kept/store.db' } };
    const first = await scene.serve(config, { env: keys(1) });
    await call(first.url, 'agent.create', { name: 'Sample', url: sample.url, auth_config });
    await stopped(first);
    const both = await scene.serve(config, { env: keys(2, 1) });
    await both.logged({ message: 'the secrets of an agent were sealed by the new key' });
    await stopped(both);
    const later = await scene.serve(config, { env: keys(2) });
    expect(await settledTask(later.url, await submit(later, 'still'))).toMatchObject({
      result: { text: 'STILL' },
    });
    await stopped(later);
    const folder = join(scene.folder, 'kept');
    const files = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'latin1'));
    expect(files.join('\n')).not.toContain('token-of-the-sample');
  });

  it('on one engine after the other fails no task: who has not got the new one leaves them to who has', async () => {
    const config = { server: { port: 0 }, store: { type: 'postgres', url: database.url } };
    const old = await scene.serve(config, { file: 'one.yaml', env: keys(1) });
    await call(old.url, 'agent.create', { name: 'Sample', url: sample.url, auth_config });
    const both = await scene.serve(config, { file: 'two.yaml', env: keys(2, 1) });
    await both.logged({ message: 'the secrets of an agent were sealed by the new key' });
    await old.logged({ message: 'an agent cannot be connected' });
    const ids: string[] = [];
    for (const server of [old, both, old, both, old, both])
      ids.push(await submit(server, `text ${ids.length}`));
    for (const [index, task_id] of ids.entries())
      expect(await settledTask(old.url, task_id)).toMatchObject({ result: { text: `TEXT ${index}` } });
    const problem = async ({ url }: Server) =>
      (await call<{ problem: string | null }>(url, 'agent.get', { name: 'Sample' })).problem;
    expect([await problem(old), await problem(both)]).toEqual([expect.stringContaining('key'), null]);
  });
});

async function stopped(server: Server): Promise<void> {
  server.signal('SIGTERM');
  await server.ended;
}
