import type { Json } from '../../core/json.ts';
import type { Clock, Timers } from '../../core/ports/clock.ts';
import type { LogFields, Logger } from '../../core/ports/logger.ts';
import { redact, redactJson } from '../../core/secrets.ts';
import type { RpcErrorObject } from '../../rpc/messages.ts';
import { type Carrier, CarrierError } from '../carrier.ts';
import { mayPass, type ZoneErrorName, zoneErrorName } from '../contract/errors.ts';
import { EXECUTE_TASK, type ZoneMethod, type ZoneMethods, type ZoneResult } from '../contract/methods.ts';
import { writeRequest } from '../contract/request.ts';
import { readResponse } from '../contract/response.ts';
import { orAborted } from './pause.ts';
import { type SentenceName, sentenceOfError } from './sentences.ts';

/** How one exchange with the other zone ended. */
export type Exchanged<Method extends ZoneMethod> =
  | { readonly is: 'result'; readonly result: ZoneResult<Method> }
  /** The same request may succeed later. `heard`: somebody or something said no; it was not just given up. */
  | {
      readonly is: 'again';
      readonly after_ms: number | null;
      readonly sentence: SentenceName;
      readonly heard: boolean;
    }
  | { readonly is: 'failed'; readonly sentence: SentenceName };

export type ZoneCall<Method extends ZoneMethod> = {
  readonly id: string;
  readonly method: Method;
  readonly params: ZoneMethods[Method]['params'];
};

export type ExchangeParts = {
  readonly carrier: Carrier;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly logger: Logger;
  /** Texts that the log never shows, whoever says them. */
  readonly secrets: readonly string[];
};

/** A carrier whose signal aborts says within so long why there is no response; one that does not heed it is not waited for. */
const GRACE_MS = 200;

type Exchange<Method extends ZoneMethod> = { readonly call: ZoneCall<Method>; readonly about: LogFields };

/** One request and its response. Every line it logs carries the id that both share. */
export async function exchangeWith<Method extends ZoneMethod>(
  parts: ExchangeParts,
  call: ZoneCall<Method>,
  signal: AbortSignal,
): Promise<Exchanged<Method>> {
  const { carrier, clock, timers, logger } = parts;
  const about = { id: call.id, method: call.method, carrier: carrier.name, ...idsOf(call.params) };
  logger.debug('asks the execution zone', about);
  const since = clock.monotonic();
  const took = () => ({ ...about, ms: Math.round(clock.monotonic() - since) });
  const request = writeRequest(call);
  let body: unknown;
  try {
    body = await orAborted(carrier.send(request, { signal }), signal, { timers, ms: GRACE_MS });
    if (typeof body !== 'string') throw new TypeError('it brought something that is no text');
  } catch (thrown) {
    return notCarried({ ...parts, aborted: signal.aborted }, thrown, { call, about: took() });
  }
  return answered(parts, readResponse(body, call), { call, about: took() });
}

function answered<Method extends ZoneMethod>(
  { logger, secrets }: ExchangeParts,
  response: ReturnType<typeof readResponse<Method>>,
  { call, about }: Exchange<Method>,
): Exchanged<Method> {
  if ('invalid' in response) {
    logger.error('the execution zone broke the contract', {
      ...about,
      reason: `the answer ${response.invalid}`,
    });
    return again('failed');
  }
  if ('error' in response) {
    const { code, message, data = null } = response.error;
    const told = { code, error: redact(message, secrets), data: redactJson(data as Json, secrets) };
    logger.warn('the execution zone answered with an error', { ...about, ...told });
    const sentence = sentenceOfError(code);
    return mayPass(code) || !isFinal(call, code)
      ? again(sentence, retryAfter(response.error))
      : { is: 'failed', sentence };
  }
  const { status } = response.result;
  const task = 'task_id' in response.result ? { task_id: response.result.task_id } : {};
  logger.info('the execution zone answered', { ...about, ...task, status });
  return { is: 'result', result: response.result };
}

/** Of a task that was accepted, only what says how it ended. Whatever else is said may be said by something in between. */
const ends: readonly (ZoneErrorName | null)[] = ['unknown_task', 'timeout', 'task_failed', 'cancelled', null];

function isFinal({ method }: ZoneCall<ZoneMethod>, code: number): boolean {
  return method === EXECUTE_TASK || ends.includes(zoneErrorName(code));
}

function notCarried<Method extends ZoneMethod>(
  { logger, secrets, aborted }: ExchangeParts & { readonly aborted: boolean },
  thrown: unknown,
  { call, about }: Exchange<Method>,
): Exchanged<Method> {
  const words = redact(thrown instanceof Error ? thrown.message : String(thrown), secrets);
  if (!(thrown instanceof CarrierError)) {
    if (aborted) return { ...again('unreachable'), heard: false };
    logger.error('a carrier failed in a way it must not', { ...about, error: words });
    return again('unreachable');
  }
  const { trouble, arrived, retry_after_ms } = thrown;
  logger.warn('the execution zone was not reached', { ...about, error: words, trouble, arrived });
  // Whoever gave up waiting asks again under the same id; what cannot be carried never can.
  // What arrived was small enough: then it is the response that is not.
  if (trouble === 'too_large')
    return { is: 'failed', sentence: arrived === 'no' ? 'too_large' : 'reply_too_large' };
  if (trouble === 'throttled') return again('busy', retry_after_ms);
  if (trouble === 'aborted') return { ...again('unreachable'), heard: false };
  return thrown.mayPass || (call.method !== EXECUTE_TASK && trouble !== 'closed')
    ? again('unreachable', retry_after_ms)
    : { is: 'failed', sentence: 'unreachable' };
}

function again(sentence: SentenceName, after_ms: number | null = null) {
  return { is: 'again', after_ms, sentence, heard: true } as const;
}

function idsOf(params: ZoneMethods[ZoneMethod]['params']): LogFields {
  const { correlation_id, task_id } = params as { correlation_id?: unknown; task_id?: unknown };
  return {
    ...(typeof correlation_id === 'string' ? { correlation_id } : {}),
    ...(typeof task_id === 'string' ? { task_id } : {}),
  };
}

function retryAfter({ data }: RpcErrorObject): number | null {
  const asked = (data as { retry_after_ms?: unknown } | null | undefined)?.retry_after_ms;
  return typeof asked === 'number' && asked >= 0 ? asked : null;
}
