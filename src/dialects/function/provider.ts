import { inspect } from 'node:util';
import type { Answer } from '../../core/answer.ts';
import { callWith } from '../../core/call-with.ts';
import { errorFromRpc, GleitzeitError } from '../../core/errors.ts';
import { isObject, type JsonObject } from '../../core/json.ts';
import type { Progress, Provider, ProviderCall } from '../../core/ports/provider.ts';

/** What a function is told besides its params. */
export type FunctionContext = Omit<ProviderCall, 'params' | 'method' | 'report'> & {
  /** Tells how the call is getting on. May be called at any rate; no part of it is part of the result. */
  readonly report: (progress: Progress) => void;
};

/** One function for each method. What it returns is the result; what it throws is the error. */
export type Functions = Readonly<Record<string, (params: never, context: FunctionContext) => unknown>>;

/** Thrown by a function that wants to be asked again later; the attempt is no failure. */
export class AskAgain extends Error {
  override readonly name = 'AskAgain';
  readonly after_ms: number;

  constructor(after_ms: number, reason = 'asked to come again') {
    super(reason);
    this.after_ms = after_ms;
  }
}

/** So much of a thrown value is told in the message. */
const SHOWN = 200;

type AnyFunction = (params: JsonObject, context: FunctionContext) => unknown;

/** A provider inside this process. */
export function functionProvider(parts: { id: string; protocol: string; methods: Functions }): Provider {
  const methods = new Map(Object.entries(parts.methods) as [string, AnyFunction][]);
  return {
    id: parts.id,
    protocol: parts.protocol,
    hasMethod: (method) => methods.has(method),
    call: (call) => callFunction(methods.get(call.method), call),
    probe: { asked: 'nothing: it runs in this process', ask: async () => ({ well: true, error: null }) },
  };
}

async function callFunction(method: AnyFunction | undefined, call: ProviderCall): Promise<Answer> {
  try {
    if (method === undefined)
      throw new GleitzeitError('GLZ2010', `the provider has no method ${call.method}`);
    const value = await method(
      call.params,
      canReport(call) ? call : callWith(call as ProviderCall & FunctionContext, { report: () => {} }),
    );
    return { word: 'done', result: toText(value) };
  } catch (thrown) {
    if (thrown instanceof AskAgain)
      return { word: 'again', after_ms: thrown.after_ms, reason: thrown.message };
    return { word: 'failed', error: errorFrom(thrown).toRecord() };
  }
}

/** Asked by name: whoever looks at it has it made. */
function canReport(call: ProviderCall): call is ProviderCall & FunctionContext {
  return 'report' in call;
}

/** Functions throw what they like; a JSON-RPC error object means the same here as it does from a service. */
function errorFrom(thrown: unknown): GleitzeitError {
  if (thrown instanceof Error || typeof thrown === 'string') return GleitzeitError.from(thrown, 'GLZ2001');
  try {
    if (isRpcError(thrown)) return errorFromRpc({ ...thrown, data: plain(thrown.data) });
    const text = inspect(thrown, { depth: 1, breakLength: Number.POSITIVE_INFINITY }).slice(0, SHOWN);
    return new GleitzeitError('GLZ2001', `something that is not an error was thrown: ${text}`, {}, thrown);
  } catch {
    // Even looking at it threw.
    return GleitzeitError.from(thrown, 'GLZ2001');
  }
}

type RpcError = { readonly code: number; readonly message: string; readonly data?: unknown };

function isRpcError(thrown: unknown): thrown is RpcError {
  return isObject(thrown) && Number.isInteger(thrown['code']) && typeof thrown['message'] === 'string';
}

/** The data of an error as the store can keep it, or nothing. */
function plain(data: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(data) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

function toText(value: unknown): string {
  const text = stringify(value ?? null);
  if (text !== undefined) return text;
  throw new GleitzeitError('GLZ2005', `the function returned a ${typeof value}, which JSON cannot hold`);
}

function stringify(value: unknown): string | undefined {
  try {
    return JSON.stringify(value) as string | undefined;
  } catch (thrown) {
    const { message } = GleitzeitError.from(thrown);
    throw new GleitzeitError('GLZ2005', `what the function returned cannot be written as JSON: ${message}`);
  }
}
