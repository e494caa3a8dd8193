import type { Answer } from '../../core/answer.ts';
import type { ErrorCode } from '../../core/error-codes.ts';
import { GleitzeitError } from '../../core/errors.ts';
import { isObject, own } from '../../core/json.ts';

/** What kind of exception it was, as the runner tells. */
const codes: Readonly<Record<string, ErrorCode>> = {
  timeout: 'GLZ2003',
  transport: 'GLZ2002',
  rejected: 'GLZ2010',
  invalid_result: 'GLZ2005',
  server: 'GLZ2001',
};

/** An exception of the provider says more than the code of JSON-RPC it travels with. */
export function classified(answer: Answer): Answer {
  if (answer.word !== 'failed') return answer;
  const { message, data } = answer.error;
  const { error_code: _, ...details } = data;
  const kind = isObject(details.details) ? own(details.details, 'kind') : undefined;
  const code = typeof kind === 'string' ? (own(codes, kind) as ErrorCode | undefined) : undefined;
  if (code === undefined) return answer;
  const fault = code === 'GLZ2005' ? ({ fault: 'provider' } as const) : {};
  return { word: 'failed', error: new GleitzeitError(code, message, { ...details, ...fault }).toRecord() };
}
