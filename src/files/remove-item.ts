import { isDeepStrictEqual } from 'node:util';
import {
  type Document,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  parseDocument,
  type YAMLSeq,
} from 'yaml';
import { GleitzeitError } from '../core/errors.ts';

type Path = readonly (string | number)[];

/** The text of a YAML or JSON file without one item of a list. Every other line stays byte for byte. */
export function removeItem(text: string, path: Path): string {
  const document = parseDocument(text);
  const list = document.getIn(path.slice(0, -1), true);
  const at = path.at(-1);
  if (!isSeq(list) || typeof at !== 'number' || list.items[at] === undefined) throw broken(path);
  const cuts = list.flow
    ? [...flowCuts(text, list, at)]
    : [blockCut(text, list, at, colonOf(text, document, path))];
  document.deleteIn([...path]);
  const fits = (cut: string) => sameValue(cut, document) && (!isJson(text) || isJson(cut));
  const left = cuts.find((cut) => cut !== null && fits(cut));
  if (typeof left !== 'string') throw broken(path);
  return left;
}

/** The item's own lines taken out of the text; null where it has none to itself. */
function blockCut(text: string, list: YAMLSeq, at: number, colon: number | null): string | null {
  const item = list.items[at];
  const [start, , end] = rangeOf(item);
  const from = text.lastIndexOf('\n', start - 1) + 1;
  if (!/^\s*-\s+(?:[&!]\S+\s+)*$/.test(text.slice(from, start))) return null;
  // A block ends at the beginning of the next line, a mapping in braces before its break.
  const lineEnd = isCollection(item) && !item.flow ? end : afterBreak(text, end);
  if (list.items.length > 1) return text.slice(0, from) + text.slice(lineEnd);
  // A list without items has no lines of its own: it is written beside its key.
  return colon === null ? null : `${text.slice(0, colon)} []${text.slice(colon, from)}${text.slice(lineEnd)}`;
}

/** Behind the colon of the key that the list stands under. */
function colonOf(text: string, document: Document, path: Path): number | null {
  const parent = path.length === 2 ? document.contents : document.getIn(path.slice(0, -2), true);
  const name = path.at(-2);
  const pair = isMap(parent)
    ? parent.items.find(({ key }) => isScalar(key) && key.value === name)
    : undefined;
  const [, end] = rangeOf(pair?.key);
  const colon = /^\s*:/.exec(text.slice(end));
  return pair === undefined || colon === null ? null : end + colon[0].length;
}

/** In brackets: its own lines, or itself with the comma that sets it off, or the whole list where it is the only one. */
function* flowCuts(text: string, list: YAMLSeq, at: number): Generator<string | null> {
  const [start, end] = rangeOf(list.items[at]);
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const rest = /^[^\S\n]*,?[^\S\n]*(?:#.*)?\n/.exec(text.slice(end))?.[0];
  if (text.slice(from, start).trim() === '' && rest !== undefined)
    yield text.slice(0, from) + text.slice(end + rest.length);
  const [, before] = rangeOf(list.items[at - 1]);
  const [after] = rangeOf(list.items[at + 1]);
  if (at + 1 < list.items.length) yield text.slice(0, start) + text.slice(after);
  else if (at > 0) yield text.slice(0, before) + text.slice(end);
  const [opened, closed] = rangeOf(list);
  if (list.items.length === 1) yield `${text.slice(0, opened)}[]${text.slice(closed)}`;
}

function rangeOf(node: unknown): readonly [start: number, end: number, after: number] {
  return (isNode(node) ? node.range : null) ?? [0, 0, 0];
}

function afterBreak(text: string, end: number): number {
  if (text[end - 1] === '\n') return end;
  const next = text.indexOf('\n', end);
  return next === -1 ? text.length : next + 1;
}

function sameValue(text: string, expected: Document): boolean {
  const found = parseDocument(text);
  return found.errors.length === 0 && isDeepStrictEqual(found.toJS(), expected.toJS());
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function broken(path: Path): GleitzeitError {
  return new GleitzeitError('GLZ9001', `${path.join('.')} cannot be taken out of the file`, {
    hint: 'take it out with an editor',
  });
}
