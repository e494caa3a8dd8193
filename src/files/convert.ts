import { isAlias, isScalar, isSeq, type Pair, type ParsedNode, type YAMLMap, type YAMLSeq } from 'yaml';
import type { Json } from '../core/json.ts';
import { didYouMean } from '../core/suggest.ts';
import { quoteMissing, signMissing } from './between-values.ts';
import { type Flaw, tooDeep, type YamlDocument, type YamlLimits } from './compose.ts';
import { isClosed } from './lexemes.ts';
import { offsetOf } from './offsets.ts';
import { type Mark, pathOfFlaw } from './parsed.ts';
import { type Path, showPath } from './path.ts';
import { type ProblemList, throwProblems } from './problems.ts';
import { jsonOf, keyOf, type Words } from './scalars.ts';
import { positionAt, problemIn, type Source, type Span } from './source.ts';

export type Conversion = {
  readonly source: Source;
  readonly limits: YamlLimits;
  readonly problems: ProblemList;
  readonly refusedKeys: ReadonlySet<string>;
  /** Told of each value and each pair that did not make it into the result. */
  readonly lose: (path: Path, what: 'value' | 'pair') => void;
};

/** `weight` is what the value would take with every alias written out, `height` how many levels are inside it. */
type Converted = {
  readonly value: Json;
  readonly mark: Mark;
  readonly weight: number;
  readonly height: number;
};
type Place = { readonly path: Path; readonly key: Span | null };
type Work = Conversion & { readonly anchors: Map<string, Converted> };

/** What a value weighs besides its text. */
const EACH = 32;

export function convertDocument(
  { contents, flaws }: YamlDocument,
  conversion: Conversion,
): { readonly value: Json; readonly root: Mark } {
  const work = { ...conversion, anchors: new Map() };
  const { value, mark } = convert(contents, { path: [], key: null }, work);
  for (const flaw of flaws) {
    const path = pathOfFlaw(mark, flaw.span.start, work.source.text);
    note(flaw.span, path ?? [], work, flaw);
    if (path !== null) work.lose(path, 'value');
  }
  return { value, root: mark };
}

function convert(node: ParsedNode | null, place: Place, work: Work): Converted {
  if (node === null) return leaf(null, place.key ?? { start: 0, end: 1 }, place);
  if (isAlias(node)) return followAlias(node.source, spanOf(node), place, work);
  const converted = isScalar(node) ? convertScalar(node, place, work) : convertCollection(node, place, work);
  // Last, so that a value cannot be part of itself.
  if (node.anchor !== undefined) work.anchors.set(node.anchor, converted);
  return converted;
}

function convertScalar(
  node: ParsedNode & { value: unknown; source: string; type?: unknown },
  place: Place,
  work: Work,
): Converted {
  const { value, trouble } = jsonOf(node);
  const flaw =
    writtenFlaw(node, place, work) ??
    halfCharacter(value, spanOf(node), work) ??
    (trouble === null ? null : { ...trouble, span: spanOf(node) });
  if (flaw !== null) {
    note(flaw.span, place.path, work, flaw);
    work.lose(place.path, 'value');
  }
  return leaf(value, spanOf(node), place);
}

/** What the parser takes for good, and nobody means. */
function writtenFlaw(
  node: ParsedNode & { type?: unknown },
  { key }: Place,
  { source: { text } }: Work,
): Flaw | null {
  const span = spanOf(node);
  const written = text.slice(span.start, span.end);
  if (node.type !== 'PLAIN') {
    const quoted = node.type === 'QUOTE_DOUBLE' || node.type === 'QUOTE_SINGLE';
    return quoted && !isClosed(written) ? quoteMissing(written, span) : null;
  }
  const next = key !== null && text[key.start] === '"' ? jsonPair.exec(written) : null;
  return next === null ? null : signMissing(',', span.start + next.index);
}

/** No text of UTF-8 can hold it, so it would arrive as something else. */
function halfCharacter(value: Json, span: Span, { source: { text } }: Work): Flaw | null {
  if (typeof value !== 'string' || value.isWellFormed()) return null;
  const index = value.search(/\p{Surrogate}/u);
  const found = `\\u${value.charCodeAt(index).toString(16)}`;
  const start = offsetOf(text, span, { value, index });
  const message = `half a character stands alone, found ${found}`;
  return {
    message,
    hint: 'write both halves of it, or leave it out',
    span: { start, end: start + found.length },
  };
}

/** After `"a":` a value such as `5 "b":6` is one word for YAML. */
const jsonPair = /\s+"(?:[^"\\]|\\.)*"\s*:/;

function followAlias(name: string, span: Span, place: Place, work: Work): Converted {
  const anchored = work.anchors.get(name);
  if (anchored === undefined) {
    const hint = didYouMean(name, [...work.anchors.keys()], 'anchors before it');
    note(span, place.path, work, { message: `no anchor &${name} stands before this alias`, hint });
    work.lose(place.path, 'value');
    return leaf(null, span, place);
  }
  if (place.path.length + anchored.height > work.limits.depth)
    giveUp(span, place, work, tooDeep(work.limits));
  const { children, list } = anchored.mark;
  return { ...anchored, mark: { key: place.key, value: span, children, list } };
}

function convertCollection(node: YAMLMap.Parsed | YAMLSeq.Parsed, place: Place, work: Work): Converted {
  if (place.path.length >= work.limits.depth) giveUp(spanOf(node), place, work, tooDeep(work.limits));
  return isSeq(node) ? convertList(node, place, work) : convertMapping(node, place, work);
}

function convertList(node: YAMLSeq.Parsed, place: Place, work: Work): Converted {
  const value: Json[] = [];
  const inside = openCollection(node, place, work);
  node.items.forEach((item, index) => {
    const converted = convert(item as ParsedNode, { path: [...place.path, index], key: null }, work);
    value.push(converted.value);
    inside.add(String(index), converted);
  });
  return inside.close(value, true);
}

function convertMapping(node: YAMLMap.Parsed, place: Place, work: Work): Converted {
  const value: Record<string, Json> = {};
  const inside = openCollection(node, place, work);
  for (const pair of node.items) {
    const { key, refused } = readKey(pair, place, work, inside.children);
    const inner = { path: [...place.path, key], key: spanOf(pair.key) };
    // Of what is refused the inside is looked at too: it has its own mistakes, and anchors that others name.
    const converted = convert(pair.value, inner, work);
    if (refused) work.lose(inner.path, 'pair');
    if (refused) continue;
    value[key] = converted.value;
    inside.add(key, converted);
  }
  return inside.close(value, false);
}

/** Keeps count of what a list or mapping holds, and gives up where that is too much. */
function openCollection(node: ParsedNode, place: Place, work: Work) {
  const children = new Map<string, Mark>();
  let weight = EACH;
  let height = 0;
  return {
    children,
    add: (key: string, item: Converted) => {
      children.set(key, item.mark);
      weight += key.length + item.weight;
      height = Math.max(height, item.height);
      if (weight > work.limits.expanded) giveUp(spanOf(node), place, work, tooLarge);
    },
    close: (value: Json, list: boolean): Converted => {
      const mark = { key: place.key, value: spanOf(node), children, list };
      return { value, mark, weight, height: height + 1 };
    },
  };
}

const tooLarge = { message: 'becomes too large when its aliases are written out', hint: 'repeat less of it' };

/** The key as text, and whether it cannot stand here. */
function readKey(
  { key: node }: Pair<ParsedNode, ParsedNode | null>,
  { path }: Place,
  work: Work,
  before: ReadonlyMap<string, Mark>,
): { readonly key: string; readonly refused: boolean } {
  const { key, trouble } = keyOf(node, work.refusedKeys);
  const earlier = before.get(key);
  const half = halfCharacter(key, spanOf(node), work);
  const words = trouble ?? half ?? (earlier === undefined ? null : twice(key, earlier, work));
  if (words !== null) note(half?.span ?? spanOf(node), path, work, words);
  const written = work.source.text.slice(node.range[0], node.range[1]);
  return { key: trouble === null ? key : written, refused: words !== null };
}

function twice(key: string, earlier: Mark, { source }: Work): Words {
  const { line } = positionAt(source, (earlier.key ?? earlier.value).start);
  const message = `the key ${JSON.stringify(key.slice(0, 80))} stands twice`;
  return { message, hint: `it is on line ${line} already` };
}

function leaf(value: Json, span: Span, { key }: Place): Converted {
  const weight = EACH + (typeof value === 'string' ? value.length : 0);
  return { value, mark: { key, value: span, children: null, list: false }, weight, height: 0 };
}

function spanOf(node: ParsedNode): Span {
  return { start: node.range[0], end: node.range[1] };
}

function note(span: Span, path: Path, work: Work, { message, hint }: Words): void {
  work.problems.add(problemIn(work.source, span, { path: showPath(path), message, hint }));
}

/** For what would go on for ever, or nearly so. */
function giveUp(span: Span, { path }: Place, work: Work, words: Words): never {
  return throwProblems([problemIn(work.source, span, { path: showPath(path), ...words })]);
}
