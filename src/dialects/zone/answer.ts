import type { Answer } from '../../core/answer.ts';
import type { ErrorCode } from '../../core/error-codes.ts';
import { GleitzeitError } from '../../core/errors.ts';
import { isObject, type Json, type JsonObject, own } from '../../core/json.ts';
import type { RpcErrorObject } from '../../rpc/messages.ts';
import type { Pointer } from '../mapping/pointer.ts';

/** What the codes of the zone contract mean for the task that crossed over. A task that failed there was tried often enough there. */
const codes: Readonly<Record<number, ErrorCode>> = {
  [-32603]: 'GLZ2001',
  [-32001]: 'GLZ2003',
  [-32002]: 'GLZ2010',
  [-32003]: 'GLZ2010',
  [-32004]: 'GLZ2010',
  [-32005]: 'GLZ2010',
  [-32006]: 'GLZ2004',
  [-32007]: 'GLZ2001',
  [-32008]: 'GLZ2010',
  [-32009]: 'GLZ2010',
};

export const UNKNOWN_TASK = -32002;

/** What a question for a task may be answered with that says nothing of the task: the question was not liked, or came at a bad time. */
const ofTheQuestion: readonly number[] = [
  -32700, -32600, -32601, -32602, -32603, -32003, -32006, -32007, -32008, -32009,
];

/** Whether a task that was accepted has come to its end with this error, or is not there. */
export function endsTask(code: number): boolean {
  return !ofTheQuestion.includes(code);
}

/** An error of the other zone in the engine's words. */
export function zoneFailure({ code, message, data }: RpcErrorObject): GleitzeitError {
  // One that is not known is taken for a failed task.
  const ours = codes[code] ?? 'GLZ2010';
  const wait: unknown = isObject(data) ? own(data, 'retry_after_ms') : undefined;
  return new GleitzeitError(ours, message, {
    remote_code: code,
    ...(typeof wait === 'number' && wait >= 0 ? { retry_after_ms: wait } : {}),
    ...(data === undefined ? {} : { details: data }),
  });
}

/** What the task ends with: all that the zone answered but the word that it succeeded, or what a pointer leads to. */
export function zoneResult(result: JsonObject, read: Pointer | null): Answer {
  const { status: _, ...rest } = result;
  const value: Json | undefined = read === null ? rest : read(result);
  if (value !== undefined) return { word: 'done', result: JSON.stringify(value) };
  const reason = 'the answer of the zone has nothing where the result should be';
  throw new GleitzeitError('GLZ2005', reason, { field: 'result', reason });
}
