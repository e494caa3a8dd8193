import type { Answer } from '../../core/answer.ts';
import type { ErrorCode } from '../../core/error-codes.ts';
import { errorRecord, type Fault } from '../../core/errors.ts';
import type { GrpcAnswer } from '../../rpc/grpc/grpc.ts';

type Meaning = { readonly name: string; readonly code: ErrorCode; readonly fault?: Fault };

/** By number, as gRPC counts them. Whoever is not listed refuses the request, and will again. */
const codes: ReadonlyMap<number, Meaning> = new Map([
  [1, { name: 'CANCELLED', code: 'GLZ2001' }],
  [2, { name: 'UNKNOWN', code: 'GLZ2001' }],
  [3, { name: 'INVALID_ARGUMENT', code: 'GLZ2010' }],
  [4, { name: 'DEADLINE_EXCEEDED', code: 'GLZ2003' }],
  [5, { name: 'NOT_FOUND', code: 'GLZ2010' }],
  [6, { name: 'ALREADY_EXISTS', code: 'GLZ2010' }],
  [7, { name: 'PERMISSION_DENIED', code: 'GLZ2010' }],
  [8, { name: 'RESOURCE_EXHAUSTED', code: 'GLZ2004' }],
  [9, { name: 'FAILED_PRECONDITION', code: 'GLZ2010' }],
  [10, { name: 'ABORTED', code: 'GLZ2001' }],
  [11, { name: 'OUT_OF_RANGE', code: 'GLZ2010' }],
  [12, { name: 'UNIMPLEMENTED', code: 'GLZ2010', fault: 'method' }],
  [13, { name: 'INTERNAL', code: 'GLZ2001' }],
  [14, { name: 'UNAVAILABLE', code: 'GLZ2002' }],
  [15, { name: 'DATA_LOSS', code: 'GLZ2010' }],
  [16, { name: 'UNAUTHENTICATED', code: 'GLZ2010', fault: 'provider' }],
]);

/** What the service said, in the words of the engine. */
export function answerFrom(said: GrpcAnswer): Answer {
  if (said.said === 'message') return { word: 'done', result: JSON.stringify(said.message) };
  if (said.said === 'stream') return { word: 'done', result: JSON.stringify(said.messages) };
  const known: Meaning = codes.get(said.code) ?? { name: `status ${said.code}`, code: 'GLZ2010' };
  const { name, code, fault } = known;
  const { retry_after_ms } = said;
  return {
    word: 'failed',
    error: errorRecord(code, said.message, {
      reason: name,
      ...(retry_after_ms === undefined ? {} : { retry_after_ms }),
      ...(fault === undefined ? {} : { fault }),
    }),
  };
}
