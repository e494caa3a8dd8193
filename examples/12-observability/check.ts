/** Runs a workflow through a server and looks for it in the metrics, at the collector and in the log. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../bin/gleitzeit.js', import.meta.url));
const cwd = import.meta.dirname;
const [port, collectorPort] = [await freePort(), await freePort()];
const env = { ...process.env, PORT: port, COLLECTOR_PORT: collectorPort };
const url = `http://127.0.0.1:${port}`;
const started: ChildProcess[] = [];
try {
  const collector = listen(['agents/collector.js']);
  await collector.hears('the collector listens');
  const server = listen([program, 'serve']);
  await server.hears('"url"');
  const run = [program, 'run', 'workflow.gleitzeit.yaml', '--server', url, '-o', 'json'];
  const { workflow_id, status } = JSON.parse(
    execFileSync(process.execPath, run, { cwd, env, encoding: 'utf8' }),
  );
  assert.equal(status, 'completed');

  const metrics = await (await fetch(`${url}/metrics`)).text();
  assert.match(metrics, /^gleitzeit_tasks_settled_total\{protocol="text\/v1",status="completed"\} 2$/m);
  assert.match(
    metrics,
    /^gleitzeit_provider_call_duration_seconds_count\{provider="text",outcome="done"\} 2$/m,
  );

  await collector.hears('attempt text/v1 count');
  const traces = collector.lines.filter((line) => / (workflow\.submit|attempt text\/v1 \w+)$/.test(line));
  assert.equal(
    new Set(traces.map((line) => line.slice(0, 8))).size,
    1,
    'one trace from submit to the last attempt',
  );

  const calls = server.lines.filter((line) => line.includes(workflow_id) && line.includes('"call"'));
  assert.equal(calls.length, 2, 'the log names the run with each call');
  assert.ok(!server.lines.some((line) => line.includes('Work that was accepted')), 'and never what was sent');
  console.log('metrics, one trace and the log tell of the run');
} finally {
  for (const child of started) child.kill();
}

type Heard = { readonly lines: readonly string[]; hears(words: string): Promise<void> };

function listen(args: readonly string[]): Heard {
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  started.push(child);
  const lines: string[] = [];
  let tell = () => {};
  for (const input of [child.stdout, child.stderr])
    createInterface({ input }).on('line', (line) => {
      lines.push(line);
      tell();
    });
  const hears = (words: string) =>
    new Promise<void>((resolve) => {
      tell = () => {
        if (lines.some((line) => line.includes(words))) resolve();
      };
      tell();
    });
  return { lines, hears };
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return String(typeof address === 'object' ? address?.port : 0);
}
