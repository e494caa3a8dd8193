import type { SourceFile } from '../../scripts/source/files.ts';
import { codeTokens, type Token, tokenize } from '../../scripts/source/tokens.ts';

/** The type `any`, wherever it stands; `x.any` and a property called any are other things. */
export function anyTypes(file: SourceFile): string[] {
  const tokens = codeTokens(file.text);
  return tokens
    .filter((token, index) => token.text === 'any' && token.kind === 'word' && isType(tokens, index))
    .map((token) => `${file.path}:${token.line} any`);
}

function isType(tokens: Token[], index: number): boolean {
  const before = tokens[index - 1]?.text ?? '';
  const after = tokens[index + 1]?.text ?? '';
  return !['.', '?.', 'function', 'const', 'let'].includes(before) && ![':', '?', '('].includes(after);
}

const silenced = /@ts-(ignore|expect-error|nocheck)/;

/** Comments that silence the compiler. Type tests say what must not compile, and may. */
export function silencedCompiler(file: SourceFile): string[] {
  return file.path.endsWith('.test-d.ts') ? [] : commentsMatching(file, silenced);
}

const uncounted = /\b(v8|c8|istanbul)\s+ignore|node:coverage/;

/** Comments that take code out of the coverage. */
export function uncountedCode(file: SourceFile): string[] {
  return commentsMatching(file, uncounted);
}

function commentsMatching(file: SourceFile, pattern: RegExp): string[] {
  return tokenize(file.text)
    .filter((token) => token.kind === 'comment' && pattern.test(token.text))
    .map((token) => `${file.path}:${token.line} ${token.text.trim()}`);
}
