import { GleitzeitError } from '../../core/errors.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { followPath } from '../../core/reference-path.ts';
import { showSegment } from '../../core/reference-source.ts';
import { type Operand, parseTemplate, type Segment } from '../../core/reference-syntax.ts';

/** What a text of the configuration can refer to. */
export type CallScope = { readonly params: JsonObject; readonly call: JsonObject };

/** A text of the configuration with `${params.x}` and `${call.method}` in it. */
export type Template = {
  /** It is one reference and nothing else: what it leads to keeps its type. */
  readonly whole: boolean;
  /** Its first characters come from the call. */
  readonly opens: boolean;
  /** Nothing is filled in. */
  readonly constant: boolean;
  fill(scope: CallScope): Json;
};

/** Throws GLZ1012 for what cannot be filled in here. */
export function readCallTemplate(text: string, field: string): Template {
  const parts = partsOf(text, field);
  for (const part of parts) if (typeof part !== 'string') for (const operand of part) check(operand, field);
  const [first] = parts;
  const whole = parts.length === 1 && typeof first === 'object';
  return {
    whole,
    opens: typeof first === 'object',
    constant: parts.every((part) => typeof part === 'string'),
    fill: (scope) =>
      whole
        ? resolve(first, scope, field)
        : parts
            .map((part) => (typeof part === 'string' ? part : render(resolve(part, scope, field))))
            .join(''),
  };
}

function partsOf(text: string, field: string) {
  try {
    return parseTemplate(text, field);
  } catch (thrown) {
    const { message, details } = GleitzeitError.from(thrown);
    throw new GleitzeitError('GLZ1012', message, { ...details, field });
  }
}

function check(operand: Operand, field: string): void {
  if (operand.kind === 'literal' || operand.head === 'params' || operand.head === 'call') return;
  const reason = `\${${operand.head}…} cannot be filled in here`;
  const hint =
    operand.head === 'secrets'
      ? 'everybody on the machine can read the arguments of a program: hand secrets over in env'
      : 'only ${params.name} and ${call.method} can';
  throw new GleitzeitError('GLZ1012', `${field}: ${reason}`, { field, reason, hint });
}

/** A string as it is, nothing for null, everything else as JSON. */
export function render(value: Json): string {
  if (typeof value === 'string') return value;
  return value === null ? '' : JSON.stringify(value);
}

function resolve(operands: readonly Operand[], scope: CallScope, field: string): Json {
  let gap: { readonly head: string; readonly path: readonly Segment[] } | null = null;
  for (const operand of operands) {
    if (operand.kind === 'literal') return operand.value;
    const { head, path } = operand;
    const { value } = followPath(head === 'params' ? scope.params : scope.call, path);
    if (value !== undefined && value !== null) return value;
    gap = value === undefined ? { head, path } : null;
  }
  if (gap === null) return null;
  const reason = `there is no ${gap.head}${gap.path.map(showSegment).join('')}`;
  throw new GleitzeitError('GLZ2006', `${field}: ${reason}`, {
    field,
    reason,
    hint: 'where it may be missing, give a default in the configuration: ${params.name ?? null}',
  });
}
