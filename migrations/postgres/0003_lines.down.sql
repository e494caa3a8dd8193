-- Nobody would call those who wait in a line: they go back to the queue.
INSERT INTO ready (rank, n, fence, lane) SELECT t.rank, t.n, t.fence, t.lane FROM lined l JOIN task t ON t.n = l.n;
DELETE FROM listed d USING lined l WHERE d.status = 'queued' AND d.n = l.n;
UPDATE task t SET parked = NULL FROM lined l WHERE t.n = l.n;
DROP TABLE lined;
