import { GleitzeitError } from '../core/errors.ts';

/**
 * JavaScript's regular expressions go back and try again, which a few characters of pattern can turn into hours. The
 * patterns of a protocol are written by whoever registers it and meet data of anyone, so they are bounded: in length,
 * in the texts they are tried on, and in shape. Back references and an unbounded repetition inside a repeated group,
 * the usual ways to exponential time, are refused. What is left can still be slow, polynomially and on bounded texts.
 */
const MAX_PATTERN = 256;
const MAX_TEXT = 8_192;

/** Throws GLZ1008 for a pattern that is refused; trying it on a text that is too long throws a RangeError. */
export function guardedRegExp(pattern: string, flags: string): { test(text: string): boolean } {
  const trouble = patternTrouble(pattern);
  if (trouble !== undefined) throw new GleitzeitError('GLZ1008', trouble, { reason: trouble });
  const expression = new RegExp(pattern, flags);
  return {
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

export function patternTrouble(pattern: string): string | undefined {
  if (pattern.length > MAX_PATTERN) return `a pattern is at most ${MAX_PATTERN} characters long`;
  const shown = JSON.stringify(pattern);
  if (/\\(?:[1-9]|k<)/.test(pattern.replaceAll('\\\\', '')))
    return `the pattern ${shown} refers back to a group`;
  return repeatsRepetition(pattern) ? `the pattern ${shown} repeats a group that repeats itself` : undefined;
}

/** Whether a group that holds an unbounded repetition is itself repeated. */
function repeatsRepetition(pattern: string): boolean {
  const enclosing: boolean[] = [];
  let repeats = false;
  for (let i = 0; i < pattern.length; i++) {
    const c = pattern[i];
    if (c === '\\') i++;
    else if (c === '[') i = endOfClass(pattern, i);
    else if (c === '(') {
      enclosing.push(repeats);
      repeats = false;
    } else if (c === ')') {
      const repeated = repetitionAt(pattern, i + 1);
      if (repeats && repeated !== 'once') return true;
      repeats = (enclosing.pop() ?? false) || repeats || repeated === 'unbounded';
    } else if (repetitionAt(pattern, i) === 'unbounded') repeats = true;
  }
  return false;
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
