-- Stop engines of before first: a task that they end would stay in its line here.

-- The lines in which tasks wait that may not run now, and in each the best first. A table of its own, because an index over
-- the rank of tasks would have to hear of every task that comes into the queue.
CREATE TABLE lined (
  rank bigint NOT NULL,
  n bigint NOT NULL,
  name text COLLATE "C" NOT NULL,
  PRIMARY KEY (name, rank, n)
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 2000,
        autovacuum_vacuum_cost_delay = 0);
