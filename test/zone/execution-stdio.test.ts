import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock, systemTimers } from '../../src/embedded/system.ts';
import { quiet } from '../../src/rpc/testing/quiet.suite.ts';
import type { Carrier } from '../../src/zone/carrier.ts';
import { stdioCarrier } from '../../src/zone/carriers/stdio/carrier.ts';
import { type HeldAgent, heldAgent } from '../server/held-agent.ts';
import { openScene, type Scene } from '../server/scene.ts';
import { startChat } from './chat.ts';
import { mention, send, signingSecret } from './slack.ts';

const gleitzeit = fileURLToPath(new URL('../../bin/gleitzeit.js', import.meta.url));
const LONG_MS = 120_000;

let scene: Scene;
let agent: HeldAgent;
const carriers: Carrier[] = [];

beforeEach(async () => {
  scene = openScene();
  agent = await heldAgent();
});
afterEach(async () => {
  await Promise.all(carriers.splice(0).map((carrier) => carrier.close()));
  await scene.close();
  await agent.close();
});

/** The program that is an execution zone over its streams. */
function command(): [string, ...string[]] {
  const step = {
    id: 'answer',
    protocol: 'chat/v1',
    method: 'answer',
    params: { text: '${workflow.input.text}' },
  };
  const config = scene.write('execution.yaml', {
    engine: { stop_timeout: '1s' },
    store: { type: 'sqlite', path: 'execution.db' },
    workflows: [scene.write('reply.json', { name: 'reply', tasks: [step] })],
    protocols: [
      {
        ...{ name: 'chat/v1', methods: { answer: {} } },
        providers: [{ type: 'jsonrpc-http', config: { url: agent.url } }],
      },
    ],
    zone: { execute: { workflow: 'reply' } },
  });
  return [process.execPath, gleitzeit, 'zone', 'execute', '--stdio', '--config', config];
}

function open(): Carrier {
  const carrier = stdioCarrier({
    ...{ command: command(), cwd: scene.folder, environment: process.env },
    ...{ logger: quiet.logger, clock: systemClock, timers: systemTimers },
  });
  carriers.push(carrier);
  return carrier;
}

const body = (method: string, params: object) =>
  JSON.stringify({ jsonrpc: '2.0', id: randomUUID(), method, params });
const task = (words: string, budget_ms: number) =>
  body('execute_task', { channel: 'C1', text: words, bot_token: 'xoxb-of-a-test', budget_ms });

async function ask(carrier: Carrier, message: string) {
  const said = await carrier.send(message, { signal: new AbortController().signal });
  return JSON.parse(said) as { readonly result?: Readonly<Record<string, unknown>> };
}

describe('gleitzeit zone execute --stdio', { timeout: LONG_MS }, () => {
  it('runs tasks for whoever starts it, and goes on with what it accepted when it is started again', async () => {
    const first = open();
    const { result: accepted } = await ask(first, task('slowly', 0));
    expect(accepted).toMatchObject({ status: 'accepted' });
    await agent.next();
    await first.close();

    const second = open();
    const { task_id } = accepted ?? {};
    const asking = ask(second, body('get_async_task_result', { task_id, budget_ms: LONG_MS }));
    (await agent.next()).reply({ result: 'at last' });
    expect(await asking).toMatchObject({ result: { status: 'success', response_text: 'at last' } });
  });

  it('ends with its input, once everybody is answered, and prints nothing but responses', async () => {
    const [program, ...args] = command();
    const child = spawn(program, args, { cwd: scene.folder, stdio: ['pipe', 'pipe', 'pipe'] });
    const [out, log] = [text(child.stdout), text(child.stderr)];
    child.stdin.end(`${task('one', LONG_MS)}\nno JSON\n`);
    (await agent.next()).reply({ result: 'first' });
    expect(await once(child, 'close')).toEqual([0, null]);
    const responses = (await out)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(responses).toHaveLength(2);
    expect(responses).toContainEqual(
      expect.objectContaining({ result: { status: 'success', response_text: 'first' } }),
    );
    expect(responses).toContainEqual(expect.objectContaining({ id: null, error: expect.anything() }));
    expect(await log).toContain('takes requests from standard input');
    expect(await log).not.toContain('xoxb-of-a-test');
  });

  it('told to stop, answers who waits, and ends though its input goes on', async () => {
    const [program, ...args] = command();
    const child = spawn(program, args, { cwd: scene.folder, stdio: ['pipe', 'pipe', 'ignore'] });
    const out = text(child.stdout);
    child.stdin.write(`${task('never', LONG_MS)}\n`);
    await agent.next();
    child.kill('SIGTERM');
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(JSON.parse(await out)).toMatchObject({ result: { status: 'accepted' } });
  });

  it('says what is missing where nothing says what a task becomes', async () => {
    const program = scene.start(['zone', 'execute', '--stdio', '--config', scene.write('none.yaml', {})]);
    expect((await program.ended).code).not.toBe(0);
    expect(program.output()).toContain('zone.execute');
  });

  it('is the other zone of a gateway', async () => {
    const chat = await startChat();
    const [program, ...args] = command();
    const config = scene.write('gateway.yaml', {
      secrets: { signing: { env: 'SIGNING' }, bot: { env: 'BOT' } },
      zone: {
        gateway: {
          ...{ port: 0, signing_secret: '${secrets.signing}', bot_token: '${secrets.bot}' },
          ...{ chat: { url: chat.url }, store: { path: 'gateway.db' }, stop_timeout: '1s' },
          carrier: { type: 'stdio', command: program, args },
        },
      },
    });
    const env = { SIGNING: signingSecret, BOT: 'xoxb-of-a-test' };
    const gateway = scene.start(['zone', 'gateway', '--config', config], env);
    const { url } = await gateway.logged({ message: 'takes messages' });
    expect((await send(String(url), mention('are you there?'))).status).toBe(200);
    const call = await agent.next();
    call.reply({ result: `you asked: ${call.params['text']}` });
    await chat.until('you asked: are you there?');
    gateway.signal('SIGTERM');
    expect(await gateway.ended).toMatchObject({ code: 0 });
    await chat.close();
  });
});
