import type { Answer } from '../../core/answer.ts';
import type { ErrorCode } from '../../core/error-codes.ts';
import { GleitzeitError } from '../../core/errors.ts';
import { isObject, type Json, type JsonObject, own } from '../../core/json.ts';
import { answerFrom } from '../jsonrpc/answer.ts';
import { refusal } from './http-said.ts';
import { HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION } from './revisions.ts';
import type { Said } from './said.ts';

/** The same request would be refused again, though the codes stand where passing trouble does. */
const RESOURCE_NOT_FOUND = -32002;
const URL_ELICITATION = -32042;
const final = [HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION, RESOURCE_NOT_FOUND, URL_ELICITATION];

/** The result, or what the server complained of as an error of ours. */
export function resultOf(said: Said, peer: string): JsonObject {
  const { answer } = said;
  if (answer === null || 'error' in answer) throw troubleOf(said, peer);
  if (isObject(answer.result)) return answer.result;
  throw new GleitzeitError('GLZ2005', 'the answer has a result that is no object', {
    fault: 'provider',
  });
}

export function troubleOf(said: Said, peer: string): GleitzeitError {
  const { answer, status } = said;
  if (answer === null || 'result' in answer) return refusal(said, peer === '' ? 'the MCP server' : peer);
  const wait = said.retry_after_ms === undefined ? {} : { retry_after_ms: said.retry_after_ms };
  const failed = answerFrom({
    error: answer.error,
    ...(status === null ? {} : { http_status: status }),
    ...wait,
  });
  if (failed.word !== 'failed') throw new GleitzeitError('GLZ9001', 'an error was taken for a result');
  const { error_code, ...details } = failed.error.data;
  return new GleitzeitError(
    final.includes(answer.error.code) ? 'GLZ2010' : error_code,
    failed.error.message,
    details,
  );
}

export function done(result: Json): Answer {
  return { word: 'done', result: JSON.stringify(result) };
}

/**
 * What a tool gave, as the result of a method: the value it structured, else the JSON its text holds, else the text; what is
 * neither, such as a picture, as the server listed it.
 */
export function toolValue(result: JsonObject): Json {
  const structured = own(result, 'structuredContent') as Json | undefined;
  if (structured !== undefined) return unwrapped(structured, own(result, '_meta'));
  const content = own(result, 'content');
  const parts: readonly Json[] = Array.isArray(content) ? content : [];
  const texts = parts.map(textIn);
  if (parts.length === 0 || texts.includes(null)) return parts;
  const text = texts.join('\n');
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** Values that are no objects are put into one by FastMCP, which says so. */
function unwrapped(structured: Json, meta: unknown): Json {
  const fastmcp = isObject(meta) ? own(meta, 'fastmcp') : undefined;
  const wrapped = isObject(fastmcp) && own(fastmcp, 'wrap_result') === true;
  const inner = wrapped && isObject(structured) ? own(structured, 'result') : undefined;
  return inner === undefined ? structured : (inner as Json);
}

function textIn(part: Json): string | null {
  const text = isObject(part) && own(part, 'type') === 'text' ? own(part, 'text') : undefined;
  return typeof text === 'string' ? text : null;
}

/** What servers write into a result where others make an error of the protocol: the same call would fail again. */
const unknownOrInvalid =
  /unknown tool|tool \S+ not found|invalid arguments|input validation error|validation errors? for|MCP error -3260[12]/i;

/** A tool that says it failed. Whether that may pass is for the configuration to say; a call it cannot take will not. */
export function toolFailure(result: JsonObject, tool: string, passing: boolean): GleitzeitError {
  const content = own(result, 'content');
  const texts = (Array.isArray(content) ? content : []).map(textIn).filter((text) => text !== null);
  const said = texts.join('\n').trim();
  const code: ErrorCode = passing && !unknownOrInvalid.test(said) ? 'GLZ2001' : 'GLZ2010';
  const structured = own(result, 'structuredContent');
  return new GleitzeitError(code, said === '' ? `the tool ${tool} failed without a word` : said, {
    reason: `the tool ${tool} reported an error`,
    ...(structured === undefined ? {} : { details: structured as Json }),
  });
}
