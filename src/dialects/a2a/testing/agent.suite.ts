import type { ServerResponse } from 'node:http';
import { AGENT_PROTOCOL } from '../../../core/agent.ts';
import type { Answer } from '../../../core/answer.ts';
import { GleitzeitError } from '../../../core/errors.ts';
import type { Json, JsonObject } from '../../../core/json.ts';
import type { Provider, ProviderCall } from '../../../core/ports/provider.ts';
import { systemTimers } from '../../../embedded/system.ts';
import { realParts } from '../../jsonrpc/channels.suite.ts';
import type { ProviderParts } from '../../provider-type.ts';
import { listen, readRequest } from '../../rest/peer.suite.ts';
import { a2aTypes } from '../index.ts';

/** One request as an agent got it. */
export type Got = {
  readonly method: string;
  readonly path: string;
  readonly headers: JsonObject;
  /** What was asked in JSON-RPC; null for a GET. */
  readonly rpc: { readonly id: string; readonly method: string; readonly params: JsonObject } | null;
  readonly body: string;
};

export type Says = {
  /** An answer in one piece. */
  result(result: Json): void;
  error(code: number, message: string, data?: Json): void;
  json(value: unknown, status?: number, headers?: Readonly<Record<string, string>>): void;
  text(body: string, status: number, headers?: Readonly<Record<string, string>>): void;
  /** Events of a stream, which stays open. */
  events(...results: readonly Json[]): void;
  raw(text: string): void;
  end(): void;
  cut(): void;
};

export type Agent = {
  readonly url: string;
  readonly got: readonly Got[];
  calls(): string[];
  stop(): Promise<void>;
};

/** An agent that answers as the test says; whoever is not answered waits. */
export async function startAgent(answer: (got: Got, says: Says) => unknown): Promise<Agent> {
  const got: Got[] = [];
  const { url, stop } = await listen(async (request, response) => {
    const { method, path, headers, body } = await readRequest(request);
    const rpc = method === 'POST' && body.startsWith('{') ? (JSON.parse(body) as Got['rpc']) : null;
    const one = { method, path, headers: headers as JsonObject, rpc, body };
    got.push(one);
    await answer(one, saying(response, rpc?.id ?? null));
  });
  const calls = () => got.flatMap(({ rpc, method, path }) => rpc?.method ?? `${method} ${path}`);
  return { url: url.replace(/\/$/, ''), got, calls, stop };
}

function saying(response: ServerResponse, id: string | null): Says {
  const json: Says['json'] = (value, status = 200, headers = {}) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
  };
  const raw = (text: string) => {
    if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(text);
  };
  return {
    json,
    raw,
    result: (result) => json({ jsonrpc: '2.0', id, result }),
    error: (code, message, data) =>
      json({ jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } }),
    text: (body, status, headers = {}) => {
      response.writeHead(status, headers).end(body);
    },
    events: (...results) => {
      for (const result of results) raw(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
    },
    end: () => response.end(),
    cut: () => response.destroy(),
  };
}

const common = { name: 'scripted', description: 'a test', version: '1', skills: [] };

export function card03(url: string, more: JsonObject = {}): JsonObject {
  return { ...common, protocolVersion: '0.3.0', url, capabilities: { streaming: true }, ...more };
}

export function card10(url: string, more: JsonObject = {}): JsonObject {
  const supportedInterfaces = [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }];
  return { ...common, supportedInterfaces, capabilities: { streaming: true }, ...more };
}

/** Pauses between questions pass at once; limits that end something are as long as they are. */
export const hastyTimers = {
  ...systemTimers,
  after: (ms: number, call: () => void) => systemTimers.after(ms < 5000 ? 0 : ms, call),
};

const opened: (() => Promise<unknown>)[] = [];

/** For `afterEach`. */
export async function closeAll(): Promise<void> {
  for (const close of opened.splice(0).reverse()) await close();
}

export function alsoClose(close: () => Promise<unknown>): void {
  opened.push(close);
}

export async function scripted(answer: (got: Got, says: Says) => unknown): Promise<Agent> {
  const agent = await startAgent(answer);
  alsoClose(agent.stop);
  return agent;
}

type Opening = Partial<ProviderParts> & { readonly type?: string; readonly protocol?: string };

export function open(url: string, config: JsonObject = {}, opening: Opening = {}): Provider {
  const { type = 'a2a', protocol = AGENT_PROTOCOL, ...parts } = opening;
  const spec = { id: 'agent:Scripted', protocol, type, config: { url, ...config } };
  const found = a2aTypes.find((one) => one.type === type);
  if (found === undefined) throw new Error(`there is no type ${type}`);
  const provider = found.open(spec, { ...realParts, timers: hastyTimers, ...parts });
  alsoClose(async () => provider.close?.());
  return provider;
}

let calls = 0;

export function call(
  provider: Provider,
  params: JsonObject,
  more: Partial<ProviderCall> = {},
): Promise<Answer> {
  const call_id = more.call_id ?? `call-${++calls}`;
  const about = { call_id, task_id: call_id, workflow_id: null, attempt: 1, method: 'send' };
  return provider.call({ ...about, params, signal: AbortSignal.timeout(20_000), ...more });
}

export async function result(answering: Promise<Answer>): Promise<JsonObject> {
  const answer = await answering;
  if (answer.word !== 'done') throw new Error(`not done: ${JSON.stringify(answer)}`);
  return JSON.parse(answer.result) as JsonObject;
}

export async function failure(answering: Promise<Answer>) {
  const answer = await answering;
  if (answer.word !== 'failed') throw new Error(`not failed: ${JSON.stringify(answer)}`);
  return answer.error;
}

export async function waiting(answering: Promise<Answer>) {
  const answer = await answering;
  if (answer.word !== 'outside') throw new Error(`not waiting: ${JSON.stringify(answer)}`);
  return answer.wait;
}

export const cancelled = new GleitzeitError('GLZ2009', 'the task was cancelled');

/** A task of 0.3 as agents answer with it. */
export function task03(state: string, more: JsonObject = {}): JsonObject {
  return { kind: 'task', id: 't1', contextId: 'c1', status: { state }, ...more };
}

export function task10(state: string, more: JsonObject = {}): JsonObject {
  return { task: { id: 't1', contextId: 'c1', status: { state: `TASK_STATE_${state}` }, ...more } };
}

export function artifact(text: string, artifactId = 'a1'): JsonObject {
  return { artifactId, parts: [{ kind: 'text', text }] };
}

export const done03 = (text: string) => task03('completed', { artifacts: [artifact(text)] });
export const done10 = (text: string) =>
  task10('COMPLETED', { artifacts: [{ artifactId: 'a1', parts: [{ text }] }] });

export function status03(state: string, words?: string): JsonObject {
  const message = {
    kind: 'message',
    messageId: `m-${state}`,
    role: 'agent',
    parts: [{ kind: 'text', text: words ?? '' }],
  };
  const status = { state, ...(words === undefined ? {} : { message }) };
  return { kind: 'status-update', taskId: 't1', contextId: 'c1', status, final: false };
}
