/** Payloads up to this size (UTF-16 units of their JSON text) live beside their record, larger ones aside by hash. */
export const INLINE_PAYLOAD = 256 * 1024;
/** Past this a payload is refused before anything runs. */
export const MAX_PAYLOAD = 8 * 1024 * 1024;
/** Errors are kept with every attempt and told with every event: a service does not get to write a book there. */
export const MAX_ERROR_TEXT = 4096;
export const MAX_ERROR_DETAILS = 16 * 1024;
export const MAX_JSON_DEPTH = 128;
export const MAX_TASKS_PER_RUN = 100_000;
export const MAX_TASKS_PER_CALL = 10_000;
export const MAX_NAME = 256;
/** How many attempts a task's record keeps; the log has them all. */
export const KEPT_ATTEMPTS = 100;
