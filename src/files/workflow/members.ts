import { isFunctionTask } from '../../core/function-call.ts';
import { isObject, type Json, type JsonObject, own } from '../../core/json.ts';
import type { Path } from '../path.ts';
import { isAgentTask, readAgent, refuseInput } from './agent-task.ts';
import { type Call, type CallParts, readCall } from './call.ts';
import { type ReadCall, readFunction, refuseArguments } from './function-task.ts';
import { type Renewed, renewTask } from './older.ts';

/** A task as it is written, and as it is meant. */
export type Member = {
  readonly at: Path;
  /** What others know it by; null where it has neither id nor name. */
  readonly id: string | null;
  readonly id_at: Path;
  readonly call: Call | null;
  /** As written: references have not been touched. */
  readonly params: JsonObject;
  readonly params_at: Path;
  readonly dependencies: readonly Dependency[];
  /** In today's words, but for what it calls and its references. */
  readonly renewed: Renewed;
};

export type Dependency = { readonly id: string; readonly at: Path };

/** Every item of the list that is a mapping; of the others somebody has been told. */
export function readMembers(
  value: JsonObject,
  known: readonly string[],
  parts: CallParts,
): readonly Member[] {
  const tasks = own(value, 'tasks');
  if (!Array.isArray(tasks)) return [];
  return tasks.flatMap((raw: Json, index) =>
    isObject(raw) ? [readMember(raw, ['tasks', index], known, parts)] : [],
  );
}

export function readMember(raw: JsonObject, at: Path, known: readonly string[], parts: CallParts): Member {
  const read = readAny(raw, at, parts);
  const renewed = renewTask(read.rest, at, known, parts);
  const { id, name, params } = renewed.value;
  const named = typeof id === 'string' ? id : typeof name === 'string' ? name : null;
  return {
    at,
    id: named,
    id_at: [...at, typeof id === 'string' ? 'id' : 'name'],
    call: read.call,
    params: read.args?.value ?? (isObject(params) ? params : {}),
    params_at: read.args?.at ?? renewed.from['params'] ?? [...at, 'params'],
    dependencies: ['dependencies', 'needs'].flatMap((key) => dependenciesIn(renewed, key)),
    renewed,
  };
}

function readAny(raw: JsonObject, at: Path, parts: CallParts): ReadCall {
  if (isAgentTask(raw)) return readAgent(raw, at, parts);
  refuseInput(raw, at, parts);
  return isFunctionTask(raw) ? readFunction(raw, at, parts) : readMethod(raw, at, parts);
}

function readMethod(raw: JsonObject, at: Path, parts: CallParts): ReadCall {
  refuseArguments(raw, at, parts);
  return { call: readCall(raw, at, parts), rest: raw };
}

function dependenciesIn({ value, from }: Renewed, key: string): Dependency[] {
  const list = value[key];
  const at = from[key];
  if (!Array.isArray(list) || at === undefined) return [];
  return list.flatMap((id: Json, index) => (typeof id === 'string' ? [{ id, at: [...at, index] }] : []));
}
