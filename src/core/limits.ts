/** Payloads up to this size (UTF-16 units of their JSON text) live beside their record, larger ones aside by hash. */
export const INLINE_PAYLOAD = 256 * 1024;
/** Past this a payload is refused before anything runs. */
export const MAX_PAYLOAD = 8 * 1024 * 1024;
/** The one way to say so. */
export const TOO_LARGE = `has more than ${MAX_PAYLOAD} characters of JSON`;
export const TOO_LARGE_HINT = 'keep the data elsewhere and pass a reference to it';
/** Errors are kept with every attempt and told with every event: a service does not get to write a book there. */
export const MAX_ERROR_TEXT = 4096;
export const MAX_ERROR_DETAILS = 16 * 1024;
/** So many characters of results a new run may take over from an earlier one. */
export const MAX_REUSED = 64 * 1024 * 1024;
export const MAX_JSON_DEPTH = 128;
export const MAX_TASKS_PER_RUN = 100_000;
export const MAX_TASKS_PER_CALL = 10_000;
export const MAX_NAME = 256;
/** Ten years. What waits longer than that is a mistake in the unit. */
export const MAX_WAIT_MS = 10 * 365 * 24 * 3600 * 1000;
/** How many attempts a task's record keeps; the log has them all. */
export const KEPT_ATTEMPTS = 100;
