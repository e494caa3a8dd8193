import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type Authorise,
  executionZone,
  sentences,
  type VerificationZoneOptions,
  verificationZone,
  zoneGateway,
} from '../../src/main/zone-public.ts';
import { quiet } from '../../src/rpc/testing/quiet.suite.ts';
import { echo } from '../../src/zone/carriers/echo.suite.ts';
import { openScene, type Scene } from '../server/scene.ts';
import { type ChatStandIn, startChat } from './chat.ts';
import { mention, send, signingSecret } from './slack.ts';

const execute = promisify(execFile);
let scene: Scene;
let chat: ChatStandIn;

beforeEach(async () => {
  scene = openScene();
  chat = await startChat();
});
afterEach(async () => {
  await chat.close();
  await scene.close();
});

describe('gleitzeit/zone', { timeout: 60_000 }, () => {
  it('is shown by a program that runs', async () => {
    const page = readFileSync(new URL('../../docs/how-to/zones-in-a-program.md', import.meta.url), 'utf8');
    const blocks = [...page.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, block]) => block ?? '');
    const here = new URL('../../src/main/zone-public.ts', import.meta.url).href;
    const file = scene.write('program.mts', blocks.join('\n').replace("'gleitzeit/zone'", `'${here}'`));
    const { stdout } = await execute(process.execPath, [file], { cwd: scene.folder, timeout: 50_000 });
    expect(page).toContain(`\`\`\`text\n${stdout}\`\`\``);
  });

  it('has a gateway that asks hooks of the program', async () => {
    const hook: Authorise = ({ text }) =>
      text.includes('secret') ? { allowed: false, reason: 'a word' } : { allowed: true };
    const { url, stop } = await zoneGateway({
      config: scene.write('gateway.yaml', {
        secrets: { signing: { env: 'SIGNING' }, bot: { env: 'BOT' } },
        zone: {
          gateway: {
            ...{ port: 0, signing_secret: '${secrets.signing}', bot_token: '${secrets.bot}' },
            ...{ chat: { url: chat.url }, stop_timeout: '1s' },
            carrier: { type: 'https', url: 'http://127.0.0.1:1/zone' },
          },
        },
      }),
      environment: { SIGNING: signingSecret, BOT: 'xoxb-of-a-test' },
      ...{ carrier: echo, authorise: [hook], logger: quiet.logger },
    });
    await send(url, mention('hello'));
    await send(url, mention('tell me a secret'));
    await chat.until('answer to hello');
    await chat.until(sentences.not_allowed);
    await stop();
  });

  it('answers who waits when it stops', async () => {
    const zone = await executionZone({
      config: {
        store: { type: 'sqlite', path: `${scene.folder}/zone.db` },
        protocols: [{ name: 'desk/v1', methods: { answer: {} } }],
        zone: { execute: { protocol: 'desk/v1', method: 'answer' } },
      },
      logger: quiet.logger,
    });
    const params = { channel: 'C1', text: 'x', bot_token: 'xoxb-1', budget_ms: 50_000 };
    const id = '2f0a3c1e-58a4-4d7b-9a53-6c2f5a9d1b01';
    const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'execute_task', params });
    const answer = zone.endpoint(Buffer.from(body));
    await zone.stop();
    expect(JSON.parse(await answer)).toMatchObject({ id, result: { status: 'accepted' } });
  });

  it.each<[string, object, string]>([
    ['no carrier', { bot_token: 'x' }, 'carrier'],
    ['no token', { carrier: echo }, 'bot_token'],
    ['an option nobody knows', { carrier: echo, bot_token: 'x', authorize: [] }, 'authorize'],
    ['a deadline that is none', { carrier: echo, bot_token: 'x', deadline_ms: 'soon' }, 'deadline_ms'],
  ])('says what is wrong with what it is given: %s', (_, options, field) => {
    const code = 'GLZ1012';
    expect(() => verificationZone(options as VerificationZoneOptions)).toThrow(
      expect.objectContaining({ code, details: expect.objectContaining({ field }) }),
    );
  });

  it('says that it reads no files of workflows, and what is missing', async () => {
    const execute = { workflow: 'reply' };
    const wrong = executionZone({ config: { workflows: ['./reply.yaml'], zone: { execute } } });
    await expect(wrong).rejects.toMatchObject({ details: { field: 'workflows' } });
    await expect(executionZone({ config: {} })).rejects.toMatchObject({ details: { field: 'zone.execute' } });
  });
});
