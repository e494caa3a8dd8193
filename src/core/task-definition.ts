import {
  type Fields,
  given,
  nameTrouble,
  note,
  openFields,
  readDuration,
  readName,
  readWord,
} from './fields.ts';
import { type JsonObject, kindOf } from './json.ts';
import { child } from './json-pointer.ts';
import { type Priority, priorities } from './priority.ts';
import { Problems } from './problems.ts';
import { reservedIds } from './references.ts';
import type { RetryConfig } from './retry.ts';
import { readRetry } from './retry-definition.ts';
import { readCall, readParams } from './task-call.ts';

/** A task as somebody defined it, checked and with every default filled in. */
export type TaskDefinition = {
  /** Short id inside the workflow. A lone task that brought none has its name or else its method here. */
  readonly id: string;
  readonly name: string;
  readonly protocol: string;
  readonly method: string;
  readonly params: JsonObject;
  /** Short ids: those listed, then those implied by references; each once. */
  readonly dependencies: readonly string[];
  /** Short ids of the tasks whose results its params read. */
  readonly references: readonly string[];
  readonly uses_input: boolean;
  readonly priority: Priority;
  readonly retry_config: RetryConfig;
  /** Seconds per attempt. */
  readonly timeout: number;
  /** Seconds for the whole task from when it was first queued, all attempts and waits. */
  readonly total_timeout: number | null;
  /** What becomes of those that depend on it when it fails: skipped, or run without its result. */
  readonly on_failure: 'skip' | 'continue';
  /** The one agent that is to do it. */
  readonly agent?: string;
  /** What a task for an agent does not say: the agent's entry does. */
  readonly left_to_agent?: readonly LeftToAgent[];
};

export type LeftToAgent = 'retry_config' | 'timeout';

/** Where a task names another one. */
export type Link = { readonly id: string; readonly field: string };
/** `at` is the JSON pointer of the task. */
export type ReadTask = {
  readonly task: TaskDefinition;
  readonly links: readonly Link[];
  readonly at: string;
};

const keys = [
  'id',
  'name',
  'protocol',
  'method',
  'params',
  'agent',
  'input',
  'dependencies',
  'needs',
  'priority',
  'retry_config',
  'timeout',
  'total_timeout',
  'on_failure',
];
const failureWords = ['skip', 'continue'] as const;

const DEFAULT_TIMEOUT = 30;
/** Timers count in milliseconds. */
const SHORTEST = 0.001;
const LONE_HINT = 'tasks that depend on each other are submitted together, as a workflow';

/** A task submitted alone. `where` is the JSON pointer of the task in what was sent, for the errors. */
export function parseTask(input: unknown, where = ''): TaskDefinition {
  const problems = new Problems();
  const fields = openFields(input, keys, { at: where, code: 'GLZ1001', problems });
  const read = fields && readTask(fields);
  for (const { field } of read?.links ?? []) {
    problems.add('GLZ1001', {
      field,
      reason: 'a task submitted alone cannot depend on another',
      hint: LONE_HINT,
    });
  }
  if (read?.task.uses_input) {
    const reason = 'a task submitted alone has no workflow input';
    problems.add('GLZ1001', { field: child(where, 'params'), reason, hint: 'write the value itself' });
  }
  problems.throwIfAny();
  return (read as ReadTask).task;
}

/** A task inside a workflow: it needs a name to be known by. */
export function readMember(input: unknown, place: Omit<Fields, 'object'>): ReadTask | undefined {
  const fields = openFields(input, keys, place);
  if (fields === undefined) return undefined;
  const named = given(fields, 'id') ?? given(fields, 'name');
  if (named === undefined) note(fields, 'id', 'is missing', 'inside a workflow a task needs an id or a name');
  const read = readTask(fields);
  if (reservedIds.includes(read.task.id)) {
    note(fields, 'id', `"${read.task.id}" cannot be a task's id`, `reserved are: ${reservedIds.join(', ')}`);
  }
  return read;
}

function readTask(fields: Fields): ReadTask {
  const name = readName(fields, 'name', null);
  const call = readCall(fields);
  const id = readId(fields) ?? name ?? call.agent ?? call.method;
  const { params, found } = readParams(fields, call);
  const links: Link[] = [];
  readDependencies(fields, 'dependencies', links);
  readDependencies(fields, 'needs', links);
  const listed = links.length;
  for (const { source, at } of found) if (source.kind === 'task') links.push({ id: source.id, field: at });
  const dependencies = idsOf(links, 0);
  const task: TaskDefinition = {
    id,
    name: name ?? id,
    protocol: call.protocol,
    method: call.method,
    params,
    dependencies,
    references: listed === 0 ? dependencies : idsOf(links, listed),
    uses_input: found.some(({ source }) => source.kind === 'input'),
    priority: readWord(fields, 'priority', priorities, 'normal'),
    retry_config: readRetry(fields),
    timeout: readDuration(fields, 'timeout', SHORTEST, DEFAULT_TIMEOUT),
    total_timeout: readDuration(fields, 'total_timeout', SHORTEST, null),
    on_failure: readWord(fields, 'on_failure', failureWords, 'skip'),
    ...(call.agent === undefined ? undefined : { agent: call.agent, left_to_agent: leftOut(fields) }),
  };
  return { task, links, at: fields.at };
}

const agentsSay: readonly LeftToAgent[] = ['retry_config', 'timeout'];

function leftOut(fields: Fields): readonly LeftToAgent[] {
  return agentsSay.filter((key) => given(fields, key) === undefined);
}

const NONE: readonly never[] = [];

/** Most tasks have one or two links; a Set for each would be most of what reading a large workflow costs. */
const FEW = 8;

function idsOf(links: readonly Link[], from: number): readonly string[] {
  if (links.length === from) return NONE;
  const all = links.slice(from).map((link) => link.id);
  return all.length > FEW ? [...new Set(all)] : all.filter((id, i) => all.indexOf(id) === i);
}

/** An id is what references are written with; a name that serves as one may hold anything and is quoted there. */
function readId(fields: Fields): string | undefined {
  const value = given(fields, 'id');
  if (value === undefined) return undefined;
  const trouble = nameTrouble(value);
  if (trouble !== undefined) note(fields, 'id', trouble);
  else if (!/^[\p{L}\p{M}\p{N}_ -]+$/u.test(String(value))) {
    note(fields, 'id', 'may hold letters, digits, "_", "-" and spaces', 'a title of any kind goes into name');
  }
  return String(value);
}

function readDependencies(fields: Fields, key: string, links: Link[]): void {
  const value = given(fields, key);
  if (value === undefined) return;
  if (!Array.isArray(value)) {
    note(fields, key, `must be a list of task ids, not ${kindOf(value)}`, 'write ["task-id"]');
    return;
  }
  const at = child(fields.at, key);
  for (const [i, id] of value.entries()) {
    if (typeof id === 'string') links.push({ id, field: child(at, i) });
    else note(fields, key, `must hold task ids, not ${kindOf(id)}`);
  }
}
