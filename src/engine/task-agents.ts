import { type AgentEntry, agentProviderId, taskRetryOf } from '../core/agent.ts';
import type { TaskDefinition } from '../core/definition.ts';
import { GleitzeitError } from '../core/errors.ts';
import { isObject, own } from '../core/json.ts';
import type { KnownAgents } from '../core/ports/agents.ts';
import type { TaskSpec } from '../core/records.ts';
import { didYouMean } from '../core/suggest.ts';

export type AgentLookup = Pick<KnownAgents, 'get' | 'names'>;

/** Another engine may have registered one a moment ago: whom nobody here has heard of is looked for before it is refused. */
export async function seekAgents(agents: KnownAgents, names: readonly string[]): Promise<AgentLookup> {
  const found = new Map<string, AgentEntry>();
  for (const name of new Set(names)) {
    const agent = agents.get(name) ?? (await agents.find(name));
    if (agent !== undefined) found.set(name, agent);
  }
  return { get: (name) => found.get(name), names: () => agents.names() };
}

/** As they are written, before anybody has looked whether that is right. */
export function agentsIn(tasks: unknown): readonly string[] {
  if (!Array.isArray(tasks)) return [];
  return tasks.flatMap((task: unknown) => {
    const agent = isObject(task) ? own(task, 'agent') : undefined;
    return typeof agent === 'string' ? [agent] : [];
  });
}

/** The task with what its agent says where it says nothing itself. Throws GLZ1014 where there is no such agent. */
export function withAgent(agents: AgentLookup | undefined, task: TaskDefinition): TaskDefinition {
  const { agent: name, left_to_agent: left = [] } = task;
  if (name === undefined || agents === undefined) return task;
  const agent = agents.get(name);
  if (agent === undefined) throw unknownAgent(name, agents.names());
  return {
    ...task,
    ...(left.includes('retry_config') ? { retry_config: taskRetryOf(agent) } : undefined),
    ...(left.includes('timeout') ? { timeout: agent.timeout / 1000 } : undefined),
  };
}

/** The one provider that may do it, where the task names an agent. */
export function onlyProvider({ agent }: Pick<TaskSpec, 'agent'>): string | null {
  return agent === undefined ? null : agentProviderId(agent);
}

function unknownAgent(name: string, known: readonly string[]): GleitzeitError {
  const reason = `no agent is called "${name}"`;
  const hint = didYouMean(name, known, 'registered agents');
  return new GleitzeitError('GLZ1014', reason, { field: '/agent', reason, hint });
}
