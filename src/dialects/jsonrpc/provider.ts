import type { Answer } from '../../core/answer.ts';
import { type ErrorRecord, GleitzeitError } from '../../core/errors.ts';
import { isRpcAnswer } from '../../core/pool/answered.ts';
import type { Probed, Progress, Provider, ProviderCall } from '../../core/ports/provider.ts';
import type { Channel, RpcAnswer } from '../../rpc/channel.ts';
import { probeCalls } from '../probe-call.ts';
import { reportWithout } from '../quiet-report.ts';
import { type Limit, within } from '../timeout.ts';
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
  readonly timeout?: Limit | null;
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
  const question = probeCalls(id);
  return {
    id,
    protocol,
    hasMethod: (method) => naming.only?.has(method) ?? true,
    call: (call) => answer(parts, call, naming.renamed.get(call.method) ?? naming.prefix + call.method),
    probe: { asked: DISCOVER, ask: (signal) => discover(parts, question(DISCOVER, signal)) },
    warm: () => channel.warm?.(),
    renew: (silent_ms) => channel.renew?.(silent_ms),
    close: () => channel.close(),
  };
}

/** By the rules of JSON-RPC no method of a service has such a name: nobody has it, or it only tells of the others. */
const DISCOVER = 'rpc.discover';
const METHOD_NOT_FOUND = -32601;

async function discover(parts: JsonrpcParts, call: ProviderCall): Promise<Probed> {
  const answered = await answer(parts, call, call.method);
  if (answered.word !== 'failed') return { well: true, error: null };
  const { error } = answered;
  const well = isRpcAnswer(error);
  return { well, error: well && error.data.remote_code === METHOD_NOT_FOUND ? null : error };
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
  parts: JsonrpcParts,
  call: ProviderCall,
  { method, signal }: { method: string; signal: AbortSignal },
): Promise<RpcAnswer> {
  const { channel, headers } = parts;
  const { call_id, params, traceparent } = call;
  const request = { id: call_id, method, params, signal, progressed: heardOf(parts, call) };
  if (headers === undefined || (headers === null && traceparent === undefined)) return channel.call(request);
  const trace = traceparent === undefined ? {} : { traceparent };
  return channel.call({ ...request, headers: { ...headers?.(), ...trace } });
}

/** Nothing is made ready for news before there is some: most services have none. */
function heardOf({ secrets = () => [] }: JsonrpcParts, call: ProviderCall): (told: Progress) => void {
  let report: ProviderCall['report'];
  return (told) => {
    report ??= call.report && reportWithout(call.report, secrets);
    report?.(told);
  };
}

function failed({ secrets }: JsonrpcParts, error: ErrorRecord): Answer {
  return { word: 'failed', error: secrets === undefined ? error : withoutSecrets(error, secrets()) };
}
