import { Composer, type CST, type Document, Lexer, type ParsedNode, Parser, type YAMLError } from 'yaml';
import { findTrouble } from './between-values.ts';
import { type Problem, throwProblems } from './problems.ts';
import { problemIn, type Source, type Span } from './source.ts';
import { explainSyntax, type Words } from './syntax-words.ts';

export type YamlLimits = {
  /** Bytes of the file. */
  readonly size: number;
  readonly depth: number;
  /** Words, brackets, spaces and line ends: what the time for parsing depends on. */
  readonly tokens: number;
  /** Characters, and some for each value, with every alias written out. */
  readonly expanded: number;
};

/** A document, and what is wrong with values of it that can be read all the same. */
export type YamlDocument = {
  readonly contents: ParsedNode | null;
  readonly flaws: readonly Flaw[];
};

export type Flaw = Words & { readonly span: Span };

/** Keys are compared by us: the library compares each with each. */
const options = {
  version: '1.2',
  schema: 'core',
  merge: false,
  uniqueKeys: false,
  resolveKnownTags: false,
  prettyErrors: false,
  logLevel: 'error',
} as const;

/**
 * The one document of a text. Throws with the first thing that is no YAML, which what follows is mostly a consequence of,
 * and with the flaws before it.
 */
export function composeYaml(source: Source, limits: YamlLimits): YamlDocument {
  const tokens = readTokens(source, limits);
  const directive = tokens.find(isForeignDirective);
  if (directive !== undefined) {
    const span = { start: directive.offset, end: directive.offset + 1 };
    refuse(source, span, { message: 'is a directive that is not read here', hint: 'leave it out' });
  }
  const documents = new Composer(options).compose(tokens, true, source.text.length);
  const first = documents.next().value;
  if (first === undefined) throw new Error('the composer was told to make a document');
  const flaws = refuseErrors(source, first);
  const second = documents.next().value;
  if (second !== undefined) {
    const separator = source.text.lastIndexOf('---', second.range[0]);
    refuse(source, spanFrom(separator), {
      message: 'begins a second document',
      hint: 'one file holds one document',
    });
  }
  return { contents: first.contents, flaws };
}

/** Reads in steps, so that a text which nests too deep or is cut too fine is given up early. */
function readTokens(source: Source, limits: YamlLimits): CST.Token[] {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let count = 0;
  let errors = 0;
  for (const lexeme of new Lexer().lex(source.text)) {
    for (const token of parser.next(lexeme)) {
      // One is enough: there may be as many as there are characters.
      if (token.type !== 'error' || ++errors === 1) tokens.push(token);
    }
    if (parser.stack.length > limits.depth + STACK_ABOVE_VALUES) {
      refuse(source, spanFrom(parser.offset), tooDeep(limits));
    }
    if (++count > limits.tokens) {
      refuse(source, spanFrom(parser.offset), {
        message: `there is more here than a file may hold: ${limits.tokens} words and signs`,
        hint: 'split it into several files',
      });
    }
  }
  for (const token of parser.end()) tokens.push(token);
  return tokens;
}

/** The document itself and what is being read at the moment. */
const STACK_ABOVE_VALUES = 3;

export function tooDeep({ depth }: YamlLimits): { message: string; hint: null } {
  return { message: `nests deeper than ${depth} levels`, hint: null };
}

function isForeignDirective(token: CST.Token): boolean {
  return token.type === 'directive' && !/^%YAML\s+1\.2\s*$/.test(token.source);
}

/** Mistakes of a single value, after which the parser goes on as if nothing had been. */
const ofOneValue: ReadonlySet<YAMLError['code']> = new Set([
  'TAG_RESOLVE_FAILED',
  'BAD_COLLECTION_TYPE',
  'BAD_DQ_ESCAPE',
  'MULTIPLE_ANCHORS',
  'MULTIPLE_TAGS',
]);

function refuseErrors(source: Source, document: Document.Parsed<ParsedNode>): readonly Flaw[] {
  const flaws: Flaw[] = [];
  let first: YAMLError | undefined;
  for (const error of [...document.errors, ...document.warnings]) {
    if (ofOneValue.has(error.code)) flaws.push(flawOf(error, source));
    else if (first === undefined || error.pos[0] < first.pos[0]) first = error;
  }
  if (first === undefined) return flaws;
  const trouble = findTrouble(source.text);
  const isCause = trouble !== null && trouble.from < endOf(first, source.text);
  const end = isCause ? trouble : flawOf(first, source);
  const before = flaws.filter(({ span }) => span.start < end.span.start);
  return throwProblems([...before, end].map((flaw) => problemOf(flaw, source)));
}

/** Brackets that are taken for a key are told at their beginning, wherever inside them it went wrong. */
function endOf({ code, pos: [from, to] }: YAMLError, text: string): number {
  const isKey = code === 'KEY_OVER_1024_CHARS' || code === 'MULTILINE_IMPLICIT_KEY';
  return isKey && /[[{]/.test(text.charAt(from)) ? text.length : Math.max(to, from + 1);
}

function flawOf(error: YAMLError, { text }: Source): Flaw {
  const [start, end] = error.pos;
  const dash = gluedDash(error, text);
  if (dash !== null) {
    const hint = 'an item of a list begins with "- "';
    return { message: 'a space is missing after the "-"', hint, span: spanFrom(dash) };
  }
  return { ...explainSyntax(error, text), span: { start, end } };
}

/** `-id: a` is a key to a parser, which then stumbles over what comes after it. */
function gluedDash({ code, pos: [at] }: YAMLError, text: string): number | null {
  if (code !== 'BLOCK_AS_IMPLICIT_KEY' && code !== 'BAD_INDENT') return null;
  const start = text.lastIndexOf('\n', at - 1) + 1;
  const [line, indent = ''] = /^( *)-[A-Za-z_"'][^\n]*:(?:\s|$)/.exec(text.slice(start, start + 300)) ?? [];
  return line === undefined ? null : start + indent.length;
}

function problemOf({ message, hint, span }: Flaw, source: Source): Problem {
  return problemIn(source, span, { path: '', message, hint });
}

function spanFrom(start: number): Span {
  return { start: Math.max(0, start), end: start + 1 };
}

function refuse(source: Source, span: Span, words: { message: string; hint: string | null }): never {
  return throwProblems([problemIn(source, span, { path: '', ...words })]);
}
