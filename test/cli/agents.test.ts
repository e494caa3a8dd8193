import { once } from 'node:events';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { play } from '../../src/cli/play.suite.ts';
import { type CliHouse, openCliHouse } from './house.ts';

let house: CliHouse;
let agent: HttpServer;
let url = '';

const card = {
  name: 'Writer of texts',
  description: 'Writes',
  protocolVersion: '0.3.0',
  version: '1.0.0',
  skills: [{ id: 'write', name: 'Write', description: 'Writes a text', tags: [] }],
  capabilities: {},
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
};

beforeAll(async () => {
  house = await openCliHouse({ keys: [] });
  agent = createServer((request, response) => {
    const found = request.url === '/.well-known/agent-card.json';
    response.statusCode = found ? 200 : 405;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(found ? { ...card, url } : {}));
  });
  agent.listen(0, '127.0.0.1');
  await once(agent, 'listening');
  url = `http://127.0.0.1:${(agent.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await house.close();
  agent.close();
  agent.closeAllConnections();
});

const asked = (argv: readonly string[], env: Readonly<Record<string, string>> = {}) => {
  const { folder } = house.scene;
  return play(argv, { cwd: folder, env: { GLEITZEIT_SERVER_URL: house.server.url, HOME: folder, ...env } });
};
const json = async (...argv: readonly string[]) => JSON.parse((await asked([...argv, '-o', 'json'])).out);

describe('gleitzeit agent', () => {
  it('adds an agent with a token out of a variable, and never shows it', async () => {
    const added = await asked(['agent', 'add', 'Writer', '--url', url, '--token-env', 'WRITER_TOKEN'], {
      WRITER_TOKEN: 'a-token-5512',
    });
    expect(added).toMatchObject({ status: 0 });
    expect(added.out + added.err).not.toContain('a-token-5512');
    expect(added.err).toContain('agent: Writer');
    expect(await json('agent', 'show', 'Writer')).toMatchObject({
      url,
      protocol: 'simple-a2a',
      auth_config: { type: 'bearer', token: '***' },
    });
    expect((await asked(['agent', 'show', 'Writer'])).out).toMatch(/Shown: +bearer/);
    expect((await asked(['agent', 'add', 'Writer', '--url', url])).status).toBe(8);
  });

  it('changes what is given and nothing else', async () => {
    house.scene.write('entry.yaml', {
      timeout: '5s',
      implements: ['echo/v1'],
      retry_config: { max_retries: 1 },
    });
    const changed = await json(
      'agent',
      'update',
      'Writer',
      '--entry',
      'entry.yaml',
      '--protocol',
      'jsonrpc-2.0',
    );
    expect(changed).toMatchObject({
      version: 2,
      timeout: 5000,
      implements: ['echo/v1'],
      protocol: 'jsonrpc-2.0',
      auth_config: { token: '***' },
    });
    const config = ['--protocol-config', '{"a2a_version": "0.3"}', '--call-timeout', '7s'];
    expect(await json('agent', 'update', 'Writer', ...config)).toMatchObject({
      protocol_config: { a2a_version: '0.3' },
      timeout: 7000,
    });
    const late = await asked(['agent', 'update', 'Writer', '--description', 'x', '--expect', '1']);
    expect([late.status, late.err]).toEqual([8, expect.stringContaining('version 3')]);
  });

  it('lists them, also by dialect, and says whether one is there', async () => {
    const { items } = await json('agent', 'list', '--protocol', 'jsonrpc-2.0');
    expect(items.map(({ name }: { name: string }) => name)).toEqual(['Writer']);
    expect((await asked(['agent', 'list', '--protocol', 'simple-a2a'])).err).toContain('no agents');
    expect(await json('agent', 'ping', 'Writer')).toMatchObject({
      well: true,
      asked: 'GET /.well-known/agent-card.json',
      http_status: 200,
    });
    await asked(['agent', 'add', 'Gone', '--url', 'http://127.0.0.1:1']);
    const ping = await asked(['agent', 'ping', 'Gone']);
    expect([ping.status, ping.out]).toEqual([1, expect.stringMatching(/Answers: +no/)]);
  });

  it('discovers an agent by its card, and adds it', async () => {
    expect(await json('agent', 'discover', url)).toMatchObject({
      found: true,
      entry: { name: 'Writer of texts', url, description: 'Writes', protocol: 'jsonrpc-2.0' },
      skills: [{ id: 'write' }],
    });
    const added = await asked(['agent', 'discover', url, '--add', 'Second']);
    expect([added.status, added.err]).toEqual([0, expect.stringContaining('agent: Second')]);
    expect(await json('agent', 'show', 'Second')).toMatchObject({ protocol: 'jsonrpc-2.0', url });
  });

  it('removes them, and knows which one was meant', async () => {
    expect(await json('agent', 'remove', 'Second')).toEqual({ name: 'Second', deleted: true });
    await asked(['agent', 'add', 'Third', '--url', url]);
    expect((await asked(['agent', 'remove', 'Third'])).out).toBe('the agent Third was removed\n');
    const gone = await asked(['agent', 'remove', 'Writr']);
    expect([gone.status, gone.err]).toEqual([6, expect.stringContaining('did you mean "Writer"?')]);
  });

  it.each([
    [['--auth', '[1]'], '--auth takes an object'],
    [['--auth', '{type: none}', '--token-env', 'X'], 'say two different things'],
    [['--token-env', 'NOT_SET_AT_ALL'], 'NOT_SET_AT_ALL is not set'],
    [['--protocol-config', '5'], '--protocol-config takes an object'],
  ])('says what is wrong with %j', async (flags, message) => {
    const wrong = await asked(['agent', 'update', 'Writer', ...flags]);
    expect([wrong.status, wrong.err]).toEqual([2, expect.stringContaining(message)]);
  });

  it('offers their names where somebody presses Tab', async () => {
    const { out } = await asked(['__complete', '--', 'agent', 'show', 'Wr']);
    expect(out).toContain('Writer');
  });
});
