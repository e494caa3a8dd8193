import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ChatStandIn, startChat } from '../../test/zone/chat.ts';
import { mention, send, signingSecret } from '../../test/zone/slack.ts';
import { rememberingLogger } from '../rpc/testing/quiet.suite.ts';
import { echo } from '../zone/carriers/echo.suite.ts';
import { postingProtocol } from '../zone/gateway/protocol.ts';
import { createGleitzeit } from './embedded.ts';
import { loadServerConfig } from './load.ts';
import { type Gateway, startGateway } from './zone-gateway.ts';

const LONG_MS = 60_000;

let folder: string;
let chat: ChatStandIn;
const gateways: Gateway[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gleitzeit-gateway-'));
  chat = await startChat();
});

afterEach(async () => {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.stop()));
  await chat.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A gateway whose store is there: what another left when it was killed. */
async function start(path: string) {
  const logger = rememberingLogger();
  const text = JSON.stringify({
    secrets: { signing: { env: 'SIGNING' }, bot: { env: 'BOT' } },
    zone: {
      gateway: {
        ...{ port: 0, signing_secret: '${secrets.signing}', bot_token: '${secrets.bot}', stop_timeout: '1s' },
        ...{ chat: { url: chat.url, within: '1s' }, store: { path } },
        carrier: { type: 'https', url: 'http://127.0.0.1:1/zone' },
      },
    },
  });
  const env = { SIGNING: signingSecret, BOT: 'xoxb-of-a-test' };
  const config = await loadServerConfig({ file: null, text, env, cwd: folder, database_url: false });
  const gateway = await startGateway({ config, environment: env, carrier: echo, logger });
  gateways.push(gateway);
  return { url: gateway.url, logger };
}

const lived = () => join(folder, 'lived');
const killed = () => join(folder, 'killed');
/** All that is left of whoever is killed now, once it has been kept that posting began. */
async function remember(): Promise<void> {
  const kept = () => {
    cpSync(lived(), killed(), { recursive: true });
    const store = new DatabaseSync(join(killed(), 'gateway.db'));
    const task = store.prepare("select attempt_count from tasks where id = 'post'").get();
    store.close();
    return task?.['attempt_count'];
  };
  await expect.poll(kept, { timeout: LONG_MS }).toBe(1);
}

describe('a gateway that was killed', { timeout: LONG_MS }, () => {
  it('posts what it was posting, though it comes back later than posting may take', async () => {
    const dead = Promise.withResolvers<number>();
    chat.meanwhile(async () => {
      await remember();
      dead.resolve(Date.now());
    });
    const { url } = await start(join(lived(), 'gateway.db'));
    await send(url, mention('still there?'));
    const killed_at = await dead.promise;
    await expect.poll(() => Date.now() - killed_at, { timeout: LONG_MS }).toBeGreaterThan(1200);
    await start(join(killed(), 'gateway.db'));
    const posts = await chat.until('still there?', 2);
    expect(new Set(posts.map(({ body }) => body['client_msg_id'])).size).toBe(1);
  });

  it('says in the log what is given up while it starts', async () => {
    const posting = Promise.withResolvers<void>();
    const post = async () => {
      await remember();
      posting.resolve();
      return { ts: null };
    };
    const engine = await createGleitzeit({
      store: { type: 'sqlite', path: join(lived(), 'gateway.db') },
      protocols: [postingProtocol],
      providers: [{ id: 'chat', protocol: postingProtocol.name, methods: { post } }],
    });
    const task = { id: 'post', name: 'Ev7', protocol: postingProtocol.name, method: 'post' } as const;
    const params = { client_msg_id: 'm-1', text: 'yes', channel: 'C1' };
    await engine.submitWorkflow({
      name: 'zone-gateway',
      tasks: [{ ...task, params, retry_config: { max_attempts: 1 } }],
    });
    await posting.promise;
    await engine.stop();
    const { logger } = await start(join(killed(), 'gateway.db'));
    const given_up = () => logger.lines.find(([message]) => message === 'a reply is given up')?.[1];
    await expect.poll(given_up).toMatchObject({ correlation_id: 'Ev7', error_code: 'GLZ2008' });
  });
});
