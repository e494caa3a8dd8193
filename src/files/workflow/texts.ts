import { GleitzeitError } from '../../core/errors.ts';
import { isObject, type Json, own } from '../../core/json.ts';
import { readOperand } from '../../core/reference-source.ts';
import { type Operand, type PathOperand, parseTemplate, type Segment } from '../../core/reference-syntax.ts';
import { reservedIds } from '../../core/references.ts';
import { didYouMean } from '../../core/suggest.ts';
import { oneOf } from '../describe.ts';
import type { Finding, Range } from '../parsed.ts';
import type { Path } from '../path.ts';
import { headEnd } from './operand.ts';

/** What one alternative of a `${…}` stands for. */
export type Use =
  | {
      readonly kind: 'task';
      readonly id: string;
      readonly path: readonly Segment[];
      readonly operand: PathOperand;
    }
  | { readonly kind: 'input'; readonly path: readonly Segment[] }
  | { readonly kind: 'file'; readonly field: FileField; readonly operand: PathOperand }
  | { readonly kind: 'literal'; readonly value: Json };

/** A text that holds references, and where it stands. */
export type ReferenceText = {
  readonly at: Path;
  readonly text: string;
  /** Literal text, or the alternatives of one `${…}`. */
  readonly parts: readonly (string | readonly Use[])[];
};

/** What a template of a batch may say of its file. */
export const fileFields = ['path', 'name', 'stem'] as const;
export type FileField = (typeof fileFields)[number];

export type TextParts = {
  /** The ids of all tasks. */
  readonly ids: ReadonlySet<string>;
  /** Whether `${file.…}` means something. */
  readonly in_batch: boolean;
  readonly isSecret: (path: Path) => boolean;
  readonly report: (finding: Finding) => void;
  readonly note: (finding: Finding) => void;
};

/** Every text with a reference in it; of those that cannot be read somebody is told. */
export function readTexts(value: Json, at: Path, parts: TextParts): readonly ReferenceText[] {
  if (typeof value === 'string') {
    const text = value.includes('${') ? readText(value, at, parts) : undefined;
    return text === undefined ? [] : [text];
  }
  if (Array.isArray(value)) {
    return value.flatMap((item: Json, index) => readTexts(item, [...at, index], parts));
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => readTexts(item, [...at, key], parts));
}

type Here = TextParts & { readonly at: Path; readonly text: string };

/** So many broken references of one text are told of. */
const MOST_BROKEN = 8;

/** Undefined where a reference in it is broken: of what it becomes nothing is known. The others are looked at all the same. */
function readText(text: string, at: Path, parts: TextParts): ReferenceText | undefined {
  const here = { ...parts, at, text };
  let sound = text;
  for (let broken = 0; broken < MOST_BROKEN; broken++) {
    try {
      const read = parseTemplate(sound).map((part) =>
        typeof part === 'string' ? part : part.flatMap((operand) => readUse(operand, here) ?? []),
      );
      return broken === 0 ? { at, text, parts: read } : undefined;
    } catch (thrown) {
      const position = tell(thrown, here, (place) => [place - 1, place]);
      const open = sound.lastIndexOf('${', position - 1);
      // Everything else keeps its place.
      sound = `${sound.slice(0, open)}  ${sound.slice(open + 2)}`;
    }
  }
  return undefined;
}

function readUse(operand: Operand, here: Here): Use | undefined {
  if (operand.kind === 'literal') return operand;
  const { head, path, start, end } = operand;
  if (here.in_batch && head === 'file') return readFile(operand, here);
  if (!reservedIds.includes(head) && !here.ids.has(head)) {
    reportUnknown(operand, here);
    return undefined;
  }
  if (here.ids.has(head) && path.length > 0 && path[0] !== 'result' && path[0] !== 'output') {
    noteOlder(operand, here);
    return { kind: 'task', id: head, path, operand };
  }
  try {
    const step = readOperand(operand, '');
    if (step.kind === 'literal') return step;
    const { source } = step;
    return source.kind === 'input'
      ? { kind: 'input', path: step.path }
      : { kind: 'task', id: source.id, path: step.path, operand };
  } catch (thrown) {
    tell(thrown, here, () => [start, end]);
    return undefined;
  }
}

function readFile(operand: PathOperand, here: Here): Use | undefined {
  const { path, start, end } = operand;
  const field = fileFields.find((name) => name === path[0]);
  if (field !== undefined && path.length === 1) return { kind: 'file', field, operand };
  const hint = `write ${fileFields.map((name) => `\${file.${name}}`).join(', ')}`;
  report(here, [start, end], { message: 'is nothing that is known of a file', hint });
  return undefined;
}

function reportUnknown(operand: PathOperand, here: Here): void {
  const { head, start } = operand;
  const hint = here.ids.size === 0 ? null : didYouMean(head, [...here.ids], 'tasks');
  const message = `there is no task "${head}" in this workflow`;
  const words = { message, found: JSON.stringify(head), expected: oneOf([...here.ids]) };
  report(here, [start, headEnd(here.text, operand)], { ...words, hint });
}

function noteOlder(operand: PathOperand, here: Here): void {
  const { head, start, end } = operand;
  const at = headEnd(here.text, operand);
  const meant = `${here.text.slice(start, at)}.result${here.text.slice(at, end)}`;
  const message = `reads the result of "${head}" in the older way`;
  here.note({ ...placed(here, [start, end]), message, hint: `write \${${meant}}` });
}

type Words = Pick<Finding, 'message' | 'found' | 'expected' | 'hint'>;

/** What the reader of references threw, at the place it speaks of; answers with the place in the text, from 1. */
function tell(thrown: unknown, here: Here, range: (position: number) => Range): number {
  if (!(thrown instanceof GleitzeitError)) throw thrown;
  const { reason = thrown.message, hint = null, details } = thrown.details;
  const position = isObject(details) ? Number(own(details, 'position') ?? 1) : 1;
  const [, message = reason, found = null] =
    /^(.*?), at character \d+(?: \(found ([\s\S]*)\))?$/.exec(reason) ?? [];
  report(here, range(position), { message, hint, found });
  return position;
}

function report(here: Here, range: Range, words: Words): void {
  const secret = here.isSecret(here.at);
  const told = secret
    ? {
        message: 'this is no reference that can be followed',
        hint: 'where a secret holds ${ as it is, write $${',
      }
    : words;
  here.report({ ...placed(here, range), ...told, secret });
}

function placed({ at }: Here, range: Range): Pick<Finding, 'path' | 'part' | 'range' | 'code'> {
  return { path: at, part: 'value', range, code: 'GLZ1006' };
}
