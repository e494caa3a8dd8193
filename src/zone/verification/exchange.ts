import type { Json } from '../../core/json.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { LogFields, Logger } from '../../core/ports/logger.ts';
import { redact, redactJson } from '../../core/secrets.ts';
import type { RpcErrorObject } from '../../rpc/messages.ts';
import { type Carrier, CarrierError } from '../carrier.ts';
import { mayPass } from '../contract/errors.ts';
import type { ZoneMethod, ZoneMethods, ZoneResult } from '../contract/methods.ts';
import { writeRequest } from '../contract/request.ts';
import { readResponse } from '../contract/response.ts';
import { type SentenceName, sentenceOfError } from './sentences.ts';

/** How one exchange with the other zone ended. */
export type Exchanged<Method extends ZoneMethod> =
  | { readonly is: 'result'; readonly result: ZoneResult<Method> }
  /** The same request may succeed later. */
  | { readonly is: 'again'; readonly after_ms: number | null; readonly sentence: SentenceName }
  | { readonly is: 'failed'; readonly sentence: SentenceName };

export type ZoneCall<Method extends ZoneMethod> = {
  readonly id: string;
  readonly method: Method;
  readonly params: ZoneMethods[Method]['params'];
};

export type ExchangeParts = {
  readonly carrier: Carrier;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Texts that the log never shows, whoever says them. */
  readonly secrets: readonly string[];
};

/** One request and its response. Every line it logs carries the id that both share. */
export async function exchangeWith<Method extends ZoneMethod>(
  parts: ExchangeParts,
  call: ZoneCall<Method>,
  signal: AbortSignal,
): Promise<Exchanged<Method>> {
  const { carrier, clock, logger } = parts;
  const about = { id: call.id, method: call.method, carrier: carrier.name, ...idsOf(call.params) };
  logger.debug('asks the execution zone', about);
  const since = clock.monotonic();
  const took = () => ({ ...about, ms: Math.round(clock.monotonic() - since) });
  let body: string;
  try {
    body = await carrier.send(writeRequest(call), { signal });
  } catch (thrown) {
    return notCarried(parts, thrown, took());
  }
  return answered(parts, readResponse(body, call), took());
}

function answered<Method extends ZoneMethod>(
  { logger, secrets }: ExchangeParts,
  response: ReturnType<typeof readResponse<Method>>,
  about: LogFields,
): Exchanged<Method> {
  if ('invalid' in response) {
    logger.error('the execution zone broke the contract', {
      ...about,
      reason: `the answer ${response.invalid}`,
    });
    return { is: 'again', after_ms: null, sentence: 'failed' };
  }
  if ('error' in response) {
    const { code, message, data = null } = response.error;
    const told = { code, error: redact(message, secrets), data: redactJson(data as Json, secrets) };
    logger.warn('the execution zone answered with an error', { ...about, ...told });
    const sentence = sentenceOfError(code);
    return mayPass(code)
      ? { is: 'again', after_ms: retryAfter(response.error), sentence }
      : { is: 'failed', sentence };
  }
  const { status } = response.result;
  const task = 'task_id' in response.result ? { task_id: response.result.task_id } : {};
  logger.info('the execution zone answered', { ...about, ...task, status });
  return { is: 'result', result: response.result };
}

function notCarried<Method extends ZoneMethod>(
  { logger, secrets }: ExchangeParts,
  thrown: unknown,
  about: LogFields,
): Exchanged<Method> {
  const words = redact(thrown instanceof Error ? thrown.message : String(thrown), secrets);
  if (!(thrown instanceof CarrierError)) {
    logger.error('a carrier failed in a way it must not', { ...about, error: words });
    return { is: 'again', after_ms: null, sentence: 'unreachable' };
  }
  const { trouble, arrived, retry_after_ms } = thrown;
  logger.warn('the execution zone was not reached', { ...about, error: words, trouble, arrived });
  // Whoever gave up waiting asks again under the same id; what cannot be carried never can.
  // What arrived was small enough: then it is the response that is not.
  if (trouble === 'too_large')
    return { is: 'failed', sentence: arrived === 'no' ? 'too_large' : 'reply_too_large' };
  if (trouble === 'throttled') return { is: 'again', after_ms: retry_after_ms, sentence: 'busy' };
  return thrown.mayPass || trouble === 'aborted'
    ? { is: 'again', after_ms: retry_after_ms, sentence: 'unreachable' }
    : { is: 'failed', sentence: 'unreachable' };
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
