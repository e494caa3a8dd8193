import type { Clock } from '../core/ports/clock.ts';
import type { Logger } from '../core/ports/logger.ts';
import { bytesOf, measure, opensArray, TOO_DEEP, TOO_MANY, textOf } from './guard.ts';
import type { RpcId, RpcParams } from './messages.ts';
import { type Outcome, outcomeOf, outcomeOfThrown } from './outcome.ts';
import type { RpcPolicy } from './policy.ts';
import {
  batchTooLarge,
  invalid,
  notBegun,
  tooDeep,
  tooManyParts,
  unknownMethod,
  unparseable,
} from './refusals.ts';
import { asRequest, idOfInvalid, type RpcRequest } from './request.ts';

export type MethodCall<Context> = {
  readonly params: RpcParams | undefined;
  readonly context: Context;
  /** Aborts when whoever asked is gone. */
  readonly signal: AbortSignal;
  /** Undefined in a notification. */
  readonly id: RpcId | undefined;
};

/**
 * May be a promise. `undefined` is answered as `null`, a `RawJson` as its text, an `RpcFailure` as its error. A thrown
 * GleitzeitError is answered as it is; anything else thrown is an internal error that tells the caller nothing.
 */
export type MethodHandler<Context> = (call: MethodCall<Context>) => unknown;
export type MethodTable<Context> = ReadonlyMap<string, MethodHandler<Context>>;

export type DispatchLimits = {
  /** Levels of nesting in one message, counted on its bytes before it is parsed. */
  readonly max_depth: number;
  readonly max_batch: number;
  /** How many members of one batch run at a time. */
  readonly batch_concurrency: number;
  /** Characters. Members of a batch that are reached when its answers are longer are not run. */
  readonly max_batch_reply: number;
};

export const defaultDispatchLimits: DispatchLimits = {
  max_depth: 160,
  max_batch: 1000,
  batch_concurrency: 16,
  max_batch_reply: 32 * 1024 * 1024,
};

/** `text` is null where there is nothing to say. `status` is for whoever carries it over HTTP. */
export type DispatchReply = { readonly text: string | null; readonly status: number };

/** `method` is null where there is none of that name: what callers make up must not become labels. */
export type ObserveCall = (method: string | null, ms: number, errorCode: number | null) => void;

export type DispatchParts<Context> = {
  readonly methods: MethodTable<Context>;
  readonly policy: RpcPolicy;
  readonly limits: DispatchLimits;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly observe?: ObserveCall;
};

export interface Dispatch<Context> {
  /** Never rejects. */
  handle(body: Uint8Array | string, context: Context, signal: AbortSignal): Promise<DispatchReply>;
}

export function createDispatch<Context>(parts: DispatchParts<Context>): Dispatch<Context> {
  return { handle: (body, context, signal) => handle(parts, body, { context, signal, full: false }) };
}

/** One body and whoever sent it. */
type Asking<Context> = {
  readonly context: Context;
  readonly signal: AbortSignal;
  /** The answers so far are all that one batch may have. */
  full: boolean;
};

async function handle<Context>(
  parts: DispatchParts<Context>,
  body: Uint8Array | string,
  asking: Asking<Context>,
): Promise<DispatchReply> {
  const { policy, limits } = parts;
  const bytes = bytesOf(body);
  const members = measure(bytes, limits.max_depth);
  if (members === TOO_DEEP) return reply(policy, tooDeep(limits.max_depth));
  if (members === TOO_MANY) return reply(policy, tooManyParts());
  if (members > limits.max_batch && opensArray(bytes)) return reply(policy, batchTooLarge(limits.max_batch));
  let message: unknown;
  try {
    message = JSON.parse(textOf(body));
  } catch (thrown) {
    return reply(policy, unparseable(thrown));
  }
  return Array.isArray(message)
    ? answerBatch(parts, message, asking)
    : reply(policy, await answer(parts, message, asking));
}

function reply({ status }: RpcPolicy, { text, code }: Outcome): DispatchReply {
  if (text === null) return { text, status: status.nothing };
  return { text, status: code === null ? status.answer : (status.codes.get(code) ?? status.answer) };
}

async function answerBatch<Context>(
  parts: DispatchParts<Context>,
  messages: readonly unknown[],
  asking: Asking<Context>,
): Promise<DispatchReply> {
  const { policy } = parts;
  if (policy.batch === 'refused')
    return { text: invalid('this endpoint takes no batches').text, status: policy.status.batch_refused };
  if (messages.length === 0) return reply(policy, invalid('a batch has at least one member'));
  const texts = await answerAll(parts, messages, asking);
  return texts.length === 0
    ? { text: null, status: policy.status.nothing }
    : { text: `[${texts.join(',')}]`, status: policy.status.answer };
}

/** Several at a time, answered in the order they were asked in. */
async function answerAll<Context>(
  parts: DispatchParts<Context>,
  messages: readonly unknown[],
  asking: Asking<Context>,
): Promise<string[]> {
  const { batch_concurrency, max_batch_reply } = parts.limits;
  const texts: (string | null)[] = messages.map(() => null);
  let next = 0;
  let length = 0;
  const work = async () => {
    while (next < messages.length) {
      const index = next++;
      const { text } = await answer(parts, messages[index], asking);
      texts[index] = text;
      length += text?.length ?? 0;
      asking.full = length > max_batch_reply;
    }
  };
  await Promise.all(Array.from({ length: Math.min(batch_concurrency, messages.length) }, work));
  return texts.filter((text) => text !== null);
}

const silence: Outcome = { text: null, code: null };

async function answer<Context>(
  parts: DispatchParts<Context>,
  message: unknown,
  asking: Asking<Context>,
): Promise<Outcome> {
  const { policy, observe, clock } = parts;
  const request = asRequest(message, policy);
  if (typeof request === 'string') return invalid(request, idOfInvalid(message, policy));
  const silent = request.id === undefined && policy.missing_id === 'notification';
  const id = request.id === undefined ? 'null' : JSON.stringify(request.id);
  const handler = parts.methods.get(request.method);
  if (asking.full || asking.signal.aborted) return silent ? silence : notBegun(id, asking.signal.aborted);
  const began = observe === undefined ? 0 : clock.monotonic();
  const outcome =
    handler === undefined
      ? unknownMethod(id, request.method, parts.methods.keys())
      : await run(parts, handler, { request, id, asking });
  observe?.(handler === undefined ? null : request.method, clock.monotonic() - began, outcome.code);
  return silent ? silence : outcome;
}

async function run<Context>(
  parts: DispatchParts<Context>,
  handler: MethodHandler<Context>,
  call: { readonly request: RpcRequest; readonly id: string; readonly asking: Asking<Context> },
): Promise<Outcome> {
  const { request, id, asking } = call;
  const { context, signal } = asking;
  try {
    const params = request.params ?? undefined;
    return outcomeOf(await handler({ params, context, signal, id: request.id }), id);
  } catch (thrown) {
    return outcomeOfThrown(thrown, id, { logger: parts.logger, method: request.method });
  }
}
