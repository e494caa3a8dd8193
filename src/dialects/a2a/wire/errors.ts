import type { ErrorCode } from '../../../core/error-codes.ts';
import { GleitzeitError } from '../../../core/errors.ts';
import type { RpcAnswer } from '../../../rpc/channel.ts';
import { METHOD_NOT_FOUND, type RpcErrorObject } from '../../../rpc/messages.ts';
import { answerFrom } from '../../jsonrpc/answer.ts';

export const TASK_NOT_FOUND = -32001;
export const TASK_NOT_CANCELABLE = -32002;
export const PUSH_NOT_SUPPORTED = -32003;
export const UNSUPPORTED_OPERATION = -32004;
export const EXTENSION_REQUIRED = -32008;
export const VERSION_NOT_SUPPORTED = -32009;

/** The codes A2A gave a meaning of its own: the same request would be refused again, though JSON-RPC has them for trouble that may pass. */
function isFinal(code: number): boolean {
  return code <= TASK_NOT_FOUND && code >= VERSION_NOT_SUPPORTED;
}

/** The agent did not understand which wire this was, and certainly did nothing: the other one may be tried. */
export function speaksOtherWire({ code }: RpcErrorObject): boolean {
  return code === METHOD_NOT_FOUND || code === VERSION_NOT_SUPPORTED;
}

/** An error an agent answered with, under whatever status. Code and message are in its words, for people who look for them. */
export function agentError(answer: Extract<RpcAnswer, { error: unknown }>): GleitzeitError {
  const { code, message } = answer.error;
  const failed = answerFrom(answer);
  if (failed.word !== 'failed') throw new GleitzeitError('GLZ9001', 'an error was taken for a result');
  const { error_code, ...details } = failed.error.data;
  return new GleitzeitError(
    byStatus(code, answer.http_status) ?? error_code,
    `JSON-RPC Error ${code}: ${message}`,
    details,
  );
}

/** What the status and A2A say of an error beyond plain JSON-RPC; null for nothing. */
function byStatus(code: number, http: number | undefined): ErrorCode | null {
  // A full agent that says so by its status may be asked again, whatever it writes beside it.
  if (http === 429) return null;
  if (isFinal(code)) return 'GLZ2010';
  // Agents that break down write any code into the body: the same request may be understood a moment later.
  return http !== undefined && http >= 500 ? 'GLZ2001' : null;
}
