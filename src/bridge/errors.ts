import { GleitzeitError } from '../core/errors.ts';
import type { Message } from './broker.ts';

/** The broker cannot be reached, or did not answer: what was asked may have happened all the same. */
export function brokerAway(what: string, where: string, cause?: unknown): GleitzeitError {
  const reason = reasonOf(cause);
  const hint =
    'check that the broker runs and can be reached from here; what waits goes on by itself when it is back';
  const message = `${what}: the broker at ${where} is away${reason === undefined ? '' : ` (${reason})`}`;
  return new GleitzeitError('GLZ3201', message, { ...(reason === undefined ? {} : { reason }), hint }, cause);
}

/** What to do where the certificate of a server, or the lack of one, is the reason; undefined where it is not. */
export function certificateHint(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (/CERT|SIGNATURE|ALTNAME/.test(code)) return 'name the authority that signed its certificate in tls.ca';
  return undefined;
}

/** The broker said no, and will again. */
export function brokerRefused(what: string, hint: string, cause?: unknown): GleitzeitError {
  const reason = reasonOf(cause);
  const message = reason === undefined ? what : `${what}: ${reason}`;
  return new GleitzeitError('GLZ3202', message, { ...(reason === undefined ? {} : { reason }), hint }, cause);
}

export function unknownTopic(topic: string): GleitzeitError {
  const hint = 'name it to ensure() first, with its kind and its groups';
  return new GleitzeitError('GLZ9001', `the topic ${topic} was not named before it was used`, { hint });
}

/** The broker has none of that name. */
export function noSuchTopic(topic: string, cause?: unknown): GleitzeitError {
  const hint = 'check its name; engines and bridges create what is missing when they start';
  return new GleitzeitError('GLZ1010', `the broker has no topic ${topic}`, { field: topic, hint }, cause);
}

/** Whether it would be the same the next time. */
export function isFinal({ code }: GleitzeitError): boolean {
  return code === 'GLZ3202' || code === 'GLZ1010';
}

export function wrongKind(topic: string, verb: 'consume' | 'subscribe'): GleitzeitError {
  const [is, takes] = verb === 'consume' ? ['news', 'subscribe()'] : ['work', 'consume()'];
  return new GleitzeitError('GLZ9001', `the topic ${topic} is ${is}: it is read with ${takes}`);
}

export function closed(where: string): GleitzeitError {
  return new GleitzeitError('GLZ9002', `the connection to the broker at ${where} is closed`);
}

/** Refuses messages that the broker could not hold, before any of them is sent. Answers with the bytes of all. */
export function sizeOfAll(topic: string, messages: readonly Message[], largest: number): number {
  let sum = 0;
  for (const message of messages) {
    const size = sizeOf(message);
    if (size > largest) throw tooLarge(topic, message.key, { size, largest });
    sum += size;
  }
  return sum;
}

export function sizeOf({ key, value, headers }: Message): number {
  let size = Buffer.byteLength(key) + Buffer.byteLength(value);
  for (const name in headers) size += Buffer.byteLength(name) + Buffer.byteLength(headers[name] ?? '');
  return size;
}

function tooLarge(topic: string, key: string, { size, largest }: { size: number; largest: number }) {
  const message = `a message for ${topic} has ${size} bytes, and the broker takes ${largest} at most`;
  const hint = 'send less with one call, or raise the limit here and at the broker';
  return new GleitzeitError('GLZ1007', message, { field: key, reason: `${size} bytes`, hint });
}

function reasonOf(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  // Several addresses that were all tried give an error without words of its own.
  if (cause.message === '' && cause instanceof AggregateError) return reasonOf(cause.errors[0]);
  return cause.message;
}
