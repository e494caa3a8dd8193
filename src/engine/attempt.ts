import type { Answer } from '../core/answer.ts';
import { GleitzeitError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { Clock, Timers } from '../core/ports/clock.ts';
import type { Dispatch } from '../core/ports/dispatch.ts';
import type { AttemptSpan, Observer } from '../core/ports/observer.ts';
import type { Provider } from '../core/ports/provider.ts';
import type { Routed, Router } from '../core/ports/router.ts';
import type { ClaimedTask } from '../core/ports/store.ts';
import type { TaskRow } from '../core/records.ts';
import type { AttemptStart, Lease } from '../core/writes.ts';
import { answerBefore, type CallEnd } from './deadline.ts';
import type { Lines } from './lines.ts';
import { type PrepareParts, prepare } from './prepare.ts';
import type { Ride } from './rides.ts';
import { UNREADABLE_MS } from './unreadable.ts';
import type { Unserved } from './unserved.ts';
import type { Writer } from './writer.ts';

export type AttemptParts = PrepareParts & {
  readonly router: Router;
  readonly dispatch: Dispatch;
  readonly writer: Writer;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly observer: Observer;
  readonly unserved: Unserved;
  readonly lines: Pick<Lines, 'join' | 'howCalled'>;
};

/** A claimed task in this engine's hands, from the claim until its outcome is recorded or it is taken away. */
export type Held = {
  readonly claimed: ClaimedTask;
  readonly lease: Lease;
  /** Milliseconds the task had left in all when it was claimed, and when that was. */
  readonly left_ms: number;
  readonly claimedAt: number;
  readonly end: CallEnd;
  /** No longer ours: whatever comes of it is not written. */
  gone: boolean;
};

export type Ended = {
  readonly answer: Answer;
  readonly start: AttemptStart | null;
  readonly secrets: readonly string[];
  /** Null where it came to no call. */
  readonly span: AttemptSpan | null;
};

/** It has to wait and needs no slot meanwhile: it is still held until that is written. */
export type Waiting = { readonly written: Promise<void> };

/** One try at a task: params made ready, provider found, start written down, call made. Null when it came to nothing. */
export async function attempt(parts: AttemptParts, held: Held): Promise<Ended | Waiting | null> {
  const secrets: string[] = [];
  let params: JsonObject;
  try {
    params = await prepare(parts, held.claimed, secrets);
  } catch (thrown) {
    return { ...unprepared(held, GleitzeitError.from(thrown)), secrets, span: null };
  }
  if (held.gone) return null;
  const routed = findPassage(parts, held.claimed, params);
  if (routed === null) return giveBack(parts, held);
  if (routed.word === 'wait') return { written: parts.lines.join(held.lease, routed.line) };
  const { provider } = routed.passage;
  try {
    return await make(parts, held, { provider, params, secrets });
  } finally {
    routed.passage.leave();
  }
}

type ReadyCall = {
  readonly provider: Provider;
  readonly params: JsonObject;
  readonly secrets: readonly string[];
};

async function make(
  parts: AttemptParts,
  held: Held,
  { provider, params, secrets }: ReadyCall,
): Promise<Ended | null> {
  const startedAt = parts.clock.monotonic();
  const start = { attempt: held.claimed.task.attempt_count + 1, provider: provider.id, ago_ms: 0 };
  const ago = () => parts.clock.monotonic() - startedAt;
  const span = observe(parts.observer, held.claimed, start);
  const ride = await writeStart(parts.writer, held, { start, ago });
  // The commit that wrote the start may also have told that the task is not ours any more.
  if (ride === null || held.gone) {
    span.ended(null, ago());
    return null;
  }
  const answer = await call(parts, held, { provider, params, traceparent: span.traceparent });
  ride.drop();
  return { answer, start: { ...start, ago_ms: ago() }, secrets, span };
}

/**
 * No attempt was made: the task waits for a provider, here or with another engine. Where none of ours serves its
 * protocol any more we do not claim it again; where only the method is missing, it is left aside for others.
 */
async function giveBack(parts: AttemptParts, held: Held): Promise<null> {
  const { task_id, owner, fence } = held.lease;
  const { spec } = held.claimed.body;
  const back = { kind: 'release', owner, leases: [{ task_id, fence }] } as const;
  if (!parts.router.protocols().includes(spec.protocol)) {
    await parts.writer.write(back, { lasting: true });
    return null;
  }
  parts.unserved.note(spec);
  await parts.writer.write({ ...back, unserved: spec.method }, { lasting: true });
  return null;
}

function observe(observer: Observer, { task, body }: ClaimedTask, start: AttemptStart): AttemptSpan {
  return observer.attemptStarted({
    task,
    spec: body.spec,
    attempt: start.attempt,
    provider: start.provider,
  });
}

/** Trouble with the store is not the task's fault: it is tried again until its params can be read. */
function unprepared({ claimed }: Held, error: GleitzeitError): Pick<Ended, 'answer' | 'start'> {
  if (error.class !== 'store') return { answer: failure(error), start: null };
  const start = { attempt: claimed.task.attempt_count + 1, provider: null, ago_ms: 0 };
  return { answer: { word: 'again', after_ms: UNREADABLE_MS, reason: error.message }, start };
}

function findPassage(
  { router, lines }: AttemptParts,
  { task, body }: ClaimedTask,
  params: JsonObject,
): Routed | null {
  const { protocol, method } = body.spec;
  const { task_id, workflow_id } = task;
  const avoid = providersThatFailed(task);
  const how = lines.howCalled(task_id);
  const came = { called: how === 'called', ...(how === 'found' ? { found: true } : {}) };
  try {
    return router.route({ protocol, method, params, task_id, workflow_id, avoid, ...came });
  } catch {
    return null;
  }
}

const nobody: readonly string[] = [];

function providersThatFailed({ attempts }: TaskRow): readonly string[] {
  if (attempts.length === 0) return nobody;
  return attempts.flatMap(({ provider, error }) => (provider === null || error === null ? [] : [provider]));
}

/**
 * The start rides along with a commit a moment later, if the call still runs then. Not so for a task that was in the hands of an engine that
 * died: if it is what kills them, its attempts must be counted before it can do so again.
 */
async function writeStart(
  writer: Writer,
  held: Held,
  { start, ago }: { start: AttemptStart; ago: () => number },
): Promise<Ride | null> {
  const make = () => ({ kind: 'start', ...held.lease, start: { ...start, ago_ms: ago() } }) as const;
  if (!held.claimed.task.suspect) return writer.ride(make);
  const { started } = await writer.write(make(), { lasting: true });
  return started ? { drop: () => {} } : null;
}

type Target = {
  readonly provider: Provider;
  readonly params: JsonObject;
  readonly traceparent: string | null;
};

function call(parts: AttemptParts, held: Held, target: Target): Promise<Answer> {
  const limit = { timers: parts.timers, ...timeLeft(parts.clock, held) };
  return answerBefore(send(parts.dispatch, held, target), held.end, limit);
}

/** Async, so that a provider that throws instead of answering is heard like one that rejects. */
async function send(
  dispatch: Dispatch,
  held: Held,
  { provider, params, traceparent }: Target,
): Promise<Answer> {
  const { task, body } = held.claimed;
  const { end } = held;
  return dispatch.send(provider, {
    method: body.spec.method,
    params,
    call_id: callId(task),
    task_id: task.task_id,
    workflow_id: task.workflow_id,
    attempt: task.attempt_count + 1,
    // Where nobody traces here, the caller's trace goes on as it came.
    traceparent: traceparent ?? body.spec.traceparent,
    get signal() {
      return end.signal;
    },
  });
}

function timeLeft(clock: Clock, held: Held): { ms: number; what: string } {
  const own = held.claimed.body.spec.timeout * 1000;
  const total = Math.max(0, held.left_ms - (clock.monotonic() - held.claimedAt));
  return total < own ? { ms: Math.round(total), what: 'total_timeout' } : { ms: own, what: 'timeout' };
}

/** Stays the same over automatic retries; a retry asked for by a person is a new call. */
function callId(task: TaskRow): string {
  return task.generation === 0 ? task.task_id : `${task.task_id}.${task.generation}`;
}

function failure(thrown: unknown): Answer {
  return { word: 'failed', error: GleitzeitError.from(thrown).toRecord() };
}
