import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { call } from './call.ts';
import { echoProtocol, echoProtocols, settledTask, submitEcho } from './echo.ts';
import { type HeldAgent, heldAgent } from './held-agent.ts';
import { openScene, type Scene, type Server } from './scene.ts';

const CHANGED = 'the configuration was changed';
const [FIRST, SECOND, THIRD] = ['the-first-token', 'the-second-token', 'the-third-token'];

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

function configOf(protocols: readonly object[]) {
  return { server: { port: 0 }, secrets: { token: { file: 'token' } }, protocols };
}

function overHttp(path: string) {
  const headers = { authorization: 'Bearer ${secrets.token}' };
  return echoProtocols({ only: { url: `${agent.url}${path}`, headers } });
}

async function changed(server: Server, change: () => void) {
  const after = server.log.length;
  change();
  return server.logged({ message: CHANGED }, after);
}

async function rotate(server: Server, token: string) {
  scene.write('token', `${token}\n`);
  return changed(server, () => server.signal('SIGHUP'));
}

describe('a secret that changes after a reload brought its provider', () => {
  it('reaches it, and is hidden in its errors', async () => {
    scene.write('token', FIRST);
    const server = await scene.serve(configOf(overHttp('/before')));
    await changed(server, () => scene.write('gleitzeit.yaml', configOf(overHttp('/after'))));
    await rotate(server, SECOND);
    await rotate(server, THIRD);

    const task_id = await submitEcho(server.url, 'hello');
    const { path, headers, reply } = await agent.next();
    expect([path, headers.authorization]).toEqual(['/after', `Bearer ${THIRD}`]);
    reply({ error: { code: -32602, message: `no entry for ${FIRST} and ${THIRD}` } });
    const settled = await settledTask(server.url, task_id);
    expect(settled).toMatchObject({
      status: 'failed',
      error: { message: 'no entry for [secret] and [secret]' },
    });
    expect(`${JSON.stringify(settled)}${server.output()}`).not.toMatch(/the-\w+-token/);
  });
});

/** Tells the token it was started with; says `held` at once and goes on when a file of that name is there. */
const program = `
const { watch, existsSync } = require('node:fs');
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, params } = JSON.parse(line);
  const answer = () => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: process.env.TOKEN.slice(4) }) + '\\n');
  if (params.text !== 'hold') return answer();
  process.stderr.write('holding\\n');
  const watching = watch('.', () => existsSync('go') && (watching.close(), answer()));
});`;

describe('a secret in the environment of a program', () => {
  it('reaches it when it changes: the program is replaced, and the one before ends its calls', async () => {
    scene.write('token', FIRST);
    const command = ['node', scene.write('child.cjs', program)];
    const provider = {
      id: 'child',
      type: 'jsonrpc-stdio',
      config: { command, env: { TOKEN: '${secrets.token}' } },
    };
    const server = await scene.serve(configOf([{ ...echoProtocol, providers: [provider] }]));
    const ask = async (text: string) => settledTask(server.url, await submitEcho(server.url, text));
    expect(await ask('hello')).toMatchObject({ result: FIRST.slice(4) });

    const held = await submitEcho(server.url, 'hold');
    await server.logged({ line: 'holding' });
    const after = server.log.length;
    expect(await rotate(server, SECOND)).toMatchObject({ secret_changes: 1 });
    await server.logged(
      { message: 'a secret of a program has changed: it is started anew', provider: 'child' },
      after,
    );
    expect(await ask('hello')).toMatchObject({ result: SECOND.slice(4) });
    scene.write('go', '');
    expect(await settledTask(server.url, held)).toMatchObject({
      status: 'completed',
      result: FIRST.slice(4),
    });
    const { attempts } = await call<{ attempts: unknown[] }>(server.url, 'task.status', { task_id: held });
    expect(attempts).toHaveLength(1);
    server.signal('SIGTERM');
    await server.ended;
  });

  it.each(['env', 'options'])('or in the %s of a class of the third generation', async (place) => {
    scene.write('token', FIRST);
    scene.write(
      'asked.py',
      [
        'import os',
        'class Asked:',
        '    def __init__(self, token=None):',
        "        self.token = token or os.environ['TOKEN']",
        '    async def execute_task(self, task_type, parameters):',
        "        return {'result': self.token[4:]}",
      ].join('\n'),
    );
    const told =
      place === 'env' ? { env: { TOKEN: '${secrets.token}' } } : { options: { token: '${secrets.token}' } };
    const provider = { id: 'asked', type: 'v3', config: { module: 'asked', class: 'Asked', ...told } };
    const server = await scene.serve(configOf([{ ...echoProtocol, providers: [provider] }]));
    const ask = async () => settledTask(server.url, await submitEcho(server.url, 'hello'));
    expect(await ask()).toMatchObject({ result: FIRST.slice(4) });
    await rotate(server, SECOND);
    expect(await ask()).toMatchObject({ result: SECOND.slice(4) });
  });
});
