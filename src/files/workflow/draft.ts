import type { ErrorCode } from '../../core/error-codes.ts';
import { type Finding, type ParsedFile, problemAt, typedPath } from '../parsed.ts';
import type { Path } from '../path.ts';
import { type Problem, sortProblems, throwProblems } from '../problems.ts';
import type { LenientFile, Lost } from '../yaml.ts';
import { isConsequence } from './consequences.ts';

/** So many are shown at once; a file that has more is all wrong. */
const MOST_ERRORS = 100;
const MOST_NOTES = 1000;

/** A workflow file while it is read: what is wrong with it so far, and what is worth knowing. */
export class Draft {
  readonly parsed: ParsedFile;
  readonly #lost: Lost;
  readonly #errors: Problem[];
  readonly #notes: Problem[] = [];
  readonly #wrong: Path[];
  readonly #strangers: Path[] = [];

  constructor({ parsed, problems, lost }: LenientFile) {
    this.parsed = parsed;
    this.#lost = lost;
    this.#errors = [...problems];
    this.#wrong = [...lost.value];
  }

  report(finding: Finding): void {
    this.#wrong.push(finding.path);
    if (isConsequence(finding, this.parsed, this.#lost)) return;
    if (finding.message.startsWith('unknown key')) this.#strangers.push(finding.path);
    if (this.#errors.length < MOST_ERRORS) this.#errors.push(this.#problemOf(finding));
  }

  note(finding: Finding): void {
    if (this.#notes.length < MOST_NOTES) this.#notes.push(this.#problemOf({ ...finding, severity: 'note' }));
  }

  /** Whether nothing is wrong there or inside it. */
  isSound(path: Path): boolean {
    return !this.#wrong.some((wrong) => path.every((step, index) => wrong[index] === step));
  }

  /** Whether something is wrong with just that, rather than with a part of it. */
  isWrong(path: Path): boolean {
    return this.#wrong.some(
      (wrong) => wrong.length === path.length && path.every((step, index) => wrong[index] === step),
    );
  }

  /** Whether a key right there is one that nobody knows. */
  hasStranger(path: Path): boolean {
    return this.#strangers.some(
      (found) => found.length === path.length + 1 && path.every((step, index) => found[index] === step),
    );
  }

  get notes(): readonly Problem[] {
    return sortProblems(this.#notes);
  }

  throwIfWrong(): void {
    if (this.#errors.length > 0) throwProblems(this.#errors);
  }

  #problemOf(finding: Finding): Problem {
    const path = typedPath(this.parsed.root, finding.path);
    return problemAt(this.parsed, { ...finding, path, code: finding.code ?? codeAt(path) });
  }
}

/** What stands in a task is a mistake of the task, everything else one of the workflow. */
function codeAt([first, second]: Path): ErrorCode {
  const inTask = first === 'template' || (first === 'tasks' && typeof second === 'number');
  return inTask ? 'GLZ1001' : 'GLZ1002';
}
