import { byLot } from './by-lot.ts';
import { type Candidate, loadOf } from './candidate.ts';
import { ofTwo } from './of-two.ts';

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
  if (choosing.policy === 'least_in_flight') return leastInFlight(eligible, choosing.draw);
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

function leastInFlight<One extends Candidate>(eligible: readonly One[], draw: () => number): One {
  const least = eligible.reduce((found, one) => Math.min(found, loadOf(one).level), Number.POSITIVE_INFINITY);
  const first = eligible.filter((one) => loadOf(one).level === least);
  return byLot(first, { weighs: (one) => loadOf(one).places, draw });
}

/** Of several the first. */
function least<One>(some: readonly One[], cost: (one: One) => number): One {
  return some.reduce((best, one) => (cost(one) < cost(best) ? one : best));
}

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
