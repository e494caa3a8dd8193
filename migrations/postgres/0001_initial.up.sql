-- Everything lives in one schema, which is first on the search path while this runs. Ids compare by their bytes.

CREATE TABLE meta (
  key text PRIMARY KEY,
  value text NOT NULL
);
INSERT INTO meta (key, value) VALUES ('application', 'gleitzeit');

-- The one clock of the store, in milliseconds: leases, ranks and due times of all engines go by it.
CREATE FUNCTION now_ms() RETURNS bigint
  LANGUAGE sql VOLATILE
  AS $$ SELECT floor(extract(epoch FROM pg_catalog.clock_timestamp()) * 1000)::bigint $$;

-- Ends a transaction whose optimistic update did not find every row as it was remembered.
CREATE FUNCTION require_all(matched bigint, wanted bigint) RETURNS void
  LANGUAGE plpgsql
  AS $$ BEGIN
    IF matched <> wanted THEN RAISE EXCEPTION 'held tasks were changed by somebody else' USING ERRCODE = 'GZ001'; END IF;
  END $$;

-- The number of the newest event. Its row is the lock under which commits are numbered.
CREATE TABLE feed (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  last bigint NOT NULL
) WITH (fillfactor = 10);
INSERT INTO feed (last) VALUES (0);

-- Numbers for tasks and runs in the order they are accepted. Each commit takes as many blocks as it needs, and uses no
-- block twice: what is left of one stays unused.
CREATE SEQUENCE acceptance INCREMENT BY 1024;

-- Rewritten with every step of a task, and therefore narrow; who holds it is in held. id is null where it equals task_id.
-- No index names what the usual steps of a task change: then a new version of the row stays on its page, in the room
-- left there for it, and no index has to hear of it. result is null where the text lies in payload under its hash.
CREATE TABLE task (
  n bigint PRIMARY KEY,
  created_at bigint NOT NULL,
  rank bigint NOT NULL,
  fence bigint NOT NULL DEFAULT 0,
  seq bigint NOT NULL,
  budget_from bigint,
  due_at bigint,
  expires_at bigint,
  settled_at bigint,
  total_timeout double precision,
  pending integer NOT NULL DEFAULT 0,
  blocked integer NOT NULL DEFAULT 0,
  attempt_count integer NOT NULL DEFAULT 0,
  attempt_base integer NOT NULL DEFAULT 0,
  generation integer NOT NULL DEFAULT 0,
  result_size integer,
  has_dependents boolean NOT NULL DEFAULT false,
  suspect boolean NOT NULL DEFAULT false,
  task_id text COLLATE "C" NOT NULL UNIQUE,
  workflow_id text COLLATE "C",
  id text COLLATE "C",
  lane text COLLATE "C" NOT NULL,
  priority text COLLATE "C" NOT NULL,
  on_failure text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL DEFAULT 'queued',
  parked text COLLATE "C",
  result_hash text COLLATE "C",
  attempts text COLLATE "C",
  error text COLLATE "C",
  result text COLLATE "C"
) WITH (fillfactor = 35, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 5000,
        autovacuum_vacuum_cost_delay = 0);
CREATE INDEX task_of_run ON task (workflow_id, n) WHERE workflow_id IS NOT NULL;
CREATE INDEX task_due ON task (due_at, n) WHERE due_at IS NOT NULL;

-- The queue: exactly the tasks that may be claimed, best first. Rows come and go and are never rewritten.
CREATE TABLE ready (
  rank bigint NOT NULL,
  n bigint NOT NULL,
  fence bigint NOT NULL,
  lane text COLLATE "C" NOT NULL,
  PRIMARY KEY (lane, rank, n)
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 2000,
        autovacuum_vacuum_cost_delay = 0);

-- The claims: exactly the tasks an engine holds, with the fence of the claim, which task.fence lags behind until then.
CREATE TABLE held (
  n bigint PRIMARY KEY,
  fence bigint NOT NULL,
  owner text COLLATE "C" NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 2000,
        autovacuum_vacuum_cost_delay = 0);

-- All other tasks by status, but for the completed ones, which are nearly all there are, and those that wait in a run.
CREATE TABLE listed (
  status text COLLATE "C" NOT NULL,
  n bigint NOT NULL,
  PRIMARY KEY (status, n)
);

-- The part of a task that never changes. params is null where the text lies in payload under params_hash.
CREATE TABLE task_body (
  n bigint PRIMARY KEY,
  uses_input boolean NOT NULL DEFAULT false,
  params_hash text COLLATE "C" NOT NULL,
  spec text COLLATE "C" NOT NULL,
  dependents text COLLATE "C",
  inputs text COLLATE "C",
  params text COLLATE "C"
);

CREATE TABLE run (
  n bigint NOT NULL UNIQUE,
  created_at bigint NOT NULL,
  settled_at bigint,
  seq bigint NOT NULL,
  total integer NOT NULL,
  open integer NOT NULL,
  failed integer NOT NULL,
  workflow_id text COLLATE "C" PRIMARY KEY,
  name text COLLATE "C" NOT NULL,
  version text COLLATE "C",
  status text COLLATE "C" NOT NULL,
  body_hash text COLLATE "C" NOT NULL,
  input_hash text COLLATE "C" NOT NULL
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 5000,
        autovacuum_vacuum_cost_delay = 0);
CREATE INDEX run_by_status ON run (status, n);
CREATE INDEX run_prunable ON run (settled_at, workflow_id) WHERE settled_at IS NOT NULL;

-- Apart from its run, which is rewritten with every step. input is null where the text lies in payload.
CREATE TABLE run_input (
  workflow_id text COLLATE "C" PRIMARY KEY,
  hash text COLLATE "C" NOT NULL,
  input text COLLATE "C"
);

-- Large texts, once for each run.
CREATE TABLE payload (
  run_key text COLLATE "C" NOT NULL,
  hash text COLLATE "C" NOT NULL,
  content text COLLATE "C" NOT NULL,
  PRIMARY KEY (run_key, hash)
);

-- One row for each run and commit; cursor is the number of its last event. The run is a workflow's unless lone; run_n is
-- its number. settles: a lone task settled with it, at that time.
CREATE TABLE event (
  cursor bigint PRIMARY KEY,
  run_n bigint,
  first_seq bigint NOT NULL,
  at bigint NOT NULL,
  lone boolean NOT NULL,
  settles boolean NOT NULL,
  run_key text COLLATE "C",
  events text COLLATE "C" NOT NULL
);
CREATE INDEX event_of_run ON event (run_n, cursor) WHERE run_n IS NOT NULL;
CREATE INDEX event_prunable ON event (at) WHERE settles;

CREATE TABLE idempotency (
  key text COLLATE "C" PRIMARY KEY,
  run_key text COLLATE "C" NOT NULL,
  body_hash text COLLATE "C" NOT NULL
);
CREATE INDEX idempotency_of_run ON idempotency (run_key);

CREATE TABLE engine (
  owner text COLLATE "C" PRIMARY KEY,
  alive_until bigint NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE document (
  collection text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  content text COLLATE "C" NOT NULL,
  PRIMARY KEY (collection, key)
);
