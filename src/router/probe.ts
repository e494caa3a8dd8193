import { errorRecord, GleitzeitError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { sourceOf } from '../core/pool/answered.ts';
import type { Clock, Timers } from '../core/ports/clock.ts';
import type { Probed } from '../core/ports/provider.ts';
import type { Connection } from './connection.ts';
import { type LastError, lastErrorOf } from './last-error.ts';
import { roundedMs } from './latencies.ts';
import type { HealthPage } from './settings.ts';

const TIMEOUT_MS = 5000;

/** Without a method and a page it is asked what its dialect asks. */
export type ProbeQuestion = {
  readonly method?: string | undefined;
  /** A page at its host instead of a method. */
  readonly get?: HealthPage | undefined;
  readonly params?: JsonObject | undefined;
  readonly timeout_ms?: number | undefined;
};

export type ProbeResult = {
  readonly well: boolean;
  /** What it was asked: a method, `GET /path`, or what its dialect asks. */
  readonly asked: string;
  /** The same. */
  readonly method: string;
  readonly ms: number;
  /** Also of one that is well, where it complained all the same. */
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
  { timeout_ms = TIMEOUT_MS, ...question }: ProbeQuestion,
  { clock, timers, ends }: ProbeParts,
): Promise<ProbeResult> {
  const controller = new AbortController();
  const { promise: givenUp, resolve } = Promise.withResolvers<Found>();
  const started = clock.monotonic();
  const giveUp = (why: GleitzeitError) => {
    controller.abort(why);
    resolve({ well: false, error: why.toRecord() });
  };
  const cancel = timers.after(timeout_ms, () =>
    giveUp(new GleitzeitError('GLZ2003', `no answer within ${timeout_ms / 1000} s`)),
  );
  const end = () => giveUp(new GleitzeitError('GLZ2008', `${connection.id} went before it answered`));
  ends.addEventListener('abort', end);
  const { asked, ask } = questionFor(connection, question, clock);
  const { well, error, words } = await Promise.race([ask(controller.signal), givenUp]);
  cancel();
  ends.removeEventListener('abort', end);
  const last = error === null ? null : lastErrorOf(error, clock.wall());
  return {
    well,
    asked,
    method: asked,
    ms: roundedMs(clock.monotonic() - started),
    error: last === null || words === undefined ? last : { ...last, message: words },
  };
}

/** `words` where they are ours alone: nothing in them can be quoted from a service. */
type Found = Probed & { readonly words?: string };
type Question = { readonly asked: string; readonly ask: (signal: AbortSignal) => Promise<Found> };

function questionFor(
  connection: Connection,
  { method, get, params = {} }: Omit<ProbeQuestion, 'timeout_ms'>,
  clock: Clock,
): Question {
  if (method !== undefined)
    return { asked: method, ask: (signal) => call(connection, { method, params, signal }, clock) };
  if (get !== undefined) return { asked: `GET ${get.path}`, ask: (signal) => page(connection, get, signal) };
  const { probed, id } = connection;
  if (probed !== null) return { asked: probed, ask: (signal) => connection.askHow(signal) };
  const words = `${id} can only be asked by calling a method: name one`;
  return {
    asked: 'nothing',
    ask: async () => ({ well: false, error: errorRecord('GLZ1012', words), words }),
  };
}

type Asked = { readonly method: string; readonly params: JsonObject; readonly signal: AbortSignal };

async function call(connection: Connection, asked: Asked, clock: Clock): Promise<Found> {
  const call_id = `probe-${connection.id}-${Math.round(clock.wall())}`;
  const answer = await connection.ask({
    ...asked,
    ...{ call_id, task_id: call_id, workflow_id: null, attempt: 1 },
  });
  if (answer.word !== 'failed') return { well: true, error: null };
  const { error } = answer;
  const known = connection.hasMethod(asked.method);
  const source = sourceOf(error, known);
  if (source !== 'nobody') return { well: source === 'answer', error };
  const why = known ? 'no call can be made of what it was given' : `it has no method ${asked.method}`;
  return { well: false, error, words: `nothing was asked of ${connection.id}: ${why}` };
}

async function page(connection: Connection, asked: HealthPage, signal: AbortSignal): Promise<Probed> {
  const answer = await connection.askPage(asked, signal);
  return answer.word === 'failed' ? { well: false, error: answer.error } : { well: true, error: null };
}
