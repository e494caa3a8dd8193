import { AGENT_METHOD, AGENT_PROTOCOL } from './agent.ts';
import { type Fields, given, note, readName, readRequiredName } from './fields.ts';
import { isObject, type JsonObject, kindOf } from './json.ts';
import { child } from './json-pointer.ts';
import { toJson } from './json-safe.ts';
import { findReferences, type Reference } from './references.ts';

/** What a task calls: a method of a protocol, or the one agent that it names. */
export type TaskCall = {
  readonly protocol: string;
  readonly method: string;
  readonly agent?: string;
};

/** For people: `web-search/v1 search`, or `agent Translator`. */
export function showCall({
  protocol,
  method,
  agent = null,
}: Pick<TaskCall, 'protocol' | 'method'> & { readonly agent?: string | null }): string {
  return agent === null ? `${protocol} ${method}` : `agent ${agent}`;
}

export type TaskParams = { readonly params: JsonObject; readonly found: readonly Reference[] };

const noParams: TaskParams = { params: {}, found: [] };
const WHICH_HINT = 'write agent: and its name instead of protocol and method';

export function readCall(fields: Fields): TaskCall {
  if (given(fields, 'agent') === undefined) return readMethodCall(fields);
  for (const [key, word] of [
    ['protocol', AGENT_PROTOCOL],
    ['method', AGENT_METHOD],
  ] as const) {
    const said = given(fields, key);
    if (said !== undefined && said !== word)
      note(fields, key, 'stands beside agent, which says what is called', 'leave one of them out');
  }
  return { protocol: AGENT_PROTOCOL, method: AGENT_METHOD, agent: readName(fields, 'agent', '') };
}

function readMethodCall(fields: Fields): TaskCall {
  const protocol = readRequiredName(fields, 'protocol');
  if (protocol === AGENT_PROTOCOL)
    note(fields, 'agent', 'is missing: nothing says which agent is meant', WHICH_HINT);
  if (given(fields, 'input') !== undefined)
    note(fields, 'input', 'is for tasks that name an agent', 'write params');
  return { protocol, method: readRequiredName(fields, 'method') };
}

/** What is sent: `params`, which tasks for agents may call `input`. Text alone is what an agent is told. */
export function readParams(fields: Fields, { agent }: TaskCall): TaskParams {
  const key = agent !== undefined && given(fields, 'input') !== undefined ? 'input' : 'params';
  if (key === 'input' && given(fields, 'params') !== undefined)
    note(fields, 'input', 'stands beside params and means the same', 'leave one of them out');
  const value = given(fields, key);
  if (value === undefined) return noParams;
  const at = child(fields.at, key);
  try {
    const json = toJson(value, fields.code, at);
    const params = key === 'input' && typeof json === 'string' ? { text: json } : json;
    if (isObject(params)) return { params, found: findReferences(params, at) };
    const hint = key === 'input' ? 'give text, or every part its name' : 'give every param its name';
    note(fields, key, `must be an object, not ${kindOf(params)}`, hint);
  } catch (thrown) {
    fields.problems.addThrown(thrown);
  }
  return noParams;
}
