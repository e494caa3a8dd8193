import type { ResultOf } from '../../api/methods.ts';
import { DEFAULT_LIMIT } from '../../api/shapes/basic.ts';
import { type AgentEntry, agentProviderId } from '../../core/agent.ts';
import { GleitzeitError } from '../../core/errors.ts';
import { maskAgent } from '../../registry/agent-record.ts';
import { unknownAgent } from '../../registry/agent-trouble.ts';
import type { Call, Family, Handlers } from '../handlers.ts';
import type { ControlParts } from '../parts.ts';
import { timeText } from '../views.ts';

export function agentHandlers({ agents }: ControlParts): Handlers<Family<'agent'>> {
  const view = (entry: AgentEntry) => viewAgent(maskAgent(entry), agents.problem(entry.name));
  /** Bridges without a store of their own call agents, and need what these are shown of who calls. */
  const viewFor = ({ connection }: Call, entry: AgentEntry) =>
    connection.caller.role === 'bridge'
      ? viewAgent(agents.reveal(entry), agents.problem(entry.name))
      : view(entry);
  const find = async (name: string) => {
    await agents.load();
    return agents.get(name) ?? refuse(name, agents);
  };
  return {
    'agent.create': async (entry) => view(await agents.create(entry)),

    'agent.list': async ({ protocol, limit = DEFAULT_LIMIT, cursor }, call) => {
      const after = cursor === undefined ? null : nameIn(cursor);
      // Others may have registered one a moment ago.
      await agents.load();
      const asked = agents
        .list()
        .filter((entry) => protocol === undefined || entry.protocol === protocol)
        .filter(({ name }) => after === null || name > after);
      const items = asked.slice(0, limit);
      const last = items.at(-1);
      return {
        items: items.map((entry) => viewFor(call, entry)),
        next_cursor: asked.length > limit && last !== undefined ? `k${last.name}` : null,
      };
    },

    'agent.get': async ({ name }, call) => viewFor(call, await find(name)),

    'agent.update': async ({ name, version, ...change }) =>
      view(await agents.update(name, change, { expect: version })),

    'agent.delete': async ({ name }) => {
      await agents.remove(name);
      return { name, deleted: true };
    },

    'agent.ping': async ({ name, timeout_ms }, { signal }) => {
      const entry = await find(name);
      return { name, ...(await agents.ping(entry, { timeout_ms, signal })) };
    },

    'agent.check': async ({ name, ...asked }, { signal }) => {
      const entry = await find(name);
      return { name, ...(await agents.check(entry, { ...asked, signal })) };
    },

    'agent.discover': (asked, { signal }) => agents.discover({ ...asked, signal }),
  };
}

function refuse(name: string, agents: ControlParts['agents']): never {
  throw unknownAgent(
    name,
    agents.list().map((entry) => entry.name),
  );
}

function nameIn(cursor: string): string {
  if (cursor.startsWith('k')) return cursor.slice(1);
  throw new GleitzeitError('GLZ1012', `"${cursor}" is no cursor of this list`, {
    field: 'cursor',
    hint: 'use next_cursor of the page before, or leave it out to start over',
  });
}

/** As it was made ready to be shown: never with a sealed secret. */
function viewAgent(entry: AgentEntry, problem: string | null): ResultOf<'agent.get'> {
  const { created_at, updated_at, auth_config, ...rest } = entry;
  return {
    ...rest,
    auth_config: auth_config as ResultOf<'agent.get'>['auth_config'],
    created_at: created_at === null ? null : timeText(created_at),
    updated_at: updated_at === null ? null : timeText(updated_at),
    provider: agentProviderId(entry.name),
    problem,
  };
}
