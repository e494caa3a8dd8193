import type { JsonSchema } from '../../core/json-schema.ts';
import { showSegment } from '../../core/reference-source.ts';
import type { Segment } from '../../core/reference-syntax.ts';
import { didYouMean } from '../../core/suggest.ts';
import { oneOf } from '../describe.ts';
import type { Draft } from './draft.ts';
import { type Kinds, kindOfValue, showKinds } from './kinds.ts';
import { segmentRange } from './operand.ts';
import { kindsOfShape, type Shape, stepInto } from './shape.ts';
import type { ReferenceText, Use } from './texts.ts';

/** The schema of what a task answers with, by the task's id; undefined where nothing is known of it. */
export type ResultOf = (id: string) => JsonSchema | undefined;

type Followed =
  | { readonly kind: 'shape'; readonly shape: Shape }
  | { readonly kind: 'open' }
  /** `step` leads nowhere; the part before it is of these kinds and has these keys. */
  | {
      readonly kind: 'missing';
      readonly step: number;
      readonly kinds: Kinds;
      readonly keys: readonly string[];
    };

function follow(root: JsonSchema, path: readonly Segment[]): Followed {
  let shape: Shape = { root, schema: root };
  for (const [step, segment] of path.entries()) {
    const part = stepInto(shape, segment);
    if (part.kind === 'open') return part;
    if (part.kind === 'missing') return { ...part, step, kinds: kindsOfShape(shape) };
    shape = part.shape;
  }
  return { kind: 'shape', shape };
}

/** References to what the named task does not promise. Behind `??` comes what is taken then, so that is only a note. */
export function checkResultPaths(texts: readonly ReferenceText[], resultOf: ResultOf, draft: Draft): void {
  for (const text of texts) {
    for (const part of text.parts) {
      if (typeof part === 'string') continue;
      for (const [i, use] of part.entries())
        checkUse(use, { text, resultOf, draft, last: i === part.length - 1 });
    }
  }
}

type Here = {
  readonly text: ReferenceText;
  readonly resultOf: ResultOf;
  readonly draft: Draft;
  readonly last: boolean;
};

function checkUse(use: Use, { text, resultOf, draft, last }: Here): void {
  if (use.kind !== 'task') return;
  const root = resultOf(use.id);
  const found = root === undefined ? undefined : follow(root, use.path);
  if (found?.kind !== 'missing') return;
  const { step, kinds, keys } = found;
  const before = use.path.slice(0, step).map(showSegment).join('');
  const place = `\${${use.id}.result${before}}`;
  const key = String(use.path[step]);
  const isMapping = kinds === null || kinds.has('object');
  const finding = {
    path: text.at,
    part: 'value',
    code: 'GLZ1006',
    range: segmentRange(text.text, use.operand, step + use.operand.path.length - use.path.length),
    message: isMapping
      ? `there is no ${JSON.stringify(key)} in ${place}`
      : `${place} is ${showKinds(kinds)}: there is no ${JSON.stringify(key)} in it`,
    found: JSON.stringify(key),
    expected: oneOf(keys),
    hint: isMapping ? didYouMean(key, keys, 'it has') : null,
  } as const;
  if (last) draft.report(finding);
  else draft.note({ ...finding, message: `${finding.message}, so what follows ?? is always taken` });
}

/** Of what kinds a reference may turn out to be. */
export function kindsOfUse(use: Use, resultOf: ResultOf): Kinds {
  if (use.kind === 'literal') return new Set([kindOfValue(use.value)]);
  if (use.kind === 'file') return new Set(['string']);
  const shape = shapeOfUse(use, resultOf);
  return shape === undefined ? null : kindsOfShape(shape);
}

/** What a task promises there; undefined where nothing is known of it. */
export function shapeOfUse(use: Use, resultOf: ResultOf): Shape | undefined {
  const root = use.kind === 'task' ? resultOf(use.id) : undefined;
  const found = root === undefined || use.kind !== 'task' ? undefined : follow(root, use.path);
  return found?.kind === 'shape' ? found.shape : undefined;
}
