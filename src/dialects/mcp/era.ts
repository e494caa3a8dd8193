import { GleitzeitError } from '../../core/errors.ts';
import { isObject, type Json, own } from '../../core/json.ts';
import { INVALID_PARAMS, METHOD_NOT_FOUND } from '../../rpc/messages.ts';
import { HEADER_MISMATCH, MISSING_CAPABILITY, modernRevisions, UNSUPPORTED_VERSION } from './revisions.ts';
import { errorIn, type Said } from './said.ts';

/**
 * What the answer to `server/discover` tells. `again`: the server is of the newer era, and wants to be asked in a revision
 * that it has. `unclear`: trouble that says nothing about the era, such as a refused login or a server that is starting.
 */
export type Verdict =
  | { readonly is: 'modern'; readonly version: string }
  | { readonly is: 'again'; readonly version: string }
  | { readonly is: 'session' }
  | { readonly is: 'unclear' };

const modernErrors = [HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION];

/** `asked` is the revision that the question was put in. Throws GLZ2010 where there is none that both have. */
export function eraFrom(said: Said, asked: string): Verdict {
  const { answer, status } = said;
  if (status !== null && saysNothing(status)) return { is: 'unclear' };
  if (answer !== null && 'result' in answer) return fromDiscovered(answer.result, asked);
  const error = errorIn(said);
  if (error === null) return { is: 'session' };
  if (error.code === UNSUPPORTED_VERSION) return offered(listIn(error.data, 'supported'), asked);
  if (modernErrors.includes(error.code)) return { is: 'modern', version: asked };
  // Older servers answer these two as well, but not under these statuses.
  if (error.code === METHOD_NOT_FOUND && status === 404) return { is: 'modern', version: asked };
  const refused = error.code === INVALID_PARAMS && status === 400;
  return refused ? { is: 'modern', version: asked } : { is: 'session' };
}

/** A login that is refused, a server that is overloaded or away: of either era. */
function saysNothing(status: number): boolean {
  return [401, 403, 407, 408, 425, 429].includes(status) || status >= 500 || (status >= 300 && status < 400);
}

function fromDiscovered(result: Json, asked: string): Verdict {
  const versions = listIn(result, 'supportedVersions');
  // An older server that answers whatever it is asked says nothing of versions.
  if (versions.length === 0) return { is: 'session' };
  if (versions.includes(asked)) return { is: 'modern', version: asked };
  const shared = modernRevisions.find((version) => versions.includes(version));
  if (shared !== undefined) return { is: 'modern', version: shared };
  throw nothingShared(versions);
}

/** Never the older era: a server that makes this error has none (what it supports is for those who speak the newer). */
function offered(supported: readonly string[], asked: string): Verdict {
  const shared = modernRevisions.find((version) => supported.includes(version));
  if (shared === undefined) throw nothingShared(supported);
  return { is: shared === asked ? 'modern' : 'again', version: shared };
}

function nothingShared(versions: readonly string[]): GleitzeitError {
  const theirs = versions.slice(0, 10).join(', ');
  const reason = `it has ${theirs === '' ? 'none that it names' : theirs}; here there is ${modernRevisions.join(', ')}`;
  return new GleitzeitError(
    'GLZ2010',
    `the MCP server has no revision of the protocol in common: ${reason}`,
    {
      reason,
      remote_code: UNSUPPORTED_VERSION,
    },
  );
}

function listIn(value: Json | undefined, key: string): readonly string[] {
  const list = isObject(value) ? own(value, key) : undefined;
  return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
}

/**
 * Whether the server does not know our session (any more): it refused the request before it did anything, so that it can be
 * sent again in a new one. Servers differ in how they say so.
 */
export function isSessionLost(said: Said): boolean {
  const { status } = said;
  if (status === 404 || status === 410) return errorIn(said)?.code !== METHOD_NOT_FOUND;
  if (status !== 400 && status !== 503 && status !== 401)
    return wordsOfLoss(errorIn(said)?.message ?? '', status);
  return status !== 401 && /session|not initialized/i.test(`${said.text} ${errorIn(said)?.message ?? ''}`);
}

/** Over a carrier without statuses, and from servers that answer everything with 200. */
function wordsOfLoss(message: string, status: number | null): boolean {
  const words =
    /server not initialized|(?:unknown|invalid|no valid|expired) session|session (?:not found|expired)/i;
  return (status === null || status === 200) && words.test(message);
}
