-- beside: 3
-- Agents by name, as they were registered over the API. JSON in protocol_config and settings holds secrets only sealed.
CREATE TABLE agents (
  id text COLLATE "C" NOT NULL UNIQUE,
  name text COLLATE "C" PRIMARY KEY,
  url text NOT NULL,
  description text,
  protocol text COLLATE "C" NOT NULL DEFAULT 'simple-a2a',
  protocol_config text NOT NULL DEFAULT '{}',
  settings text NOT NULL DEFAULT '{}',
  version bigint NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
);
CREATE INDEX ix_agents_protocol ON agents (protocol);
