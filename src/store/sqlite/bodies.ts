import type { TaskBody, TaskSpec } from '../../core/records.ts';
import type { Values } from './rows.ts';

/** The columns of a body, in the order `taskBody` reads them. The text of the params comes last, wherever it lies. */
export const BODY_COLUMNS = `b.name, b.shape, b.uses_input, b.params_hash, b.dependencies, b.dependents, b.inputs,
  b.params`;
export const BODY_WIDTH = 8;

/** What many tasks have in common, kept once for all of them. */
export type Shape = Omit<TaskSpec, 'name' | 'dependencies'>;

const none: readonly string[] = [];
const nothing: Readonly<Record<string, string>> = {};

/** `values` from `at` on are the columns of a body; `params` stands in for what lies aside. */
export function taskBody(
  task_id: string,
  values: Values,
  { at, shape, params }: { at: number; shape: Shape; params: string },
): TaskBody {
  return {
    task_id,
    spec: { name: values[at] as string, ...shape, dependencies: listOf(values[at + 4] as string | null) },
    params,
    params_hash: values[at + 3] as string,
    dependents: listOf(values[at + 5] as string | null),
    inputs: inputsOf(values[at + 6] as string | null),
    uses_input: values[at + 2] === 1,
  };
}

function listOf(text: string | null): readonly string[] {
  return text === null ? none : (JSON.parse(text) as string[]);
}

export function listText(list: readonly string[]): string | null {
  return list.length === 0 ? null : JSON.stringify(list);
}

export function inputsOf(text: string | null): Readonly<Record<string, string>> {
  return text === null ? nothing : (JSON.parse(text) as Record<string, string>);
}

export function inputsText(inputs: Readonly<Record<string, string>>): string | null {
  for (const _ in inputs) return JSON.stringify(inputs);
  return null;
}
