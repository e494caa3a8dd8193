import { GleitzeitError } from '../../core/errors.ts';
import { isObject } from '../../core/json.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { redactJson } from '../../core/secrets.ts';
import type { RpcErrorObject } from '../../rpc/messages.ts';
import type { Endpoint } from '../carrier.ts';
import { correlationOf, type ZoneErrorData, zoneError } from '../contract/errors.ts';
import { EXECUTE_TASK, type ZoneResult } from '../contract/methods.ts';
import { readRequest, tokensIn, type ZoneRequest } from '../contract/request.ts';
import { writeError, writeResult } from '../contract/response.ts';
import { refusalFor } from './engine-errors.ts';
import type { Execution, Known } from './execution.ts';

export type EndpointParts = {
  readonly execution: Pick<Execution, 'execute' | 'result'>;
  readonly logger: Logger;
  readonly clock: Clock;
};

type Answer = ({ readonly result: ZoneResult } | { readonly error: RpcErrorObject }) & Known;

/** Bodies in, responses out, and one line of the log for each: by the id of its request, and without what was said. */
export function createEndpoint(parts: EndpointParts): Endpoint {
  const never = new AbortController().signal;
  return async (body, { signal = never, caller = null } = {}) => {
    const { logger, clock } = parts;
    const began = clock.monotonic();
    const read = readRequest(body);
    if ('refusal' in read) {
      const { id, error } = read.refusal;
      logger.info('a request of the other zone was refused', { id, ...saidOf(error) });
      return writeError(read.refusal);
    }
    const { request } = read;
    const answer = await answerTo(parts, request, { signal, caller });
    const took_ms = Math.round(clock.monotonic() - began);
    tell(logger, { request, answer, took_ms });
    const { id } = request;
    return 'result' in answer ? writeResult(id, answer.result) : writeError({ id, error: answer.error });
  };
}

async function answerTo(
  { execution }: EndpointParts,
  request: ZoneRequest,
  { signal, caller }: { readonly signal: AbortSignal; readonly caller: string | null },
): Promise<Answer> {
  try {
    const answer =
      request.method === EXECUTE_TASK
        ? await execution.execute({ ...request, caller }, signal)
        : await execution.result(request.params, signal);
    return 'error' in answer ? { ...answer, error: withoutToken(answer.error, request) } : answer;
  } catch (thrown) {
    const cause = GleitzeitError.from(thrown);
    const correlation_id = correlationOf(request.params as Parameters<typeof correlationOf>[0]);
    const about = correlation_id === null ? {} : { correlation_id };
    const ours = thrown instanceof GleitzeitError;
    const error = ours ? refusalFor(cause.toRecord(), about) : zoneError('internal_error', about);
    return { error: withoutToken(error, request), task_id: null, cause };
  }
}

function withoutToken({ code, message, data }: RpcErrorObject, { params }: ZoneRequest): RpcErrorObject {
  return data === undefined ? { code, message } : { code, message, data: redactJson(data, tokensIn(params)) };
}

type Said = { readonly request: ZoneRequest; readonly answer: Answer; readonly took_ms: number };

function tell(logger: Logger, { request, answer, took_ms }: Said): void {
  const { id, method, params } = request;
  const { task_id, cause } = answer;
  const correlation = params.correlation_id;
  const said = 'result' in answer ? { status: answer.result.status } : saidOf(answer.error);
  const inside = cause === undefined ? {} : { error_code: cause.code, error: cause.message };
  const fields = {
    ...{ id, method, task_id, took_ms, ...said, ...inside },
    ...(correlation === undefined ? {} : { correlation_id: correlation }),
  };
  // Of the rest nothing is the caller's own text.
  const ours = correlation === undefined && !('error' in answer);
  const shown = ours ? fields : (redactJson(fields, tokensIn(params)) as typeof fields);
  if ('error' in answer && cause !== undefined) logger.warn('a request of the other zone failed', shown);
  else logger.info('a request of the other zone was answered', shown);
}

/** What is wrong with a request is the same for the log as for who sent it. */
function saidOf({ code, data }: RpcErrorObject): { readonly code: number } & ZoneErrorData {
  return { code, ...(isObject(data) ? (data as ZoneErrorData) : {}) };
}
