import type { ErrorCode } from '../core/error-codes.ts';
import { GleitzeitError } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import { holdsSecrets, looksSecret, maskPasswords } from './secret-words.ts';

/** A note is worth knowing and stops nothing: an older word, something that nobody promises. */
export type Severity = 'error' | 'note';

/** One thing that is wrong with a file, or with a variable that stands in for a part of it. */
export type Problem = {
  readonly severity: Severity;
  readonly file: string;
  /** `protocols[0].name`; empty where it is the whole. */
  readonly path: string;
  /** From 1; 0 where there is no place to point at. */
  readonly line: number;
  readonly column: number;
  /** Without what was found instead, which may have to stay unsaid. */
  readonly message: string;
  readonly found: string | null;
  readonly expected: string | null;
  readonly hint: string | null;
  readonly code: ErrorCode;
  /** The line it is on, and how much of it from `column` on. Null for a line too long to show. */
  readonly excerpt: { readonly text: string; readonly length: number } | null;
};

const MAX_PROBLEMS = 20;

/** What is found where something is missing. */
export const NOTHING = 'nothing';

/** Collects problems, so that a writer hears of everything at once; bounded, since a file can be all wrong. */
export class ProblemList {
  readonly #found: Problem[] = [];

  get full(): boolean {
    return this.#found.length >= MAX_PROBLEMS;
  }

  get empty(): boolean {
    return this.#found.length === 0;
  }

  get all(): readonly Problem[] {
    return this.#found;
  }

  add(problem: Problem): void {
    if (!this.full) this.#found.push(problem);
  }

  throwIfAny(): void {
    if (!this.empty) throwProblems(this.#found);
  }
}

export function throwProblems(problems: readonly Problem[]): never {
  throw problemsError(problems);
}

/** The first gives the error its code, message, field and hint; all of them are in its details. */
export function problemsError(problems: readonly Problem[]): GleitzeitError {
  const sorted = sortProblems(problems.map(withoutSecrets));
  const [first] = sorted;
  if (first === undefined) return new GleitzeitError('GLZ9001', 'an error without a problem');
  const { code, path, hint } = first;
  const more = sorted.length > 1 ? ` (and ${sorted.length - 1} more)` : '';
  return new GleitzeitError(code, `${headline(first)}${more}`, {
    field: path,
    reason: sentence(first),
    ...(hint === null ? {} : { hint }),
    details: { problems: sorted },
  });
}

/** In the order in which they stand in the file. */
export function sortProblems(problems: readonly Problem[]): readonly Problem[] {
  return problems.toSorted((a, b) => a.line - b.line || a.column - b.column);
}

/** What such an error holds; nothing for one that came from elsewhere. */
export function problemsOf(error: unknown): readonly Problem[] {
  if (!(error instanceof GleitzeitError) || !isObject(error.details.details)) return [];
  const { problems } = error.details.details;
  if (!Array.isArray(problems)) return [];
  const isOurs = (item: unknown) => isObject(item) && typeof item['file'] === 'string' && 'excerpt' in item;
  return problems.every(isOurs) ? (problems as unknown as readonly Problem[]) : [];
}

/** `file:line:col  path: message`, each with its line and a caret below. */
export function renderProblems(problems: readonly Problem[]): string {
  return problems.map((problem) => [headline(problem), ...pointing(problem)].join('\n')).join('\n');
}

/** The first line of it: where and what. */
export function headline(problem: Problem): string {
  const { file, line, column, path } = problem;
  const place = line === 0 ? file : `${file}:${line}:${column}`;
  return `${place}  ${path === '' ? '' : `${path}: `}${sentence(problem)}`;
}

/** What is wrong and what was found, unless that is the same. */
export function sentence({ message, found }: Problem): string {
  const quoted = found?.startsWith('"') === true && message.includes(found);
  const missing = found === NOTHING && message.startsWith('is ');
  return found === null || quoted || missing ? message : `${message}, found ${found}`;
}

function pointing({ line, column, hint, excerpt }: Problem): string[] {
  if (excerpt === null) return hint === null ? [] : [`         ${hint}`];
  // Tabs stay tabs, so that the caret stands under what it points to.
  const before = excerpt.text.slice(0, column - 1).replace(/[^\t]/g, ' ');
  const carets = '^'.repeat(excerpt.length);
  return [
    `${String(line).padStart(6)} | ${excerpt.text}`,
    `       | ${before}${carets}${hint === null ? '' : `  ${hint}`}`,
  ];
}

/** What stands under a key that looks secret is not told: it would end up in a log. */
function withoutSecrets(problem: Problem): Problem {
  const { path, message, found } = problem;
  const steps = path.match(/[\w-]+/g) ?? [];
  const key = steps.findLast((step) => !/^\d+$/.test(step)) ?? '';
  const kept = looksSecret(key) || (showsValue(found) && steps.some(holdsSecrets));
  const shown = kept || found === null ? null : maskPasswords(found);
  return { ...problem, message: maskPasswords(message), found: shown };
}

/** Rather than its kind. */
function showsValue(found: string | null): boolean {
  return found !== null && /^["\d-]/.test(found);
}
