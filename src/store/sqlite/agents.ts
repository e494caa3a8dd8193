import type { AgentRow } from '../../core/agent.ts';
import type { Value } from './connection.ts';
import type { Values } from './rows.ts';

export const AGENT_COLUMNS =
  'id, name, url, description, protocol, protocol_config, settings, version, created_at, updated_at';

export function agentValues(row: AgentRow): Value[] {
  const { id, name, url, description, protocol, protocol_config, settings } = row;
  const { version, created_at, updated_at } = row;
  return [id, name, url, description, protocol, protocol_config, settings, version, created_at, updated_at];
}

export function agentRow(values: Values): AgentRow {
  const [id, name, url, description, protocol, protocol_config, settings, ...rest] = values;
  const [version, created_at, updated_at] = rest as [number, number, number];
  return {
    id: id as string,
    name: name as string,
    url: url as string,
    description: description as string | null,
    protocol: protocol as string,
    protocol_config: protocol_config as string,
    settings: settings as string,
    version,
    created_at,
    updated_at,
  };
}
