import type { ErrorCode } from '../../core/error-codes.ts';
import { classOf, type ErrorRecord } from '../../core/errors.ts';
import type { RpcErrorObject } from '../../rpc/messages.ts';
import { type ZoneErrorData, type ZoneErrorName, zoneError } from '../contract/errors.ts';

/** Why a request was refused here, in the words of the contract. What it says of the inside stays in the log. */
export function refusalFor(error: ErrorRecord, about: ZoneErrorData): RpcErrorObject {
  const name = refusedAs(error);
  const { field, reason, retry_after_ms } = error.data;
  if (name === 'invalid_params')
    return zoneError(name, { ...about, ...pick({ field: fieldOf(field), reason }) });
  return zoneError(name, { ...about, ...pick({ retry_after_ms }) });
}

/** What is to be run is not defined or registered, which somebody may do while callers try again. */
const notThere: ReadonlySet<ErrorCode> = new Set(['GLZ1003', 'GLZ1004', 'GLZ1010', 'GLZ1014']);

function refusedAs(error: ErrorRecord): ZoneErrorName {
  const { error_code } = error.data;
  if (error_code === 'GLZ1009') return 'conflict';
  if (error_code === 'GLZ1007') return 'too_large';
  if (error_code === 'GLZ1005') return 'invalid_params';
  if (error_code === 'GLZ3010') return 'internal_error';
  if (notThere.has(error_code)) return 'unavailable';
  const kind = classOf(error);
  if (kind === 'rate_limit') return 'overloaded';
  if (kind === 'timeout') return 'timeout';
  return kind === 'store' ? 'unavailable' : 'internal_error';
}

/** How a task failed. What its services said of it may tell of the inside, and stands in its record. */
export function failureFor(error: ErrorRecord | null, about: ZoneErrorData): RpcErrorObject {
  const kind = error === null ? null : classOf(error);
  return zoneError(
    kind === 'timeout' ? 'timeout' : kind === 'cancelled' ? 'cancelled' : 'task_failed',
    about,
  );
}

/** Params stand in the input or in the one task of the run, wherever the engine found them wrong: one of them, or all. */
function fieldOf(field: string | undefined): string {
  return field?.replace(/^\/?(?:tasks\/\d+\/)?(?:params|input)\/?/, '') || 'params';
}

function pick(
  data: { readonly [Key in keyof ZoneErrorData]?: ZoneErrorData[Key] | undefined },
): ZoneErrorData {
  return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined));
}
