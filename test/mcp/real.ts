import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Answer } from '../../src/core/answer.ts';
import type { Json, JsonObject } from '../../src/core/json.ts';
import type { Progress, Provider } from '../../src/core/ports/provider.ts';
import { realParts } from '../../src/dialects/jsonrpc/channels.suite.ts';
import { mcpTypes } from '../../src/dialects/mcp/index.ts';
import type { ProviderParts } from '../../src/dialects/provider-type.ts';
import { startService } from '../services/process.ts';

const { resolve } = createRequire(import.meta.url);

/** The program of a published server. */
export function published(name: string): string {
  const manifest = resolve(`@modelcontextprotocol/${name}/package.json`);
  return join(dirname(manifest), 'dist', 'index.js');
}

export function ownServer(file: string): string {
  return fileURLToPath(new URL(`./servers/${file}`, import.meta.url));
}

/** The everything server at a port; `streamableHttp` is HTTP of the older era, `sse` what was before it. */
export function startEverything(port: number, transport: 'streamableHttp' | 'sse') {
  return startService({
    command: process.execPath,
    args: [published('server-everything'), transport],
    env: { PORT: String(port) },
    ready: /listening on port|Server is running|listening/i,
  });
}

export function openMcp(config: JsonObject, parts: Partial<ProviderParts> = {}): Provider {
  const type = 'command' in config ? 'mcp-server' : 'mcp-http';
  const found = mcpTypes.find((one) => one.type === type);
  if (found === undefined) throw new Error(`there is no type ${type}`);
  const methods = Object.keys((config['tools'] ?? {}) as JsonObject);
  return found.open({ id: 'real', protocol: 'any/v1', type, config }, { ...realParts, methods, ...parts });
}

let calls = 0;

export type Wishes = {
  readonly signal?: AbortSignal;
  readonly report?: (progress: Progress) => void;
  readonly call_id?: string;
};

export function call(
  provider: Provider,
  method: string,
  params: JsonObject = {},
  { signal = AbortSignal.timeout(30_000), report, call_id = `call-${++calls}` }: Wishes = {},
): Promise<Answer> {
  const about = { call_id, task_id: call_id, workflow_id: null, attempt: 1 };
  return provider.call({ method, params, ...about, signal, report });
}

export async function result(answering: Promise<Answer>): Promise<Json> {
  const answer = await answering;
  if (answer.word !== 'done') throw new Error(`not done: ${JSON.stringify(answer)}`);
  return JSON.parse(answer.result) as Json;
}

export async function failure(answering: Promise<Answer>) {
  const answer = await answering;
  if (answer.word !== 'failed') throw new Error(`not failed: ${JSON.stringify(answer)}`);
  return answer.error;
}
