import type { Answer } from '../../core/answer.ts';
import { callWith } from '../../core/call-with.ts';
import { GleitzeitError } from '../../core/errors.ts';
import { isObject, type Json, type JsonObject, own } from '../../core/json.ts';
import { isRpcAnswer } from '../../core/pool/answered.ts';
import type { Clock, Timers } from '../../core/ports/clock.ts';
import type { Probed, Provider, ProviderCall } from '../../core/ports/provider.ts';
import { givenUp } from '../../rpc/correlate.ts';
import { probeCalls } from '../probe-call.ts';
import { reportWithout } from '../quiet-report.ts';
import { withoutSecrets } from '../without-secrets.ts';
import { done, toolValue } from './answer.ts';
import type { Connection } from './connection.ts';
import { Conversation, whole } from './conversation.ts';
import type { Inputs } from './inputs.ts';
import { allPages, lists } from './pages.ts';
import { callTool, type ToolPolicy } from './tool-call.ts';
import { namespaced, type Tools, withoutInvalid } from './tools.ts';
import { type WatchLimits, watch } from './watch.ts';

export type McpParts = {
  readonly id: string;
  readonly protocol: string;
  readonly connection: Connection;
  readonly tools: Tools;
  readonly inputs: Inputs;
  readonly limits: WatchLimits;
  /** The tool behind a method; null for methods of MCP itself. */
  readonly toolOf: (method: string) => string | null;
  readonly policy: ToolPolicy;
  /** Tools are listed as `provider.tool`. */
  readonly namespaced: boolean;
  readonly timers: Timers;
  readonly clock: Clock;
  readonly secrets: () => readonly string[];
};

/** Methods of MCP that a task can call as they are. */
export const ownMethods: readonly string[] = [
  ...Object.keys(lists),
  'tools/call',
  'resources/read',
  'prompts/get',
  'completion/complete',
  'ping',
];

/** An MCP server: a method of a protocol is one of MCP itself, or a tool. */
export function mcpProvider(parts: McpParts): Provider {
  const { id, protocol, connection, tools } = parts;
  const question = probeCalls(id);
  return {
    id,
    protocol,
    hasMethod: (method) => {
      const tool = parts.toolOf(method);
      if (tool === null) return ownMethods.includes(method);
      return !isListedWithout(tools, tool);
    },
    call: (call) => answer(parts, call),
    probe: { asked: 'ping', ask: (signal) => pinged(parts, question('ping', signal)) },
    warm: () => connection.warm(),
    renew: (silent_ms) => connection.renew(silent_ms),
    close: () => connection.close(),
  };
}

async function pinged(parts: McpParts, call: ProviderCall): Promise<Probed> {
  const answered = await answer(parts, call);
  if (answered.word !== 'failed') return { well: true, error: null };
  return { well: isRpcAnswer(answered.error), error: answered.error };
}

async function answer(parts: McpParts, call: ProviderCall): Promise<Answer> {
  const watched = watch(call.signal, parts.limits, parts.timers);
  const report = call.report && reportWithout(call.report, parts.secrets);
  const talk = new Conversation(parts, callWith(call, { report }), watched);
  try {
    if (call.signal.aborted) throw givenUp(call.signal);
    return done(await resultFor(parts, call, talk));
  } catch (thrown) {
    const error = GleitzeitError.from(thrown, 'GLZ2001');
    const again = watched.signal.aborted ? null : await talk.job.later(error);
    return again ?? { word: 'failed', error: withoutSecrets(error.toRecord(), parts.secrets()) };
  } finally {
    watched.end();
  }
}

async function resultFor(
  parts: McpParts,
  { method, params }: ProviderCall,
  talk: Conversation,
): Promise<Json> {
  const tool = parts.toolOf(method);
  if (tool !== null)
    return toolValue(
      await callTool(parts, talk, { name: tool, params: { arguments: params } }).catch((thrown: unknown) => {
        throw isListedWithout(parts.tools, tool) ? lacking(thrown) : thrown;
      }),
    );
  if (method === 'tools/call') return callTool(parts, talk, { name: nameIn(params), params });
  if (!ownMethods.includes(method))
    throw new GleitzeitError('GLZ2010', `MCP has no method ${JSON.stringify(method)}`, {
      hint: '`tools` in the config of the provider names the tool for a method',
    });
  if (method === 'ping') return ping(parts, talk);
  const key = own(lists, method);
  if (typeof key !== 'string') return whole(await talk.askThrough(method, params));
  return listed(parts, await pages(key, { method, params }, talk));
}

/** A list without any tool comes from a server that does not tell. */
function isListedWithout({ known }: Tools, tool: string): boolean {
  return known !== null && known.size > 0 && !known.has(tool);
}

/** What was refused of a tool that the server does not list, it refused because it has none such. */
function lacking(thrown: unknown): unknown {
  const error = GleitzeitError.from(thrown, 'GLZ2001');
  if (error.code !== 'GLZ2010') return thrown;
  return new GleitzeitError(error.code, error.message, { ...error.details, fault: 'method' }, error);
}

function nameIn(params: JsonObject): string {
  const name = own(params, 'name');
  if (typeof name === 'string') return name;
  throw new GleitzeitError('GLZ2010', 'tools/call needs the name of a tool', { field: '/params/name' });
}

/** In the newer era there is nothing to keep alive: a server is there if it says what it is. */
async function ping({ connection }: McpParts, talk: Conversation): Promise<JsonObject> {
  const { era } = await connection.ready(talk.signal);
  await talk.ask(era === 'modern' ? 'server/discover' : 'ping', {});
  return {};
}

/** All of a list, unless the task asks for one page of it. */
function pages(key: string, { method, params }: { method: string; params: JsonObject }, talk: Conversation) {
  const ask = async (page: JsonObject) => {
    talk.touch();
    return whole(await talk.ask(method, page));
  };
  return own(params, 'cursor') === undefined ? allPages(key, params, ask) : ask(params);
}

function listed({ id, connection, ...parts }: McpParts, result: JsonObject): JsonObject {
  const tools = own(result, 'tools');
  if (!Array.isArray(tools)) return result;
  const usable = connection.over_http ? withoutInvalid(tools as Json[]) : (tools as Json[]).filter(isObject);
  return { ...result, tools: parts.namespaced ? namespaced(id, usable) : usable };
}
