import { isObject, type Json, type JsonObject } from '../core/json.ts';
import type { Evidence, Notice } from './finding.ts';
import type { Heard } from './talk.ts';

/** What an answer of JSON-RPC holds; null where there is none that could be read. */
export type Answer =
  | { readonly kind: 'result'; readonly result: Json }
  | { readonly kind: 'error'; readonly code: unknown; readonly error: JsonObject }
  | null;

/** Reads an answer as HTTP carries it: whole, in UTF-8, one JSON document. */
export function readJson(heard: Heard, notice: Notice): Json | undefined {
  const { status, type, text, trouble, location } = heard;
  if (trouble !== null) {
    if (trouble.code === 'GLZ2003') notice('answers', 'It does not answer.', heard);
    else notice('answer-whole', 'Its answer cannot be read to the end.', heard);
    return undefined;
  }
  if (location !== null && status >= 300 && status < 400) {
    notice('redirect', 'It sends callers to another address.', heard);
    return undefined;
  }
  if (status === 401 || status === 403) {
    notice('access', `It does not let the caller in: HTTP ${status}.`, heard);
    return undefined;
  }
  if (text === null) {
    notice('answer-utf8', 'Its answer is not in UTF-8.', heard);
    return undefined;
  }
  const value = parsed(text);
  if (value === undefined) {
    if (status >= 400) notice('http-status', `It answers with HTTP ${status} and no JSON.`, heard);
    else notice('answer-json', 'Its answer is not JSON.', heard);
    return undefined;
  }
  if (status >= 500 || (status >= 300 && status < 400))
    notice('http-status', `It answers with HTTP ${status}.`, heard);
  if (!/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type))
    notice('answer-type', 'It does not say that its answer is JSON.', heard);
  return value;
}

export function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

export type Expected = { readonly id: string | number | null; readonly evidence: Evidence };

/** Reads the envelope. `id` is that of the request. */
export function readAnswer(value: Json, { id, evidence }: Expected, notice: Notice): Answer {
  if (!isObject(value)) {
    notice('envelope', 'Its answer is not an object.', evidence);
    return null;
  }
  if (value['jsonrpc'] !== '2.0') notice('envelope', 'jsonrpc of its answer is not "2.0".', evidence);
  if (value['id'] !== id) notice('answer-id', idProblem(value['id'], id), evidence);
  const hasResult = Object.hasOwn(value, 'result');
  const hasError = Object.hasOwn(value, 'error');
  if (hasResult === hasError)
    notice(
      'envelope',
      `Its answer has ${hasResult ? 'both result and error' : 'neither result nor error'}.`,
      evidence,
    );
  if (hasError && value['error'] !== null) return readError(value['error'], evidence, notice);
  return hasResult ? { kind: 'result', result: value['result'] ?? null } : null;
}

function idProblem(found: Json | undefined, id: unknown): string {
  if (found === undefined) return 'Its answer has no id.';
  if (String(found) === String(id)) return 'The id of its answer has another type than that of the request.';
  if (found === null) return 'The id of its answer is null instead of that of the request.';
  return 'The id of its answer is not that of the request.';
}

function readError(error: Json | undefined, evidence: Evidence, notice: Notice): Answer {
  if (!isObject(error)) {
    notice('error-object', 'Its error is not an object.', evidence);
    return { kind: 'error', code: null, error: {} };
  }
  const { code, message } = error;
  if (!Number.isInteger(code))
    notice('error-object', 'The code of its error is not a whole number.', evidence);
  if (typeof message !== 'string' || message === '')
    notice('error-object', 'Its error has no message.', evidence);
  noticeInside(JSON.stringify(error), evidence, notice);
  return { kind: 'error', code, error };
}

/** What callers are told of the program itself is of use to nobody but those who attack it. */
export function noticeInside(text: string, evidence: Evidence, notice: Notice): void {
  if (inside.test(text)) notice('error-leak', 'Its error shows the inside of the program.', evidence);
}

/** Traces of the usual languages, and paths with lines. */
const inside =
  /(?:\\n|\n)\s+at |Traceback \(most recent|goroutine \d+ \[|\/[\w./-]+\.(?:js|ts|py|go|java|rb|php|cs):\d+/;
