import { codeTokens, type Token } from './tokens.ts';

export type Import = {
  readonly specifier: string;
  readonly line: number;
  /** `import type` and `export type … from`: nothing of it is there at run time. */
  readonly typeOnly: boolean;
};

/** Every import, re-export and `import(…)` with a literal specifier. */
export function importsOf(source: string): Import[] {
  const tokens = codeTokens(source);
  return tokens.flatMap((token, index) => {
    if (token.kind !== 'word' || tokens[index - 1]?.text === '.') return [];
    if (token.text === 'import') return fromImport(tokens, index);
    return token.text === 'export' ? fromExport(tokens, index) : [];
  });
}

function fromImport(tokens: Token[], index: number): Import[] {
  const next = tokens[index + 1];
  if (next?.text === '(') return literal(tokens[index + 2], false);
  if (next?.kind === 'string') return literal(next, false);
  return literal(specifierAfter(tokens, index), isTypeOnly(tokens, index));
}

function fromExport(tokens: Token[], index: number): Import[] {
  const next = tokens[index + 1]?.text === 'type' ? tokens[index + 2] : tokens[index + 1];
  if (next?.text !== '{' && next?.text !== '*') return [];
  return literal(specifierAfter(tokens, index), isTypeOnly(tokens, index));
}

/** `import type from 'x'` imports a default called type; `import type X` and `import type {` are types. */
function isTypeOnly(tokens: Token[], index: number): boolean {
  return tokens[index + 1]?.text === 'type' && !['from', ','].includes(tokens[index + 2]?.text ?? '');
}

/** The string after `from`, unless the statement ends before one. */
function specifierAfter(tokens: Token[], index: number): Token | undefined {
  for (let at = index + 1; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token?.text === 'from' && tokens[at + 1]?.kind === 'string') return tokens[at + 1];
    if (token?.text === ';' || token?.text === 'import' || token?.text === 'export') return undefined;
  }
  return undefined;
}

function literal(token: Token | undefined, typeOnly: boolean): Import[] {
  if (token?.kind !== 'string') return [];
  return [{ specifier: token.text.slice(1, -1), line: token.line, typeOnly }];
}
