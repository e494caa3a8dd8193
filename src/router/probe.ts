import type { Answer } from '../core/answer.ts';
import { GleitzeitError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { Clock, Timers } from '../core/ports/clock.ts';
import { type Connection, type LastError, lastErrorOf } from './connection.ts';
import { judge } from './member.ts';
import type { HealthPage } from './settings.ts';

/** Nobody has it, or everybody: either way there is an answer. */
const DISCOVER = 'rpc.discover';
const TIMEOUT_MS = 5000;

export type ProbeQuestion = {
  readonly method?: string | undefined;
  /** A page at its host instead of a method. */
  readonly get?: HealthPage | undefined;
  readonly params?: JsonObject | undefined;
  readonly timeout_ms?: number | undefined;
};

/** `well`: it answered, and be it that it does not know the method. */
export type ProbeResult = {
  readonly well: boolean;
  /** What it was asked: the method, or `GET /path`. */
  readonly method: string;
  readonly ms: number;
  readonly error: LastError | null;
};

export type ProbeParts = {
  readonly clock: Clock;
  readonly timers: Timers;
  /** Nobody wants to know any more. */
  readonly ends: AbortSignal;
};

/** Asks a provider something now, whatever its breaker, limits and state; it counts for none of them. */
export async function probe(
  connection: Connection,
  { method = DISCOVER, get, params = {}, timeout_ms = TIMEOUT_MS }: ProbeQuestion,
  { clock, timers, ends }: ProbeParts,
): Promise<ProbeResult> {
  const controller = new AbortController();
  const { promise: givenUp, resolve } = Promise.withResolvers<Answer>();
  const started = clock.monotonic();
  const giveUp = (why: GleitzeitError) => {
    controller.abort(why);
    resolve({ word: 'failed', error: why.toRecord() });
  };
  const cancel = timers.after(timeout_ms, () =>
    giveUp(new GleitzeitError('GLZ2003', `no answer within ${timeout_ms / 1000} s`)),
  );
  const end = () => giveUp(new GleitzeitError('GLZ2008', `${connection.id} went before it answered`));
  ends.addEventListener('abort', end);
  const { signal } = controller;
  const call_id = `probe-${connection.id}-${Math.round(clock.wall())}`;
  const call = { method, params, call_id, task_id: call_id, workflow_id: null, attempt: 1, signal };
  const page = method === DISCOVER ? get : undefined;
  const asked = page === undefined ? connection.ask(call) : connection.askPage(page, signal);
  const answer = await Promise.race([asked, givenUp]);
  cancel();
  ends.removeEventListener('abort', end);
  return {
    well: page === undefined ? isWell(answer, method) : answer.word === 'done',
    method: page === undefined ? method : `GET ${page.path}`,
    ms: clock.monotonic() - started,
    error: answer.word === 'failed' ? lastErrorOf(answer.error, clock.wall()) : null,
  };
}

/** Where nothing is asked in particular, any answer will do: a service may refuse what it does not know in words of its own. */
function isWell(answer: Answer, method: string): boolean {
  const refused = answer.word === 'failed' && answer.error.data.remote_code !== undefined;
  return judge(answer).verdict !== 'failed' || (method === DISCOVER && refused);
}
