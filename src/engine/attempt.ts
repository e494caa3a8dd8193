import type { Answer } from '../core/answer.ts';
import { GleitzeitError, isRefusedHere } from '../core/errors.ts';
import { isObject, type JsonObject, own } from '../core/json.ts';
import { unservedName } from '../core/parked.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { AttemptSpan, Observer } from '../core/ports/observer.ts';
import type { Provider } from '../core/ports/provider.ts';
import type { Routed } from '../core/ports/router.ts';
import type { ClaimedTask } from '../core/ports/store.ts';
import type { ProgressTold } from '../core/progress.ts';
import type { TaskRow } from '../core/records.ts';
import type { AttemptStart } from '../core/writes.ts';
import type { AttemptParts, ReadyCall } from './attempt-parts.ts';
import { answerBefore } from './deadline.ts';
import type { Ended, Held, Waiting } from './held.ts';
import { markRouted } from './lanes.ts';
import { type CallContent, type Hearing, outgoing } from './outgoing.ts';
import { type Left, leftFor } from './outside.ts';
import { prepare } from './prepare.ts';
import { CallReports, Reporter } from './reporter.ts';
import type { Ride } from './rides.ts';
import { sendAway } from './send-away.ts';
import { sentElsewhere } from './sent-elsewhere.ts';
import { shownKeys } from './shown-keys.ts';
import { onlyProvider } from './task-agents.ts';
import { UNREADABLE_MS } from './unreadable.ts';
import type { Writer } from './writer.ts';

/** One try at a task: params made ready, provider found, start written down, call made. Null when it came to nothing. */
export async function attempt(parts: AttemptParts, held: Held): Promise<Ended | Waiting | null> {
  const secrets: string[] = [];
  let params: JsonObject;
  let left: Left;
  try {
    params = await prepare(parts, held.claimed, secrets);
    left = leftFor(held.claimed.task, parts.cipher, secrets);
  } catch (thrown) {
    return { ...unprepared(held, GleitzeitError.from(thrown)), secrets, span: null };
  }
  if (held.gone) return null;
  const routed = findPassage(parts, held.claimed, { params, left, secrets });
  markRouted(parts.lanes, held, routed.word);
  if (routed.word === 'none') return giveBack(parts, held, routed);
  if (routed.word === 'wait') return { written: parts.lines.join(held.lease, routed.line) };
  const { passage } = routed;
  const ready: ReadyCall = { passage, params, left, secrets };
  if (parts.dispatch.leaves?.(passage.provider) === true) return sendAway(parts, held, ready);
  try {
    return await make(parts, held, ready);
  } finally {
    passage.leave();
  }
}

async function make(
  parts: AttemptParts,
  held: Held,
  { passage, params, left, secrets }: ReadyCall,
): Promise<Ended | null> {
  const { provider } = passage;
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
  // Who answers may be another than was asked first.
  const startNow = () => ({ ...start, provider: provider.id, ago_ms: ago() });
  const reports = new CallReports(() => reporterOf(parts, held, { start: startNow, secrets }));
  const content = { params, left, secrets, traceparent: span.traceparent };
  const answer = await call(parts, held, { provider, content, hearing: { reports, start: startNow } });
  ride.drop();
  reports.end(held.gone);
  return { answer: sentElsewhere(answer, passage), start: startNow(), secrets, span };
}

function reporterOf(
  parts: AttemptParts,
  { lease, claimed }: Held,
  { start, secrets }: { start: () => AttemptStart; secrets: readonly string[] },
): Reporter {
  const { protocol, method } = claimed.body.spec;
  const secretOutput = parts.schemas.secrets(protocol, method).result.length > 0;
  const write = (told: ProgressTold) =>
    parts.writer.write({ kind: 'progress', ...lease, start: start(), told });
  return new Reporter(parts, { write, secrets, secretOutput });
}

/**
 * No attempt was made: the task waits for a provider, here or with another engine. Where none of ours serves its
 * protocol any more we do not claim it again; where only the method or the model is missing, it is left aside for others.
 */
async function giveBack(
  parts: AttemptParts,
  held: Held,
  { model, only, reason }: NobodyServes,
): Promise<null> {
  const { task_id, owner, fence } = held.lease;
  const { spec } = held.claimed.body;
  const back = { kind: 'release', owner, leases: [{ task_id, fence }] } as const;
  if (!parts.router.protocols().includes(spec.protocol)) {
    await parts.writer.write(back, { lasting: true });
    return null;
  }
  const { protocol, method } = spec;
  parts.unserved.note({ protocol, method, model, only, reason });
  await parts.writer.write({ ...back, unserved: unservedName(method, model, only) }, { lasting: true });
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
  { router, lines, cipher }: AttemptParts,
  { task, body }: ClaimedTask,
  { params, left, secrets }: { params: JsonObject; left: Left; secrets: readonly string[] },
): Routed | NobodyServes {
  const { protocol, method } = body.spec;
  const { task_id, workflow_id } = task;
  const avoid = providersThatFailed(task);
  const known = lines.howCalled(task_id);
  const came = {
    called: known?.how === 'called',
    ...(known === null ? {} : { found: known.how === 'found', from: known.line }),
  };
  const only = onlyProvider(body.spec) ?? left.only;
  const refused = avoid.length === 0 ? nobody : providersThatRefused(task);
  const request = {
    ...{ protocol, method, params, task_id, workflow_id, avoid, ...came, ...shownKeys(secrets, cipher) },
    ...(refused.length === 0 ? {} : { refused }),
  };
  try {
    const routed = router.route(only === null ? request : { ...request, only });
    if (known !== null && routed.stray === true) lines.callMore(known);
    return routed;
  } catch (thrown) {
    return nobodyServes(GleitzeitError.from(thrown), only);
  }
}

type NobodyServes = {
  readonly word: 'none';
  /** Where there are providers with the method, and none of them serves it. */
  readonly model: string | null;
  /** The one provider that may take it, where it is that one which is missing. */
  readonly only: string | null;
  readonly reason: string | undefined;
};

function nobodyServes({ details: { details, reason } }: GleitzeitError, only: string | null): NobodyServes {
  const model = isObject(details) ? own(details, 'model') : undefined;
  return { word: 'none', model: typeof model === 'string' ? model : null, only, reason };
}

const nobody: readonly string[] = [];

function providersThatFailed({ attempts }: TaskRow): readonly string[] {
  if (attempts.length === 0) return nobody;
  return attempts.flatMap(({ provider, error }) =>
    provider === null || error === null ? [] : [provider, ...(error.data.also_failed ?? [])],
  );
}

/** The same call would be refused there again: it was for others that the task has been tried once more. */
function providersThatRefused({ attempts }: TaskRow): readonly string[] {
  return attempts.flatMap(({ provider, error }) =>
    provider !== null && error !== null && isRefusedHere(error) ? [provider] : [],
  );
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
  readonly content: CallContent;
  readonly hearing: Hearing;
};

function call(parts: AttemptParts, held: Held, target: Target): Promise<Answer> {
  const limit = { timers: parts.timers, ...timeLeft(parts.clock, held) };
  return answerBefore(send(parts, held, target), held.end, limit);
}

/** Async, so that a provider that throws instead of answering is heard like one that rejects. */
async function send(
  parts: AttemptParts,
  held: Held,
  { provider, content, hearing }: Target,
): Promise<Answer> {
  const sent = await parts.dispatch.send(provider, outgoing(parts, held, content, hearing));
  if (sent.word !== 'handed_over' && sent.word !== 'wait') return sent;
  throw new GleitzeitError('GLZ9001', `dispatch said "${sent.word}" of a call that was to be made here`);
}

function timeLeft(clock: Clock, held: Held): { ms: number; what: string } {
  const own = held.claimed.body.spec.timeout * 1000;
  const total = Math.max(0, held.left_ms - (clock.monotonic() - held.claimedAt));
  if (total >= own) return { ms: own, what: 'timeout' };
  return { ms: Math.round(total), what: 'total_timeout' };
}

function failure(thrown: unknown): Answer {
  return { word: 'failed', error: GleitzeitError.from(thrown).toRecord() };
}
