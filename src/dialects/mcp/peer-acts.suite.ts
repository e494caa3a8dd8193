import type { Json, JsonObject } from '../../core/json.ts';
import { type Act, BUSY_MS, createActor } from '../testing/actor.suite.ts';

/** MCP as a server would write it by hand, without anything of ours. */
export type Message = {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: JsonObject;
};

export type PeerEra = 'modern' | 'session';

const tool = { name: 'act', description: 'does what it is told', inputSchema: { type: 'object' } };

/** What is said to everything but a call of the tool. */
export function formality(era: PeerEra, { id, method = '' }: Message): JsonObject | null {
  if (id === undefined) return null;
  const result = (value: JsonObject) => ({ jsonrpc: '2.0', id, result: value });
  const complete = era === 'modern' ? { resultType: 'complete', ttlMs: 60_000, cacheScope: 'private' } : {};
  if (method === 'tools/list') return result({ ...complete, tools: [tool] });
  if (method === 'server/discover' && era === 'modern')
    return result({ ...complete, supportedVersions: ['2026-07-28'], capabilities: { tools: {} } });
  if (method === 'initialize' && era === 'session')
    return result({
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'peer', version: '1' },
    });
  if (method === 'ping' && era === 'session') return result({});
  return { jsonrpc: '2.0', id, error: { code: -32601, message: `no method ${method}` } };
}

/** The answer to a call of the tool; null where there is none. */
export function answerTo(id: Json, act: Act, era: PeerEra): string | null {
  const head = { jsonrpc: '2.0', id };
  if (act.act === 'result') {
    const text = [{ type: 'text', text: JSON.stringify(act.value) }];
    const result =
      era === 'modern'
        ? { resultType: 'complete', content: [], structuredContent: act.value }
        : { content: text };
    return JSON.stringify({ ...head, result });
  }
  if (act.act === 'error') {
    const code = act.how === 'final' ? -32602 : -32603;
    return JSON.stringify({ ...head, error: { code, message: act.message } });
  }
  if (act.act === 'busy') {
    const error = { code: -32000, message: 'too much', data: { retry_after_ms: BUSY_MS } };
    return JSON.stringify({ ...head, error });
  }
  return act.act === 'garbage'
    ? JSON.stringify({ ...head, result: 1, error: { code: 1, message: '' } })
    : null;
}

export { createActor };
