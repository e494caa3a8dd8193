import type { Token } from '../source/tokens.ts';
import { chainBefore, endsValue, isKey, matching, startsStatement, statementEnd } from './shape.ts';

export type Edit = { readonly start: number; readonly end: number; readonly replacement: string };

/** Looks at one token of code without types, and proposes changes there. */
type Operator = (tokens: readonly Token[], index: number, code: string) => Edit[];

const swaps: Readonly<Record<string, readonly string[]>> = {
  '===': ['!=='],
  '!==': ['==='],
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '&&': ['||'],
  '||': ['&&'],
};
const arithmetic: Readonly<Record<string, readonly string[]>> = {
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '+=': ['-='],
  '-=': ['+='],
  '++': ['--'],
  '--': ['++'],
};

function replace(token: Token, ...texts: readonly string[]): Edit[] {
  return texts.map((replacement) => ({
    start: token.start,
    end: token.start + token.text.length,
    replacement,
  }));
}

const otherOperator: Operator = (tokens, index) => {
  const token = tokens[index];
  if (token?.kind !== 'punctuation') return [];
  if (Object.hasOwn(swaps, token.text)) return replace(token, ...(swaps[token.text] ?? []));
  const binary = endsValue(tokens[index - 1]) || token.text.length === 2;
  return binary && Object.hasOwn(arithmetic, token.text)
    ? replace(token, ...(arithmetic[token.text] ?? []))
    : [];
};

const otherLiteral: Operator = (tokens, index) => {
  const token = tokens[index];
  if (token === undefined || isKey(tokens, index) || tokens[index - 1]?.text === '.') return [];
  if (token.text === 'true') return replace(token, 'false');
  if (token.text === 'false') return replace(token, 'true');
  if (token.kind !== 'number' || !/^[\d_.]+$/.test(token.text)) return [];
  const value = Number(token.text.replaceAll('_', ''));
  return replace(token, String(value + 1), ...(value > 0 ? [String(value - 1)] : []));
};

/** Words a program compares are changed; sentences for people are not worth a test each. */
const otherText: Operator = (tokens, index) => {
  const token = tokens[index];
  const before = tokens[index - 1]?.text ?? '';
  if (token?.kind !== 'string' || isKey(tokens, index) || ['from', 'import'].includes(before)) return [];
  const text = token.text.slice(1, -1);
  return text.includes(' ') ? [] : replace(token, text === '' ? "'mutant'" : "''");
};

const emptyArray: Operator = (tokens, index) => {
  const open = tokens[index];
  if (open?.text !== '[' || endsValue(tokens[index - 1]) || tokens[index + 1]?.text === ']') return [];
  const last = matching(tokens, index);
  const close = tokens[last];
  const pattern = ['=', 'of', ':'].includes(tokens[last + 1]?.text ?? '') || tokens[last + 2]?.text === '=>';
  const declared = ['const', 'let'].includes(tokens[index - 1]?.text ?? '');
  if (close === undefined || pattern || declared) return [];
  return [{ start: open.start, end: close.start + 1, replacement: '[]' }];
};

const dropNot: Operator = (tokens, index) => {
  const token = tokens[index];
  return token?.text === '!' && !endsValue(tokens[index - 1]) ? replace(token, '') : [];
};

const onlyDefault: Operator = (tokens, index) => {
  const token = tokens[index];
  const start = token?.text === '??' ? chainBefore(tokens, index) : undefined;
  if (token === undefined || start === undefined) return [];
  return [{ start, end: token.start + token.text.length, replacement: '' }];
};

const decideGuard: Operator = (tokens, index) => {
  const open = tokens[index + 1];
  if (tokens[index]?.text !== 'if' || open?.text !== '(') return [];
  const close = tokens[matching(tokens, index + 1)];
  if (close === undefined) return [];
  return ['true', 'false'].map((replacement) => ({ start: open.start + 1, end: close.start, replacement }));
};

const dropStatement: Operator = (tokens, index) => {
  const first = tokens[index];
  if (first === undefined || !startsStatement(tokens, index)) return [];
  const end = tokens[statementEnd(tokens, index)];
  return end === undefined ? [] : [{ start: first.start, end: end.start, replacement: '' }];
};

export const operators: readonly Operator[] = [
  otherOperator,
  otherLiteral,
  otherText,
  emptyArray,
  dropNot,
  onlyDefault,
  decideGuard,
  dropStatement,
];
