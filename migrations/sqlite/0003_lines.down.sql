-- Nobody would call those who wait in a line: they go back to the queue.
UPDATE task SET parked = NULL, place = 0 WHERE place = 1 AND parked > 'line ' AND parked < 'line!';
DROP INDEX task_in_line;
