import type { Answer } from '../../core/answer.ts';
import type { ErrorCode } from '../../core/error-codes.ts';
import { type Fault, GleitzeitError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { faultOfCredentials, faultOfEndpoint, providerFault } from '../../rpc/http/answer.ts';
import { LONGEST_WAIT_MS } from '../../rpc/http/retry-after.ts';
import type { Complaint, Said } from './wire.ts';

/** What the model said, as the result of the task. */
export function answerOf({ text, model, finish_reason, usage, message }: Said, asked: string): Answer {
  const result = { text, model: model ?? asked, finish_reason, usage: { ...usage }, message };
  return { word: 'done', result: JSON.stringify(result), usage };
}

export type Refusal = {
  readonly status: number;
  readonly retry_after_ms?: number | undefined;
  readonly complaint: Complaint | null;
};

/** What a service that refuses to answer says, in the words of the engine. */
export function refusalOf({ status, retry_after_ms, complaint }: Refusal): GleitzeitError {
  const wait = retry_after_ms ?? complaint?.retry_after_ms;
  const code: ErrorCode = complaint?.final === true ? 'GLZ2010' : codeOf(status);
  const refused = complaint === null ? faultOfEndpoint(status) : faultOfAccount(status, complaint);
  const details: JsonObject | null = complaint?.type == null ? null : { type: complaint.type };
  return new GleitzeitError(code, complaint?.message ?? `the service answered with HTTP ${status}`, {
    reason: `HTTP ${status}`,
    ...(wait === undefined ? {} : { retry_after_ms: Math.min(wait, LONGEST_WAIT_MS) }),
    ...refused,
    ...(details === null ? {} : { details }),
  });
}

/** No account, or one that may have nothing more, has that for every task. */
function faultOfAccount(status: number, { final = false }: Complaint): { readonly fault?: Fault } {
  return final || status === 402 ? providerFault : faultOfCredentials(status);
}

function codeOf(status: number): ErrorCode {
  if (status === 408) return 'GLZ2003';
  if (status === 429) return 'GLZ2004';
  return status === 425 || status >= 500 ? 'GLZ2001' : 'GLZ2010';
}

/** Words for what is wrong that some services send in the middle of an answer, where there is no status left to send. */
const passing = ['overloaded_error', 'api_error', 'server_error', 'UNAVAILABLE', 'INTERNAL'];
const tooMany = ['rate_limit_error', 'rate_limit_exceeded', 'RESOURCE_EXHAUSTED'];

/** A model that broke off may do better the next time, unless it says that it will not. */
export function brokenOff({ message, type, final }: Complaint): GleitzeitError {
  const known = type ?? '';
  const refused = final === true || (known !== '' && !passing.includes(known) && !tooMany.includes(known));
  const code = tooMany.includes(known) ? 'GLZ2004' : refused ? 'GLZ2010' : 'GLZ2001';
  return new GleitzeitError(code, message, type === null ? {} : { details: { type } });
}
