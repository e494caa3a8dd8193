import type { Answer } from '../../core/answer.ts';
import { GleitzeitError } from '../../core/errors.ts';
import { isObject, type JsonObject, own } from '../../core/json.ts';
import type { Timers } from '../../core/ports/clock.ts';
import type { ProviderCall } from '../../core/ports/provider.ts';
import { givenUp } from '../../rpc/correlate.ts';
import type { RpcErrorObject } from '../../rpc/messages.ts';
import { KeptJob } from '../kept-job.ts';
import type { Pointer } from '../mapping/pointer.ts';
import { pause } from '../mcp/pause.ts';
import type { ZoneLine } from '../provider-type.ts';
import { endsTask, zoneFailure, zoneResult } from './answer.ts';
import { requestIdOf } from './request-id.ts';

export type ZoneCallParts = {
  readonly line: ZoneLine;
  /** What the task does not bring. */
  readonly params: () => Readonly<Record<string, string>>;
  readonly result: Pointer | null;
  readonly budget_ms: number;
  readonly poll_ms: number;
  readonly timers: Timers;
  readonly secrets: () => readonly string[];
  readonly newId: () => string;
};

const LONGEST_POLL_MS = 30_000;
const GROWTH = 1.5;
/** Questions in a row that may go wrong: the task goes on there meanwhile. */
const PATIENCE = 5;

/** What is kept: the id a task was sent under and, once the zone has named it, its own name. */
type Left = { readonly request_id: string; readonly task_id: string | null };

/**
 * One task in the other zone. Its id is kept before it is sent and its name when it was accepted, so whatever becomes of this
 * engine, the next attempt sends the same request again, which runs once, or asks on.
 */
export async function callZone(
  parts: ZoneCallParts,
  call: ProviderCall,
  signal: AbortSignal,
): Promise<Answer> {
  const job = new KeptJob(call, parts.secrets);
  const left = leftIn(job.left);
  try {
    if (left?.task_id != null) {
      job.resume();
      return await untilDone(parts, { job, signal, task_id: left.task_id });
    }
    const request_id = left?.request_id ?? requestIdOf(call);
    if (left === null) await job.keep({ request_id });
    else job.resume();
    const result = await submit(parts, { call, job, signal, request_id });
    if (own(result, 'status') !== 'accepted') return zoneResult(result, parts.result);
    const task_id = String(own(result, 'task_id'));
    await job.keep({ request_id, task_id });
    return await untilDone(parts, { job, signal, task_id });
  } catch (thrown) {
    const later = signal.aborted ? null : await job.later(GleitzeitError.from(thrown));
    if (later !== null) return later;
    throw thrown;
  }
}

type Submission = {
  readonly call: ProviderCall;
  readonly job: KeptJob;
  readonly signal: AbortSignal;
  readonly request_id: string;
};

async function submit(
  parts: ZoneCallParts,
  { call, job, signal, request_id }: Submission,
): Promise<JsonObject> {
  const given = { correlation_id: call.correlation_id ?? call.task_id, ...parts.params(), ...call.params };
  const params = { ...given, budget_ms: parts.budget_ms };
  const request = { id: request_id, method: 'execute_task', params };
  return reach(job, async () => resultOf(await parts.line.ask(request, signal)));
}

type Polling = { readonly job: KeptJob; readonly signal: AbortSignal; readonly task_id: string };

async function untilDone(parts: ZoneCallParts, { job, signal, task_id }: Polling): Promise<Answer> {
  let wait_ms = parts.poll_ms;
  for (let wrong = 0; ; ) {
    const heard = await askAfter(parts, task_id, signal);
    if (signal.aborted) throw givenUp(signal);
    if ('ended' in heard) throw heard.ended;
    if ('result' in heard) {
      wrong = 0;
      job.reached();
      if (own(heard.result, 'status') !== 'pending') return zoneResult(heard.result, parts.result);
    } else if (++wrong >= PATIENCE) throw job.outOfReach(heard.trouble);
    await pause(wait_ms, signal, parts.timers);
    wait_ms = Math.min(wait_ms * GROWTH, LONGEST_POLL_MS);
  }
}

/** What the zone says of the task; or why nothing could be heard of it, which says nothing of the task. */
type Heard =
  | { readonly result: JsonObject }
  | { readonly ended: GleitzeitError }
  | { readonly trouble: GleitzeitError };

async function askAfter(
  { line, budget_ms, newId }: ZoneCallParts,
  task_id: string,
  signal: AbortSignal,
): Promise<Heard> {
  const params = { task_id, budget_ms };
  try {
    const said = await line.ask({ id: newId(), method: 'get_async_task_result', params }, signal);
    if (!('error' in said)) return said;
    const error = zoneFailure(said.error);
    return endsTask(said.error.code) ? { ended: error } : { trouble: error };
  } catch (thrown) {
    const error = GleitzeitError.from(thrown, 'GLZ2001');
    return isTooLarge(error) ? { ended: error } : { trouble: error };
  }
}

/** Where nobody knows whether a request was taken, the next attempt sends it again under the same id, which runs once. */
async function reach<Said>(job: KeptJob, ask: () => Promise<Said>): Promise<Said> {
  try {
    return await ask();
  } catch (thrown) {
    const error = GleitzeitError.from(thrown, 'GLZ2001');
    if (error.code === 'GLZ2005' && !isTooLarge(error)) throw job.unreadable(error);
    throw passing.includes(error.class) ? job.outOfReach(error) : error;
  }
}

const passing = ['transport', 'server', 'rate_limit'];

/** An answer is as large the next time, and only what the task came to can be. */
function isTooLarge({ details: { details } }: GleitzeitError): boolean {
  return isObject(details) && own(details, 'trouble') === 'too_large';
}

function resultOf(said: { readonly result: JsonObject } | { readonly error: RpcErrorObject }): JsonObject {
  if ('error' in said) throw zoneFailure(said.error);
  return said.result;
}

function leftIn(kept: JsonObject | null): Left | null {
  if (kept === null) return null;
  const request_id = own(kept, 'request_id');
  const task_id = own(kept, 'task_id');
  if (typeof request_id !== 'string') return null;
  return { request_id, task_id: typeof task_id === 'string' ? task_id : null };
}
