import { GleitzeitError } from '../../core/errors.ts';
import { isObject } from '../../core/json.ts';
import { CarrierError, type CarrierTrouble } from '../carrier.ts';

export function aborted(name: string, arrived: 'no' | 'maybe'): CarrierError {
  return new CarrierError(`${name}: the request was given up`, { trouble: 'aborted', arrived });
}

export function closed(name: string, arrived: 'no' | 'maybe'): CarrierError {
  return new CarrierError(`${name}: the carrier is closed`, { trouble: 'closed', arrived });
}

export function tooLarge(name: string, bytes: number, limit: number): CarrierError {
  const message = `${name}: the request has ${bytes} bytes, and ${limit} are the most that are carried`;
  return new CarrierError(message, { trouble: 'too_large', arrived: 'no' });
}

/** A response that is not read as a whole. The request was run all the same. */
export function unreadable(name: string): CarrierError {
  const message = `${name}: the response of the other zone is too large`;
  return new CarrierError(message, { trouble: 'too_large', arrived: 'maybe' });
}

/** Throws where a request is larger than a carrier takes. A character has at most three bytes for each unit of its text. */
export function requireSize(name: string, body: string, limit: number): void {
  if (body.length * 3 <= limit) return;
  const bytes = Buffer.byteLength(body);
  if (bytes > limit) throw tooLarge(name, bytes, limit);
}

const byStatus: Readonly<Record<number, readonly [CarrierTrouble, 'no' | 'maybe']>> = {
  401: ['unauthenticated', 'no'],
  403: ['unauthenticated', 'no'],
  404: ['misconfigured', 'no'],
  405: ['misconfigured', 'no'],
  413: ['too_large', 'no'],
  415: ['misconfigured', 'no'],
  429: ['throttled', 'no'],
  503: ['throttled', 'no'],
};

/** What an HTTP status says where the contract says nothing, and whether the request may have arrived all the same. */
export function troubleOfStatus(status: number): readonly [CarrierTrouble, 'no' | 'maybe'] {
  return byStatus[status] ?? ['broken', 'maybe'];
}

/** What happened before there was a connection. */
const beforeSending = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
];

/** Trouble of a channel of ours in the words of carriers. */
export function carrierTrouble(name: string, thrown: unknown): CarrierError {
  if (thrown instanceof CarrierError) return thrown;
  const error = GleitzeitError.from(thrown, 'GLZ2002');
  const said = (trouble: CarrierTrouble, arrived: 'no' | 'maybe') =>
    new CarrierError(`${name}: ${error.message}`, { trouble, arrived }, error);
  if (error.code === 'GLZ2003' || error.code === 'GLZ2009') return said('aborted', 'maybe');
  if (error.code === 'GLZ2005') return said('too_large', 'maybe');
  if (error.code === 'GLZ1012') return said('misconfigured', 'no');
  // Neither side gets past a certificate that is not trusted.
  if (isObject(error.details.details) && 'certificate' in error.details.details)
    return said('unauthenticated', 'no');
  return said('unreachable', wasSent(error) ? 'maybe' : 'no');
}

function wasSent({ cause }: GleitzeitError): boolean {
  const code: unknown = cause instanceof Error ? Reflect.get(cause, 'code') : undefined;
  if (cause instanceof AggregateError && code === undefined)
    return !cause.errors.every((one) => beforeSending.includes(String(Reflect.get(Object(one), 'code'))));
  return !beforeSending.includes(String(code));
}
