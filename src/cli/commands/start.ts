import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isObject } from '../../core/json.ts';
import { loadServerConfig } from '../../main/load.ts';
import { packageFile } from '../../main/package-file.ts';
import { startServer } from '../../main/server.ts';
import { connect, type ParamsOf, type ResultOf } from '../../sdk/index.ts';
import type { Environment, Invocation } from '../spec.ts';
import { untilStopped } from '../until-stopped.ts';

const folder = packageFile('examples/start/');
const WAIT_MS = 30_000;

/** A server with two agents and a workflow over them that has run, and what to try next. */
export async function start({ env, cwd, io }: Invocation): Promise<void> {
  const say = (text: string) => io.stdout.write(`${text}\n`);
  const file = fileURLToPath(new URL('gleitzeit.yaml', folder));
  const load = () => loadServerConfig({ file, env: environmentOf(env, cwd), cwd, database_url: false });
  await untilStopped(async () => {
    const config = await load();
    const server = await startServer({ config, load, environment: env });
    try {
      say(`Gleitzeit listens on ${server.url}. Its store is ${shownStore(config.store)}.`);
      say(
        'Two agents, each a child process that speaks JSON-RPC 2.0, are configured in examples/start/gleitzeit.yaml.\n',
      );
      say(whatNext(server.url, await runDemo(server.url, say)));
    } catch (thrown) {
      await server.stop();
      throw thrown;
    }
    return server;
  });
  say('Stopped. What was accepted is in the store and goes on with the next start.');
}

/** The store belongs to the folder it is started in, not to the example's; the log only tells of trouble. */
function environmentOf(env: Environment, cwd: string): Environment {
  const elsewhere = Object.keys(env).some((name) => name.startsWith('GLEITZEIT_STORE_'));
  return {
    GLEITZEIT_LOGGING_FORMAT: 'text',
    GLEITZEIT_LOGGING_LEVEL: 'warn',
    ...(elsewhere ? {} : { GLEITZEIT_STORE_PATH: join(cwd, '.gleitzeit', 'store.db') }),
    ...env,
  };
}

function shownStore(store: { type: string; path?: string }): string {
  return store.path ?? 'a Postgres database';
}

type Submitted = ResultOf<'workflow.submit'>;
type Workflow = NonNullable<ParamsOf<'workflow.submit'>['workflow']>;

async function runDemo(url: string, say: (text: string) => void): Promise<Submitted> {
  const workflow = JSON.parse(readFileSync(new URL('workflow.json', folder), 'utf8')) as Workflow;
  const began = performance.now();
  const client = connect({ url });
  try {
    const submitted = await client.call('workflow.submit', { workflow });
    const { status, results } = await client.runResults(submitted.workflow_id, { timeout_ms: WAIT_MS });
    const seconds = ((performance.now() - began) / 1000).toFixed(2);
    const done = Object.keys(results).length;
    say(`The workflow "${workflow.name}" is ${status}, ${done} of 2 tasks, in ${seconds} s:`);
    say(`  search-task     ${JSON.stringify(results['search-task'])?.slice(0, 100)}…`);
    const summary = results['summarize-task'];
    say(`  summarize-task  ${isObject(summary) ? String(summary['text']) : ''}\n`);
    return submitted;
  } finally {
    client.close();
  }
}

function whatNext(url: string, { workflow_id }: Submitted): string {
  const call = { jsonrpc: '2.0', id: 1, method: 'workflow.status', params: { workflow_id } };
  return [
    'Look:',
    `  ${url}/openrpc.json   every method, with its schemas`,
    `  ${url}/metrics        for Prometheus`,
    '',
    'Paste into another terminal, in this folder:',
    `  npx gleitzeit status ${workflow_id}`,
    `  npx gleitzeit events ${workflow_id}`,
    `  npx gleitzeit submit --protocol web-search/v1 --method search --params '{"query":"durable workflows"}'`,
    '  npx gleitzeit list --tasks',
    '',
    'Or without it:',
    `  curl -N '${url}/events?cursor=0'    # everything that happened, and what happens next`,
    `  curl -s ${url}/rpc -H 'content-type: application/json' -d '${JSON.stringify(call)}'`,
    '',
    'Ctrl-C stops it.',
  ].join('\n');
}
