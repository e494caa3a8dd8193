import type { Answer } from '../core/answer.ts';
import { GleitzeitError } from '../core/errors.ts';
import { isObject, type Json, type JsonObject, own } from '../core/json.ts';
import { MAX_KEPT } from '../core/limits.ts';
import type { ProviderCall } from '../core/ports/provider.ts';
import { redact, redactJson } from '../core/secrets.ts';
import { givenUp } from '../rpc/correlate.ts';

/** A service that has a job and cannot be asked for it is asked again after longer and longer whiles, so often. */
const MOST_TROUBLES = 12;
const AGAIN_MS = 1000;
const LONGEST_MS = 60_000;
/** Why a call ends that nobody wants any more, unlike one that goes on elsewhere. */
const unwanted: readonly string[] = ['GLZ2009', 'GLZ2003'];

/**
 * What a call has left with a service: a job that goes on there whatever becomes of us. What it is found by again is kept
 * before it is asked for the first time, so that the next attempt asks on instead of beginning anew.
 */
export class KeptJob {
  readonly #call: Pick<ProviderCall, 'kept' | 'keep'>;
  readonly #secrets: () => readonly string[];
  #kept: JsonObject | null = null;
  #troubles = 0;
  #trouble: GleitzeitError | null = null;

  constructor(call: Pick<ProviderCall, 'kept' | 'keep'>, secrets: () => readonly string[]) {
    this.#call = call;
    this.#secrets = secrets;
  }

  /** The job that an earlier attempt left; null where there is none. */
  get left(): JsonObject | null {
    const { kept } = this.#call;
    return isObject(kept) ? kept : null;
  }

  /** It is still there: what is done from here on is done for it. */
  resume(): void {
    const { left } = this;
    const troubles = left === null ? 0 : own(left, 'troubles');
    this.#kept = left;
    this.#troubles = Number.isSafeInteger(troubles) ? Number(troubles) : 0;
  }

  /** Throws GLZ3011 where the task is in other hands by now. What could not be kept is asked for all the same. */
  async keep(job: JsonObject): Promise<void> {
    const { keep } = this.#call;
    this.#kept = null;
    this.#troubles = 0;
    if (keep === undefined || !isFit(job, this.#secrets())) return;
    if (!(await keep(job))) throw new GleitzeitError('GLZ3011', 'the task was taken from this engine');
    this.#kept = job;
  }

  /** It is gone: nothing is left that would be asked for. */
  drop(): void {
    this.#kept = null;
  }

  /** The service answered: what was hard before counts no more. */
  reached(): void {
    this.#troubles = 0;
  }

  /** The service cannot be asked now, for this reason. The job itself has not failed for it. */
  outOfReach(reason: GleitzeitError): GleitzeitError {
    this.#trouble = reason;
    return reason;
  }

  /** Whether the service is to be told that the job is not wanted any more: where nobody goes on with it. */
  isUnwanted(signal: AbortSignal): boolean {
    return this.#kept === null || (signal.aborted && unwanted.includes(givenUp(signal).code));
  }

  /** When to ask again, where the service could not be asked; null where the error is the end of the call. */
  async later(error: GleitzeitError): Promise<Answer | null> {
    const { keep } = this.#call;
    if (error !== this.#trouble || this.#kept === null || keep === undefined) return null;
    if (this.#troubles >= MOST_TROUBLES) return null;
    const kept = { ...this.#kept, troubles: this.#troubles + 1 };
    if (!(await keep(kept).catch(() => false))) return null;
    const after_ms = Math.min(AGAIN_MS * 2 ** this.#troubles, LONGEST_MS);
    return {
      word: 'again',
      after_ms: Math.max(after_ms, error.details.retry_after_ms ?? 0),
      reason: redact(error.message, this.#secrets()),
    };
  }
}

/** It is stored as it is: small, and without anything that the service was told in confidence. */
function isFit(job: Json, secrets: readonly string[]): boolean {
  const text = JSON.stringify(job);
  return text.length <= MAX_KEPT - 32 && text === JSON.stringify(redactJson(job, secrets));
}
