import type { ErrorCode } from '../../core/error-codes.ts';
import { type ErrorDetails, GleitzeitError } from '../../core/errors.ts';
import { isObject, type Json, own } from '../../core/json.ts';
import { codeForStatus, faultOfCredentials, faultOfEndpoint, providerFault } from '../../rpc/http/answer.ts';
import { codeOf, type ErrorRules, type Said } from '../rest/errors.ts';
import type { GraphqlConfig } from './config.ts';

type Classes = NonNullable<GraphqlConfig['errors']>;

/** Words that servers write into `extensions.code`. What is not among them is final. */
const usual: Classes = {
  INTERNAL_SERVER_ERROR: 'server',
  INTERNAL_ERROR: 'server',
  SERVICE_UNAVAILABLE: 'server',
  DOWNSTREAM_SERVICE_ERROR: 'server',
  RATE_LIMITED: 'rate_limit',
  RATE_LIMIT_EXCEEDED: 'rate_limit',
  THROTTLED: 'rate_limit',
  TOO_MANY_REQUESTS: 'rate_limit',
  TIMEOUT: 'timeout',
  REQUEST_TIMEOUT: 'timeout',
};

/** What Apollo's servers, and many after them, write there for credentials that they refuse. */
const UNAUTHENTICATED = 'UNAUTHENTICATED';

/** What the service said went wrong, by the first of its errors. Data beside errors is no result unless that is wished for. */
export function graphqlRules(classes: Classes | undefined, partial: boolean): ErrorRules {
  const known = { ...usual, ...classes };
  return (said) => {
    const answer = isObject(said.value) ? said.value : null;
    const errors = answer === null ? undefined : own(answer, 'errors');
    const data = answer === null ? undefined : own(answer, 'data');
    if (Array.isArray(errors) && errors.length > 0) {
      if (said.ok && partial && data !== undefined && data !== null) return null;
      return failure(said, errors as readonly Json[], known);
    }
    if (!said.ok) return withoutErrors(said);
    if (data !== undefined && data !== null) return null;
    const reason = `${said.peer} answered with neither data nor errors`;
    return new GleitzeitError('GLZ2005', `${reason}${said.beginning()}`, { reason, ...providerFault });
  };
}

function failure(said: Said, errors: readonly Json[], known: Classes): GleitzeitError {
  const [first] = errors;
  const error = isObject(first) ? first : {};
  const message = own(error, 'message');
  const extensions = own(error, 'extensions');
  const word = isObject(extensions) ? own(extensions, 'code') : undefined;
  const path = own(error, 'path');
  const where = Array.isArray(path) ? ` at ${path.join('.')}` : '';
  const more = errors.length === 1 ? '' : `, and ${errors.length - 1} more`;
  const details: ErrorDetails = {
    reason: `${said.peer} answered with an error${where}${more}`,
    ...waitOf(said),
    ...(word === UNAUTHENTICATED ? providerFault : faultOfCredentials(said.status)),
    details: { http_status: said.status, errors: errors.slice(0, 5) },
  };
  const text = typeof message === 'string' && message !== '' ? message : 'the service gave no message';
  return new GleitzeitError(codeFor(said, word, known), text, details);
}

/** The error's own word counts; a status that says more than "not well formed" comes next. */
function codeFor({ ok, status }: Said, word: unknown, known: Classes): ErrorCode {
  const kind = typeof word === 'string' && Object.hasOwn(known, word) ? known[word] : undefined;
  if (kind !== undefined) return codeOf(kind);
  return ok ? 'GLZ2010' : codeForStatus(status);
}

function withoutErrors(said: Said): GleitzeitError {
  const { status, peer } = said;
  const reason = `${peer} answered HTTP ${status}`;
  const refused = status === 401 || status === 403;
  return new GleitzeitError(codeForStatus(status), `${reason}${said.beginning()}`, {
    reason,
    ...(refused ? { hint: 'check the auth and the headers configured for this service' } : {}),
    ...waitOf(said),
    ...faultOfEndpoint(status),
    details: { http_status: status },
  });
}

function waitOf({ retry_after_ms }: Said): ErrorDetails {
  return retry_after_ms === undefined ? {} : { retry_after_ms };
}
