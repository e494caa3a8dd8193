import { isObject, type JsonObject, own } from '../core/json.ts';
import type { Progress } from '../core/ports/provider.ts';

/** What a peer tells of a call before it answers it. `id` is that of the call, as the peer gave it. */
export type CallProgress = { readonly id: unknown; readonly told: Progress };

/**
 * A notification as news of a call, in the three ways in which services say it: `progress` with the id of the call, MCP's
 * `notifications/progress` and the Language Server Protocol's `$/progress`, whose token is that id. Null for any other.
 */
export function progressOf(method: string, params: unknown): CallProgress | null {
  if (!isObject(params)) return null;
  if (method === 'progress') return { id: own(params, 'id'), told: toldBy(params) };
  if (method === 'notifications/progress') return { id: own(params, 'progressToken'), told: toldBy(params) };
  if (method !== '$/progress') return null;
  const id = own(params, 'token') ?? own(params, 'id');
  const value = own(params, 'value');
  if (!isObject(value)) return { id, told: toldBy(params) };
  const percentage = own(value, 'percentage');
  const part = typeof percentage === 'number' ? { progress: percentage, total: 100 } : {};
  return { id, told: { ...toldBy(value), ...part } };
}

function toldBy(params: JsonObject): Progress {
  const { progress, total, message, text } = params;
  return {
    ...(typeof progress === 'number' ? { progress } : {}),
    ...(typeof total === 'number' ? { total } : {}),
    ...(typeof message === 'string' ? { message } : {}),
    ...(typeof text === 'string' ? { text } : {}),
  };
}
