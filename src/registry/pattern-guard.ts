import { RE2JS } from 're2js';
import { GleitzeitError } from '../core/errors.ts';

/**
 * JavaScript's regular expressions go back and try again, which a few characters of pattern can turn into hours. The
 * patterns of a protocol are written by whoever registers it and meet data of anyone. So only plain ones are left to
 * them: without a repeated group that holds a choice or a repetition, and with one unbounded repetition at most, which
 * takes time in proportion to the text. All others are run by RE2, which never goes back; what RE2 does not know
 * (looking ahead or behind, referring back) is refused there.
 */
const MAX_PATTERN = 256;
const MAX_TEXT = 8_192;

type Expression = { test(text: string): boolean };
type Guarded = Expression & { toString(): string };

/** Throws GLZ1008 for a pattern that is refused; trying it on a text that is too long throws a RangeError. */
export function guardedRegExp(pattern: string, flags: string): Guarded {
  if (pattern.length > MAX_PATTERN) throw refused(`a pattern is at most ${MAX_PATTERN} characters long`);
  // Both must be able to read it: whether it is run by one or the other is nobody's concern.
  const native = new RegExp(pattern, flags);
  const expression = isPlain(pattern) ? native : linear(pattern);
  return {
    // By this text ajv tells the expressions of a schema apart.
    toString: () => String(native),
    test(text) {
      if (text.length <= MAX_TEXT) return expression.test(text);
      throw new RangeError(
        `a text of ${text.length} characters is too long for a pattern (at most ${MAX_TEXT})`,
      );
    },
  };
}

/** In the form ajv asks for; the name would be written into code that is kept in files, which ours is not. */
export const guardedEngine = Object.assign(guardedRegExp, { code: 'guardedRegExp' });

function linear(pattern: string): Expression {
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
    return { test: (text) => compiled.matcher(text).find() };
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw refused(`the pattern ${JSON.stringify(pattern)} cannot be matched in linear time: ${why}`);
  }
}

function refused(reason: string): GleitzeitError {
  return new GleitzeitError('GLZ1008', reason, {
    reason,
    hint: 'write it without looking ahead or behind and without references to groups, or with fewer repetitions',
  });
}

/** Whether going back cannot cost more than another look at each character. */
export function isPlain(pattern: string): boolean {
  if (/\\(?:[1-9]|k<)/.test(pattern.replaceAll('\\\\', ''))) return false;
  const enclosing: boolean[] = [];
  /** Whether the group so far holds a choice or a repetition. */
  let holds = false;
  let unbounded = 0;
  for (let i = 0; i < pattern.length; i++) {
    const c = pattern[i];
    if (c === '\\') i++;
    else if (c === '[') i = endOfClass(pattern, i);
    else if (c === '|') holds = true;
    else if (c === '(') {
      enclosing.push(holds);
      holds = false;
    } else if (c === ')') {
      if (holds && repetitionAt(pattern, i + 1) !== 'once') return false;
      holds = (enclosing.pop() ?? false) || holds;
    }
    const repeated = repetitionAt(pattern, i + 1);
    if (repeated !== 'once') holds = true;
    if (repeated === 'unbounded') unbounded++;
  }
  return unbounded <= 1;
}

function endOfClass(pattern: string, start: number): number {
  for (let i = start + 1; i < pattern.length; i++) {
    if (pattern[i] === '\\') i++;
    else if (pattern[i] === ']') return i;
  }
  return pattern.length;
}

const counted = /\{(\d+)(,?)(\d*)\}/y;

function repetitionAt(pattern: string, i: number): 'once' | 'bounded' | 'unbounded' {
  if (pattern[i] === '*' || pattern[i] === '+') return 'unbounded';
  counted.lastIndex = i;
  const [, least, comma, most] = counted.exec(pattern) ?? [];
  if (least === undefined) return 'once';
  if (comma === ',' && most === '') return 'unbounded';
  return Number(most === '' ? least : most) > 1 ? 'bounded' : 'once';
}
