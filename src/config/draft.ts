import { isAbsolute, relative, resolve } from 'node:path';
import { own } from '../core/json.ts';
import type { Checking } from '../files/check.ts';
import { type Finding, markAt, type ParsedFile, problemAt, typedPath } from '../files/parsed.ts';
import { type Path, showPath } from '../files/path.ts';
import { type Problem, ProblemList } from '../files/problems.ts';
import { positionAt } from '../files/source.ts';
import type { Override } from './override.ts';

/** What relative paths count from: those of the file, and those of variables. */
export type Folders = { readonly file: string; readonly working: string };

/** A configuration while it is read: where each value comes from, and what is wrong so far. */
export class Draft {
  readonly problems = new ProblemList();
  /** What texts of the file were made of, by path: `env NAME`, `secrets.name`. */
  readonly variables = new Map<string, readonly string[]>();
  readonly checking: Checking;
  readonly #parsed: ParsedFile;
  readonly #overrides: readonly Override[];
  readonly #folders: Folders;

  constructor(parsed: ParsedFile, overrides: readonly Override[], folders: Folders) {
    this.#folders = folders;
    this.#parsed = parsed;
    this.#overrides = overrides;
    this.checking = {
      report: (finding) => this.report(finding),
      isLoose: (path) => this.variables.has(showPath(path)) || this.isPlain(path),
      resolve: (text, path) => this.resolve(text, path),
    };
  }

  report(finding: Finding): void {
    const path = typedPath(this.#parsed.root, finding.path);
    this.problems.add(this.#problemOf({ ...finding, path }));
  }

  #problemOf(finding: Finding): Problem {
    const { path, message, expected = null, hint = null } = finding;
    const override = this.#overrideOf(path);
    if (override === undefined) return problemAt(this.#parsed, finding);
    const shown = { path: showPath(path) };
    if (override.parsed !== null) {
      const inner = path.slice(override.path.length);
      return { ...problemAt(override.parsed, { ...finding, path: inner }), ...shown };
    }
    const nowhere = { severity: 'error', line: 0, column: 0, excerpt: null, found: null } as const;
    return {
      ...nowhere,
      ...shown,
      file: override.name,
      code: this.#parsed.source.code,
      message,
      expected,
      hint,
    };
  }

  /** Whether a variable sets it, as text without places of its own. */
  isPlain(path: Path): boolean {
    return this.#overrideOf(path)?.parsed === null;
  }

  /** Whether a value is made of a secret, and of nothing else that is filled in. */
  isSecret(path: Path): boolean {
    const names = this.variables.get(showPath(path)) ?? [];
    return names.length > 0 && names.every((name) => name.startsWith('secrets.'));
  }

  resolve(text: string, path: Path): string {
    // A variable is written where the program is started, a file where it lies.
    const { file, working } = this.#folders;
    return resolve(this.#overrideOf(path) === undefined ? file : working, text);
  }

  /** `default`, `file:line` with the variables it names, or `env NAME`. */
  sourceOf(path: Path): string {
    const override = this.#overrideOf(path);
    if (override !== undefined && isSet(override, path)) return `env ${override.name}`;
    const mark = markAt(this.#parsed.root, path);
    if (mark === undefined || override !== undefined) return 'default';
    const { source } = this.#parsed;
    const { line } = positionAt(source, (mark.key ?? mark.value).start);
    const names = this.variables.get(showPath(path));
    return `${source.file}:${line}${names === undefined ? '' : ` (${names.join(', ')})`}`;
  }

  #overrideOf(path: Path): Override | undefined {
    return this.#overrides.findLast((override) => override.path.every((step, index) => path[index] === step));
  }
}

/** Whether an override has something there, rather than leaving it to a default. */
function isSet({ path: from, value }: Override, path: Path): boolean {
  let found: unknown = value;
  for (const step of path.slice(from.length)) {
    found = typeof found === 'object' && found !== null ? own(found, String(step)) : undefined;
  }
  return found !== undefined;
}

/** A path as people are shown it: short where it is below the working folder. */
export function shownFile(file: string, cwd: string): string {
  const short = relative(cwd, file);
  return short === '' || short.startsWith('..') || isAbsolute(short) ? file : short;
}
