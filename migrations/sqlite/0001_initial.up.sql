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
  -- Bits: 0-1 priority, 2 on_failure, 3 has_dependents, 4 suspect.
  flags INTEGER NOT NULL,
  total_timeout REAL,
  created_at INTEGER NOT NULL,
  -- The row of the log that introduced the task and holds what never changes of it.
  body_cursor INTEGER NOT NULL,
  -- The row of the log that completed it and holds its result.
  result_cursor INTEGER,
  status INTEGER NOT NULL,
  pending INTEGER NOT NULL,
  blocked INTEGER NOT NULL DEFAULT 0,
  rank INTEGER NOT NULL,
  -- Where a queued task that nobody holds stands: 0 ready to be claimed, 1 parked. NULL for all others.
  place INTEGER,
  parked TEXT,
  -- engine.e
  owner INTEGER,
  fence INTEGER NOT NULL DEFAULT 0,
  attempt_count INTEGER NOT NULL DEFAULT 0,
  attempt_base INTEGER NOT NULL DEFAULT 0,
  generation INTEGER NOT NULL DEFAULT 0,
  -- JSON; NULL when there are none, or when they stand with the result.
  attempts TEXT,
  budget_from INTEGER,
  due_at INTEGER,
  expires_at INTEGER,
  settled_at INTEGER,
  error TEXT,
  seq INTEGER NOT NULL,
  -- Room that the first attempt grows into, so that the row stays on its page. Gone after the first claim.
  slack BLOB
);
CREATE UNIQUE INDEX task_by_id ON task (task_id);
CREATE INDEX task_ready ON task (lane, rank) WHERE place = 0;
CREATE INDEX task_parked ON task (place) WHERE place = 1;
CREATE INDEX task_held ON task (owner) WHERE owner IS NOT NULL;
CREATE INDEX task_due ON task (due_at) WHERE due_at IS NOT NULL AND owner IS NULL;
CREATE INDEX task_of_run ON task (workflow_id) WHERE workflow_id IS NOT NULL;
-- Queued tasks (1) are ready, parked or held, and completed ones (7) are nearly all of the rest.
CREATE INDEX task_by_status ON task (status) WHERE status <> 1 AND status <> 7;
CREATE INDEX task_settled ON task (settled_at) WHERE settled_at IS NOT NULL AND workflow_id IS NULL;

-- What many tasks have in common: protocol, method, timeout, retry_config. JSON.
CREATE TABLE shape (
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE
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
  -- NULL when it lies aside in payload.
  input TEXT
);
CREATE UNIQUE INDEX run_by_id ON run (workflow_id);
CREATE INDEX run_by_name ON run (name);
CREATE INDEX run_by_status ON run (status) WHERE status <> 2;
CREATE INDEX run_settled ON run (settled_at) WHERE settled_at IS NOT NULL;

-- The log. One row is what happened to one run within one commit, or a part of it: a row introduces one task at most, or
-- completes one, and then holds what comes with that.
CREATE TABLE event (
  -- Number of the last event in the row.
  cursor INTEGER PRIMARY KEY,
  -- One of them, or none for what belongs to no run: run.n, or task.n of a lone task.
  run_n INTEGER,
  task_n INTEGER,
  first_seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  events TEXT NOT NULL,
  -- Of the params or the result.
  hash TEXT,
  -- With a result: the attempts of the task that it ended. JSON.
  attempts TEXT,
  -- With a new task: its name; what it has in common with others (a number is shape.id, a text is the shape itself);
  -- how it is connected to others, as JSON, NULL when it is not.
  name TEXT,
  shape,
  wiring TEXT,
  -- The params or the result. NULL when there is none, or when it lies aside in payload.
  text TEXT
);
CREATE INDEX event_of_run ON event (run_n) WHERE run_n IS NOT NULL;
-- The first and the last row of a lone task that completed are found through the task itself.
CREATE INDEX event_of_task ON event (task_n) WHERE task_n IS NOT NULL AND hash IS NULL;

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

-- For people with a SQL shell: the same things in words.
CREATE VIEW tasks AS
  SELECT task_id, workflow_id, coalesce(id, task_id) AS id, lane AS protocol,
    CASE flags & 3 WHEN 0 THEN 'urgent' WHEN 1 THEN 'high' WHEN 2 THEN 'normal' ELSE 'low' END AS priority,
    CASE status WHEN 0 THEN 'waiting' WHEN 1 THEN 'queued' WHEN 2 THEN 'validated' WHEN 3 THEN 'routed'
      WHEN 4 THEN 'executing' WHEN 5 THEN 'retrying' WHEN 6 THEN 'input_required' WHEN 7 THEN 'completed'
      WHEN 8 THEN 'failed' WHEN 9 THEN 'cancelled' ELSE 'skipped' END AS status,
    attempt_count, created_at, due_at, settled_at, error
  FROM task;

CREATE VIEW runs AS
  SELECT workflow_id, name, version,
    CASE status WHEN 0 THEN 'running' WHEN 1 THEN 'paused' WHEN 2 THEN 'completed' WHEN 3 THEN 'failed'
      ELSE 'cancelled' END AS status,
    total, open, failed, created_at, settled_at
  FROM run;

CREATE VIEW results AS
  SELECT task.task_id, event.at AS stored_at, event.hash, coalesce(event.text, payload.text) AS result
  FROM task JOIN event ON event.cursor = task.result_cursor
    LEFT JOIN payload ON event.text IS NULL AND payload.hash = event.hash
      AND payload.run_n = coalesce(event.run_n, event.task_n);
