import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Config, loadConfig } from '../config.ts';
import { GleitzeitError } from '../core/errors.ts';
import { type Client, clientOver } from '../sdk/index.ts';
import { addressOfHolder } from './holder.ts';
import { type Local, openLocal } from './local.ts';

const protocol = {
  name: 'nobody/v1',
  methods: { wait: { params: { type: 'object' }, returns: { type: 'object' } } },
};
const workflow = { name: 'w', tasks: [{ id: 'a', protocol: 'nobody/v1', method: 'wait' }] };

let folder: string;
let config: Config;
const opened: { local: Local; client: Client }[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gleitzeit-local-'));
  config = await loadConfig({
    text: JSON.stringify({
      protocols: [protocol],
      store: { type: 'sqlite', path: join(folder, 'store.db') },
    }),
    env: {},
    cwd: folder,
  });
});
afterEach(async () => {
  for (const { local, client } of opened.splice(0)) {
    client.close();
    await local.stop();
  }
  rmSync(folder, { recursive: true, force: true });
});

async function open(works: boolean): Promise<{ local: Local; client: Client }> {
  const local = await openLocal({ config, environment: {}, works, log: () => {} });
  const made = { local, client: clientOver(local.open, { name: 'the local store' }) };
  opened.push(made);
  return made;
}

describe('openLocal', () => {
  it('answers, and tells events, in this process', async () => {
    const { client, local } = await open(true);
    expect(local.where()).toBe('here');
    const { workflow_id } = await client.call('workflow.submit', { workflow });
    const seen: string[] = [];
    for await (const { event } of client.events({ workflow_id, cursor: 0 })) {
      seen.push(event);
      if (event === 'task:queued') break;
    }
    expect(seen).toEqual(['workflow:started', 'task:queued']);
  });

  it('says where it is to be found only where it works, on a socket that is its own', async () => {
    const quiet = await open(false);
    expect(await addressOfHolder(config)).toBeNull();
    quiet.client.close();
    await quiet.local.stop();
    await open(true);
    const socket = join(folder, 'store.db.sock');
    expect(await addressOfHolder(config)).toBe(`unix:${socket}`);
    expect(statSync(socket).mode & 0o777).toBe(0o600);
  });

  it('leads a second one to the first, and makes it the holder when the first one goes', async () => {
    const first = await open(true);
    const second = await open(true);
    expect([first.local.where(), second.local.where()]).toEqual(['here', 'another process']);
    const { workflow_id } = await second.client.call('workflow.submit', { workflow });
    const events = second.client.events({ workflow_id, cursor: 0 })[Symbol.asyncIterator]();
    expect((await events.next()).value?.event).toBe('workflow:started');
    expect((await events.next()).value?.event).toBe('task:queued');
    first.client.close();
    await first.local.stop();
    await second.client.call('workflow.cancel', { workflow_id });
    expect(second.local.where()).toBe('here');
    expect((await events.next()).value?.event).toBe('task:cancelled');
    expect((await events.next()).value?.event).toBe('workflow:cancelled');
  });

  it('leaves nothing behind', async () => {
    const { client, local } = await open(true);
    client.close();
    await local.stop();
    expect(existsSync(join(folder, 'store.db.sock'))).toBe(false);
    expect(await addressOfHolder(config)).toBeNull();
  });

  it('finds a place for the socket where the path of the store is too long for one', async () => {
    const path = join(folder, 'a'.repeat(60), 'b'.repeat(60), 'store.db');
    config = { ...config, store: { type: 'sqlite', path } };
    await open(true);
    const address = await addressOfHolder(config);
    expect(address?.length).toBeLessThan(104);
    const second = await open(true);
    expect(second.local.where()).toBe('another process');
    expect(await second.client.call('system.info')).toMatchObject({ store: 'sqlite' });
  });

  it('names what is wrong with a store that cannot be opened', async () => {
    config = { ...config, store: { type: 'sqlite', path: '/dev/null/store.db' } };
    const refused = await open(true).catch((thrown: unknown) => GleitzeitError.from(thrown).code);
    expect(refused).toMatch(/^GLZ300[14]$/);
  });

  it('takes a large message through the socket, both ways', async () => {
    await open(true);
    const { client } = await open(true);
    const text = 'é'.repeat(500_000);
    const tasks = [{ id: 'a', protocol: 'nobody/v1', method: 'wait', params: { text } }];
    const { tasks: ids } = await client.call('workflow.submit', { workflow: { name: 'large', tasks } });
    const { params } = await client.call('task.status', { task_id: ids['a'] ?? '' });
    expect(params).toEqual({ text });
  });
});
