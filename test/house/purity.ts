import { stripTypeScriptTypes } from 'node:module';
import type { SourceFile } from '../../scripts/source/files.ts';
import { importsOf } from '../../scripts/source/imports.ts';
import { codeTokens, type Token } from '../../scripts/source/tokens.ts';
import { harmlessModules } from './rooms.ts';

const forbiddenWords = new Set([
  ...['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'requestAnimationFrame'],
  ...['console', 'process', 'performance', 'globalThis', 'global', 'fetch', 'require', 'Temporal'],
  ...['randomUUID', 'randomBytes', 'randomInt', 'getRandomValues', 'hrtime'],
]);
const forbiddenMembers = new Set(['Date.now', 'Math.random', 'AbortSignal.timeout', 'crypto.subtle']);

/** Uses of the clock, randomness, timers, the environment, the console or I/O: things a simulated world must hand in. */
export function impurities(file: SourceFile): string[] {
  // Without its types: an interface may name a method setTimeout that somebody else fulfils.
  const tokens = codeTokens(stripTypeScriptTypes(file.text));
  const words = tokens.flatMap((_, index) => {
    const found = impurityAt(tokens, index);
    return found === undefined ? [] : [`${file.path}:${tokens[index]?.line} ${found}`];
  });
  const modules = importsOf(file.text)
    .filter((found) => found.specifier.startsWith('node:') && !harmlessModules.includes(found.specifier))
    .filter((found) => !found.typeOnly)
    .map((found) => `${file.path}:${found.line} ${found.specifier}`);
  return [...words, ...modules];
}

function impurityAt(tokens: Token[], index: number): string | undefined {
  const [before, token, next, afterNext] = [index - 1, index, index + 1, index + 2].map((at) => tokens[at]);
  if (token?.kind !== 'word' || before?.text === '.' || before?.text === '?.') return undefined;
  // A key of an object literal, `{ process: … }`, is only a name.
  if (forbiddenWords.has(token.text))
    return next?.text === ':' && before?.text !== '?' ? undefined : token.text;
  const member = `${token.text}.${afterNext?.text}`;
  if (next?.text === '.' && forbiddenMembers.has(member)) return member;
  if (token.text === 'Date') return readsClock(before, next, afterNext) ? 'Date()' : undefined;
  return undefined;
}

/** `new Date(time)` is arithmetic; `new Date()`, `new Date` and `Date()` read the clock. */
function readsClock(
  before: Token | undefined,
  next: Token | undefined,
  afterNext: Token | undefined,
): boolean {
  if (before?.text !== 'new') return next?.text === '(';
  return next?.text !== '(' || afterNext?.text === ')';
}
