import type { TaskBody, TaskSpec } from '../../core/records.ts';
import type { Values } from './rows.ts';

/** The columns of a body, in the order `taskBody` reads them. `b` is the row of the log that introduced the task. */
export const BODY_COLUMNS = 'b.name, b.shape, b.hash, b.wiring, b.text';
/** The same without the text of the params. */
export const bareBodyColumns = 'b.name, b.shape, b.hash, b.wiring, NULL';

/** What many tasks have in common, kept once for all of them. */
export type Shape = Omit<TaskSpec, 'name' | 'dependencies' | 'traceparent'>;

/** How a task is connected to others of its run, and to the trace of whoever submitted it. */
export type Wiring = Pick<TaskBody, 'dependents' | 'inputs' | 'uses_input'> &
  Pick<TaskSpec, 'dependencies' | 'traceparent'>;

const unconnected: Wiring = { dependencies: [], dependents: [], inputs: {}, uses_input: false };

export function wiringOf(text: unknown): Wiring {
  return typeof text === 'string' ? (JSON.parse(text) as Wiring) : unconnected;
}

/** Null for a task that stands by itself. */
export function wiringText({
  spec: { dependencies, traceparent },
  dependents,
  inputs,
  uses_input,
}: TaskBody): string | null {
  const traced = traceparent === undefined ? {} : { traceparent };
  if (dependencies.length === 0 && dependents.length === 0 && !uses_input && isEmpty(inputs))
    return traceparent === undefined ? null : JSON.stringify({ ...unconnected, ...traced } satisfies Wiring);
  return JSON.stringify({ dependencies, dependents, inputs, uses_input, ...traced } satisfies Wiring);
}

function isEmpty(record: object): boolean {
  for (const _ in record) return false;
  return true;
}

/** `values` from `at` on are the columns of a body; `params` is their text, wherever it lies. */
export function taskBody(
  task_id: string,
  values: Values,
  { at, shape, params }: { at: number; shape: Shape; params: string },
): TaskBody {
  const { dependencies, dependents, inputs, uses_input, traceparent } = wiringOf(values[at + 3]);
  const known = { name: values[at] as string, ...shape, dependencies };
  const spec = traceparent === undefined ? known : { ...known, traceparent };
  return { task_id, spec, params, params_hash: values[at + 2] as string, dependents, inputs, uses_input };
}
