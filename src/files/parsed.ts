import type { ErrorCode } from '../core/error-codes.ts';
import { type Json, own } from '../core/json.ts';
import { maskValues } from './mask-values.ts';
import { offsetOf } from './offsets.ts';
import { type Path, showPath } from './path.ts';
import type { Problem, Severity } from './problems.ts';
import { holdsSecrets } from './secret-words.ts';
import { problemIn, type Source, type Span } from './source.ts';

/** Where a value stands, and where those inside it do. An alias stands where it is, its inside where its anchor is. */
export type Mark = {
  readonly key: Span | null;
  readonly value: Span;
  readonly children: ReadonlyMap<string, Mark> | null;
  readonly list: boolean;
};

/** What a file says, and where it says it. */
export type ParsedFile = { readonly source: Source; readonly value: Json; readonly root: Mark };

/** What is wrong, by path; where that is in a file is found out later. */
export type Finding = {
  readonly path: Path;
  readonly part: 'key' | 'value';
  readonly message: string;
  readonly found?: string | null;
  readonly expected?: string | null;
  readonly hint?: string | null;
  /** The words within the value that are meant, where they stand in the file as they are. */
  readonly words?: string;
  /** Likewise, counted in the text that the value is: from and, not included, to. */
  readonly range?: Range;
  /** That of the file unless given. */
  readonly code?: ErrorCode;
  readonly severity?: Severity;
  /** Whether the value is to be seen nowhere: neither it nor its line is shown. */
  readonly secret?: boolean;
};

export type Range = readonly [from: number, to: number];

/** The mark at the end of a path, or undefined where the file does not have it. */
export function markAt(root: Mark, path: Path): Mark | undefined {
  let mark: Mark | undefined = root;
  for (const step of path) mark = mark?.children?.get(String(step));
  return mark;
}

/** The stretch that a path means. For what the file does not have, the nearest thing around it. */
export function spanAt(root: Mark, path: Path, part: 'key' | 'value'): Span {
  const mark = markAt(root, path);
  if (mark !== undefined) return part === 'key' ? (mark.key ?? mark.value) : mark.value;
  return path.length === 0 ? root.value : aroundSpan(root, path.slice(0, -1));
}

/** A whole mapping is too much to point at: its key says enough, or else its beginning. */
function aroundSpan(root: Mark, path: Path): Span {
  const mark = markAt(root, path);
  if (mark === undefined) return aroundSpan(root, path.slice(0, -1));
  return mark.key ?? { start: mark.value.start, end: mark.value.start + 1 };
}

/** Tags and anchors stand before the value they belong to. */
const beforeValue = /^(?:[!&]\S*|\s+|#.*\n)*$/;

/** The value that something at an offset belongs to; null where it is none, but a key. */
export function pathOfFlaw(root: Mark, offset: number, text: string): Path | null {
  const { value, children } = root;
  if (value.start > offset) return beforeValue.test(text.slice(offset, value.start)) ? [] : null;
  if (children === null) return offset < value.end ? [] : null;
  for (const [key, child] of children) {
    const isPast = child.value.end <= offset && child.value.start < offset;
    if (isPast || text[child.value.start] === '*') continue;
    const found = pathOfFlaw(child, offset, text);
    return found === null ? null : [root.list ? Number(key) : key, ...found];
  }
  return null;
}

/** A path whose steps are all text, as pointers have them, with the numbers that list items have. */
export function typedPath(root: Mark, steps: Path): Path {
  let mark: Mark | undefined = root;
  return steps.map((step) => {
    const typed = mark?.list === true && typeof step === 'string' && /^\d+$/.test(step) ? Number(step) : step;
    mark = mark?.children?.get(String(step));
    return typed;
  });
}

/** What stands at the end of a path, or undefined where there is nothing. */
export function valueAt(value: Json, path: Path): Json | undefined {
  let found: unknown = value;
  for (const step of path) {
    found = typeof found === 'object' && found !== null ? own(found, String(step)) : undefined;
  }
  return found as Json | undefined;
}

export function problemAt(parsed: ParsedFile, finding: Finding): Problem {
  const { path, message, expected = null, hint = null, code, severity, secret } = finding;
  const found = secret === true ? null : (finding.found ?? null);
  const problem = problemIn(parsed.source, meantSpan(parsed, finding), {
    path: showPath(path),
    message,
    found,
    expected,
    hint,
    ...(code === undefined ? {} : { code }),
    ...(severity === undefined ? {} : { severity }),
  });
  if (secret === true) return { ...problem, excerpt: null };
  const { excerpt } = problem;
  if (excerpt === null || !path.some((step) => holdsSecrets(String(step)))) return problem;
  return { ...problem, excerpt: { ...excerpt, text: maskValues(excerpt.text) } };
}

function meantSpan(parsed: ParsedFile, { path, part, words, range }: Finding): Span {
  const span = spanAt(parsed.root, path, part);
  const { text } = parsed.source;
  if (words !== undefined) {
    const at = text.slice(span.start, span.end).indexOf(words);
    return at === -1 ? span : { start: span.start + at, end: span.start + at + words.length };
  }
  const value = range === undefined ? undefined : valueAt(parsed.value, path);
  // What an alias stands for is written elsewhere.
  if (range === undefined || typeof value !== 'string' || text[span.start] === '*') return span;
  const [from, to] = range;
  const start = offsetOf(text, span, { value, index: from });
  const end = to > from ? offsetOf(text, span, { value, index: to - 1 }) : start;
  return { start, end: Math.max(start, end) + 1 };
}
