import { isAlias, isScalar, isSeq, type Pair, type ParsedNode, type YAMLMap, type YAMLSeq } from 'yaml';
import type { Json } from '../core/json.ts';
import { didYouMean } from '../core/suggest.ts';
import { tooDeep, type YamlLimits } from './compose.ts';
import type { Mark } from './parsed.ts';
import { type Path, showPath } from './path.ts';
import { type ProblemList, throwProblems } from './problems.ts';
import { jsonOf, keyOf, type Words } from './scalars.ts';
import { positionAt, problemIn, type Source, type Span } from './source.ts';

export type Conversion = {
  readonly source: Source;
  readonly limits: YamlLimits;
  readonly problems: ProblemList;
  readonly refusedKeys: ReadonlySet<string>;
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
  contents: ParsedNode | null,
  conversion: Conversion,
): { readonly value: Json; readonly root: Mark } {
  const work = { ...conversion, anchors: new Map() };
  const { value, mark } = convert(contents, { path: [], key: null }, work);
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
  node: ParsedNode & { value: unknown; source: string },
  place: Place,
  work: Work,
): Converted {
  const { value, trouble } = jsonOf(node);
  if (trouble !== null) note(spanOf(node), place.path, work, trouble);
  return leaf(value, spanOf(node), place);
}

function followAlias(name: string, span: Span, place: Place, work: Work): Converted {
  const anchored = work.anchors.get(name);
  if (anchored === undefined) {
    const hint = didYouMean(name, [...work.anchors.keys()], 'anchors before it');
    note(span, place.path, work, { message: `no anchor &${name} stands before this alias`, hint });
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
    const key = readKey(pair, place, work, inside.children);
    if (key === undefined) continue;
    const inner = { path: [...place.path, key], key: spanOf(pair.key) };
    const converted = convert(pair.value, inner, work);
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

/** The key as text, or undefined where it cannot be one. */
function readKey(
  { key: node }: Pair<ParsedNode, ParsedNode | null>,
  { path }: Place,
  work: Work,
  before: ReadonlyMap<string, Mark>,
): string | undefined {
  const { key, trouble } = keyOf(node, work.refusedKeys);
  if (trouble !== null) note(spanOf(node), path, work, trouble);
  const earlier = before.get(key);
  if (trouble !== null || earlier === undefined) return trouble === null ? key : undefined;
  const { line } = positionAt(work.source, (earlier.key ?? earlier.value).start);
  const message = `the key ${JSON.stringify(key.slice(0, 80))} stands twice`;
  note(spanOf(node), path, work, { message, hint: `it is on line ${line} already` });
  return undefined;
}

function leaf(value: Json, span: Span, { key }: Place): Converted {
  const weight = EACH + (typeof value === 'string' ? value.length : 0);
  return { value, mark: { key, value: span, children: null, list: false }, weight, height: 0 };
}

function spanOf(node: ParsedNode): Span {
  return { start: node.range[0], end: node.range[1] };
}

function note(span: Span, path: Path, work: Work, words: Words): void {
  work.problems.add(problemIn(work.source, span, { path: showPath(path), ...words }));
}

/** For what would go on for ever, or nearly so. */
function giveUp(span: Span, { path }: Place, work: Work, words: Words): never {
  return throwProblems([problemIn(work.source, span, { path: showPath(path), ...words })]);
}
