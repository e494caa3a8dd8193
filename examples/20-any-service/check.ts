/** Starts the services, runs the workflow on them, and sees to it that each is asked. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const program = fileURLToPath(new URL('../../bin/gleitzeit.js', import.meta.url));
const cwd = import.meta.dirname;
const keys = { DUCKDUCKGO_API_KEY: 'any', BING_API_KEY: 'bing key', OPENAI_API_KEY: 'openai key' };
const env = { ...process.env, ...keys, SERVICES_PORT: await freePort() };
const services = spawn(process.execPath, ['agents/services.js'], {
  cwd,
  env,
  stdio: ['ignore', 'pipe', 'inherit'],
});
let heard = '';
services.stdout.setEncoding('utf8').on('data', (text) => {
  heard += text;
});
try {
  await once(services.stdout, 'data');
  const results = await run('workflow.gleitzeit.yaml');
  assert.equal(results.search.results.length, 2);
  assert.match(results.local.text, /^In short: \d+ words\.$/);
  assert.equal(results.hosted.model, 'gpt-4o');
  assert.equal(results.count.structuredContent.words, 4);
  console.log(results.hosted.text);

  // Every provider of every pool gets its share.
  const many = Array.from({ length: 20 }, (_, n) => n);
  const tasks = many.flatMap((n) => [
    { id: `search-${n}`, protocol: 'web-search/v1', method: 'search', params: { query: String(n) } },
    { id: `write-${n}`, protocol: 'llm/v1', method: 'generate', params: { model: 'llama2', prompt: 'a b' } },
    {
      id: `count-${n}`,
      protocol: 'mcp/v1',
      method: 'tools/call',
      params: { name: 'count_words', arguments: { text: 'a b' } },
    },
  ]);
  const all = await run('-', JSON.stringify({ name: 'many', tasks }));
  const carriers = many.map((n) => all[`count-${n}`].structuredContent.by);
  assert.deepEqual([...new Set(carriers)].sort(), ['http', 'stdio']);
  for (const service of ['GET /duckduckgo', 'GET /bing/search', 'POST /ollama/api/generate'])
    assert.ok(heard.includes(service), `${service} was never asked`);
  assert.ok(heard.includes('POST /openai/chat/completions'));
} finally {
  services.kill();
}

async function run(file: string, input = '') {
  const running = execute(process.execPath, [program, 'run', file, '-o', 'json'], { cwd, env });
  running.child.stdin?.end(input);
  const { status, results } = JSON.parse((await running).stdout);
  assert.equal(status, 'completed');
  return results;
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return String(typeof address === 'object' ? address?.port : 0);
}
