import type { ErrorCode } from '../core/error-codes.ts';
import { maskValues } from './mask-values.ts';
import { type Problem, type Severity, throwProblems } from './problems.ts';
import { holdsSecrets, maskLine } from './secret-words.ts';

/** The text of a file, and what mistakes in it are called. */
export type Source = {
  /** As people are shown it. */
  readonly file: string;
  readonly text: string;
  readonly code: ErrorCode;
  /** Where each line begins. */
  readonly lines: readonly number[];
  /** Nothing of it is shown: people put into variables what they would not put into files. */
  readonly hidden?: boolean;
};

/** A stretch of the text, by offset; `end` is not part of it. */
export type Span = { readonly start: number; readonly end: number };

type Naming = Pick<Source, 'file' | 'code' | 'hidden'>;

/** Characters for a text, bytes for a file. */
export function createSource(content: string | Uint8Array, naming: Naming, limit: number): Source {
  if (content.length > limit) refuse(naming, `is larger than ${limit} bytes`, 'split it into several files');
  const text = typeof content === 'string' ? content.replace(/^\uFEFF/, '') : decode(content, naming);
  const source: Source = { ...naming, text, lines: lineStarts(text) };
  refuseControls(source);
  return source;
}

function decode(bytes: Uint8Array, naming: Naming): string {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    refuse(naming, 'is written in UTF-16', 'save it as UTF-8');
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return refuseBytes(bytes, naming);
  }
}

/** With the place of the first byte that is part of no character. */
function refuseBytes(bytes: Uint8Array, naming: Naming): never {
  const text = new TextDecoder('utf-8').decode(bytes);
  const replaced = firstReplaced(text, bytes);
  const byte = bytes[replaced.byte]?.toString(16).toUpperCase().padStart(2, '0');
  const source: Source = { ...naming, text, lines: lineStarts(text) };
  const words = {
    path: '',
    message: 'is not text in UTF-8',
    found: `the byte 0x${byte}`,
    expected: 'UTF-8',
    hint: 'save it as UTF-8; is this the right file?',
  };
  const problem = problemIn(source, { start: replaced.character, end: replaced.character + 1 }, words);
  return throwProblems([{ ...problem, excerpt: null }]);
}

/** Where a decoder put the character that stands for unreadable bytes, unless the file has that very character there. */
function firstReplaced(text: string, bytes: Uint8Array) {
  let byte = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  let from = 0;
  for (let at = text.indexOf('\uFFFD'); at !== -1; at = text.indexOf('\uFFFD', from)) {
    byte += Buffer.byteLength(text.slice(from, at));
    const isWritten = bytes[byte] === 0xef && bytes[byte + 1] === 0xbf && bytes[byte + 2] === 0xbd;
    if (!isWritten) return { character: at, byte };
    byte += 3;
    from = at + 1;
  }
  return { character: from, byte };
}

function refuseControls(source: Source): void {
  const at = findControl(source.text);
  if (at === -1) return;
  const character = source.text.charCodeAt(at);
  const message = `holds the control character U+${character.toString(16).toUpperCase().padStart(4, '0')}`;
  const hint =
    character === CR ? 'lines end with LF or CRLF' : 'write it as an escape; is this the right file?';
  const problem = problemIn(source, { start: at, end: at + 1 }, { path: '', message, hint });
  throwProblems([{ ...problem, excerpt: null }]);
}

const [TAB, LF, CR, SPACE] = [0x09, 0x0a, 0x0d, 0x20];

/** Everything below a space but tab and line end. YAML forbids them, and a file that has them is something else. */
function findControl(text: string): number {
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c >= SPACE || c === TAB || c === LF) continue;
    if (c !== CR || text.charCodeAt(i + 1) !== LF) return i;
  }
  return -1;
}

function refuse(naming: Naming, message: string, hint: string): never {
  const { file, code } = naming;
  return throwProblems([
    { ...nothingMore, file, code, path: '', line: 0, column: 0, message, hint, excerpt: null },
  ]);
}

/** Longer lines are not for people to read, and not worth looking through for secrets. */
const LONGEST_SHOWN = 200;

const severity: Severity = 'error';
const nothingMore = { severity, found: null, expected: null, hint: null };

type Words = Pick<Problem, 'path' | 'message'> &
  Partial<Pick<Problem, 'severity' | 'code' | 'found' | 'expected' | 'hint'>>;

/** A problem at a place of the text, with the line it is on. */
export function problemIn(source: Source, span: Span, words: Words): Problem {
  const { line, column } = positionAt(source, span.start);
  const text = lineText(source, line);
  const length = Math.max(1, Math.min(span.end - span.start, text.length - column + 1));
  const isShown = source.hidden !== true && text.length <= LONGEST_SHOWN;
  const excerpt = isShown ? { text: withoutSecrets(source, line), length } : null;
  return {
    ...nothingMore,
    file: source.file,
    code: source.code,
    line,
    column,
    excerpt,
    ...words,
  };
}

function withoutSecrets(source: Source, line: number): string {
  const text = lineText(source, line);
  return isBelowSecrets(source, line) ? maskValues(text) : maskLine(text);
}

/** By indentation: a file that cannot be read has no paths to go by. */
function isBelowSecrets(source: Source, line: number): boolean {
  let indent = indentOf(lineText(source, line));
  for (let above = line - 1; above > 0 && indent > 0; above--) {
    const text = lineText(source, above);
    if (text.trim() === '' || indentOf(text) >= indent) continue;
    indent = indentOf(text);
    const key = /^[\s-]*["']?([\w.-]+)["']?\s*:\s*(?:[{[]|#|$)/.exec(text)?.[1];
    if (key !== undefined && holdsSecrets(key)) return true;
  }
  return false;
}

function indentOf(text: string): number {
  return text.search(/\S|$/);
}

/** Lines and columns count from 1, columns in UTF-16 units as most editors do. */
export function positionAt(
  source: Source,
  offset: number,
): { readonly line: number; readonly column: number } {
  let low = 0;
  let high = source.lines.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (startOf(source, middle) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - startOf(source, low) + 1 };
}

function lineText(source: Source, line: number): string {
  const end = source.lines[line] ?? source.text.length + 1;
  return source.text.slice(startOf(source, line - 1), end - 1).replace(/\r$/, '');
}

function startOf(source: Source, line: number): number {
  return source.lines[line] ?? 0;
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}
