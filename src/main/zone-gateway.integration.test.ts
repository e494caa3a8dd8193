import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ChatStandIn, startChat } from '../../test/zone/chat.ts';
import { command, mention, send, signed, signingSecret } from '../../test/zone/slack.ts';
import type { LogFields } from '../core/ports/logger.ts';
import type { Gleitzeit } from '../embedded/gleitzeit.ts';
import { rememberingLogger } from '../rpc/testing/quiet.suite.ts';
import type { Carrier } from '../zone/carrier.ts';
import { echo } from '../zone/carriers/echo.suite.ts';
import { tellOfGivenUp } from '../zone/gateway/given-up.ts';
import { askingProtocol, postingProtocol } from '../zone/gateway/protocol.ts';
import type { Heard } from '../zone/gateway/slack/message.ts';
import { askAndPost } from '../zone/gateway/work.ts';
import type { Authorise } from '../zone/verification/authorise.ts';
import { sentences } from '../zone/verification/sentences.ts';
import { createGleitzeit } from './embedded.ts';
import { loadServerConfig } from './load.ts';
import { type Gateway, startGateway } from './zone-gateway.ts';

const LONG_MS = 60_000;

let folder: string;
let chat: ChatStandIn;
let logger: ReturnType<typeof rememberingLogger>;
const gateways: Gateway[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gleitzeit-gateway-'));
  chat = await startChat();
  logger = rememberingLogger();
});

afterEach(async () => {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.stop()));
  await chat.close();
  rmSync(folder, { recursive: true, force: true });
});

/** An execution zone that always answers with this. */
const answering = (response_text: string): Carrier => ({
  ...echo,
  send: async (body) => {
    const { id } = JSON.parse(body) as { id: string };
    return JSON.stringify({ jsonrpc: '2.0', id, result: { status: 'success', response_text } });
  },
});

/** An execution zone that never says anything. */
const silent: Carrier = { ...echo, send: () => new Promise<string>(() => {}) };

async function start(
  more: object = {},
  authorise: readonly Authorise[] = [],
  carrier: Carrier = echo,
  besides: object = {},
): Promise<Gateway> {
  const text = JSON.stringify({
    ...besides,
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
  const gateway = await startGateway({ config, environment: env, carrier, authorise, logger });
  gateways.push(gateway);
  return gateway;
}

/** The first line of the log that says this. */
async function logged(words: string): Promise<LogFields> {
  const find = () => logger.lines.find(([message]) => message === words)?.[1];
  await expect.poll(find).toBeDefined();
  return find() ?? {};
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

  it('does not charge for a message that comes again', async () => {
    const { url } = await start({ limits: { per_user: { requests: 2, per: '1h' } } });
    const message = mention('the first');
    for (const _ of [1, 2, 3]) await Promise.all([send(url, message), send(url, message)]);
    await send(url, mention('the second'));
    await chat.until('the second');
    await send(url, message);
    await send(url, mention('the third'));
    await chat.until(sentences.too_many);
    expect(said().sort()).toEqual(['answer to the first', 'answer to the second', sentences.too_many].sort());
  });

  it('posts of a long answer as much as the chat takes, and calls nobody', async () => {
    const { url } = await start({}, [], answering(`<!channel> ${'x'.repeat(9 * 2 ** 20)}`));
    await send(url, mention('everything, please'));
    const [post] = await chat.until('&lt;!channel&gt; xxx');
    expect(String(post?.body['text'])).toHaveLength(40_000);
  });

  it('says in the log which reply was not taken, and in the chat that there was one', async () => {
    chat.decline(({ text }) => (String(text).includes('odd') ? 'msg_too_odd' : null));
    const { url } = await start();
    const message = mention('odd');
    await send(url, message);
    const [post] = await chat.until(sentences.not_posted);
    expect(post?.body).toMatchObject({ channel: 'C1', thread_ts: '1700000000.000100' });
    const about = { correlation_id: message.event_id };
    const error = 'the chat refused the reply: msg_too_odd';
    const failure = { ...about, error_code: 'GLZ2010', error };
    expect(await logged('a reply was not posted')).toMatchObject({ ...failure, channel: 'C1', again: false });
    expect(await logged('a reply is given up')).toMatchObject(failure);
    expect(await logged('it was said that a reply could not be posted')).toMatchObject(about);
  });

  it('says in the log, where it may say nothing in the chat, what was not posted', async () => {
    chat.decline(() => 'not_in_channel');
    const { url } = await start();
    const message = mention('hello');
    await send(url, message);
    const about = { correlation_id: message.event_id, error: 'the chat refused the reply: not_in_channel' };
    expect(await logged('a reply is given up')).toMatchObject(about);
    expect(await logged('nor could it be said that a reply was not posted')).toMatchObject(about);
  });

  it('says in the channel of a command that its address was of no use, and names the address nowhere', async () => {
    const { url } = await start();
    await command(url, { text: 'hello', response_url: `${chat.url}/commands/the-secret-path` });
    const [post] = await chat.until(sentences.not_posted);
    expect(post).toMatchObject({ path: '/chat.postMessage', body: { channel: 'C2' } });
    expect(await logged('a reply is given up')).toMatchObject({
      correlation_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      error: 'the address for the reply may not be called, or leads elsewhere',
    });
    expect(JSON.stringify(logger.lines)).not.toMatch(/secret-path|xoxb-of-a-test/);
  });

  it('posts that something went wrong where the question itself came to nothing', async () => {
    const posted = Promise.withResolvers<object>();
    const asking = () => Promise.reject({ code: -32602, message: 'no such question' });
    const post = async (params: object) => {
      posted.resolve(params);
      return { ts: null };
    };
    const engine: Gleitzeit = await createGleitzeit({
      store: { type: 'sqlite', path: join(folder, 'engine.db') },
      protocols: [askingProtocol, postingProtocol],
      providers: [
        { id: 'zone', protocol: askingProtocol.name, methods: { ask: asking } },
        { id: 'chat', protocol: postingProtocol.name, methods: { post } },
      ],
    });
    const failures = engine.events({ events: ['task:failed'] });
    const telling = tellOfGivenUp({ failures, task: (task_id) => engine.task(task_id), logger });
    const request = { channel: 'C1', text: 'hello', correlation_id: 'Ev1' };
    const heard: Heard = { is: 'request', key: 'k', request, reply_to: { channel: 'C1' } };
    const times = { deadline_ms: 1000, post_within_ms: 1000 };
    const words = { ...sentences, failed: 'It broke: "}" ${workflow.input}' };
    const work = askAndPost(heard, 0, { ...times, sentences: words });
    await engine.submitWorkflow(work.workflow, { input: work.input });
    expect(await posted.promise).toMatchObject({ text: words.failed, channel: 'C1', correlation_id: 'Ev1' });
    expect(await logged('a question is given up')).toMatchObject({ correlation_id: 'Ev1', attempt: 1 });
    await engine.stop();
    await telling;
  });

  it('shows nobody else what a hook or a limit refused after a command', async () => {
    const hook: Authorise = ({ user_id }) =>
      user_id === 'U1' ? { allowed: false, reason: 'on leave' } : { allowed: true };
    const { url } = await start(
      { limits: { request: '1KiB' }, allow: { users: ['U1', 'U2'] } },
      [hook],
      echo,
      {
        network: { allow: ['127.0.0.1'] },
      },
    );
    const refused = {
      [sentences.not_allowed]: { user_id: 'U1' },
      [sentences.too_large]: { text: 'x'.repeat(2000) },
    };
    for (const [sentence, fields] of Object.entries(refused)) {
      await command(url, { text: 'hello', response_url: `${chat.url}/commands/1`, ...fields });
      expect((await chat.until(sentence))[0]?.body).toMatchObject({ response_type: 'ephemeral' });
    }
    await command(url, { text: 'hello', response_url: `${chat.url}/commands/1` });
    expect((await chat.until('answer to hello'))[0]?.body).toMatchObject({ response_type: 'in_channel' });
  });

  it('posts what is known while more questions wait than it asks at a time', async () => {
    const { url } = await start({ concurrency: 8, allow: { users: ['U1'] } }, [], silent);
    for (let n = 0; n < 12; n++) await send(url, mention(`question ${n}`));
    await send(url, mention('let me in', { user: 'U9' }));
    await chat.until(sentences.not_allowed);
    expect(said()).toEqual([sentences.not_allowed]);
  });

  it('waits until its token is one the chat takes', async () => {
    let wrong = 1;
    chat.decline(() => (wrong-- > 0 ? 'invalid_auth' : null));
    const { url } = await start();
    await send(url, mention('patience'));
    expect((await chat.until('patience'))[0]?.body).toMatchObject({ text: 'answer to patience' });
    expect(await logged('a reply was not posted')).toMatchObject({ again: true });
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
