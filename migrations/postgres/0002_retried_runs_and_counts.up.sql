-- The run whose finished results a run started from.
ALTER TABLE run ADD COLUMN retry_of text COLLATE "C";

-- Stop engines of before first: they would go on without counting.

-- How many tasks and runs there are of each status, and how many tasks are queued by lane and priority. Every commit
-- adds what it changed, last of all, so that counting costs the same however many there are. Rows are taken in order.
CREATE TABLE tally (
  count bigint NOT NULL,
  kind text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  priority text COLLATE "C" NOT NULL DEFAULT '',
  PRIMARY KEY (kind, name, priority)
) WITH (fillfactor = 10);
INSERT INTO tally (kind, name, count) SELECT 'task', status, count(*) FROM task GROUP BY status;
INSERT INTO tally (kind, name, count) SELECT 'run', status, count(*) FROM run GROUP BY status;
INSERT INTO tally (kind, name, priority, count)
  SELECT 'queue', lane, priority, count(*) FROM task WHERE status = 'queued' GROUP BY lane, priority;
