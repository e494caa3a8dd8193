import type { RpcErrorObject } from '../rpc/messages.ts';
import { CallError, ConnectionError } from './errors.ts';
import { isObject } from './messages.ts';

/** The server's error object as an error of ours. What it lacks is left out, whoever answered. */
export function callError(method: string, error: RpcErrorObject): CallError {
  const data = isObject(error.data) ? error.data : {};
  const text = (key: string) => (typeof data[key] === 'string' ? data[key] : undefined);
  const { retry_after_ms, details } = data;
  const error_code = text('error_code') ?? null;
  return new CallError({ method, code: error.code, error_code }, error.message, {
    field: text('field'),
    reason: text('reason'),
    hint: text('hint'),
    retry_after_ms: typeof retry_after_ms === 'number' ? retry_after_ms : undefined,
    details,
  });
}

/** Trouble of the server's that goes by itself: it restarts, its store is away, it has too much to do. */
const passing = ['GLZ3001', 'GLZ3002', 'GLZ4003', 'GLZ9002'];

export function mayPass({ error_code }: CallError): boolean {
  return error_code !== null && passing.includes(error_code);
}

/** The server is about to go, and another or the same one will be there soon. */
export function isStopping(error: unknown): boolean {
  return error instanceof CallError && error.error_code === 'GLZ9002';
}

export function unreachable(url: string, reason: string, cause?: unknown): ConnectionError {
  return new ConnectionError(`${url} cannot be reached: ${reason}`, {
    url,
    trouble: 'unreachable',
    outcome: 'not_sent',
    cause,
  });
}

/** Sent, as far as anybody can tell, and not answered. */
export function cutOff(url: string, method: string, cause?: unknown): ConnectionError {
  const message = `no answer to ${method} came from ${url}: whether it was done is unknown`;
  const hint = /\.submit/.test(method)
    ? 'give it an idempotency_key: then it is sent again by itself, and done once'
    : 'look whether the server is there, and from a page whether server.allowed_origins has its origin';
  return new ConnectionError(message, { url, trouble: 'cut', outcome: 'unknown', hint, cause });
}

export function timedOut(url: string, what: string, ms: number): ConnectionError {
  const message = `${what} within ${ms} ms (${url})`;
  return new ConnectionError(message, { url, trouble: 'timeout', outcome: 'unknown' });
}

export function closedClient(url: string): ConnectionError {
  return new ConnectionError(`the client of ${url} was closed`, {
    url,
    trouble: 'closed',
    outcome: 'unknown',
  });
}

export function endedEarly(url: string): ConnectionError {
  const message = 'the events were ended before they began';
  return new ConnectionError(message, { url, trouble: 'closed', outcome: 'not_sent' });
}

/** Whatever an opener of pipes throws. */
export function asError(thrown: unknown, url: string): Error {
  if (thrown instanceof CallError || thrown instanceof ConnectionError) return thrown;
  return unreachable(url, thrown instanceof Error ? thrown.message : String(thrown), thrown);
}
