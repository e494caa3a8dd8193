import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Agent, startAgent } from '../server/agent.ts';
import { openScene, type Scene, type Server } from '../server/scene.ts';
import { documentProgram } from './document.ts';

const execute = promisify(execFile);
const protocol = {
  name: 'text/v1',
  methods: { shout: { params: { text: { type: 'string', required: true } } } },
};

describe('docs/how-to/client.md', () => {
  let scene: Scene;
  let agent: Agent;
  let server: Server;

  beforeAll(async () => {
    scene = openScene();
    agent = await startAgent(async ({ params }) => ({
      result: { text: String(params['text']).toUpperCase() },
    }));
    const providers = [{ id: 'text', type: 'jsonrpc-http', config: { url: agent.url } }];
    server = await scene.serve({ server: { port: 0 }, protocols: [{ ...protocol, providers }] });
  });
  afterAll(async () => {
    await scene?.close();
    await agent?.close();
  });

  it('shows a program that runs', async () => {
    const sdk = new URL('../../src/sdk/index.ts', import.meta.url).href;
    const page = readFileSync(new URL('../../docs/how-to/client.md', import.meta.url), 'utf8');
    const file = scene.write('program.mts', documentProgram(page, { url: server.url, sdk }));
    const { stdout } = await execute(process.execPath, [file], { timeout: 30_000 });
    const lines = stdout.trim().split('\n');
    expect(lines[0]).toBe(`completed { first: { text: 'HELLO' }, second: { text: 'HELLO!' } }`);
    expect(lines).toContainEqual(expect.stringMatching(/^\d+ workflow:completed$/));
    expect(lines.slice(-3)).toEqual(['true', expect.stringMatching(/^GLZ1010 /), 'gleitzeit']);
  });
});
