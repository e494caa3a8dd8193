import type { ErrorCode } from './error-codes.ts';
import { GleitzeitError } from './errors.ts';
import { isObject, type Json } from './json.ts';

/** One thing that is wrong with what somebody wrote. `field` is a JSON pointer into it. */
export type Problem = { readonly field: string; readonly reason: string; readonly hint?: string };

const MAX_PROBLEMS = 20;

/** Collects what is wrong, so that a writer hears of everything at once; bounded, since input can be all wrong. */
export class Problems {
  readonly #found: Problem[] = [];
  #code: ErrorCode | undefined;

  get full(): boolean {
    return this.#found.length >= MAX_PROBLEMS;
  }

  add(code: ErrorCode, problem: Problem): void {
    if (this.full) return;
    this.#code ??= code;
    this.#found.push(problem);
  }

  /** What a stricter reader threw, as one of the problems. */
  addThrown(thrown: unknown): void {
    if (!(thrown instanceof GleitzeitError)) throw thrown;
    const { field = '', reason = thrown.message, hint } = thrown.details;
    this.add(thrown.code, { field, reason, ...(hint === undefined ? {} : { hint }) });
  }

  /** The first problem gives the error its code, message, field and hint; all of them are in its details. */
  throwIfAny(): void {
    const [first] = this.#found;
    if (first === undefined || this.#code === undefined) return;
    throw problemsError(this.#code, first, this.#found);
  }
}

function problemsError(code: ErrorCode, first: Problem, problems: readonly Problem[]): GleitzeitError {
  const message = first.field === '' ? first.reason : `${first.field}: ${first.reason}`;
  return new GleitzeitError(code, message, { ...first, details: { problems } });
}

/** What `throwIfAny` threw with its problems written anew; anything else stays itself. */
export function rewriteProblems(thrown: unknown, rewrite: (problem: Problem) => Problem): unknown {
  if (!(thrown instanceof GleitzeitError)) return thrown;
  const problems = problemsIn(thrown.details.details).map(rewrite);
  const [first] = problems;
  return first === undefined ? thrown : problemsError(thrown.code, first, problems);
}

function problemsIn(details: Json | undefined): readonly Problem[] {
  return isObject(details) && Array.isArray(details['problems']) ? (details['problems'] as Problem[]) : [];
}
