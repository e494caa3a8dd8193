/** How long a provider takes at present, in milliseconds, and when that was last learnt. */
export type Latency = {
  /** The slowest of late, as far as that is not disproved. */
  readonly ms: number;
  /** One with another: a single slow answer does not change much. */
  readonly mean_ms: number;
  readonly at: number;
  /** Of its first answer alone, which says little: a connection was opened for it, a program started. */
  readonly first?: true;
};

/** After this long an observation counts a third of what it did. */
const MEMORY_MS = 10_000;

/** Slowness is believed at once, quickness by and by: whoever slows down is spared before all calls are with it. */
export function observed(before: Latency | null, ms: number, at: number): Latency {
  if (before === null) return { ms, mean_ms: ms, at, first: true };
  if (before.first === true) return { ms, mean_ms: ms, at };
  // Calls that end at the same moment still have their say.
  const kept = Math.min(faded(at - before.at), 0.9);
  const moved = (from: number) => from * kept + ms * (1 - kept);
  return { ms: ms >= before.ms ? ms : moved(before.ms), mean_ms: moved(before.mean_ms), at };
}

/** It took at least so long: that says nothing of whoever is known to be slower. */
export function atLeast(before: Latency | null, ms: number, at: number): Latency {
  if (before === null) return { ms, mean_ms: ms, at };
  if (before.ms * faded(at - before.at) > ms) return before;
  return { ms, mean_ms: observed(before, ms, at).mean_ms, at };
}

/** How long answers take in the long run: one that was slow does not change much. */
export function usually(before: number | null, ms: number): number {
  return before === null ? ms : before * 0.9 + ms * 0.1;
}

/** Fades while nothing is heard: whoever was slow once and is avoided since is tried again. */
export function expected(latency: Latency, now: number): { readonly ms: number; readonly mean_ms: number } {
  const share = faded(now - latency.at);
  return { ms: latency.ms * share, mean_ms: latency.mean_ms * share };
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
