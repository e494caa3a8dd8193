import { AGENT_METHOD, AGENT_PROTOCOL } from '../../core/agent.ts';
import { isObject, type JsonObject, own } from '../../core/json.ts';
import { didYouMean } from '../../core/suggest.ts';
import { oneOf } from '../describe.ts';
import type { Path } from '../path.ts';
import type { Call, CallParts } from './call.ts';
import { type ReadCall, refuseArguments } from './function-task.ts';

const called: Readonly<Record<string, string>> = { protocol: AGENT_PROTOCOL, method: AGENT_METHOD };
const elsewhere = ['type', 'function'];

export function isAgentTask(raw: JsonObject): boolean {
  return own(raw, 'agent') !== undefined;
}

/** A task that names the agent it is for. What it is told may stand under `input`, also as text alone. */
export function readAgent(raw: JsonObject, at: Path, parts: CallParts): ReadCall {
  const name = own(raw, 'agent');
  refuseArguments(raw, at, parts);
  for (const key of [...Object.keys(called), ...elsewhere]) {
    const said = own(raw, key);
    if (said === undefined || said === called[key]) continue;
    const message = 'stands beside agent, which says what is called';
    parts.report({ path: [...at, key], part: 'key', message, hint: 'leave one of them out' });
  }
  const rest = Object.fromEntries(Object.entries(raw).filter(([key]) => !readHere.includes(key)));
  const path = [...at, 'agent'];
  const call: Call | null =
    typeof name === 'string' && name.trim() !== ''
      ? {
          protocol: AGENT_PROTOCOL,
          method: AGENT_METHOD,
          protocol_at: path,
          method_at: path,
          agent: name,
        }
      : null;
  return { call, rest, ...argsOf(raw, at, parts) };
}

const readHere = ['agent', 'input', ...Object.keys(called), ...elsewhere];

function argsOf(raw: JsonObject, at: Path, { report }: CallParts): Pick<ReadCall, 'args'> {
  const input = own(raw, 'input');
  if (input === undefined || input === null) return {};
  const path = [...at, 'input'];
  for (const key of ['params', 'parameters'].filter((one) => own(raw, one) !== undefined)) {
    const message = `stands beside ${key} and means the same`;
    report({ path, part: 'key', message, hint: 'leave one of them out' });
  }
  if (typeof input === 'string') return { args: { value: { text: input }, at: path } };
  return isObject(input) ? { args: { value: input, at: path } } : {};
}

/** What only agents are told stands in a task that names none. */
export function refuseInput(raw: JsonObject, at: Path, { report }: CallParts): void {
  if (!Object.hasOwn(raw, 'input')) return;
  const message = 'is for tasks that name an agent';
  report({ path: [...at, 'input'], part: 'key', message, hint: 'write params, or agent: and its name' });
}

/** Whoever is for an agent that is not there is told, where it is known who is. */
export function checkAgent({ agent, protocol_at: path }: Call, { protocols, report }: CallParts): void {
  const known = protocols?.agents?.();
  if (agent === undefined || known === undefined || known.includes(agent)) return;
  const message = `no agent is called "${agent}"`;
  const hint = didYouMean(agent, known, 'registered agents');
  const said = { message, found: JSON.stringify(agent), expected: oneOf(known) };
  report({ path, part: 'value', ...said, hint, code: 'GLZ1014' });
}
