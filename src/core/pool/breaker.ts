/** When calls to a provider stop, and for how long. Times in milliseconds. */
export type BreakerPolicy = {
  /** So many failures in a row open it. */
  readonly failures: number;
  /** Or this share of the calls in `window_ms`, of which there must be `least_calls`. */
  readonly failure_rate: number;
  readonly window_ms: number;
  readonly least_calls: number;
  /** How long it stays open: doubled each time, up to the most. */
  readonly cool_down_ms: number;
  readonly most_cool_down_ms: number;
  /** Calls that may try at the same time whether it is well again. */
  readonly probes: number;
};

export const defaultBreaker: BreakerPolicy = {
  failures: 5,
  failure_rate: 0.5,
  window_ms: 10_000,
  least_calls: 20,
  cool_down_ms: 1000,
  most_cool_down_ms: 30_000,
  probes: 1,
};

export type Breaker =
  | {
      readonly state: 'closed';
      readonly in_a_row: number;
      /** Calls and failures since `from`, and those of the window before it, which count by what is left of it. */
      readonly from: number;
      readonly calls: number;
      readonly failed: number;
      readonly earlier_calls: number;
      readonly earlier_failed: number;
      /** How often it had opened when it closed, and when that was: who falls back soon cools down longer. */
      readonly opened: number;
      readonly since: number;
    }
  | { readonly state: 'open'; readonly until: number; readonly opened: number }
  | {
      readonly state: 'half_open';
      readonly probing: number;
      /** When the last probe began. */
      readonly since: number;
      /** Probes that were answered, one after another. */
      readonly well: number;
      readonly opened: number;
    };

/** Who opened again and again, soon after it had closed, has to answer as often before it closes: up to so many probes. */
const MOST_TRIALS = 5;

/** What a call told of the provider. `nothing`: it was ended by us, or refused for its own sake. */
export type Verdict = 'well' | 'failed' | 'nothing';

export type BreakerMoment = {
  readonly policy: BreakerPolicy;
  readonly now: number;
  /** In [0, 1): up to a fifth of the cool-down is left out by it, so that many do not come back at once. */
  readonly draw: number;
};

export function closedBreaker(now: number): Breaker {
  return closed(now, 0);
}

function closed(now: number, opened: number): Breaker {
  return {
    state: 'closed',
    in_a_row: 0,
    from: now,
    calls: 0,
    failed: 0,
    earlier_calls: 0,
    earlier_failed: 0,
    opened,
    since: now,
  };
}

/** How many calls may begin now. */
export function admits(breaker: Breaker, policy: BreakerPolicy, now: number): number {
  const at = nextProbe(breaker, policy);
  if (at === null) return Number.POSITIVE_INFINITY;
  if (at > now) return 0;
  return breaker.state === 'half_open' ? Math.max(1, policy.probes - breaker.probing) : policy.probes;
}

/**
 * From when a call may try whether the service is well again, or null where any may begin. A probe may be a call that takes long: one
 * more is let through once the last has had as long as a cool-down, which is twice as long each time, and the first answer counts.
 */
export function nextProbe(breaker: Breaker, policy: BreakerPolicy): number | null {
  if (breaker.state === 'closed') return null;
  if (breaker.state === 'open') return breaker.until;
  const over = breaker.probing - policy.probes;
  return over < 0 ? breaker.since : breaker.since + coolDown(breaker.opened + over, policy);
}

/** Somebody has seen to the service: where it is open, it need not cool down any longer. */
export function triedNow(breaker: Breaker, now: number): Breaker {
  return breaker.state === 'open' ? { ...breaker, until: Math.min(breaker.until, now) } : breaker;
}

/** A call begins, which `admits` allowed. Where it is a probe, it says of which opening: `ended` wants to hear it again. */
export function begun(
  breaker: Breaker,
  now: number,
): { readonly breaker: Breaker; readonly probe: number | null } {
  if (breaker.state === 'closed') return { breaker, probe: null };
  const { opened } = breaker;
  const [probing, well] = breaker.state === 'half_open' ? [breaker.probing, breaker.well] : [0, 0];
  return { breaker: { state: 'half_open', probing: probing + 1, since: now, well, opened }, probe: opened };
}

/** A call has ended. While it is not closed only probes are listened to: the others began before it opened. */
export function ended(
  breaker: Breaker,
  call: { readonly verdict: Verdict; readonly probe: number | null },
  moment: BreakerMoment,
): Breaker {
  if (breaker.state === 'closed') return counted(breaker, call.verdict, moment);
  if (breaker.state === 'open' || call.probe !== breaker.opened) return breaker;
  if (call.verdict === 'failed') return open(breaker.opened + 1, moment);
  const well = breaker.well + (call.verdict === 'well' ? 1 : 0);
  if (well >= Math.min(breaker.opened, MOST_TRIALS)) return closed(moment.now, breaker.opened);
  return { ...breaker, probing: breaker.probing - 1, well };
}

function counted(
  breaker: Extract<Breaker, { state: 'closed' }>,
  verdict: Verdict,
  moment: BreakerMoment,
): Breaker {
  if (verdict === 'nothing') return breaker;
  const { policy, now } = moment;
  const turned = turn(breaker, policy, now);
  const failure = verdict === 'failed' ? 1 : 0;
  const next = {
    ...turned,
    in_a_row: failure === 1 ? breaker.in_a_row + 1 : 0,
    calls: turned.calls + 1,
    failed: turned.failed + failure,
  };
  if (failure === 0 || !isTooMuch(next, policy, now)) return next;
  const soon = now - next.since < policy.most_cool_down_ms;
  return open(soon ? next.opened + 1 : 1, moment);
}

function turn<Closed extends Extract<Breaker, { state: 'closed' }>>(
  breaker: Closed,
  { window_ms }: BreakerPolicy,
  now: number,
): Closed {
  const windows = Math.floor((now - breaker.from) / window_ms);
  if (windows < 1) return breaker;
  const [earlier_calls, earlier_failed] = windows === 1 ? [breaker.calls, breaker.failed] : [0, 0];
  const from = breaker.from + windows * window_ms;
  return { ...breaker, from, calls: 0, failed: 0, earlier_calls, earlier_failed };
}

function isTooMuch(
  breaker: Extract<Breaker, { state: 'closed' }>,
  policy: BreakerPolicy,
  now: number,
): boolean {
  if (breaker.in_a_row >= policy.failures) return true;
  const left = 1 - (now - breaker.from) / policy.window_ms;
  const calls = breaker.calls + breaker.earlier_calls * left;
  const failed = breaker.failed + breaker.earlier_failed * left;
  return calls >= policy.least_calls && failed >= policy.failure_rate * calls;
}

function open(opened: number, { policy, now, draw }: BreakerMoment): Breaker {
  return { state: 'open', until: now + coolDown(opened, policy) * (1 - draw / 5), opened };
}

function coolDown(opened: number, { cool_down_ms, most_cool_down_ms }: BreakerPolicy): number {
  return Math.min(most_cool_down_ms, cool_down_ms * 2 ** (opened - 1));
}
