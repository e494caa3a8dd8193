import { errorFromRpc, type GleitzeitError } from '../../core/errors.ts';
import type { StoreReads } from '../../core/ports/store.ts';
import type { TaskRow } from '../../core/records.ts';
import { maskedView } from '../../engine/views.ts';
import type { RpcErrorObject } from '../../rpc/messages.ts';
import { type ZoneErrorData, zoneError } from '../contract/errors.ts';
import type { Success } from '../contract/methods.ts';
import { failureFor } from './engine-errors.ts';
import { replyOf } from './reply.ts';
import type { ExecutionSettings } from './settings.ts';
import type { Work } from './work.ts';

/** `cause` is for the log of this zone alone. */
export type Ended =
  | { readonly result: Success }
  | { readonly error: RpcErrorObject; readonly cause?: GleitzeitError };

export type OutcomeParts = {
  readonly reads: Pick<StoreReads, 'result'>;
  readonly settings: ExecutionSettings;
};

/** What became of work that has settled. */
export async function outcomeOf(parts: OutcomeParts, work: Work, about: ZoneErrorData): Promise<Ended> {
  const { reads, settings } = parts;
  if (work.status === 'cancelled') return { error: zoneError('cancelled', about) };
  const tasks = await work.tasks();
  if (work.status === 'failed') {
    const failed = tasks.find(({ status }) => status === 'failed' || status === 'cancelled');
    const why = failed?.error ?? null;
    const error = failureFor(why, about);
    return why === null ? { error } : { error, cause: errorFromRpc(why) };
  }
  const step = replying(tasks, settings);
  const stored = step === undefined ? null : await reads.result(step.task_id);
  if (stored === null)
    return { error: zoneError('task_failed', { ...about, reason: 'no step has a result' }) };
  return { result: replyOf(maskedView(stored.result)) };
}

/** The step that was named, or the last that has a result and that no other waits for. */
function replying(tasks: readonly TaskRow[], { execute }: ExecutionSettings): TaskRow | undefined {
  const completed = tasks.filter(({ status }) => status === 'completed');
  if ('workflow' in execute && execute.reply !== undefined)
    return completed.find(({ id }) => id === execute.reply);
  return completed.findLast(({ has_dependents }) => !has_dependents) ?? completed.at(-1);
}
