DROP VIEW runs;
ALTER TABLE run DROP COLUMN retry_of;
ALTER TABLE meta DROP COLUMN queue_tally;
CREATE VIEW runs AS
  SELECT workflow_id, name, version,
    CASE status WHEN 0 THEN 'running' WHEN 1 THEN 'paused' WHEN 2 THEN 'completed' WHEN 3 THEN 'failed'
      ELSE 'cancelled' END AS status,
    total, open, failed, created_at, settled_at
  FROM run;
