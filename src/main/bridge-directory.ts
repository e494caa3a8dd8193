import type { AgentTask } from '../bridge/messages/agent-task.ts';
import type { Callee, Directory } from '../bridge/service/parts.ts';
import { type Config, serviceOf } from '../config.ts';
import {
  AGENT_METHOD,
  AGENT_PROTOCOL,
  type AgentEntry,
  agentDefaults,
  agentProviderId,
  taskRetryOf,
} from '../core/agent.ts';
import { defaultRetry, type RetryConfig } from '../core/retry.ts';
import type { Agents } from '../registry/agents.ts';
import { typeOf } from './agent-service.ts';

export type DirectoryParts = {
  readonly config: () => Config;
  readonly agents: Pick<Agents, 'get' | 'find'>;
};

/** Types whose calls leave nothing behind that another one could go on from; asking for it would only take time. */
const forgetful: readonly string[] = ['simple-a2a', 'jsonrpc-http', 'jsonrpc-websocket', 'graphql', 'grpc'];

/** Who is meant by messages: agents of the registry, and providers of the configuration. */
export function bridgeDirectory({ config, agents }: DirectoryParts): Directory {
  const find = (task: AgentTask): Callee | null => {
    const name = agentOf(task);
    const entry = name === null ? undefined : agents.get(name);
    if (entry !== undefined) return agentCallee(config(), entry, task);
    return task.ours === null ? null : providerCallee(config(), task.ours);
  };
  return {
    find,
    lookFor: async (task) => {
      const name = agentOf(task);
      if (name !== null) await agents.find(name);
      return find(task);
    },
  };
}

/** Null where a provider of the configuration is meant. */
function agentOf({ agent_name, ours }: AgentTask): string | null {
  if (ours === null) return agent_name;
  return ours.provider === agentProviderId(agent_name, ours.protocol) ? agent_name : null;
}

function agentCallee({ bridge }: Config, entry: AgentEntry, { ours }: AgentTask): Callee {
  const protocol = ours?.protocol ?? AGENT_PROTOCOL;
  const type = typeOf(entry.protocol)?.type ?? entry.protocol;
  return {
    ...{ provider: agentProviderId(entry.name, protocol), protocol, method: ours?.method ?? AGENT_METHOD },
    ...{ agent: entry.name, dialect: entry.protocol, keeps: !forgetful.includes(type) },
    timeout_ms: timeoutOf(bridge, entry),
    retry: retryOf(bridge, entry),
  };
}

type Settings = Config['bridge'];

/** An entry is always complete: what is as it is by default was hardly meant by anybody. */
function timeoutOf({ http_timeout }: Settings, { timeout }: AgentEntry): number {
  return http_timeout !== undefined && timeout === agentDefaults.timeout ? http_timeout * 1000 : timeout;
}

function retryOf({ max_retries }: Settings, { retry_config }: AgentEntry): RetryConfig {
  const usual = retry_config.max_retries === agentDefaults.retry_config.max_retries;
  if (max_retries === undefined || !usual) return taskRetryOf({ retry_config });
  return taskRetryOf({ retry_config: { ...retry_config, max_retries } });
}

type OwnTask = NonNullable<AgentTask['ours']>;

function providerCallee(
  { protocols }: Config,
  { provider, protocol, method, timeout_ms }: OwnTask,
): Callee | null {
  const found = protocols.find(({ name }) => name === protocol)?.providers.find(({ id }) => id === provider);
  if (found === undefined) return null;
  const { type } = serviceOf(found);
  const keeps = !forgetful.includes(type);
  return {
    provider,
    protocol,
    method,
    agent: provider,
    dialect: type,
    keeps,
    timeout_ms,
    retry: defaultRetry,
  };
}
