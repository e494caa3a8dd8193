import type { Path } from '../files/path.ts';
import { type Environment, variableOf } from './environment.ts';
import type { Override } from './override.ts';

/**
 * Variables that other programs have, too, by their names. They count only for commands that ask for them; a variable of ours
 * for the same key wins. `words`: what others say for one of ours, whatever the size of its letters.
 */
export type SharedVariables = Readonly<
  Record<string, { readonly path: Path; readonly words?: Readonly<Record<string, string>> }>
>;

/** What they set. An empty one says nothing. */
export function readShared(env: Environment, variables: SharedVariables): Override[] {
  return Object.entries(variables).flatMap(([name, { path, words }]) => {
    const text = variableOf(env, name)?.trim() ?? '';
    if (text === '') return [];
    return [{ name, path, value: words === undefined ? text : inOurWords(text, words), parsed: null }];
  });
}

function inOurWords(text: string, words: Readonly<Record<string, string>>): string {
  const small = text.toLowerCase();
  return Object.hasOwn(words, small) ? (words[small] ?? small) : small;
}
