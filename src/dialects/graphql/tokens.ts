/** A piece of a GraphQL document. `value` is what is written, a text with its quotes. */
export type Token = {
  readonly kind: 'name' | 'mark' | 'value' | 'end';
  readonly value: string;
  readonly line: number;
};

const patterns: readonly (readonly [Token['kind'] | 'space', RegExp])[] = [
  ['space', /(?:[\s,\ufeff]|#[^\n\r]*)+/y],
  ['name', /[A-Za-z_]\w*/y],
  ['mark', /\.\.\.|[!$&()|:=@[\]{}]/y],
  ['value', /"""(?:\\"""|(?!""")[\s\S])*"""|"(?!"")(?:\\.|[^"\\\n\r])*"|""/y],
  ['value', /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/y],
];

/** The pieces of a document, with an end. Null for the first character that belongs nowhere. */
export function tokensOf(text: string): { readonly tokens: readonly Token[] } | { readonly line: number } {
  const tokens: Token[] = [];
  let at = 0;
  let line = 1;
  while (at < text.length) {
    const found = matchAt(text, at);
    if (found === null) return { line };
    if (found.kind !== 'space') tokens.push({ kind: found.kind, value: found.value, line });
    line += found.value.match(/\r\n|\r|\n/g)?.length ?? 0;
    at += found.value.length;
  }
  return { tokens: [...tokens, { kind: 'end', value: 'the end', line }] };
}

function matchAt(text: string, at: number) {
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = at;
    const [value] = pattern.exec(text) ?? [];
    if (value !== undefined) return { kind, value };
  }
  return null;
}
