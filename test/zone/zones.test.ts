import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Server } from '../server/scene.ts';
import { command, mention, send } from './slack.ts';
import { botToken, carriers, type GatewayProgram, openZones, type Zones } from './zones.ts';

const LONG_MS = 120_000;
const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** Texts that the first agent keeps waiting until they are let go. */
const held = new Map<string, PromiseWithResolvers<void>>();
const heard: string[] = [];
/** What the first agent was told in confidence, and the second knows from it. */
const confided = new Set<unknown>();

async function answer({ method, params }: { method: string; params: Readonly<Record<string, unknown>> }) {
  const text = String(params['text']);
  if (method === 'research') {
    heard.push(text);
    confided.add(params['token']);
  }
  if (method === 'research' && text.startsWith('slow')) await held.get(text)?.promise;
  // Both repeat it, whichever was told.
  const repeated = [...confided].join();
  if (method === 'write') return { result: { text: `Here are ${text}.`, heard: repeated } };
  return { result: { text: `notes on ${text}`, heard: params } };
}

describe('two zones in two processes', () => {
  let zones: Zones;
  let execution: Server;
  const gateways = new Map<string, GatewayProgram>();
  const outputs: (() => string)[] = [];
  const gatewayOver = (carrier: string): GatewayProgram => {
    const found = gateways.get(carrier);
    if (found === undefined) throw new Error(`no gateway over ${carrier} runs`);
    return found;
  };

  async function startAll(): Promise<void> {
    execution = await zones.execution();
    outputs.push(execution.output);
    for (const carrier of carriers) {
      const gateway = await zones.gateway(carrier);
      outputs.push(gateway.output);
      gateways.set(carrier, gateway);
    }
  }

  beforeAll(async () => {
    zones = await openZones(answer);
    await startAll();
  }, LONG_MS);

  afterAll(() => zones.close());

  it.each(carriers)(
    'answer a mention, side by side over different carriers: %s',
    { timeout: LONG_MS },
    async (carrier) => {
      const { url, log } = gatewayOver(carrier);
      zones.runtime.throttle(1);
      const message = mention(`the weather over ${carrier}`);
      expect((await send(url, message)).status).toBe(200);
      const again = await send(url, message, {
        'x-slack-retry-num': '1',
        'x-slack-retry-reason': 'http_timeout',
      });
      expect(again.status).toBe(200);
      const [post] = await zones.chat.until(`the weather over ${carrier}`);
      expect(post).toEqual({
        path: '/api/chat.postMessage',
        authorization: `Bearer ${botToken}`,
        body: {
          channel: 'C1',
          thread_ts: '1700000000.000100',
          text: `Here are notes on the weather over ${carrier}.`,
          client_msg_id: expect.stringMatching(uuid),
        },
      });
      expect(heard.filter((text) => text.endsWith(carrier))).toHaveLength(1);
      const asked = log.find(({ message: said }) => said === 'asks the execution zone');
      const paired = log.filter(({ id }) => id === asked?.['id']);
      expect(paired.map(({ message: said }) => said)).toContain('the execution zone answered');
      expect(paired.every(({ carrier: name }) => name === carrier)).toBe(true);
    },
  );

  it('answer commands at the address that came with them, when the chat takes replies again', {
    timeout: LONG_MS,
  }, async () => {
    const { url } = gatewayOver('https');
    const response_url = `${zones.chat.url}/commands/T1/1/secret-of-the-address`;
    zones.chat.refuse(1, 1);
    expect((await command(url, { text: 'opening hours', response_url })).status).toBe(200);
    const [post] = await zones.chat.until('opening hours');
    expect(post).toMatchObject({
      path: '/commands/T1/1/secret-of-the-address',
      authorization: undefined,
      body: { text: 'Here are notes on opening hours.' },
    });
    expect(zones.chat.refused).toBe(1);
  });

  it.each(['/zone', '/invocations'])('let nobody in without a certificate of theirs: %s', async (path) => {
    for (const shown of ['nothing', 'a foreign certificate'] as const) {
      await expect(zones.reach(path, shown)).rejects.toThrow(
        expect.objectContaining({ code: expect.stringMatching(/CERT|ERR_SSL|ECONNRESET|EPIPE/) }),
      );
      expect(heard).not.toContain(shown);
    }
    expect(JSON.parse(await zones.reach(path, 'a certificate'))).toMatchObject({
      result: { response_text: 'Here are notes on a certificate.' },
    });
    expect(heard).toContain('a certificate');
  });

  it('killed when a reply is posted and not yet recorded, the gateway repeats it under the same id', {
    timeout: LONG_MS,
  }, async () => {
    const { url, signal, ended } = gatewayOver('https');
    zones.chat.meanwhile(() => {
      signal('SIGKILL');
      return ended;
    });
    expect((await send(url, mention('a reply cut short'))).status).toBe(200);
    await ended;
    const restarted = await zones.gateway('https');
    outputs.push(restarted.output);
    gateways.set('https', restarted);
    const posts = await zones.chat.until('a reply cut short', 2);
    expect(new Set(posts.map(({ body }) => body['client_msg_id'])).size).toBe(1);
    expect(heard.filter((text) => text.includes('cut short'))).toHaveLength(1);
  });

  it('killed during an accepted task, they post the reply once after their restart', {
    timeout: LONG_MS,
  }, async () => {
    const texts = carriers.map((carrier) => `slow over ${carrier}`);
    for (const text of texts) held.set(text, Promise.withResolvers<void>());
    for (const [index, carrier] of carriers.entries()) {
      const { url, logged } = gatewayOver(carrier);
      expect((await send(url, mention(texts[index] ?? ''))).status).toBe(200);
      await logged({ method: 'execute_task', status: 'accepted' });
      await logged({ method: 'get_async_task_result', status: 'pending' });
    }
    const all = [execution, ...gateways.values()];
    for (const program of all) program.signal('SIGKILL');
    await Promise.all(all.map(({ ended }) => ended));
    await startAll();
    for (const carrier of carriers)
      await gatewayOver(carrier).logged({ method: 'get_async_task_result', status: 'pending' });
    for (const gate of held.values()) gate.resolve();
    for (const text of texts) {
      await zones.chat.until(text);
      expect(heard.filter((one) => one === text).length).toBeLessThanOrEqual(2);
    }
    // Everything that was begun has ended, so nothing can come any more.
    for (const gateway of gateways.values()) gateway.signal('SIGTERM');
    for (const gateway of gateways.values()) expect(await gateway.ended).toMatchObject({ code: 0 });
    for (const text of texts)
      expect(zones.chat.posts.filter(({ body }) => String(body['text']).includes(text))).toHaveLength(1);
  });

  it('were throttled now and then by a service that checks every signature', () => {
    expect(zones.runtime.throttled).toBeGreaterThan(0);
    expect(zones.runtime.refused).toEqual([]);
    expect(new Set(zones.runtime.sessions).size).toBe(zones.runtime.sessions.length);
  });

  it('never show the token, nor the address of a reply, to anybody else', async () => {
    execution.signal('SIGTERM');
    await execution.ended;
    const { folder } = zones.scene;
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
    expect(files.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['execution.db', ...carriers.map((carrier) => `gateway-${carrier}.db`)]),
    );
    const dumps = files.map(
      (one) => [one.name, readFileSync(join(one.parentPath, one.name), 'latin1')] as const,
    );
    const logs = outputs.map((output, index) => [`log ${index}`, output()] as const);
    const showing = (secret: string) =>
      [...dumps, ...logs].filter(([, text]) => text.includes(secret)).map(([name]) => name);
    expect([...confided]).toEqual([botToken]);
    expect(showing(botToken)).toEqual([]);
    expect(showing('secret-of-the-address')).toEqual([]);
    expect(showing('the weather over')).not.toEqual([]);
  });
});
