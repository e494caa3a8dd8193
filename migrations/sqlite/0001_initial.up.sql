-- Words are stored as small numbers (src/store/sqlite/codes.ts says which), times in milliseconds of the store's clock.

-- One row: what every commit moves on.
CREATE TABLE meta (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  -- Number of the newest event.
  cursor INTEGER NOT NULL,
  -- The newest time the store has seen; its clock never goes back behind it.
  newest INTEGER NOT NULL,
  -- The next number for a task or run. Both draw from it, and no number is used twice.
  next_n INTEGER NOT NULL,
  -- Tasks and runs by status, so that counting them costs nothing however many there are.
  task_tally TEXT NOT NULL,
  run_tally TEXT NOT NULL
);
INSERT INTO meta VALUES (1, 0, 0, 1, '{}', '{}');

-- The part of a task that changes. Narrow: every step rewrites it.
CREATE TABLE task (
  -- Order of acceptance.
  n INTEGER PRIMARY KEY,
  task_id TEXT NOT NULL,
  workflow_id TEXT,
  -- NULL when it equals task_id.
  id TEXT,
  lane TEXT NOT NULL,
  priority INTEGER NOT NULL,
  on_failure INTEGER NOT NULL,
  has_dependents INTEGER NOT NULL,
  total_timeout REAL,
  created_at INTEGER NOT NULL,
  -- Where the log of a lone task begins.
  first_cursor INTEGER,
  status INTEGER NOT NULL,
  pending INTEGER NOT NULL,
  blocked INTEGER NOT NULL DEFAULT 0,
  rank INTEGER NOT NULL,
  -- Where a queued task stands: 0 ready to be claimed, 1 parked, 2 held by an engine. NULL when it is not queued.
  place INTEGER,
  parked TEXT,
  -- engine.e
  owner INTEGER,
  fence INTEGER NOT NULL DEFAULT 0,
  suspect INTEGER NOT NULL DEFAULT 0,
  attempt_count INTEGER NOT NULL DEFAULT 0,
  attempt_base INTEGER NOT NULL DEFAULT 0,
  generation INTEGER NOT NULL DEFAULT 0,
  -- JSON; NULL when there are none, or when they stand beside the result.
  attempts TEXT,
  budget_from INTEGER,
  due_at INTEGER,
  expires_at INTEGER,
  settled_at INTEGER,
  error TEXT,
  -- NULL when it stands beside the result.
  result_hash TEXT,
  seq INTEGER NOT NULL,
  -- Room that the first attempt grows into, so that the row stays on its page. Gone after the first claim.
  slack BLOB
);
CREATE UNIQUE INDEX task_by_id ON task (task_id);
CREATE INDEX task_in_queue ON task (place, lane, rank) WHERE place IS NOT NULL;
CREATE INDEX task_due ON task (due_at) WHERE due_at IS NOT NULL AND owner IS NULL;
CREATE INDEX task_of_run ON task (workflow_id) WHERE workflow_id IS NOT NULL;
-- Queued tasks (1) are found through the queue, and completed ones (7) are nearly all of the rest.
CREATE INDEX task_by_status ON task (status) WHERE status <> 1 AND status <> 7;
CREATE INDEX task_settled ON task (settled_at) WHERE settled_at IS NOT NULL AND workflow_id IS NULL;

-- What many tasks have in common: protocol, method, timeout, retry_config. JSON.
CREATE TABLE shape (
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE
);

-- The part of a task that never changes.
CREATE TABLE task_body (
  -- task.n
  n INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  -- A number is shape.id, a text is the shape itself.
  shape NOT NULL,
  uses_input INTEGER NOT NULL,
  params_hash TEXT NOT NULL,
  -- JSON; NULL when empty.
  dependencies TEXT,
  dependents TEXT,
  inputs TEXT,
  -- NULL when it lies aside in payload.
  params TEXT
);

CREATE TABLE result (
  -- task.n
  n INTEGER PRIMARY KEY,
  stored_at INTEGER NOT NULL,
  hash TEXT NOT NULL,
  -- The attempts of the task that it ended.
  attempts TEXT,
  -- NULL when it lies aside in payload.
  result TEXT
);

-- Large texts, once per run.
CREATE TABLE payload (
  -- run.n, or task.n of a lone task
  run_n INTEGER NOT NULL,
  hash TEXT NOT NULL,
  text TEXT NOT NULL
);
CREATE UNIQUE INDEX payload_by_hash ON payload (run_n, hash);

CREATE TABLE run (
  n INTEGER PRIMARY KEY,
  workflow_id TEXT NOT NULL,
  name TEXT NOT NULL,
  version TEXT,
  status INTEGER NOT NULL,
  total INTEGER NOT NULL,
  open INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  settled_at INTEGER,
  body_hash TEXT NOT NULL,
  input_hash TEXT NOT NULL,
  first_cursor INTEGER,
  -- NULL when it lies aside in payload.
  input TEXT
);
CREATE UNIQUE INDEX run_by_id ON run (workflow_id);
CREATE INDEX run_by_name ON run (name);
CREATE INDEX run_by_status ON run (status) WHERE status <> 2;
CREATE INDEX run_settled ON run (settled_at) WHERE settled_at IS NOT NULL;

-- The log. One row is what happened to one run within one commit.
CREATE TABLE event (
  -- Number of the last event in the row.
  cursor INTEGER PRIMARY KEY,
  -- run.n, task.n of a lone task, or NULL for what belongs to no run
  run_n INTEGER,
  first_seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  events TEXT NOT NULL
);
-- The first row of a run is found through its first_cursor.
CREATE INDEX event_of_run ON event (run_n) WHERE first_seq > 1;

CREATE TABLE idempotency (
  key TEXT PRIMARY KEY,
  run_key TEXT NOT NULL,
  body_hash TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX idempotency_of_run ON idempotency (run_key);

CREATE TABLE engine (
  e INTEGER PRIMARY KEY,
  owner TEXT NOT NULL UNIQUE,
  -- NULL: gone. The row stays as long as tasks name it.
  alive_until INTEGER
);

CREATE TABLE document (
  collection TEXT NOT NULL,
  key TEXT NOT NULL,
  version INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (collection, key)
);
