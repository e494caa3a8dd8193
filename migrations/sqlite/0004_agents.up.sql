-- Agents by name, as they were registered over the API. JSON in protocol_config and settings holds secrets only sealed.
CREATE TABLE agents (
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL PRIMARY KEY,
  url TEXT NOT NULL,
  description TEXT,
  protocol TEXT NOT NULL DEFAULT 'simple-a2a',
  protocol_config TEXT NOT NULL DEFAULT '{}',
  settings TEXT NOT NULL DEFAULT '{}',
  version INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX ix_agents_protocol ON agents (protocol);
