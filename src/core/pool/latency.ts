/** How long a provider takes at present, in milliseconds, and when that was last learnt. */
export type Latency = { readonly ms: number; readonly at: number };

/** After this long an observation counts a third of what it did. */
const MEMORY_MS = 10_000;

/** Slowness is believed at once, quickness by and by: whoever slows down is spared before all calls are with it. */
export function observed(before: Latency | null, ms: number, at: number): Latency {
  if (before === null || ms >= before.ms) return { ms, at };
  const weight = faded(at - before.at);
  // Calls that end at the same moment still have their say.
  const kept = Math.min(weight, 0.9);
  return { ms: before.ms * kept + ms * (1 - kept), at };
}

/** It took at least so long: that says nothing of whoever is known to be slower. */
export function atLeast(before: Latency | null, ms: number, at: number): Latency {
  return before !== null && before.ms * faded(at - before.at) > ms ? before : { ms, at };
}

/** How long answers take in the long run: one that was slow does not change much. */
export function usually(before: number | null, ms: number): number {
  return before === null ? ms : before * 0.9 + ms * 0.1;
}

/** Fades while nothing is heard: whoever was slow once and is avoided since is tried again. */
export function expected(latency: Latency | null, now: number): number | null {
  return latency === null ? null : latency.ms * faded(now - latency.at);
}

function faded(ms: number): number {
  return Math.exp(-Math.max(0, ms) / MEMORY_MS);
}

/** Which share of its calls a provider fails at present, and when that was last learnt. */
export type Failing = { readonly share: number; readonly at: number };

/** How much one call says of the others. */
const SAID_BY_ONE = 0.1;

export function ended(before: Failing | null, failed: boolean, at: number): Failing {
  return { share: failingShare(before, at) * (1 - SAID_BY_ONE) + (failed ? SAID_BY_ONE : 0), at };
}

/** Fades as a latency does: whoever failed and is avoided since is tried again. */
export function failingShare(failing: Failing | null, now: number): number {
  return failing === null ? 0 : failing.share * faded(now - failing.at);
}
