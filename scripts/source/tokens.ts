/** Just enough of a tokenizer for our own TypeScript: the house tests and the mutation tester stand on it. */
export type Token = {
  readonly kind: 'word' | 'number' | 'string' | 'template' | 'regex' | 'punctuation' | 'comment';
  readonly text: string;
  readonly start: number;
  readonly line: number;
};

const word = /[\p{ID_Start}$_#@][\p{ID_Continue}$\u200c\u200d]*/uy;
const number =
  /0[xX][\da-fA-F_]+n?|0[bB][01_]+n?|0[oO][0-7_]+n?|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?n?/y;
const string = /'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*"/y;
const comment = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const regex = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y;
const punctuation =
  />>>=|\.\.\.|===|!==|\*\*=|<<=|>>=|>>>|&&=|\|\|=|\?\?=|=>|==|!=|<=|>=|&&|\|\||\?\?|\?\.(?!\d)|\+\+|--|\+=|-=|\*=|\/=|%=|&=|\|=|\^=|<<|>>|\*\*|[\s\S]/y;

/** A `/` after one of these begins a regular expression; after a value it divides. */
const beforeRegex = new Set([
  'return',
  'typeof',
  'case',
  'in',
  'of',
  'delete',
  'void',
  'throw',
  'new',
  'else',
  'await',
  'yield',
]);

export function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  let line = 1;
  let position = 0;
  while (position < source.length) {
    const blank = match(/\s+/y, source, position);
    const text = blank ?? readToken(source, position, tokens);
    line += text.split('\n').length - 1;
    position += text.length;
  }
  return tokens;

  function readToken(from: string, start: number, before: Token[]): string {
    const [kind, text] = nextToken(from, start, before);
    before.push({ kind, text, start, line });
    return text;
  }
}

/** Without comments, which most questions are not about. */
export function codeTokens(source: string): Token[] {
  return tokenize(source).filter((token) => token.kind !== 'comment');
}

function nextToken(source: string, start: number, before: Token[]): [Token['kind'], string] {
  const first = source.charAt(start);
  if (first === '`') return ['template', readTemplate(source, start)];
  const candidates: [Token['kind'], RegExp][] = [
    ['comment', comment],
    ['string', string],
    ['word', word],
    ['number', number],
  ];
  if (first === '/' && regexMayFollow(before)) candidates.push(['regex', regex]);
  for (const [kind, pattern] of candidates) {
    const text = match(pattern, source, start);
    if (text !== undefined && text !== '' && !(kind === 'number' && !/\d/.test(text))) return [kind, text];
  }
  return ['punctuation', match(punctuation, source, start) ?? first];
}

function regexMayFollow(before: Token[]): boolean {
  const previous = before.findLast((token) => token.kind !== 'comment');
  if (previous === undefined) return true;
  if (previous.kind === 'word') return beforeRegex.has(previous.text);
  return previous.kind === 'punctuation' && ![')', ']', '}', '++', '--'].includes(previous.text);
}

/** A template is one token with everything inside it, nested templates included. */
function readTemplate(source: string, start: number): string {
  let position = start + 1;
  while (position < source.length && source.charAt(position) !== '`') {
    if (source.charAt(position) === '\\') position += 2;
    else if (source.startsWith('${', position)) position = endOfSubstitution(source, position + 2);
    else position += 1;
  }
  return source.slice(start, position + 1);
}

function endOfSubstitution(source: string, start: number): number {
  let depth = 1;
  let position = start;
  const inside: Token[] = [];
  while (position < source.length && depth > 0) {
    const blank = match(/\s+/y, source, position);
    const [kind, text] =
      blank === undefined ? nextToken(source, position, inside) : (['comment', blank] as const);
    if (kind === 'punctuation' && text === '{') depth += 1;
    if (kind === 'punctuation' && text === '}') depth -= 1;
    inside.push({ kind, text, start: position, line: 0 });
    position += text.length;
  }
  return position;
}

function match(pattern: RegExp, source: string, start: number): string | undefined {
  pattern.lastIndex = start;
  return pattern.exec(source)?.[0];
}
