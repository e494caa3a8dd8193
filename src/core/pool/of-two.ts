import { byLot } from './by-lot.ts';
import { type Candidate, loadOf } from './candidate.ts';
import { expected, failingShare, type Latency } from './latency.ts';

/** What a call that fails costs whoever waits for it: the time until it is tried again. */
const RETRY_MS = 1000;

/** Below it nobody is quicker than anybody: calls in flight decide. */
const LEAST_MS = 0.05;

/** What a call takes besides, for what the lot makes of it: a millisecond more or less is the machine's. */
const BESIDES_MS = 1;

/** Of the calls that would go to somebody who was slow or failed, were that forgotten, so many do, one at a time. */
const TRIED_AGAIN = 0.05;

type Lots = { readonly now: number; readonly draw: () => number };
type Pair<One> = readonly [One, One];

/**
 * The better of two drawn by lot: nearly as good as the best of all, and a whole fleet does not run to the same one. One is drawn by
 * weight and the other is any: so each pair comes as often as both weigh, and each of it who wins by weight gets as many calls as it weighs.
 */
export function ofTwo<One extends Candidate>(eligible: readonly One[], lots: Lots): One {
  const one = byLot(eligible, { weighs: ({ weight }) => weight, draw: lots.draw });
  const others = eligible.filter((each) => each !== one);
  const other = others[Math.floor(lots.draw() * others.length)];
  return other === undefined ? one : better([one, other], lots);
}

function better<One extends Candidate>(pair: Pair<One>, { now, draw }: Lots): One {
  const byMethod = pair.some(({ latency }) => latency !== null);
  const latencyOf = (one: One) => (byMethod ? one.latency : one.overall) ?? null;
  const unknown = pair.filter((one) => isNew(one, latencyOf(one)));
  const [only] = unknown.length === 1 ? unknown : [];
  if (only !== undefined && unheard(only) === 0) return only;
  // One that may hang has no luck.
  const lot = only === undefined ? draw() : null;
  const after = (moment: number | null) =>
    lesser(pair, { cost: costsOf(pair, { latencyOf, only, moment }), lot });
  const faded = after(now);
  return unheard(faded) === 0 && draw() < TRIED_AGAIN ? faded : after(null);
}

function isNew({ tried = false }: Candidate, latency: Latency | null): boolean {
  return latency === null ? !tried : latency.first === true;
}

/** Calls of the method that say nothing yet. */
function unheard({ under_way = 0 }: Candidate): number {
  return under_way;
}

type Costs<One> = {
  readonly latencyOf: (one: One) => Latency | null;
  /** The one of which nothing is known, where something is of the other. */
  readonly only: One | undefined;
  /** How much is forgotten by then; null where nothing is. */
  readonly moment: number | null;
};

type Cost = { readonly ms: number; readonly mean_ms: number };

/** What a call is expected to cost in time, retries included. */
function costsOf<One extends Candidate>(pair: Pair<One>, { latencyOf, only, moment }: Costs<One>) {
  const takes = (one: One) => {
    const latency = latencyOf(one);
    return latency === null ? null : expected(latency, moment ?? latency.at);
  };
  // Of whom nothing is known yet is taken to be as quick as the other, and the less the more calls of it are without an answer.
  const usual = pair.map(takes).find((known) => known !== null) ?? { ms: 1, mean_ms: 1 };
  return (one: One): Cost => {
    const { failing = null } = one;
    const fails = failing === null ? 0 : failingShare(failing, moment ?? failing.at);
    const { ms, mean_ms } = takes(one) ?? usual;
    const doubt = one === only ? unheard(one) + 1 : 1;
    const retries = RETRY_MS * fails;
    return { ms: Math.max(ms, LEAST_MS) * doubt + retries, mean_ms: mean_ms + BESIDES_MS + retries };
  };
}

type Weighing<One> = {
  readonly cost: (one: One) => Cost;
  /** In [0, 1); null where it has no say. */
  readonly lot: number | null;
};

/**
 * The one where the calls under way cost less. Where both have as many the lot decides, or one that is hardly better, or was slow but once,
 * would get all: by weight, and for one that usually costs twice as much an eighth as often.
 */
function lesser<One extends Candidate>([one, other]: Pair<One>, { cost, lot }: Weighing<One>): One {
  const [here, there] = [underLoad(one, cost(one)), underLoad(other, cost(other))];
  const isLot = here.level === there.level || here.ms === there.ms;
  if (lot === null || !isLot) return here.ms < there.ms ? one : other;
  const [pull, against] = [here.places / here.mean_ms ** 3, there.places / there.mean_ms ** 3];
  return lot * (pull + against) < pull ? one : other;
}

function underLoad(one: Candidate, { ms, mean_ms }: Cost) {
  const { level, places } = loadOf(one);
  return { level, places, ms: ms * (level + 1), mean_ms: mean_ms * (level + 1) };
}
