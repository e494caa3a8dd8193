import type { Answer } from '../core/answer.ts';
import { GleitzeitError } from '../core/errors.ts';
import { isObject, type Json, type JsonObject, own } from '../core/json.ts';
import { MAX_KEPT } from '../core/limits.ts';
import type { ProviderCall } from '../core/ports/provider.ts';
import { redact, redactJson } from '../core/secrets.ts';
import { givenUp } from '../rpc/correlate.ts';

/**
 * A service that has a job and cannot be asked for it is asked again after longer and longer whiles, so often. Not for as
 * long where it answers and nobody can read that: at a wrong address nothing else will come.
 */
const most = { troubles: 12, unread: 3 };
type Counted = keyof typeof most;
const none: Readonly<Record<Counted, number>> = { troubles: 0, unread: 0 };
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
  #counts = none;
  #trouble: { readonly error: GleitzeitError; readonly kind: Counted } | null = null;

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
    this.#kept = left;
    this.#counts = { troubles: countIn(left, 'troubles'), unread: countIn(left, 'unread') };
  }

  /** Throws GLZ3011 where the task is in other hands by now. What could not be kept is asked for all the same. */
  async keep(job: JsonObject): Promise<void> {
    const { keep } = this.#call;
    this.#kept = null;
    this.#counts = none;
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
    this.#counts = none;
  }

  /** The service cannot be asked now, for this reason. The job itself has not failed for it. */
  outOfReach(reason: GleitzeitError): GleitzeitError {
    this.#trouble = { error: reason, kind: 'troubles' };
    return reason;
  }

  /** It answered, and what it said cannot be read. */
  unreadable(reason: GleitzeitError): GleitzeitError {
    this.#trouble = { error: reason, kind: 'unread' };
    return reason;
  }

  /** Whether the service is to be told that the job is not wanted any more: where nobody goes on with it. */
  isUnwanted(signal: AbortSignal): boolean {
    return this.#kept === null || (signal.aborted && unwanted.includes(givenUp(signal).code));
  }

  /** When to ask again, where the service could not be asked; null where the error is the end of the call. */
  async later(error: GleitzeitError): Promise<Answer | null> {
    const { keep } = this.#call;
    if (error !== this.#trouble?.error || this.#kept === null || keep === undefined) return null;
    const { kind } = this.#trouble;
    const before = this.#counts[kind];
    if (before >= most[kind]) return null;
    const kept = counted(this.#kept, { ...this.#counts, [kind]: before + 1 });
    if (!(await keep(kept).catch(() => false))) return null;
    const after_ms = Math.min(AGAIN_MS * 2 ** before, LONGEST_MS);
    return {
      word: 'again',
      after_ms: Math.max(after_ms, error.details.retry_after_ms ?? 0),
      reason: redact(error.message, this.#secrets()),
    };
  }
}

function countIn(left: JsonObject | null, kind: Counted): number {
  const count = left === null ? 0 : own(left, kind);
  return Number.isSafeInteger(count) ? Number(count) : 0;
}

function counted(
  { troubles: _, unread: __, ...job }: JsonObject,
  counts: Readonly<Record<Counted, number>>,
): JsonObject {
  return { ...job, ...Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)) };
}

/** It is stored as it is: small, and without anything that the service was told in confidence. */
function isFit(job: Json, secrets: readonly string[]): boolean {
  const text = JSON.stringify(job);
  return text.length <= MAX_KEPT - 32 && text === JSON.stringify(redactJson(job, secrets));
}
