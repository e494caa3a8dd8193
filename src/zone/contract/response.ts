import type { Json } from '../../core/json.ts';
import { MAX_JSON_DEPTH } from '../../core/limits.ts';
import { readAnswer } from '../../rpc/answers.ts';
import { errorText, type RpcErrorObject, resultText } from '../../rpc/messages.ts';
import { type Check, checkOf } from './check.ts';
import { isContractCode } from './errors.ts';
import { type ZoneMethod, type ZoneResult, zoneMethods } from './methods.ts';
import type { Refusal } from './request.ts';

export type ZoneResponse<Method extends ZoneMethod = ZoneMethod> =
  | { readonly result: ZoneResult<Method> }
  | { readonly error: RpcErrorObject };

/** What came is no response of the contract to this request; in words that follow "the answer". */
export type BrokenResponse = { readonly invalid: string };

export function writeResult(id: string, result: ZoneResult): string {
  return resultText(JSON.stringify(id), JSON.stringify(result));
}

export function writeError({ id, error }: Refusal): string {
  return errorText(JSON.stringify(id), JSON.stringify(error));
}

const checks: Readonly<Record<ZoneMethod, Check>> = {
  execute_task: checkOf('execute_task/result', zoneMethods.execute_task.result),
  get_async_task_result: checkOf('get_async_task_result/result', zoneMethods.get_async_task_result.result),
};

/** What a carrier brought back, held against the request it answers: its id, and the result of its method. */
export function readResponse<Method extends ZoneMethod>(
  body: Uint8Array | string,
  request: { readonly id: string; readonly method: Method },
): ZoneResponse<Method> | BrokenResponse {
  const answer = readAnswer(body, request.id, MAX_JSON_DEPTH + 2);
  if ('invalid' in answer) return answer;
  if ('error' in answer)
    return isContractCode(answer.error.code)
      ? { error: answer.error }
      : { invalid: `has an error code that the contract does not know: ${answer.error.code}` };
  const trouble = checks[request.method](answer.result as Json);
  if (trouble !== null) return { invalid: `has a result that is none: ${trouble.field} ${trouble.reason}` };
  // Checked against the schema of the very method that was asked.
  return { result: answer.result as unknown as ZoneResult<Method> };
}
