import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Answer } from '../../core/answer.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { Provider, ProviderCall } from '../../core/ports/provider.ts';
import { realParts } from '../jsonrpc/channels.suite.ts';
import type { ProviderParts } from '../provider-type.ts';
import { mcpTypes } from './index.ts';

/** What a server under script got, and how it can answer. */
export type Turn = {
  readonly id: string;
  readonly method: string;
  readonly params: JsonObject;
  readonly headers: IncomingMessage['headers'];
  readonly response: ServerResponse;
  result(value: JsonObject, headers?: Record<string, string>): void;
  error(status: number, error: JsonObject | null, text?: string): void;
  /** Begins a stream; what it gives back adds messages to it. */
  stream(): (message: JsonObject) => void;
};

export type Script = (turn: Turn) => void;

/** An MCP server that does what a test says, whether that is right or not. */
export async function startScripted(script: Script) {
  const seen: { method: string; id: string; params: JsonObject; headers: IncomingMessage['headers'] }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const { id, method, params } = (text === '' ? {} : JSON.parse(text)) as Turn;
    const { headers } = request;
    const name = method ?? `HTTP ${request.method}`;
    seen.push({ method: name, id, params: params ?? {}, headers });
    script({ id, method: name, params: params ?? {}, headers, response, ...repliesTo(id, response) });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    seen,
    methods: () => seen.map(({ method }) => method),
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function repliesTo(id: string, response: ServerResponse): Pick<Turn, 'result' | 'error' | 'stream'> {
  const json = (status: number, body: JsonObject, headers = {}) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body));
  return {
    result: (value, headers) => json(200, { jsonrpc: '2.0', id, result: value }, headers),
    error: (status, error, text = '') =>
      error === null
        ? void response.writeHead(status).end(text)
        : json(status, { jsonrpc: '2.0', id: id ?? null, error }),
    stream: () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      return (message) => void response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
    },
  };
}

/** For one method, what is then done with it. */
export function on(method: string, act: (turn: Turn) => void): (turn: Turn) => boolean {
  return (turn) => {
    if (turn.method !== method) return false;
    act(turn);
    return true;
  };
}

/** A server of the newer era, but for what the script does itself: it says true then. */
export function modern(
  script: (turn: Turn) => boolean | undefined,
  tools: readonly JsonObject[] = [],
): Script {
  return (turn) => {
    if (script(turn) === true) return;
    const complete = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
    if (turn.method === 'server/discover')
      turn.result({ ...complete, supportedVersions: ['2026-07-28'], capabilities: { tools: {} } });
    else if (turn.method === 'tools/list') turn.result({ ...complete, tools: tools as Json });
    else turn.error(404, { code: -32601, message: 'no such method' });
  };
}

/** A server of the older era, likewise. Sessions are numbered. */
export function withSessions(script: (turn: Turn) => boolean | undefined): Script {
  let sessions = 0;
  return (turn) => {
    if (script(turn) === true) return;
    if (turn.method === 'initialize')
      turn.result(
        {
          protocolVersion: '2025-11-25',
          capabilities: { tools: {} },
          serverInfo: { name: 's', version: '1' },
        },
        { 'mcp-session-id': `session-${++sessions}` },
      );
    else if (turn.method === 'tools/list') turn.result({ tools: [] });
    else if (turn.id === undefined) turn.response.writeHead(turn.method.startsWith('HTTP') ? 405 : 202).end();
    else turn.error(400, { code: -32000, message: 'Bad Request: Server not initialized' });
  };
}

export function openMcp(config: JsonObject, parts: Partial<ProviderParts> = {}): Provider {
  const type = config['command'] === undefined ? 'mcp-http' : 'mcp-server';
  const found = mcpTypes.find((one) => one.type === type);
  if (found === undefined) throw new Error(`there is no type ${type}`);
  return found.open(
    { id: 'scripted', protocol: 'any/v1', type, config },
    { ...realParts, methods: [], ...parts },
  );
}

let calls = 0;

export function ask(
  provider: Provider,
  method: string,
  params: JsonObject = {},
  wishes: Partial<Pick<ProviderCall, 'signal' | 'report' | 'kept' | 'keep'>> = {},
): Promise<Answer> {
  const call_id = `call-${++calls}`;
  const about = { call_id, task_id: call_id, workflow_id: null, attempt: 1 };
  return provider.call({ method, params, ...about, signal: AbortSignal.timeout(20_000), ...wishes });
}

export async function done(answering: Promise<Answer>): Promise<Json> {
  const answer = await answering;
  if (answer.word !== 'done') throw new Error(`not done: ${JSON.stringify(answer)}`);
  return JSON.parse(answer.result) as Json;
}

export async function failed(answering: Promise<Answer>) {
  const answer = await answering;
  if (answer.word !== 'failed') throw new Error(`not failed: ${JSON.stringify(answer)}`);
  return answer.error;
}
