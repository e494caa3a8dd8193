import type { Answer } from '../../core/answer.ts';
import type { Json } from '../../core/json.ts';
import type { ProviderCall } from '../../core/ports/provider.ts';
import { isLeftInPeace } from '../../core/ports/router.ts';
import { decideRetry, waitFor } from '../../core/retry.ts';
import { type CallParts, type Ended, makeCall } from './call.ts';
import type { Job } from './job.ts';
import type { Callee } from './parts.ts';
import { about, told } from './words.ts';

/** A service that puts a call off again and again is not asked for ever. */
const MOST_PUT_OFF = 1000;

/**
 * A call of another executor, who does not try again by himself: it is made as often as its agent's entry says. Null: without
 * an answer to tell.
 */
export async function callForeign(parts: CallParts, job: Job, callee: Callee): Promise<Ended | null> {
  const talk = new ForeignTalk(parts, job, callee);
  for (;;) {
    const made = await talk.ask();
    if (made === null) return null;
    const pause_ms = talk.pauseAfter(made.answer);
    if (pause_ms === null) return { answer: told(made.answer), took_ms: made.took_ms, secrets: [] };
    // Whoever has it by then begins anew.
    job.begun = false;
    if (!(await pause(parts, job, pause_ms)) || job.lost) return null;
  }
}

class ForeignTalk {
  readonly #parts: CallParts;
  readonly #job: Job;
  readonly #callee: Callee;
  readonly #first: number;
  #kept: Json | undefined;
  #attempt = 1;
  #putOff = 0;

  constructor(parts: CallParts, job: Job, callee: Callee) {
    this.#parts = parts;
    this.#job = job;
    this.#callee = callee;
    this.#first = parts.clock.monotonic();
  }

  ask() {
    const [parts, job, callee] = [this.#parts, this.#job, this.#callee];
    return makeCall(parts, {
      ...{ job, callee, call: this.#call(), timeout_ms: callee.timeout_ms, within_ms: null },
      // Nobody holds others back for an agent that does not work: they would all stand in front of the rest.
      waits: ({ kind }) => !isLeftInPeace(kind),
    });
  }

  /** Null: that is its answer. */
  pauseAfter(answer: Answer): number | null {
    if (answer.word === 'again') {
      this.#putOff += 1;
      return this.#putOff > MOST_PUT_OFF ? null : waitFor(answer.after_ms);
    }
    const [parts, callee] = [this.#parts, this.#callee];
    if (answer.word !== 'failed') return null;
    this.#kept = undefined;
    const now = parts.clock.monotonic();
    const decision = decideRetry(callee.retry, {
      ...{ attempt: this.#attempt, first_started_at: this.#first, now, error: answer.error },
      chance: parts.random.next(),
    });
    if (!decision.retry) return null;
    this.#attempt += 1;
    parts.observer.retried(callee.agent);
    const after_ms = Math.max(0, Math.round(decision.at - now));
    const { error_code } = answer.error.data;
    parts.logger.info('a call failed and is made again', {
      ...{ ...about(this.#job.task, callee), attempt: this.#attempt, after_ms, error_code },
      error: answer.error.message,
    });
    return after_ms;
  }

  #call(): Omit<ProviderCall, 'signal' | 'method'> {
    const { task_id, run_id, input_data, correlation_id } = this.#job.task;
    return {
      ...{ params: input_data, task_id, call_id: task_id, workflow_id: run_id, correlation_id },
      attempt: this.#attempt,
      kept: this.#kept,
      keep: async (kept) => {
        this.#kept = kept;
        return !this.#job.over.aborted;
      },
    };
  }
}

/** False where the job was over first. */
function pause({ timers }: CallParts, job: Job, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (whole: boolean) => {
      cancel();
      job.over.removeEventListener('abort', give);
      resolve(whole);
    };
    const give = () => end(false);
    const cancel = timers.after(ms, () => end(true));
    job.over.addEventListener('abort', give);
    if (job.over.aborted) give();
  });
}
