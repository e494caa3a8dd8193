-- The run whose finished results a run started from.
ALTER TABLE run ADD COLUMN retry_of TEXT;

-- Queued tasks by lane: how many urgent, high, normal and low ones.
ALTER TABLE meta ADD COLUMN queue_tally TEXT NOT NULL DEFAULT '{}';
UPDATE meta SET queue_tally = (
  SELECT json_group_object(lane, json_array(urgent, high, normal, low)) FROM (
    SELECT lane, sum(flags & 3 = 0) AS urgent, sum(flags & 3 = 1) AS high, sum(flags & 3 = 2) AS normal,
      sum(flags & 3 = 3) AS low
    FROM task WHERE status = 1 GROUP BY lane
  )
);

DROP VIEW runs;
CREATE VIEW runs AS
  SELECT workflow_id, name, version,
    CASE status WHEN 0 THEN 'running' WHEN 1 THEN 'paused' WHEN 2 THEN 'completed' WHEN 3 THEN 'failed'
      ELSE 'cancelled' END AS status,
    total, open, failed, created_at, settled_at, retry_of
  FROM run;
