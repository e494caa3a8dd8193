import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Progress, Provider } from '../../src/core/ports/provider.ts';
import { realChannels, realParts } from '../../src/dialects/jsonrpc/channels.suite.ts';
import { systemClock, systemTimers } from '../../src/embedded/system.ts';
import { stdioChannel } from '../../src/rpc/stdio/channel.ts';
import { rememberingLogger } from '../../src/rpc/testing/quiet.suite.ts';
import { pythonWithFastmcp } from '../services/fastmcp.ts';
import { freePort } from '../services/free-port.ts';
import { type Service, startService } from '../services/process.ts';
import { call, failure, openMcp, ownServer, published, result, startEverything } from './real.ts';

const node = process.execPath;
const everything = { command: [node, published('server-everything'), 'stdio'] };
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function open(...told: Parameters<typeof openMcp>): Provider {
  const provider = openMcp(...told);
  ends.push(async () => provider.close?.());
  return provider;
}

async function service(starting: Promise<Service>): Promise<Service> {
  const started = await starting;
  ends.push(() => started.end('SIGKILL'));
  return started;
}

/** What a server whose tools are those of the everything server must do. */
async function answersAll(provider: Provider): Promise<void> {
  const reports: Progress[] = [];
  const long = { name: 'trigger-long-running-operation', arguments: { duration: 0.3, steps: 3 } };
  expect(await result(call(provider, 'ping'))).toEqual({});
  expect(await result(call(provider, 'tools/call', { name: 'get-sum', arguments: { a: 1, b: 2 } }))).toEqual({
    content: [{ type: 'text', text: 'The sum of 1 and 2 is 3.' }],
  });
  await result(call(provider, 'tools/call', long, { report: (report) => reports.push(report) }));
  expect(reports.map(({ progress, total }) => [progress, total])).toEqual([
    [1, 3],
    [2, 3],
    [3, 3],
  ]);
  const listed = (await result(call(provider, 'resources/list'))) as { resources: { uri: string }[] };
  const { uri } = listed.resources[0] ?? { uri: '' };
  expect(await result(call(provider, 'resources/read', { uri }))).toMatchObject({ contents: [{ uri }] });
  expect(await result(call(provider, 'prompts/get', { name: 'simple-prompt' }))).toHaveProperty('messages');
  expect(await failure(call(provider, 'tools/call', { name: 'no-such-tool' }))).toMatchObject({
    data: { error_code: 'GLZ2010' },
  });
}

describe('the everything server', () => {
  it('answers over stdio', () => answersAll(open(everything)));

  it('answers over HTTP', async () => {
    const port = await freePort();
    await service(startEverything(port, 'streamableHttp'));
    await answersAll(open({ url: `http://127.0.0.1:${port}/mcp` }));
  });

  it('answers over HTTP with SSE, which is found out', async () => {
    const port = await freePort();
    await service(startEverything(port, 'sse'));
    await answersAll(open({ url: `http://127.0.0.1:${port}/sse` }));
  });

  it('works on a task of its own where a tool asks for that', async () => {
    const reports: Progress[] = [];
    const params = { name: 'simulate-research-query', arguments: { topic: 'tides' } };
    const report = (progress: Progress) => reports.push(progress);
    const answered = await result(call(open(everything), 'tools/call', params, { report }));
    expect(JSON.stringify(answered)).toContain('Research Report: tides');
    expect(reports[0]?.message).toMatch(/as its task \w+/);
  });

  it('is given the roots that were configured, when it asks for them', async () => {
    const provider = open({ ...everything, roots: ['file:///data'] });
    const params = { name: 'get-roots-list', arguments: {} };
    await expect
      .poll(async () => JSON.stringify(await call(provider, 'tools/call', params)))
      .toContain('file:///data');
  });

  it('is asked again after it was killed and restarted at its address, in a new session', async () => {
    const port = await freePort();
    const first = await service(startEverything(port, 'streamableHttp'));
    const provider = open({ url: `http://127.0.0.1:${port}/mcp`, tools: { say: 'echo' } });
    expect(await result(call(provider, 'say', { message: 'one' }))).toBe('Echo: one');
    await first.end('SIGKILL');
    await service(startEverything(port, 'streamableHttp'));
    expect(await result(call(provider, 'say', { message: 'two' }))).toBe('Echo: two');
  });
});

describe('a server that is a program', () => {
  function counted() {
    const pids: number[] = [];
    const notes = { started: (pid: number) => pids.push(pid), ended: () => {} };
    const channels = {
      ...realChannels,
      stdio: ({ cwd: _, env, ...target }: Parameters<typeof realChannels.stdio>[0]) =>
        stdioChannel({
          ...target,
          env: env(),
          environment: process.env,
          logger: rememberingLogger(),
          clock: systemClock,
          timers: systemTimers,
          notes,
        }),
    };
    return { pids, parts: { ...realParts, channels, methods: ['say', 'long'] } };
  }
  const tools = { say: 'echo', long: 'trigger-long-running-operation' };

  it('is started again after it was killed, between calls and during one', async () => {
    const { pids, parts } = counted();
    const provider = open({ ...everything, tools }, parts);
    expect(await result(call(provider, 'say', { message: 'one' }))).toBe('Echo: one');
    process.kill(Number(pids.at(-1)), 'SIGKILL');
    await expect.poll(async () => (await call(provider, 'say', { message: 'two' })).word).toBe('done');
    const begun = Promise.withResolvers<void>();
    const long = call(provider, 'long', { duration: 20, steps: 20 }, { report: () => begun.resolve() });
    await begun.promise;
    process.kill(Number(pids.at(-1)), 'SIGKILL');
    expect(await failure(long)).toMatchObject({ data: { error_code: 'GLZ2002' } });
    expect(await result(call(provider, 'say', { message: 'three' }))).toBe('Echo: three');
    expect(pids).toHaveLength(3);
  });

  it('is gone after its provider was closed, with everything it started', async () => {
    const { pids, parts } = counted();
    const program = [node, published('server-everything'), 'stdio'];
    const provider = openMcp({ command: ['sh', '-c', '"$@"; true', 'sh', ...program], tools }, parts);
    expect(await result(call(provider, 'say', { message: 'one' }))).toBe('Echo: one');
    await provider.close?.();
    for (const pid of pids) expect(() => process.kill(-pid, 0)).toThrow('ESRCH');
  });
});

describe('other servers as they are published', () => {
  it('files are read and written', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gleitzeit-mcp-'));
    ends.push(async () => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'a.txt'), 'as it was');
    const command = [node, published('server-filesystem'), folder];
    const provider = open({ command, tools: { read: 'read_text_file', write: 'write_file' } });
    const path = join(folder, 'a.txt');
    expect(await result(call(provider, 'read', { path }))).toEqual({ content: 'as it was' });
    await result(call(provider, 'write', { path, content: 'as it is' }));
    expect(readFileSync(path, 'utf8')).toBe('as it is');
    const outside = await failure(call(provider, 'read', { path: '/etc/passwd' }));
    expect(outside.message).toMatch(/denied|outside/i);
  });

  it('a graph is remembered', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gleitzeit-mcp-'));
    ends.push(async () => rmSync(folder, { recursive: true }));
    const env = { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') };
    const config = {
      command: [node, published('server-memory')],
      env,
      tools: { read: 'read_graph', add: 'create_entities' },
    };
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['counts'] }];
    await result(call(open(config), 'add', { entities }));
    expect(await result(call(open(config), 'read'))).toMatchObject({ entities, relations: [] });
  });

  it.each(['modern', 'both'])("the SDK's server is spoken to in the newer era: %s", async (era) => {
    const port = await freePort();
    const args = [ownServer('both-eras.ts'), era, String(port)];
    await service(startService({ command: node, args, ready: /listening/ }));
    const url = `http://127.0.0.1:${port}/mcp`;
    const provider = open({ url, tools: { add: 'add' } });
    expect(await result(call(provider, 'add', { a: 1, b: 2 }))).toEqual({ sum: 3 });
    expect(await failure(call(provider, 'tools/call', { name: 'none' }))).toMatchObject({
      data: { error_code: 'GLZ2010', remote_code: -32602 },
    });
    const raw = await result(call(provider, 'tools/call', { name: 'add', arguments: { a: 1, b: 2 } }));
    expect(raw).toMatchObject({ resultType: 'complete' });
    const older = open({ url, version: '2025-11-25', tools: { add: 'add' } });
    const answer = await call(older, 'add', { a: 1, b: 2 });
    expect(answer.word).toBe(era === 'both' ? 'done' : 'failed');
  });
});

describe('a server in Python', () => {
  let python: string;
  beforeAll(async () => {
    python = await pythonWithFastmcp();
  }, 600_000);

  async function answersPython(provider: Provider): Promise<void> {
    expect(await result(call(provider, 'add', { a: 1, b: 2 }))).toBe(3);
    expect(await result(call(provider, 'describe', { city: 'Rom' }))).toEqual({ city: 'Rom', length: 3 });
    const reports: Progress[] = [];
    const report = (progress: Progress) => reports.push(progress);
    expect(await result(call(provider, 'slow', { steps: 2 }, { report }))).toBe('slowly done');
    expect(reports.map(({ message }) => message)).toEqual(['step 1', 'step 2']);
    expect(await failure(call(provider, 'broken'))).toMatchObject({
      message: expect.stringContaining('this tool never works'),
      data: { error_code: 'GLZ2001' },
    });
    expect(await failure(call(provider, 'no-such-tool'))).toMatchObject({ data: { error_code: 'GLZ2010' } });
    expect(await failure(call(provider, 'add', { a: 'x' }))).toMatchObject({
      data: { error_code: 'GLZ2010' },
    });
  }

  it('answers over stdio', () => answersPython(open({ command: [python, ownServer('fastmcp_server.py')] })));

  it('answers over HTTP, in either era, and after a restart', async () => {
    const port = await freePort();
    const args = [ownServer('fastmcp_server.py'), String(port)];
    const start = () => service(startService({ command: python, args, ready: /Uvicorn running/ }));
    const first = await start();
    const url = `http://127.0.0.1:${port}/mcp`;
    const [newer, older] = [open({ url }), open({ url, version: '2025-11-25' })];
    await answersPython(newer);
    await answersPython(older);
    await first.end('SIGKILL');
    await start();
    expect(await result(call(newer, 'add', { a: 1, b: 2 }))).toBe(3);
    expect(await result(call(older, 'add', { a: 1, b: 2 }))).toBe(3);
  });
});
