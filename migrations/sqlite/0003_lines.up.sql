-- The lines in which tasks wait that may not run now, and in each the best first.
CREATE INDEX task_in_line ON task (parked, rank) WHERE parked IS NOT NULL;
