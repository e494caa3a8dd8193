/** How long until the store is asked again when it could not be read. */
export const UNREADABLE_MS = 1000;
