DROP TABLE document, engine, idempotency, event, payload, result, run_input, run, task_body, held, ready, task, feed, meta;
DROP FUNCTION require_all(bigint, bigint);
DROP FUNCTION now_ms();
