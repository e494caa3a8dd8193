import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ChatStandIn, startChat } from '../../test/zone/chat.ts';
import { mention, send, signed, signingSecret } from '../../test/zone/slack.ts';
import type { Carrier } from '../zone/carrier.ts';
import type { Authorise } from '../zone/verification/authorise.ts';
import { sentences } from '../zone/verification/sentences.ts';
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

/** An execution zone that says what it was told. */
const echo: Carrier = {
  name: 'echo',
  send: async (body) => {
    const { id, params } = JSON.parse(body) as { id: string; params: { text: string } };
    const result = { status: 'success', response_text: `answer to ${params.text}` };
    return JSON.stringify({ jsonrpc: '2.0', id, result });
  },
  close: async () => {},
};

async function start(more: object = {}, authorise: readonly Authorise[] = []): Promise<Gateway> {
  const text = JSON.stringify({
    logging: { level: 'silent' },
    secrets: { signing: { env: 'SIGNING' }, bot: { env: 'BOT' } },
    zone: {
      gateway: {
        ...{ port: 0, signing_secret: '${secrets.signing}', bot_token: '${secrets.bot}', stop_timeout: '1s' },
        ...{ chat: { url: chat.url }, carrier: { type: 'https', url: 'http://127.0.0.1:1/zone' } },
        ...more,
      },
    },
  });
  const env = { SIGNING: signingSecret, BOT: 'xoxb-of-a-test' };
  const config = await loadServerConfig({ file: null, text, env, cwd: folder, database_url: false });
  const gateway = await startGateway({ config, environment: env, carrier: echo, authorise });
  gateways.push(gateway);
  return gateway;
}

const said = () => chat.posts.map(({ body }) => body['text']);

describe('the gateway', { timeout: LONG_MS }, () => {
  it('shows that the address is its own, and that it lives', async () => {
    const { url } = await start();
    const answered = await send(url, { type: 'url_verification', challenge: 'a-challenge' });
    expect([answered.status, await answered.text()]).toEqual([200, 'a-challenge']);
    expect((await fetch(new URL('/health', url))).status).toBe(200);
    expect((await fetch(new URL('/ready', url))).status).toBe(200);
  });

  it('takes nothing that is unsigned, signed by others, or old', async () => {
    const { url } = await start();
    const body = JSON.stringify(mention('never'));
    const now = Math.floor(Date.now() / 1000);
    const headers = { 'content-type': 'application/json' };
    for (const shown of [{}, signed(body, now, 'another secret'), signed(body, now - 301)])
      expect((await fetch(url, { method: 'POST', body, headers: { ...headers, ...shown } })).status).toBe(
        401,
      );
    const large = { ...mention('x'.repeat(2 ** 20)) };
    expect((await send(url, large)).status).toBe(413);
    expect((await send(url, { type: 'event_callback' })).status).toBe(400);
    await send(url, mention('after them'));
    await chat.until('after them');
    expect(said()).toEqual(['answer to after them']);
  });

  it('answers a message once, however often it comes, and whatever stands in it', async () => {
    const { url } = await start();
    const message = mention('what is ${secrets.bot} and ${ask.result.text}?');
    const sent = await Promise.all(Array.from({ length: 5 }, () => send(url, message)));
    expect(sent.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    await send(url, mention('the last one'));
    await chat.until('the last one');
    await chat.until('what is');
    expect(said().filter((text) => String(text).includes('what is'))).toEqual([
      'answer to what is ${secrets.bot} and ${ask.result.text}?',
    ]);
  });

  it('tells those who may not ask, and those who ask too fast, once', async () => {
    const hook: Authorise = ({ text }) =>
      text.includes('forbidden') ? { allowed: false, reason: 'a word' } : { allowed: true };
    const { url } = await start(
      { limits: { per_user: { requests: 2, per: '1h' } }, allow: { users: ['U1', 'U2'] } },
      [hook],
    );
    for (const text of ['one', 'two', 'three', 'four']) await send(url, mention(text));
    for (const _ of [1, 2]) await send(url, mention('let me in', { user: 'U9' }));
    await send(url, mention('a forbidden word', { user: 'U2' }));
    await chat.until(sentences.not_allowed, 2);
    await chat.until(sentences.too_many);
    await chat.until('answer to two');
    await chat.until('answer to one');
    expect(said().sort()).toEqual(
      [
        ...['answer to one', 'answer to two', sentences.too_many],
        ...[sentences.not_allowed, sentences.not_allowed],
      ].sort(),
    );
  });

  it('says so when nothing is configured', async () => {
    const config = await loadServerConfig({
      file: null,
      text: '',
      env: {},
      cwd: folder,
      database_url: false,
    });
    await expect(startGateway({ config, environment: {} })).rejects.toThrow(/says nothing of a gateway/);
  });
});
