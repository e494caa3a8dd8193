import type { Inputs, Load, Setup } from './inputs.ts';
import { atWork, limit, type Station, type StationName, stationsOf } from './model.ts';

export type Turn = { readonly station: StationName; readonly knob: keyof Setup; from: number; to: number };

export type Turned = {
  readonly setup: Setup;
  readonly turns: readonly Turn[];
  /** The part that no knob can help any more; null where everything has room. */
  readonly end: StationName | null;
};

type Parts = Pick<Inputs, 'costs' | 'ends' | 'busy'>;
type Change = Partial<Setup>;

/** Turns whatever is in the way, one part after the other, until every part has room or there is nothing left to turn. */
export function turn(parts: Parts, from: Setup, load: Load): Turned {
  const wanted = load.steps_per_second / parts.busy;
  const turns: Turn[] = [];
  let setup = from;
  for (;;) {
    const narrow = limit(stationsOf(parts.costs, setup, load));
    if (narrow === undefined || (narrow.capacity ?? 0) >= wanted) return { setup, turns, end: null };
    const change = wider(narrow, { parts, setup, wanted });
    if (change === null) return { setup, turns, end: narrow.name };
    turns.push(...turnsOf(narrow.name, setup, change));
    setup = { ...setup, ...change };
  }
}

/** Among how many systems the load has to be shared, each with a store and topics of its own, so that each has room. */
export function systemsFor(parts: Parts, from: Setup, load: Load): number {
  const shared = (systems: number) => ({ ...load, steps_per_second: load.steps_per_second / systems });
  let systems = 1;
  while (turn(parts, from, shared(systems)).end !== null) systems++;
  return systems;
}

type Situation = { readonly parts: Parts; readonly setup: Setup; readonly wanted: number };

/** The least that gives the part room, and something of it where there is an end before that. */
function wider({ name, capacity }: Station, situation: Situation): Change | null {
  const { parts, setup, wanted } = situation;
  const times = wanted / (capacity ?? wanted);
  const { ends } = parts;
  if (name === 'feed') return null;
  if (name === 'engines') return { engines: Math.ceil(setup.engines * times) };
  if (name === 'bridges') return moreBridges(setup, atWork(setup) * times);
  if (name === 'kafka') return { kafka_cores: Math.ceil(setup.kafka_cores * times) };
  if (name === 'postgres') return upTo('postgres_cores', setup, { times, end: ends.postgres_cores });
  // A process holds so much at once and no more; then there must be more of them.
  if (name === 'window')
    return (
      upTo('window', setup, { times, end: ends.window }) ?? { engines: Math.ceil(setup.engines * times) }
    );
  return (
    upTo('concurrency', setup, { times, end: ends.concurrency }) ?? moreBridges(setup, atWork(setup) * times)
  );
}

function upTo(
  knob: 'postgres_cores' | 'window' | 'concurrency',
  setup: Setup,
  { times, end }: { times: number; end: number },
): Change | null {
  const to = Math.min(end, Math.ceil(setup[knob] * times));
  return to > setup[knob] ? { [knob]: to } : null;
}

/** Partitions in whole dozens, since many numbers of bridges share a dozen evenly. */
function moreBridges({ partitions, bridges: before }: Setup, wanted: number): Change {
  const enough = partitions >= wanted ? partitions : Math.ceil(wanted / 12) * 12;
  let bridges = Math.max(before, Math.ceil(wanted));
  while (atWork({ partitions: enough, bridges }) < wanted) bridges++;
  return { bridges, partitions: enough };
}

function turnsOf(station: StationName, setup: Setup, change: Change): Turn[] {
  return Object.entries(change).flatMap(([name, to]) => {
    const knob = name as keyof Setup;
    return setup[knob] === to ? [] : [{ station, knob, from: setup[knob], to }];
  });
}
