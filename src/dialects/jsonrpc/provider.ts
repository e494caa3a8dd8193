import type { Answer } from '../../core/answer.ts';
import { type ErrorRecord, GleitzeitError } from '../../core/errors.ts';
import type { Timers } from '../../core/ports/clock.ts';
import type { Provider, ProviderCall } from '../../core/ports/provider.ts';
import type { Channel, RpcAnswer } from '../../rpc/channel.ts';
import { withoutSecrets } from '../without-secrets.ts';
import { answerFrom } from './answer.ts';

export type JsonrpcParts = {
  readonly id: string;
  readonly protocol: string;
  readonly channel: Channel;
  readonly naming?: Naming;
  /** Headers made anew for each call, where the carrier sends some with each; null for none but the trace context. */
  readonly headers?: (() => Readonly<Record<string, string>>) | null;
  /** Secrets the service was told: it may repeat them in its errors. */
  readonly secrets?: () => readonly string[];
  /** Ends calls earlier than their tasks would. */
  readonly timeout?: { readonly ms: number; readonly timers: Timers } | null;
};

/** What the service calls the methods of the protocol, and which of them it has. */
export type Naming = {
  readonly renamed: ReadonlyMap<string, string>;
  /** Put in front of those that are not renamed. */
  readonly prefix: string;
  /** Null for all. */
  readonly only: ReadonlySet<string> | null;
};

const sameNames: Naming = { renamed: new Map(), prefix: '', only: null };

/** Plain JSON-RPC 2.0: a task is a request, and the id of its call is the id of the request. */
export function jsonrpcProvider(parts: JsonrpcParts): Provider {
  const { id, protocol, channel, naming = sameNames } = parts;
  return {
    id,
    protocol,
    hasMethod: (method) => naming.only?.has(method) ?? true,
    call: (call) => answer(parts, call, naming.renamed.get(call.method) ?? naming.prefix + call.method),
    warm: () => channel.warm?.(),
    close: () => channel.close(),
  };
}

async function answer(parts: JsonrpcParts, call: ProviderCall, method: string): Promise<Answer> {
  try {
    const { timeout = null } = parts;
    const said = await (timeout === null
      ? send(parts, call, { method, signal: call.signal })
      : within(timeout, call.signal, (signal) => send(parts, call, { method, signal })));
    const answered = answerFrom(said);
    return answered.word === 'failed' ? failed(parts, answered.error) : answered;
  } catch (thrown) {
    return failed(parts, GleitzeitError.from(thrown, 'GLZ2001').toRecord());
  }
}

/** Nothing tells a plain JSON-RPC service that its answer is not wanted any more: the signal only frees the channel. */
function send(
  { channel, headers }: JsonrpcParts,
  { call_id, params, traceparent }: ProviderCall,
  { method, signal }: { method: string; signal: AbortSignal },
): Promise<RpcAnswer> {
  const request = { id: call_id, method, params, signal };
  if (headers === undefined || (headers === null && traceparent === undefined)) return channel.call(request);
  const trace = traceparent === undefined ? {} : { traceparent };
  return channel.call({ ...request, headers: { ...headers?.(), ...trace } });
}

type Limit = { readonly ms: number; readonly timers: Timers };

async function within(
  { ms, timers }: Limit,
  outer: AbortSignal,
  made: (signal: AbortSignal) => Promise<RpcAnswer>,
): Promise<RpcAnswer> {
  const controller = new AbortController();
  const forward = () => controller.abort(outer.reason);
  if (outer.aborted) forward();
  outer.addEventListener('abort', forward);
  const cancel = timers.after(ms, () =>
    controller.abort(
      new GleitzeitError('GLZ2003', `no answer within ${ms / 1000} s, the timeout of the provider`, {
        hint: 'raise the timeout of the provider if the service needs longer',
      }),
    ),
  );
  try {
    return await made(controller.signal);
  } finally {
    cancel();
    outer.removeEventListener('abort', forward);
  }
}

function failed({ secrets }: JsonrpcParts, error: ErrorRecord): Answer {
  return { word: 'failed', error: secrets === undefined ? error : withoutSecrets(error, secrets()) };
}
