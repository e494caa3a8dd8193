import { GleitzeitError } from '../../core/errors.ts';
import { isObject, type Json, type JsonObject, own } from '../../core/json.ts';
import { toJson } from '../../core/json-safe.ts';
import { MAX_JSON_DEPTH, TOO_LARGE, TOO_LARGE_HINT } from '../../core/limits.ts';
import { redactJson } from '../../core/secrets.ts';
import { bytesOf, measure, TOO_DEEP, TOO_MANY, textOf } from '../../rpc/guard.ts';
import type { RpcErrorObject } from '../../rpc/messages.ts';
import { whereItEnded } from '../../rpc/refusals.ts';
import { type Check, checkOf } from './check.ts';
import { correlationOf, type ZoneErrorData, zoneError } from './errors.ts';
import { EXECUTE_TASK, isZoneMethod, type ZoneMethod, type ZoneMethods, zoneMethods } from './methods.ts';
import { tokenInName } from './token-names.ts';

/** One request, checked. Its id is a UUID. */
export type ZoneRequest = {
  readonly [Method in ZoneMethod]: {
    readonly id: string;
    readonly method: Method;
    readonly params: ZoneMethods[Method]['params'];
  };
}[ZoneMethod];

/** Why a body is no request of the contract; `id` is null wherever the contract has it so. */
export type Refusal = { readonly id: string | null; readonly error: RpcErrorObject };

export type ReadRequest = { readonly request: ZoneRequest } | { readonly refusal: Refusal };

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
export function isRequestId(id: unknown): id is string {
  return typeof id === 'string' && UUID.test(id);
}

/** The body of a request. `id` is a UUID that was never used before, unless the same request is sent again. */
export function writeRequest<Method extends ZoneMethod>(request: {
  readonly id: string;
  readonly method: Method;
  readonly params: ZoneMethods[Method]['params'];
}): string {
  const { id, method, params } = request;
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

const checks: Readonly<Record<ZoneMethod, Check>> = {
  execute_task: checkOf('execute_task/params', zoneMethods.execute_task.params),
  get_async_task_result: checkOf('get_async_task_result/params', zoneMethods.get_async_task_result.params),
};

/** What is wrong with params before they are sent; null for nothing. */
export function paramsTrouble(method: ZoneMethod, params: JsonObject): RpcErrorObject | null {
  const trouble = troubleWith(method, params);
  return trouble === null ? null : paramsError(params, trouble);
}

/** Whatever bytes come: a request that keeps the contract, or what is answered to one that does not. Never throws. */
export function readRequest(body: Uint8Array | string): ReadRequest {
  const parsed = parse(body);
  if ('refusal' in parsed) return parsed;
  const { message } = parsed;
  if (Array.isArray(message)) return notARequest('there are no batches: one request to a body');
  if (!isObject(message)) return notARequest('a request is an object');
  const { jsonrpc, method, params, id } = message;
  if (jsonrpc !== '2.0') return notARequest('jsonrpc must be the text "2.0"', 'jsonrpc');
  if (typeof method !== 'string') return notARequest('method must be a text', 'method');
  if (id === undefined) return notARequest('there are no notifications: id is missing', 'id');
  if (!isRequestId(id)) return notARequest('id must be a text that is a UUID', 'id');
  if (params !== undefined && (typeof params !== 'object' || params === null))
    return notARequest('params must be an object', 'params');
  if (!isZoneMethod(method)) return refused(id, zoneError('method_not_found', safeData(params, {})));
  return checked(id, method, params ?? {});
}

function checked(id: string, method: ZoneMethod, params: Json): ReadRequest {
  if (!isObject(params))
    return badParams(id, params, { field: 'params', reason: 'params are given by name' });
  const trouble = troubleWith(method, params);
  if (trouble !== null) return badParams(id, params, trouble);
  // Checked against the schema of the very method it names.
  return { request: { id, method, params } as ZoneRequest };
}

function troubleWith(method: ZoneMethod, params: JsonObject): ZoneErrorData | null {
  return checks[method](params) ?? (method === EXECUTE_TASK ? tokenInName(params) : null);
}

function badParams(id: string, params: Json, trouble: ZoneErrorData): ReadRequest {
  return refused(id, paramsError(params, trouble));
}

function paramsError(params: Json, trouble: ZoneErrorData): RpcErrorObject {
  return zoneError('invalid_params', safeData(params, trouble));
}

function safeData(params: Json | undefined, data: ZoneErrorData): ZoneErrorData {
  const correlation_id = correlationOf(params);
  const told = { ...data, ...(correlation_id === null ? {} : { correlation_id }) };
  return redactJson(told, tokensIn(params)) as ZoneErrorData;
}

/** Of whatever method: who sends its token as something else as well does not get it back, and no log has it. */
export function tokensIn(params: unknown): readonly string[] {
  const token = isObject(params) ? own(params, 'bot_token') : undefined;
  return typeof token === 'string' && token !== '' ? [token] : [];
}

function parse(body: Uint8Array | string): { readonly message: Json } | { readonly refusal: Refusal } {
  const measured = measure(bytesOf(body), MAX_JSON_DEPTH);
  if (measured === TOO_DEEP) return notARequest(`nested deeper than ${MAX_JSON_DEPTH} levels`);
  if (measured === TOO_MANY) return notARequest('has too many keys, objects and lists');
  let message: Json;
  try {
    message = JSON.parse(textOf(body)) as Json;
  } catch (thrown) {
    return refused(null, zoneError('parse_error', { reason: whereItEnded(thrown) }));
  }
  try {
    return { message: toJson(message, 'GLZ4006', '') };
  } catch (thrown) {
    return GleitzeitError.from(thrown).code === 'GLZ1007'
      ? refused(null, zoneError('too_large', { reason: TOO_LARGE, hint: TOO_LARGE_HINT }))
      : notARequest(
          'holds a key or a value that is refused everywhere: "__proto__", or a number out of range',
        );
  }
}

function notARequest(reason: string, field?: string): { readonly refusal: Refusal } {
  return refused(null, zoneError('invalid_request', { reason, ...(field === undefined ? {} : { field }) }));
}

function refused(id: string | null, error: RpcErrorObject): { readonly refusal: Refusal } {
  return { refusal: { id, error } };
}
