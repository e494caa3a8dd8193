import { GleitzeitError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { MAX_JSON_DEPTH, MAX_PAYLOAD } from '../../core/limits.ts';
import { readMessage } from '../../rpc/answers.ts';
import { beginning, isEncoded, providerFault } from '../../rpc/http/answer.ts';
import type { HttpResponse } from '../../rpc/http/client.ts';
import { retryAfter } from '../../rpc/http/retry-after.ts';
import type { Scope } from '../mapping/template.ts';
import { answerLimits } from '../provider-type.ts';
import type { MethodConfig } from './config.ts';
import type { ErrorRules } from './errors.ts';

export type AnswerKind = NonNullable<MethodConfig['answer']>;

/** An answer that is no error. */
export type Got = {
  readonly value: Json;
  readonly status: number;
  readonly headers: HttpResponse['headers'];
  readonly bytes: number;
  readonly retry_after_ms: number | undefined;
};

/** As references read it. */
export function scopeOfAnswer({ value, status, headers }: Got): Scope {
  const told = Object.entries(headers).map(([name, text]) => [
    name,
    Array.isArray(text) ? text.join(', ') : text,
  ]);
  return { answer: value, http: { status, headers: Object.fromEntries(told) } };
}

export type Reading = {
  readonly kind: AnswerKind;
  readonly content_types: readonly string[];
  readonly ok: readonly number[];
  readonly rules: ErrorRules;
  readonly wall: () => number;
  /** Takes out of what is shown of an answer what the service was told in confidence. */
  readonly hide: (text: string) => string;
};

export const accepts: Readonly<Record<AnswerKind, string>> = {
  json: 'application/json',
  text: 'text/*, */*;q=0.8',
  binary: '*/*',
  none: '*/*',
};

/** In base64 it must still be a result that can be kept. */
const BINARY_BYTES = Math.floor(MAX_PAYLOAD * 0.75) - 1024;

export function mostBytes(kind: AnswerKind): number {
  return kind === 'binary' ? BINARY_BYTES : answerLimits.max_message;
}

/** What a service answered, or the error that it is. */
export function readAnswer(response: HttpResponse, peer: string, reading: Reading): Got {
  const { status, headers, body } = response;
  const ok = (status >= 200 && status < 300) || reading.ok.includes(status);
  const retry_after_ms = retryAfter(headers['retry-after'], reading.wall);
  const value = ok ? bodyOf(response, peer, reading) : attempted(response);
  const show = () => beginning(response, { hide: reading.hide });
  const failure = reading.rules({ status, ok, value, peer, retry_after_ms, beginning: show });
  if (failure !== null) throw failure;
  return { value: value ?? null, status, headers, bytes: body.length, retry_after_ms };
}

/** Of an error everything is worth reading, and nothing has to be there. */
function attempted(response: HttpResponse): Json | undefined {
  if (response.body.length === 0 || isEncoded(response)) return undefined;
  const read = readMessage(withoutMark(response.body), MAX_JSON_DEPTH);
  return 'value' in read ? read.value : undefined;
}

function bodyOf(response: HttpResponse, peer: string, reading: Reading): Json {
  const { body } = response;
  if (reading.kind === 'none' || (body.length === 0 && reading.kind === 'json')) return null;
  if (isEncoded(response)) throw unreadable(response, peer, reading, 'in an encoding that was not asked for');
  const type = typeOf(response);
  if (!isTaken(type.name, reading))
    throw unreadable(response, peer, reading, `with ${type.name} instead of ${named[reading.kind]}`);
  if (reading.kind === 'binary')
    return { base64: body.toString('base64'), content_type: type.name, size: body.length };
  if (reading.kind === 'text') return textOf(response, peer, { reading, charset: type.charset });
  const read = readMessage(withoutMark(body), MAX_JSON_DEPTH);
  if ('value' in read) return read.value;
  throw unreadable(response, peer, reading, `with something that ${read.invalid}`);
}

const named: Readonly<Record<AnswerKind, string>> = {
  json: 'JSON',
  text: 'text',
  binary: 'bytes',
  none: 'nothing',
};

type ContentType = { readonly name: string; readonly charset: string };

function typeOf({ headers }: HttpResponse): ContentType {
  const written = headers['content-type'];
  const text = Array.isArray(written) ? (written[0] ?? '') : (written ?? '');
  const [name = '', ...rest] = text.split(';').map((part) => part.trim());
  const charset = rest.find((part) => /^charset=/i.test(part))?.slice('charset='.length) ?? 'utf-8';
  return { name: name.toLowerCase(), charset: charset.replaceAll('"', '').toLowerCase() };
}

const jsonTypes = /^(?:application\/json|text\/json|[^/]+\/[^/]+\+json)$/;
const textTypes =
  /^(?:text\/.+|[^/]+\/[^/]+\+(?:json|xml)|application\/(?:json|xml|javascript|x-javascript|yaml|x-ndjson))$/;

/** A service that does not say what it sends is taken at our word. */
function isTaken(name: string, { kind, content_types }: Reading): boolean {
  if (name === '' || kind === 'binary' || content_types.includes(name)) return true;
  return (kind === 'json' ? jsonTypes : textTypes).test(name);
}

function textOf(
  response: HttpResponse,
  peer: string,
  { reading, charset }: { readonly reading: Reading; readonly charset: string },
): string {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(response.body);
  } catch {
    throw unreadable(response, peer, reading, `with something that is no text in ${charset.slice(0, 40)}`);
  }
}

/** Some write a mark of the byte order in front of their JSON, which has none. */
function withoutMark(body: Buffer): Buffer {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body;
}

function unreadable(
  response: HttpResponse,
  peer: string,
  { hide, kind }: Reading,
  how: string,
): GleitzeitError {
  const reason = `${peer} answered HTTP ${response.status} ${how}`;
  const hint =
    kind === 'json'
      ? 'is the address right? where it is, say what the answer is: answer: text, or content_types'
      : 'say what the answer is: answer, or content_types';
  return new GleitzeitError('GLZ2005', `${reason}${beginning(response, { hide })}`, {
    reason,
    hint,
    ...providerFault,
    details: { http_status: response.status },
  });
}
