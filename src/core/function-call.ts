import type { ErrorCode } from './error-codes.ts';
import { isObject, type Json, type JsonObject, kindOf, own } from './json.ts';
import { child } from './json-pointer.ts';
import { fillNamed } from './named-parts.ts';
import { Problems } from './problems.ts';
import { didYouMean } from './suggest.ts';

/** What a task of an earlier generation that names a function calls today. */
export type FunctionMapping = {
  readonly protocol: string;
  readonly method: string;
  /** `${args.name}` stands for arguments. Without it the arguments themselves are the params. */
  readonly params?: JsonObject | undefined;
};

export type Functions = Readonly<Record<string, FunctionMapping>>;

/** A task that names a function, and where it says so. */
export type FunctionCall = {
  readonly name: string;
  readonly name_at: readonly string[];
  readonly args: JsonObject;
  readonly args_at: readonly string[];
};

/** Why there is no call; `at` is the way to what is wrong inside the task. */
export type FunctionTrouble = {
  readonly at: readonly string[];
  readonly reason: string;
  readonly hint: string;
  readonly code: ErrorCode;
};

/** Where earlier generations put arguments. */
const argumentKeys = ['args', 'arguments', 'parameters', 'params'];
/** Everything that says which function is called with what. */
export const functionKeys: readonly string[] = ['type', 'function', ...argumentKeys];

export function isFunctionTask(task: JsonObject): boolean {
  return own(task, 'type') === 'function' || Object.hasOwn(task, 'function');
}

/** `{type: function, function: web_search, args: {…}}`, or with the name of the function among the arguments. */
export function readFunctionCall(task: JsonObject): FunctionCall | FunctionTrouble {
  for (const key of ['protocol', 'method'])
    if (Object.hasOwn(task, key))
      return trouble([key], 'stands beside a function', 'a task calls a method or a function: leave one out');
  const type = own(task, 'type');
  if (type !== undefined && type !== 'function')
    return trouble(['type'], 'must be function, or be left out', 'write type: function');
  const [key = 'args', another] = argumentKeys.filter((one) => (own(task, one) ?? null) !== null);
  if (another !== undefined)
    return trouble([another], `stands beside ${key} and means the same`, 'leave one of them out');
  const given = own(task, key) ?? {};
  if (!isObject(given))
    return trouble([key], `must be an object, not ${kindOf(given)}`, 'give every argument its name');
  return named(task, given as JsonObject, key);
}

function named(task: JsonObject, given: JsonObject, key: string): FunctionCall | FunctionTrouble {
  const among = !Object.hasOwn(task, 'function');
  const { function: inner, ...rest } = given;
  const name: unknown = among ? inner : own(task, 'function');
  const name_at = among && inner !== undefined ? [key, 'function'] : ['function'];
  if (typeof name !== 'string' || name.trim() === '') {
    const reason = name === undefined ? 'is missing' : 'must be the name of a function';
    return trouble(name_at, reason, 'write function: web_search');
  }
  return { name, name_at, args: among ? rest : given, args_at: [key] };
}

export function findFunction(
  { name, name_at }: FunctionCall,
  functions: Functions,
): FunctionMapping | FunctionTrouble {
  const found = own(functions, name) as FunctionMapping | undefined;
  if (found !== undefined) return found;
  const known = Object.keys(functions);
  const hint =
    known.length === 0
      ? 'write under functions in the configuration which protocol and method it is'
      : didYouMean(name, known, 'functions of the configuration');
  return { at: name_at, reason: `no function is called "${name.slice(0, 80)}"`, hint, code: 'GLZ1004' };
}

export function isTrouble<Found extends object>(found: Found | FunctionTrouble): found is FunctionTrouble {
  return Object.hasOwn(found, 'reason');
}

/** The params of the method, from the arguments of the function. */
export function paramsOf({ params }: FunctionMapping, args: JsonObject): JsonObject {
  return params === undefined ? args : fillNamed(params, { word: 'args', values: args });
}

/** A workflow whose tasks name methods only. What is none is somebody else's to refuse. */
export function renewWorkflow(workflow: unknown, functions: Functions): unknown {
  if (!isObject(workflow)) return workflow;
  const tasks = own(workflow, 'tasks');
  if (!Array.isArray(tasks) || !tasks.some((task) => isObject(task) && isFunctionTask(task))) return workflow;
  const problems = new Problems();
  const renewed = tasks.map((task: Json, index) => {
    const read = renew(task, functions);
    if (isRenewed(read)) return read.task;
    const { at, reason, hint, code } = read;
    problems.add(code, { field: at.reduce(child, `/tasks/${index}`), reason, hint });
    return task;
  });
  problems.throwIfAny();
  return { ...workflow, tasks: renewed };
}

/** The same for a task that is sent alone. */
export function renewTask(task: unknown, functions: Functions): unknown {
  const read = renew(task, functions);
  if (isRenewed(read)) return read.task;
  const problems = new Problems();
  problems.add(read.code, { field: read.at.reduce(child, ''), reason: read.reason, hint: read.hint });
  return problems.throwIfAny();
}

type Renewed = { readonly task: unknown };

function isRenewed(read: Renewed | FunctionTrouble): read is Renewed {
  return 'task' in read;
}

function renew(task: unknown, functions: Functions): Renewed | FunctionTrouble {
  if (!isObject(task) || !isFunctionTask(task)) return { task };
  const call = readFunctionCall(task);
  if (isTrouble(call)) return call;
  const mapping = findFunction(call, functions);
  if (isTrouble(mapping)) return mapping;
  const others = Object.entries(task).filter(([key]) => !functionKeys.includes(key));
  const { protocol, method } = mapping;
  return { task: { ...Object.fromEntries(others), protocol, method, params: paramsOf(mapping, call.args) } };
}

function trouble(at: readonly string[], reason: string, hint: string): FunctionTrouble {
  return { at, reason, hint, code: 'GLZ1001' };
}
