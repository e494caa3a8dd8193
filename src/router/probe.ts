import type { Answer } from '../core/answer.ts';
import { GleitzeitError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { Clock, Timers } from '../core/ports/clock.ts';
import { type Connection, type LastError, lastErrorOf } from './connection.ts';
import { judge } from './member.ts';

/** Nobody has it, or everybody: either way there is an answer. */
const DISCOVER = 'rpc.discover';
const TIMEOUT_MS = 5000;

export type ProbeQuestion = {
  readonly method?: string | undefined;
  readonly params?: JsonObject | undefined;
  readonly timeout_ms?: number | undefined;
};

/** `well`: it answered, and be it that it does not know the method. */
export type ProbeResult = {
  readonly well: boolean;
  readonly method: string;
  readonly ms: number;
  readonly error: LastError | null;
};

/** Asks a provider something now, whatever its breaker, limits and state; it counts for none of them. */
export async function probe(
  connection: Connection,
  { method = DISCOVER, params = {}, timeout_ms = TIMEOUT_MS }: ProbeQuestion,
  { clock, timers }: { readonly clock: Clock; readonly timers: Timers },
): Promise<ProbeResult> {
  const controller = new AbortController();
  const { promise: timeUp, resolve } = Promise.withResolvers<Answer>();
  const started = clock.monotonic();
  const cancel = timers.after(timeout_ms, () => {
    const late = new GleitzeitError('GLZ2003', `no answer within ${timeout_ms / 1000} s`);
    controller.abort(late);
    resolve({ word: 'failed', error: late.toRecord() });
  });
  const { signal } = controller;
  const call_id = `probe-${connection.id}-${Math.round(clock.wall())}`;
  const call = { method, params, call_id, task_id: call_id, workflow_id: null, attempt: 1, signal };
  const answer = await Promise.race([connection.ask(call), timeUp]);
  cancel();
  return {
    well: isWell(answer, method),
    method,
    ms: clock.monotonic() - started,
    error: answer.word === 'failed' ? lastErrorOf(answer.error, clock.wall()) : null,
  };
}

/** Where nothing is asked in particular, any answer will do: a service may refuse what it does not know in words of its own. */
function isWell(answer: Answer, method: string): boolean {
  const refused = answer.word === 'failed' && answer.error.data.remote_code !== undefined;
  return judge(answer).verdict !== 'failed' || (method === DISCOVER && refused);
}
