import { GleitzeitError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { type CallScope, readCallTemplate, render, type Template } from './template.ts';

export type Command = readonly [string, ...string[]];

/** A program and its arguments as a configuration writes them, with what each call fills in. */
export type CommandTemplate = (scope: CallScope) => Command;

/**
 * Each element is filled for itself and stays one argument, whatever it holds; only a list becomes several, and null none.
 * A program is never chosen by a call.
 */
export function readCommand(command: readonly string[], field: string): CommandTemplate {
  const [program = '', ...rest] = command;
  if (program === '') throw wrong(`${field}/0`, 'must not be empty');
  if (!readCallTemplate(program, `${field}/0`).constant)
    throw wrong(`${field}/0`, 'the program cannot be filled in by a call');
  const end = rest.indexOf('--');
  const readers = rest.map((text, index) => {
    const at = `${field}/${index + 1}`;
    return argumentReader(readCallTemplate(text, at), { at, afterOptions: end !== -1 && index > end });
  });
  const name = String(readCallTemplate(program, field).fill({ params: {}, call: {} }));
  return (scope) => [name, ...readers.flatMap((read) => read(scope))];
}

type Place = { readonly at: string; readonly afterOptions: boolean };

function argumentReader(template: Template, place: Place): (scope: CallScope) => string[] {
  return (scope) => {
    const value = template.fill(scope);
    const values = template.whole ? argumentsIn(value) : [value];
    return values.map((one) => checked(one, template, place));
  };
}

function argumentsIn(value: Json): readonly Json[] {
  if (value === null) return [];
  return Array.isArray(value) ? value : [value];
}

/** Whoever writes a task must not be able to give a program options that its operator did not. */
function checked(value: Json, { opens }: Template, { at, afterOptions }: Place): string {
  const text = render(value);
  const reason = text.includes('\0')
    ? 'holds a zero byte'
    : opens && !afterOptions && typeof value === 'string' && text.startsWith('-')
      ? 'begins with "-" and would be taken for an option'
      : null;
  if (reason === null) return text;
  const hint = 'put "--" before it in the command, or write it as part of an option: --name=${params.name}';
  throw new GleitzeitError('GLZ2010', `${at}: what the task fills in ${reason}`, { field: at, reason, hint });
}

function wrong(field: string, reason: string): GleitzeitError {
  return new GleitzeitError('GLZ1012', `${field}: ${reason}`, { field, reason });
}
