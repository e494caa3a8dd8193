import { expected, type Failing, failingShare, type Latency } from './latency.ts';

/** Somebody who has the method, as far as the choice is concerned. */
export type Candidate = {
  readonly id: string;
  /** Whether it may be asked, now or in a moment: not open, not full, not paused. */
  readonly free: boolean;
  /** A place is kept there for somebody who was called, as this call was. */
  readonly kept?: boolean;
  /** An earlier attempt at the same task failed with it. */
  readonly avoided: boolean;
  /** Lower ones first; the next only where nobody of these may be asked. */
  readonly tier: number;
  readonly zone: string | null;
  /** A whole number: with twice the weight it gets twice the calls. */
  readonly weight: number;
  readonly in_flight: number;
  /** Of the method that is called. */
  readonly latency: Latency | null;
  /** Of all its methods together: counts where nobody is known by the one that is called. */
  readonly overall?: Latency | null;
  /** Of the method that is called. */
  readonly failing?: Failing | null;
};

export const policies = ['latency', 'round_robin', 'least_in_flight', 'sticky'] as const;
export type Policy = (typeof policies)[number];

export type Choosing = {
  readonly policy: Policy;
  /** Where we are: those of the same zone come first. */
  readonly zone: string | null;
  /** What calls must have in common to go to the same provider. Without one, `sticky` chooses by latency. */
  readonly key: string | null;
  /** What `round_robin` carries from one choice to the next; it is changed. */
  readonly turns: Map<string, number>;
  readonly now: number;
  /** Chance, in [0, 1). */
  readonly draw: () => number;
};

/** Who gets the call, or null where nobody may be asked. */
export function choose<One extends Candidate>(candidates: readonly One[], choosing: Choosing): One | null {
  const eligible = narrowed(candidates, choosing.zone);
  const [first] = eligible;
  if (first === undefined) return null;
  if (choosing.policy === 'sticky' && choosing.key !== null) return byKey(eligible, choosing.key);
  return byPolicy(
    preferred(eligible, ({ kept = false }) => kept),
    choosing,
  );
}

function byPolicy<One extends Candidate>(eligible: readonly One[], choosing: Choosing): One {
  if (choosing.policy === 'round_robin') return inTurn(eligible, choosing.turns);
  if (choosing.policy === 'least_in_flight') return least(fromLot(eligible, choosing.draw), load);
  return ofTwo(eligible, choosing);
}

/** Rather somebody of a later tier or another zone than one with whom the task has failed before. */
export function narrowed<One extends Candidate>(
  candidates: readonly One[],
  zone: string | null,
): readonly One[] {
  const free = candidates.filter((candidate) => candidate.free);
  const fresh = preferred(free, ({ avoided }) => !avoided);
  const tier = fresh.reduce(
    (lowest, candidate) => Math.min(lowest, candidate.tier),
    Number.POSITIVE_INFINITY,
  );
  const first = fresh.filter((candidate) => candidate.tier === tier);
  return zone === null ? first : preferred(first, (candidate) => candidate.zone === zone);
}

function preferred<One>(all: readonly One[], is: (one: One) => boolean): readonly One[] {
  const some = all.filter(is);
  return some.length === 0 ? all : some;
}

/**
 * Smooth weighted round robin: each gains its weight, the richest is chosen and pays for all. Over as many choices as
 * the weights add up to, each is chosen as often as it weighs, and nobody many times in a row.
 */
function inTurn<One extends Candidate>(eligible: readonly One[], turns: Map<string, number>): One {
  const owned = ({ id }: One) => turns.get(id) ?? 0;
  let sum = 0;
  for (const candidate of eligible) {
    turns.set(candidate.id, owned(candidate) + candidate.weight);
    sum += candidate.weight;
  }
  const chosen = least(eligible, (candidate) => -owned(candidate));
  turns.set(chosen.id, owned(chosen) - sum);
  return chosen;
}

function load({ in_flight, weight }: Candidate): number {
  return (in_flight + 1) / weight;
}

/** Begins somewhere by lot: of many that are idle it must not always be the first. */
function fromLot<One>(some: readonly One[], draw: () => number): readonly One[] {
  const start = Math.floor(draw() * some.length);
  return [...some.slice(start), ...some.slice(0, start)];
}

/** Of several the first. */
function least<One>(some: readonly One[], cost: (one: One) => number): One {
  return some.reduce((best, one) => (cost(one) < cost(best) ? one : best));
}

/** The better of two drawn by lot: nearly as good as the best of all, and a whole fleet does not run to the same one. */
function ofTwo<One extends Candidate>(eligible: readonly One[], { draw, now }: Choosing): One {
  const one = Math.floor(draw() * eligible.length);
  const other = (one + 1 + Math.floor(draw() * (eligible.length - 1))) % eligible.length;
  const pair = eligible.filter((_, index) => index === one || index === other);
  const byMethod = pair.some(({ latency }) => latency !== null);
  const takes = (candidate: One) => expected((byMethod ? candidate.latency : candidate.overall) ?? null, now);
  const known = pair.flatMap((candidate) => takes(candidate) ?? []);
  // Of whom nothing is known yet is taken to be as quick as the other.
  const usual = known[0] ?? 1;
  const costs = (candidate: One) =>
    Math.max(takes(candidate) ?? usual, LEAST_MS) + RETRY_MS * failingShare(candidate.failing ?? null, now);
  return least(pair, (candidate) => costs(candidate) * load(candidate));
}

/** What a call that fails costs whoever waits for it: the time until it is tried again. */
const RETRY_MS = 1000;

/** Below it nobody is quicker than anybody: calls in flight decide. */
const LEAST_MS = 0.05;

/** Rendezvous hashing: where one goes, only the keys it had move, and they spread over all others by weight. */
function byKey<One extends Candidate>(eligible: readonly One[], key: string): One {
  return least(eligible, ({ id, weight }) => -Math.log(chance(`${key}\n${id}`)) / weight);
}

/** A number in (0, 1) that looks drawn by lot and is always the same for the same text. */
function chance(text: string): number {
  return (hashOf(text) + 0.5) / 2 ** 32;
}

/** The same as a whole number below 2 ** 32. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
