const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `4s ago`, `12m ago`, `3h ago`, `5d ago`; a dash where there is no time. */
export function ago(time: string | null, now: number): string {
  if (time === null) return '-';
  const ms = Math.max(0, now - Date.parse(time));
  return `${rough(ms)} ago`;
}

/** `in 4s`, `in 12m`; `now` where that is over. */
export function until(time: string, now: number): string {
  const ms = Date.parse(time) - now;
  return ms <= 0 ? 'now' : `in ${rough(Math.max(1000, ms))}`;
}

function rough(ms: number): string {
  if (ms < MINUTE) return `${Math.floor(ms / 1000)}s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)}m`;
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)}h`;
  return `${Math.floor(ms / DAY)}d`;
}

/** `0.31 s`, `12 s`, `3m 20s`, `2h 5m`; to `now` where it has not ended. */
export function took(from: string | null, to: string | null, now: number): string {
  if (from === null) return '-';
  const ms = Math.max(0, (to === null ? now : Date.parse(to)) - Date.parse(from));
  if (ms < 10_000) return `${(ms / 1000).toFixed(2)}s`;
  if (ms < MINUTE) return `${Math.round(ms / 1000)}s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)}m ${Math.floor((ms % MINUTE) / 1000)}s`;
  return `${Math.floor(ms / HOUR)}h ${Math.floor((ms % HOUR) / MINUTE)}m`;
}
