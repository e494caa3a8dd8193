import type { ErrorCode } from '../core/error-codes.ts';
import type { ErrorRecord } from '../core/errors.ts';
import { isObject, type Json, own } from '../core/json.ts';

/** A service's own words are left out: they may repeat what the call held in secret. */
export type LastError = {
  readonly at: number;
  readonly error_code: ErrorCode;
  readonly message: string;
  readonly remote_code: number | null;
};

export function lastErrorOf(error: ErrorRecord, at: number): LastError {
  const { error_code, remote_code = null } = error.data;
  return { at, error_code, message: wordsFor(error), remote_code };
}

/** What went wrong before a service said anything. */
const beforehand: readonly ErrorCode[] = ['GLZ2002', 'GLZ2003', 'GLZ2008', 'GLZ3010'];

/** Trouble on the way is told in our own words; what else there is may be quoted from what the service said. */
function wordsFor({ message, data }: ErrorRecord): string {
  const { details, remote_code, error_code } = data;
  const said = remote_code === undefined ? details : null;
  if (beforehand.includes(error_code) && (said === undefined || isCertificate(said) || isExit(said)))
    return message;
  const status = isObject(details) ? own(details, 'http_status') : undefined;
  const by = typeof status === 'number' ? `HTTP ${status}` : null;
  if (isObject(said) && own(said, 'answered_by') === 'token_endpoint')
    return `no access token: its endpoint answered ${by ?? 'without one that can be used'}`;
  if (error_code !== 'GLZ2005') return `the service answered ${by ?? 'with an error'}`;
  const what = 'with something that is no answer';
  return `the service answered ${by === null ? what : `${by} ${what}`}`;
}

/** How a program ended: what stands beside it is what it wrote, and not in the message. */
function isExit(said: Json | null): boolean {
  return isObject(said) && own(said, 'exit_code') !== undefined;
}

/** What a library of TLS has against a certificate, by its name there: `CERT_HAS_EXPIRED`. */
function isCertificate(said: Json | null): boolean {
  const name = isObject(said) ? own(said, 'certificate') : undefined;
  return typeof name === 'string' && /^[A-Z][A-Z0-9_]*$/.test(name);
}
