import type { AgentRow } from '../../core/agent.ts';
import type { Changes } from '../../core/changes.ts';
import type { AgentQuery, Page } from '../../core/ports/store.ts';
import { isStorable, texts } from './arrays.ts';
import { type Column, inserting, integerColumn, over, textColumn, unnested } from './columns.ts';
import { badCursor } from './pages.ts';
import type { Reader } from './reader.ts';
import { text } from './rows.ts';
import type { LoadedRows } from './source.ts';
import type { Query, Row, Statement } from './statement.ts';

const columns: readonly Column<AgentRow>[] = [
  textColumn('id', (row) => row.id),
  textColumn('name', (row) => row.name),
  textColumn('url', (row) => row.url),
  textColumn('description', (row) => row.description),
  textColumn('protocol', (row) => row.protocol),
  textColumn('protocol_config', (row) => row.protocol_config),
  textColumn('settings', (row) => row.settings),
  integerColumn('version', (row) => row.version),
  integerColumn('created_at', (row) => row.created_at),
  integerColumn('updated_at', (row) => row.updated_at),
];

export const agentColumns = columns.map(({ name }) => name).join(', ');

export function agentOf(row: Row): AgentRow {
  const [id, name, url, description, protocol, protocol_config, settings, version, created_at, updated_at] =
    row;
  return {
    id: text(id),
    name: text(name),
    url: text(url),
    description: description ?? null,
    protocol: text(protocol),
    protocol_config: text(protocol_config),
    settings: text(settings),
    version: Number(version),
    created_at: Number(created_at),
    updated_at: Number(updated_at),
  };
}

export const readAgent: Statement = {
  name: 'agent',
  text: `SELECT ${agentColumns} FROM agents WHERE name = $1::text`,
};

const insertAgents = inserting('agents', columns);
const updateAgents: Statement = {
  name: 'update_agents',
  text: `UPDATE agents a SET url = u.url, description = u.description, protocol = u.protocol,
      protocol_config = u.protocol_config, settings = u.settings, version = u.version, updated_at = u.updated_at
    FROM ${unnested(columns)} WHERE a.name = u.name`,
};
const removeAgents: Statement = {
  name: 'remove_agents',
  text: 'DELETE FROM agents WHERE name = ANY($1::text[])',
};

/** One that was there when it was locked and still has its id is rewritten; any other is new, in the place of what had its name. */
export function* applyAgents({ agents, goneAgents }: Changes, rows: LoadedRows): Generator<Query> {
  const known = (row: AgentRow) => rows.agents.get(row.name) ?? null;
  const isSame = (row: AgentRow) => known(row)?.id === row.id;
  const replaced = agents.filter((row) => known(row) !== null && !isSame(row)).map(({ name }) => name);
  const gone = [...goneAgents, ...replaced];
  if (gone.length > 0) yield { statement: removeAgents, values: [texts(gone)] };
  yield* over(updateAgents, columns, agents.filter(isSame));
  const added = agents.filter((row) => !isSame(row));
  yield* over(
    insertAgents,
    columns,
    added.sort((a, b) => (a.name < b.name ? -1 : 1)),
  );
}

export async function listAgents(
  reader: Reader,
  { limit, cursor, protocol }: AgentQuery,
): Promise<Page<AgentRow>> {
  if (cursor !== undefined && !cursor.startsWith('k')) throw badCursor(cursor);
  const after = cursor === undefined ? null : cursor.slice(1);
  if (![after ?? '', protocol ?? ''].every(isStorable)) return { items: [], next_cursor: null };
  const statement = {
    name: 'agents',
    text: `SELECT ${agentColumns} FROM agents WHERE ($1::text IS NULL OR name > $1::text COLLATE "C")
      AND ($2::text IS NULL OR protocol = $2::text) ORDER BY name LIMIT $3::bigint`,
  };
  const rows = await reader.rows(statement, [after, protocol ?? null, limit + 1]);
  const items = rows.slice(0, limit).map(agentOf);
  const last = items.at(-1);
  return { items, next_cursor: rows.length > limit && last !== undefined ? `k${last.name}` : null };
}
