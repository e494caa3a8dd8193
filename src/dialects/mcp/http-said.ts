import { isUtf8 } from 'node:buffer';
import { GleitzeitError } from '../../core/errors.ts';
import { isObject } from '../../core/json.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { asAnswer, readMessage } from '../../rpc/answers.ts';
import { tooMuch, unusable } from '../../rpc/correlate.ts';
import { codeForStatus, faultOfEndpoint } from '../../rpc/http/answer.ts';
import type { WebStream } from '../../rpc/http/client.ts';
import { retryAfter } from '../../rpc/http/retry-after.ts';
import { answerLimits } from '../provider-type.ts';
import type { Said } from './said.ts';

const SHOWN = 500;

export function mediaType({ headers }: Pick<WebStream, 'headers'>): string {
  const type = headers['content-type'];
  return (
    String(Array.isArray(type) ? type[0] : (type ?? ''))
      .split(';')[0]
      ?.trim()
      .toLowerCase() ?? ''
  );
}

/** All of an answer that is no stream. */
export async function bodyOf(stream: WebStream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream.body) {
    size += chunk.length;
    // Leaving the loop breaks the answer off.
    if (size > answerLimits.max_message) throw tooMuch(`is larger than ${answerLimits.max_message} bytes`);
    chunks.push(chunk);
  }
  return chunks.length === 1 ? (chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(chunks);
}

export function headOf(stream: WebStream, clock: Clock): Pick<Said, 'status' | 'session' | 'retry_after_ms'> {
  const { status, headers } = stream;
  const session = headers['mcp-session-id'];
  const retry_after_ms = retryAfter(headers['retry-after'], () => clock.wall());
  return {
    status,
    session: typeof session === 'string' && /^[\x21-\x7e]{1,4096}$/.test(session) ? session : null,
    ...(retry_after_ms === undefined ? {} : { retry_after_ms }),
  };
}

export type HttpSaid = {
  /** Whom errors name. */
  readonly peer: string;
  readonly clock: Clock;
  /** Takes out of a text what was told in confidence: before it is cut, since half of it would not be recognised. */
  readonly hide: (text: string) => string;
};

/** An answer that came in one piece. Under a status that refuses, anything may stand in it. */
export function saidFrom(stream: WebStream, body: Buffer, parts: HttpSaid & { readonly id: string }): Said {
  const { id, peer, clock, hide } = parts;
  const head = headOf(stream, clock);
  const refused = stream.status >= 300;
  const read = readMessage(body, answerLimits.max_depth);
  const message = 'value' in read && isObject(read.value) ? read.value : null;
  const answer = message === null ? { invalid: 'is no object of JSON' } : asAnswer(message);
  const named = message?.['id'];
  if (!('invalid' in answer) && (named === id || 'error' in answer)) return { ...head, answer, text: '' };
  if (refused) return { ...head, answer: null, text: beginning(body, hide) };
  if (stream.status === 202 || stream.status === 204)
    throw unusable(`of ${peer} is only HTTP ${stream.status}, as for a notification`);
  throw unusable(`of ${peer} ${'invalid' in answer ? answer.invalid : 'carries another id than the call'}`);
}

/** A status that refuses, without a word of JSON-RPC. */
export function refusalFrom(stream: WebStream, body: Buffer, parts: HttpSaid): GleitzeitError {
  return refusal(refusedWith(stream, body, parts), parts.peer);
}

export function refusedWith(stream: WebStream, body: Buffer, { clock, hide }: HttpSaid): Said {
  return { ...headOf(stream, clock), answer: null, text: beginning(body, hide) };
}

export function refusal(said: Said, peer: string): GleitzeitError {
  const status = said.status ?? 0;
  const words = said.text === '' ? '' : `: ${said.text}`;
  const hint =
    status === 401 || status === 403 ? 'check the auth and the headers of this provider' : undefined;
  return new GleitzeitError(codeForStatus(status), `${peer} answered HTTP ${status}${words}`, {
    ...(hint === undefined ? {} : { hint }),
    ...(said.retry_after_ms === undefined ? {} : { retry_after_ms: said.retry_after_ms }),
    ...faultOfEndpoint(status),
    details: { http_status: status },
  });
}

function beginning(body: Buffer, hide: (text: string) => string): string {
  if (!isUtf8(body)) return '';
  return hide(body.toString())
    .slice(0, 8 * SHOWN)
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, SHOWN);
}
