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
/** What one event tells of a running attempt, in characters, and what all events of the attempt tell together. */
export const MAX_PROGRESS_MESSAGE = 1024;
export const MAX_PROGRESS_TEXT = 4096;
export const MAX_ATTEMPT_TEXT = 64 * 1024;
/** So much of the newest output stands in the task's record while it runs; the log has what came before. */
export const PROGRESS_TAIL = 1024;
/** An attempt tells so often and no more. */
export const MAX_PROGRESS_EVENTS = 2000;
/** Characters of JSON that an attempt may ask, or keep for the next one: both are rewritten with every step of the task. */
export const MAX_ASK = 16 * 1024;
export const MAX_KEPT = 16 * 1024;
/** The same for what comes from outside. */
export const MAX_RESPONSE = 64 * 1024;
/** How many attempts a task's record keeps; the log has them all. */
export const KEPT_ATTEMPTS = 100;
