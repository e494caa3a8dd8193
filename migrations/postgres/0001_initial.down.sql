DROP TABLE document, engine, idempotency, event, payload, run_input, run, task_body, listed, held, ready, task, feed, meta;
DROP SEQUENCE acceptance;
DROP FUNCTION require_all(bigint, bigint);
DROP FUNCTION now_ms();
