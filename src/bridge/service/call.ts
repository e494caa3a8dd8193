import type { Answer } from '../../core/answer.ts';
import { errorRecord, GleitzeitError } from '../../core/errors.ts';
import type { Provider, ProviderCall } from '../../core/ports/provider.ts';
import type { Line } from '../../core/ports/router.ts';
import { answerBefore, CallEnd } from '../../engine/deadline.ts';
import type { ToldAnswer } from '../messages/answer.ts';
import { type Job, reasonOf } from './job.ts';
import type { Entered, Lines } from './lines.ts';
import type { BridgeParts, Callee } from './parts.ts';
import type { Sender } from './sender.ts';
import type { Tidings } from './tidings.ts';

export type CallParts = BridgeParts & {
  readonly lines: Lines;
  readonly tidings: Tidings;
  /** What calls keep for the next attempt. */
  readonly kept: Sender;
};

/** How the call of a job ended. */
export type Ended = {
  readonly answer: ToldAnswer;
  /** From when the last call was made. */
  readonly took_ms: number;
  /** What was in the clear meanwhile. */
  readonly secrets: readonly string[];
};

export type Asked = {
  readonly job: Job;
  readonly callee: Callee;
  readonly call: Omit<ProviderCall, 'signal' | 'method'>;
  /** From when it is made. */
  readonly timeout_ms: number;
  /** It waits so long for its place at most; null for as long as it takes. */
  readonly within_ms: number | null;
  readonly waits: (line: Line) => boolean;
  /** Its place is there, and it is made now. */
  readonly begins?: () => void;
};

/** Makes one call when its service may have one. Null: nobody wants its answer any more, or not from here. */
export async function makeCall(
  parts: CallParts,
  asked: Asked,
): Promise<{ readonly answer: Answer; readonly took_ms: number } | null> {
  const entered = await enter(parts, asked);
  if ('answer' in entered) return { answer: entered.answer, took_ms: 0 };
  if (entered.word === 'over') return null;
  if (entered.word === 'wait') return { answer: leftInPeace(asked.callee, entered.line), took_ms: 0 };
  const { job, call, callee, timeout_ms } = asked;
  const { passage } = entered;
  const end = new CallEnd();
  const give = () => end.end(reasonOf(job.over) ?? new GleitzeitError('GLZ9002', 'the bridge stops'));
  job.over.addEventListener('abort', give);
  job.begun = true;
  asked.begins?.();
  const started = parts.clock.monotonic();
  try {
    const made = send(passage.provider, withEnd({ ...call, method: callee.method }, end));
    const answer = await answerBefore(made, end, { timers: parts.timers, ms: timeout_ms, what: 'timeout' });
    return job.over.aborted ? null : { answer, took_ms: parts.clock.monotonic() - started };
  } finally {
    job.over.removeEventListener('abort', give);
    passage.leave();
  }
}

async function enter({ lines }: CallParts, asked: Asked): Promise<Entered | { readonly answer: Answer }> {
  const { job, callee, call, within_ms, waits } = asked;
  const { protocol, method, provider } = callee;
  const { params, task_id, workflow_id } = call;
  const request = { protocol, method, params, task_id, workflow_id, avoid: [], only: provider };
  try {
    return await lines.enter(request, { signal: job.over, within_ms, waits });
  } catch (thrown) {
    return { answer: { word: 'failed', error: GleitzeitError.from(thrown).toRecord() } };
  }
}

/** Async, so that a provider that throws is heard like one that rejects. */
async function send(provider: Provider, call: ProviderCall): Promise<Answer> {
  return provider.call(call);
}

/** The signal is made only if the provider asks for it. */
function withEnd(call: Omit<ProviderCall, 'signal'>, end: CallEnd): ProviderCall {
  return Object.defineProperty(call as ProviderCall, 'signal', { get: () => end.signal, enumerable: true });
}

function leftInPeace({ agent }: Callee, line: Line): Answer {
  const reason = `calls to ${agent} failed, and it is left in peace for a while`;
  return { word: 'failed', error: errorRecord('GLZ2002', reason, { details: { waits_for: line.key } }) };
}
