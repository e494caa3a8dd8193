import type { Answer } from '../core/answer.ts';
import { GleitzeitError } from '../core/errors.ts';
import type { OutgoingCall, Sent } from '../core/ports/dispatch.ts';
import type { Provider } from '../core/ports/provider.ts';
import type { AttemptStart } from '../core/writes.ts';
import type { AttemptParts, ReadyCall } from './attempt-parts.ts';
import type { AwayCall } from './away.ts';
import type { CallEnd } from './deadline.ts';
import type { Ended, Held, Waiting } from './held.ts';
import { outgoing } from './outgoing.ts';
import { UNREADABLE_MS } from './unreadable.ts';

/**
 * The call is handed to somebody else to make. Only when they have it for good is that written down: a task that is down
 * as away and that nobody has would wait in vain. The other way round it is at worst handed over twice, in the same name.
 */
export async function sendAway(parts: AttemptParts, held: Held, ready: ReadyCall): Promise<Ended | Waiting> {
  const { passage, params, left, secrets } = ready;
  const { provider } = passage;
  const { task, body } = held.claimed;
  const start: AttemptStart = { attempt: task.attempt_count + 1, provider: provider.id, ago_ms: 0 };
  const { attempt } = start;
  const span = parts.observer.attemptStarted({ task, spec: body.spec, attempt, provider: provider.id });
  const { protocol, method } = body.spec;
  const call: AwayCall = {
    ...{ task_id: task.task_id, generation: task.generation, attempt },
    ...{ passage, span, secrets, called: { protocol, method, secrets: secrets.length > 0 } },
  };
  parts.away.open(call);
  const content = { params, left, secrets, traceparent: span.traceparent };
  const sending = send(parts, provider, outgoing(parts, held, content, null));
  const sent = await firstOf(sending, held.end);
  const leaving: Leaving = { parts, held, call, start };
  if (sent === null) {
    void sending.then((late) => tooLate(leaving, late)).catch(() => {});
    // Without an attempt: it may have left, and whoever makes it again does so in the same name.
    return { answer: interrupted(held.end), start: null, secrets, span: null };
  }
  if (sent.word === 'handed_over') return { written: handOver(leaving, sent.bound_ms) };
  const ours = parts.away.take(call);
  passage.leave();
  if (sent.word !== 'wait') return { answer: sent, start, secrets, span: ours?.span ?? null };
  ours?.span.ended(null, 0);
  return { written: parts.lines.join(held.lease, sent.line) };
}

type Leaving = {
  readonly parts: AttemptParts;
  readonly held: Held;
  readonly call: AwayCall;
  readonly start: AttemptStart;
};

/**
 * Never rejects. A call of which nobody knows whether it left has failed: an answer to it comes too late then. That we are
 * closing down, or cannot write, is not its fault.
 */
async function send({ dispatch }: AttemptParts, provider: Provider, call: OutgoingCall): Promise<Sent> {
  try {
    return await dispatch.send(provider, call);
  } catch (thrown) {
    const error = GleitzeitError.from(thrown, 'GLZ2002');
    if (error.class === 'store') return { word: 'again', after_ms: UNREADABLE_MS, reason: error.message };
    return { word: 'failed', error: error.toRecord() };
  }
}

/** Null: the task was taken away or cancelled, or the engine stops. */
function firstOf(sending: Promise<Sent>, end: CallEnd): Promise<Sent | null> {
  const { promise, resolve } = Promise.withResolvers<Sent | null>();
  end.onEnd(() => resolve(null));
  void sending.then(resolve);
  return promise;
}

/** Nobody waits for it to leave any more, and it has left: whether somebody wants it the store knows. */
async function tooLate(leaving: Leaving, sent: Sent): Promise<void> {
  if (sent.word === 'handed_over') await handOver(leaving, sent.bound_ms);
  else leaving.parts.away.drop(leaving.call);
}

async function handOver({ parts, held, call, start }: Leaving, bound_ms: number): Promise<'back' | 'away'> {
  const { dispatch, away, writer } = parts;
  const { task_id, generation, attempt } = call;
  const write = { kind: 'hand_over', ...held.lease, generation, start, bound_ms } as const;
  try {
    const { handed_over, unwanted, due_in_ms } = await writer.write(write, { lasting: true });
    if (due_in_ms !== null) parts.expectDue(due_in_ms);
    if (unwanted) dispatch.abandon?.({ task_id, generation, attempt, provider: start.provider });
    if (handed_over) away.handedOver(call);
    else away.drop(call);
    return handed_over ? 'away' : 'back';
  } catch (thrown) {
    away.drop(call);
    throw thrown;
  }
}

function interrupted({ reason }: CallEnd): Answer {
  const why = reason ?? new GleitzeitError('GLZ9002', 'the engine stops');
  return { word: 'failed', error: why.toRecord() };
}
