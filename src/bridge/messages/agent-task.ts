import { AGENT_PROTOCOL, agentProviderId } from '../../core/agent.ts';
import { type AttemptName, correlationId } from '../../core/attempt-name.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { OutgoingCall } from '../../core/ports/dispatch.ts';
import type { Provider } from '../../core/ports/provider.ts';
import { readTraceparent } from '../../core/trace-context.ts';
import { Type } from '../../type.ts';
import type { Message } from '../broker.ts';
import { checkerOf, parseMessage, type Reader, unreadable } from './read.ts';
import {
  AnyObject,
  Anything,
  attemptMembers,
  attemptName,
  Milliseconds,
  Name,
  OptionalText,
  Text,
  writtenName,
} from './shapes.ts';
import { readTime, writeTime } from './time.ts';

/** A call that somebody else is to make. */
export type AgentTask = {
  readonly run_id: string;
  readonly task_id: string;
  /** An agent of the registry by its name, or the id of a provider. */
  readonly agent_name: string;
  /** Secrets in it are sealed where the task is ours; one of somebody else's has none that could be opened. */
  readonly input_data: JsonObject;
  readonly correlation_id: string;
  /** When it was written, by its writer's clock; null where that is not told. */
  readonly at_ms: number | null;
  /** Null: another executor wrote it, who does not try again by himself. */
  readonly ours: OwnTask | null;
};

/** What tasks of our engines say besides. */
export type OwnTask = {
  readonly name: AttemptName;
  /** The id of the provider that was chosen: agents of the registry and other providers may share a name. */
  readonly provider: string;
  readonly protocol: string;
  readonly method: string;
  readonly call_id: string;
  readonly workflow_id: string | null;
  /** From when the call is made. */
  readonly timeout_ms: number;
  /** Wall time after which nobody waits for an answer. */
  readonly expires_at_ms: number;
  /** Who wants the news. */
  readonly engine: string;
  /** Whether anything in it is secret; told again with its result. */
  readonly secrets: boolean;
  readonly traceparent: string | null;
  readonly kept: Json | undefined;
  /** With secrets sealed, as params. */
  readonly response: Json | undefined;
  /** The token is sealed. */
  readonly callback: { readonly url: string; readonly token: Json } | null;
};

const Foreign = Type.Object({
  run_id: Name,
  task_id: Name,
  agent_name: Name,
  input_data: AnyObject,
  correlation_id: Name,
  timestamp: OptionalText,
  engine: Type.Optional(Anything),
});

const Ours = Type.Object({
  ...attemptMembers,
  run_id: Name,
  agent_name: Name,
  input_data: AnyObject,
  correlation_id: Name,
  timestamp: Text,
  provider: Name,
  protocol: Name,
  method: Name,
  call_id: Name,
  max_attempts: Type.Literal(1),
  timeout_ms: Milliseconds,
  expires_at: Text,
  engine: Name,
  secrets: Type.Optional(Type.Boolean()),
  traceparent: OptionalText,
  kept: Type.Optional(Anything),
  response: Type.Optional(Anything),
  callback: Type.Optional(Type.Object({ url: Text, token: Anything })),
});

const message = 'AgentTask';
const asForeign = checkerOf(message, Foreign);
const asOurs = checkerOf(`${message} of an engine`, Ours);

/** One that names an engine is ours, and has to be whole. */
export const readAgentTask: Reader<AgentTask> = (bytes) => {
  const value = parseMessage(bytes, message);
  const { run_id, task_id, agent_name, input_data, correlation_id, timestamp, engine } = asForeign(value);
  const at_ms = typeof timestamp === 'string' ? readTime(timestamp, { message, field: '/timestamp' }) : null;
  const task = { run_id, task_id, agent_name, input_data, correlation_id, at_ms };
  return { ...task, ours: engine === undefined ? null : readOwn(value) };
};

function readOwn(value: Json): OwnTask {
  const read = asOurs(value);
  const name = attemptName(read);
  if (read.correlation_id !== correlationId(name))
    throw unreadable(message, { field: '/correlation_id', reason: 'does not fit task_id and attempt' });
  const { provider, protocol, method, call_id, timeout_ms, engine, secrets = false } = read;
  const { kept, response, callback } = read;
  return {
    ...{ name, provider, protocol, method, call_id, timeout_ms, engine, secrets, kept, response },
    workflow_id: read.run_id === read.task_id ? null : read.run_id,
    expires_at_ms: readTime(read.expires_at, { message, field: '/expires_at' }),
    traceparent: readTraceparent(read.traceparent),
    callback: callback ?? null,
  };
}

/** What only the sender knows. */
export type Sending = {
  readonly engine: string;
  readonly now_ms: number;
  readonly expires_at_ms: number;
};

/** An agent of the registry goes by its own name, whatever it is called for. */
function agentName({ id, protocol }: Provider): string {
  const { length } = agentProviderId('');
  const suffix = protocol === AGENT_PROTOCOL ? '' : `@${protocol}`;
  const isAgent = id.startsWith(agentProviderId('')) && id.endsWith(suffix);
  return isAgent ? id.slice(length, id.length - suffix.length) : id;
}

/** Keyed by its run, as existing producers do. */
export function writeAgentTask(provider: Provider, call: OutgoingCall, sending: Sending): Message {
  const { params, response, callback, secrets } = call.sealed();
  const run_id = call.workflow_id ?? call.task_id;
  const { task_id, generation, attempt, method, call_id, traceparent, kept } = call;
  const head = JSON.stringify({
    run_id,
    ...writtenName({ task_id, generation, attempt }),
    agent_name: agentName(provider),
    correlation_id: correlationId({ task_id, generation, attempt }),
    timestamp: writeTime(sending.now_ms),
    provider: provider.id,
    protocol: provider.protocol,
    ...{ method, call_id, max_attempts: 1, timeout_ms: call.timeout_ms },
    expires_at: writeTime(sending.expires_at_ms),
    engine: sending.engine,
    ...(secrets ? { secrets } : {}),
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(kept === undefined ? {} : { kept }),
    ...(callback === null ? {} : { callback }),
  });
  // These are JSON texts already: they are put in as they are.
  const texts = `,"input_data":${params}${response === null ? '' : `,"response":${response}`}}`;
  const open = head.slice(0, -1);
  return { key: run_id, value: open + texts, stub: `${open},"input_data":{}}` };
}
