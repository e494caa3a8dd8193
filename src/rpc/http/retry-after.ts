/** The longest a service can make us wait; a date far ahead is more likely a wrong clock. */
export const LONGEST_WAIT_MS = 24 * 60 * 60 * 1000;

/** `Retry-After` in milliseconds from now: a number of seconds or a date. Undefined for anything else. */
export function retryAfter(value: string | string[] | undefined, wall: () => number): number | undefined {
  const text = (Array.isArray(value) ? value[0] : value)?.trim();
  if (text === undefined) return undefined;
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : untilDate(text, wall);
  return ms === undefined ? undefined : Math.min(Math.max(0, Math.ceil(ms)), LONGEST_WAIT_MS);
}

/** HTTP dates begin with the day of the week. Without that check `Date` would find one in almost anything. */
function untilDate(text: string, wall: () => number): number | undefined {
  if (!/^(mon|tue|wed|thu|fri|sat|sun)/i.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : at - wall();
}
