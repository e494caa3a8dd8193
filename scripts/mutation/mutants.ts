import { stripTypeScriptTypes } from 'node:module';
import type { SourceFile } from '../source/files.ts';
import { codeTokens } from '../source/tokens.ts';
import { type Edit, operators } from './operators.ts';

export type Mutant = {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly before: string;
  readonly after: string;
  /** The whole file with the change in it. */
  readonly text: string;
};

/**
 * Every change the operators propose that still is a program. Types are blanked out first, positions kept: what is left is
 * what runs, so nothing that only the compiler sees is ever changed.
 */
export function mutantsOf(file: SourceFile): Mutant[] {
  const code = stripTypeScriptTypes(file.text);
  const tokens = codeTokens(code);
  return tokens.flatMap((token, index) =>
    operators.flatMap((operator) =>
      operator(tokens, index, code).flatMap((edit) => {
        const text = code.slice(0, edit.start) + edit.replacement + code.slice(edit.end);
        if (!parses(text)) return [];
        const column = edit.start - code.lastIndexOf('\n', edit.start - 1);
        const place = { path: file.path, line: token.line, column };
        return [{ ...place, before: shown(code, edit), after: edit.replacement, text }];
      }),
    ),
  );
}

function shown(code: string, { start, end }: Edit): string {
  return code.slice(start, end).replace(/\s+/g, ' ');
}

/** A change that does not even parse would be killed by any test, and prove nothing. */
function parses(text: string): boolean {
  try {
    stripTypeScriptTypes(text);
    return true;
  } catch {
    return false;
  }
}

/** The same choice for the same seed, spread evenly over everything that can be changed. */
export function choose<T>(items: readonly T[], count: number, seed: number): T[] {
  const next = generator(seed);
  const rest = [...items];
  const chosen: T[] = [];
  while (chosen.length < count && rest.length > 0) {
    const [item] = rest.splice(Math.floor(next() * rest.length), 1);
    if (item !== undefined) chosen.push(item);
  }
  return chosen;
}

/** mulberry32: small, and good enough to pick mutants. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
