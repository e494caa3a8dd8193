import type { Nature } from '../world/nature.ts';

/** How long it may take to notice what went wrong before: leases run out, a failed writer waits, someone looks. */
export function graceOf({ weather }: Nature): number {
  if (weather.fair) return 100;
  return weather.exclusive ? 1500 : weather.lease_ttl_ms * 2 + weather.poll_ms * 2 + 2000;
}

/** Some commits one after the other. */
export function patienceOf({ weather }: Nature): number {
  return 60 + 12 * Math.max(weather.commit_ms, weather.network_ms);
}
