import { GleitzeitError } from './errors.ts';
import type { Json } from './json.ts';
import type { Operand, PathOperand, Segment } from './reference-syntax.ts';
import { parseTemplate } from './reference-syntax.ts';

/** Whose data a reference reads: the result of a task of the same run, or the run's input. */
export type Source = { readonly kind: 'task'; readonly id: string } | { readonly kind: 'input' };

export type ReadStep = {
  readonly kind: 'read';
  readonly source: Source;
  readonly path: readonly Segment[];
};
export type Step = ReadStep | { readonly kind: 'literal'; readonly value: Json };

/** Literal text, or what one `${…}` tries in turn. */
export type TemplatePart = string | readonly Step[];

/** Words that name something else than a task wherever `${…}` is written. */
export const reservedIds: readonly string[] = ['workflow', 'secrets', 'params', 'env', 'input'];

const PATH_SHOWN = 24;
const KEY_SHOWN = 40;
const identifier = /^[\p{L}\p{M}\p{N}_$@:/#~%-]+$/u;

export function readTemplate(text: string, at: string): readonly TemplatePart[] {
  return parseTemplate(text, at).map((part) =>
    typeof part === 'string' ? part : part.map((operand) => readOperand(operand, at)),
  );
}

/** What an operand means. Throws GLZ1006 with its position for one that means nothing. */
export function readOperand(operand: Operand, at: string): Step {
  if (operand.kind === 'literal') return operand;
  const { head, path } = operand;
  if (head === 'workflow') return ofInput(operand, at);
  if (reservedIds.includes(head)) return refuse(operand, at, `"${head}" is no task`, reservedHint(operand));
  if (path[0] !== 'result' && path[0] !== 'output') {
    const meant = showReference({ kind: 'task', id: head }, path);
    const hint = `write ${meant} for the task's result, or $\${ where you mean a literal \${`;
    return refuse(operand, at, `"result" must follow the task's id "${head}"`, hint);
  }
  return { kind: 'read', source: { kind: 'task', id: head }, path: path.slice(1) };
}

function ofInput(operand: PathOperand, at: string): Step {
  if (operand.path[0] === 'input')
    return { kind: 'read', source: { kind: 'input' }, path: operand.path.slice(1) };
  return refuse(operand, at, 'of the workflow only the input can be read', `write \${workflow.input.key}`);
}

function reservedHint({ head, path }: PathOperand): string {
  if (head === 'input') return `write ${showReference({ kind: 'input' }, path)}`;
  return `\${${head}.…} belongs into the configuration of a provider, where it is filled per call`;
}

function refuse(operand: PathOperand, at: string, reason: string, hint: string): never {
  const position = operand.start + 1;
  const full = `${reason}, at character ${position}`;
  throw new GleitzeitError('GLZ1006', `${at || 'reference'}: ${full}`, {
    field: at,
    reason: full,
    hint,
    details: { position, found: operand.head },
  });
}

/** A reference as one would write it, cut where it is long. */
export function showReference(source: Source, path: readonly Segment[]): string {
  const head = source.kind === 'input' ? 'workflow.input' : `${showHead(source.id)}.result`;
  const more = path.length > PATH_SHOWN ? '…' : '';
  return `\${${head}${path.slice(0, PATH_SHOWN).map(showSegment).join('')}${more}}`;
}

function showHead(id: string): string {
  return /^[\p{L}\p{M}\p{N}_ -]+$/u.test(id) ? id : JSON.stringify(id);
}

export function showSegment(segment: Segment): string {
  if (typeof segment === 'number') return `[${segment}]`;
  return identifier.test(segment) ? `.${shorten(segment)}` : `[${JSON.stringify(shorten(segment))}]`;
}

export function shorten(key: string): string {
  return key.length > KEY_SHOWN ? `${key.slice(0, KEY_SHOWN)}…` : key;
}
