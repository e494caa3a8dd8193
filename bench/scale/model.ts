import type { CostName, Inputs, Load, Setup } from './inputs.ts';
import { meanWait } from './queueing.ts';

export type StationName = 'engines' | 'window' | 'bridges' | 'places' | 'kafka' | 'postgres' | 'feed';

/** A part that every step passes through. */
export type Station = {
  readonly name: StationName;
  /** Steps a second that it can do at most; null where its cost is not known. */
  readonly capacity: number | null;
  /** How long a step waits and is served there on average at the given load, in ms. */
  readonly stay_ms: number;
};

type Costs = Inputs['costs'];

/** What each part can do, and how long a step stays there at that load. */
export function stationsOf(costs: Costs, setup: Setup, load: Load): Station[] {
  const { engines, kafka_cores, postgres_cores } = setup;
  const work = (name: StationName, cost: CostName, servers: number) =>
    worked({ name, service_us: costs[cost].value, servers, rate: load.steps_per_second });
  return [
    work('engines', 'engine_us', engines),
    { name: 'window', capacity: capacityOf(engines * setup.window * load.agents, load.agent_ms), stay_ms: 0 },
    work('bridges', 'bridge_us', atWork(setup)),
    {
      name: 'places',
      capacity: capacityOf(atWork(setup) * setup.concurrency * load.agents, load.agent_ms),
      stay_ms: 0,
    },
    work('kafka', 'kafka_us', kafka_cores),
    work('postgres', 'postgres_us', postgres_cores),
    // Events of one store are numbered by one commit at a time, however many cores and engines there are.
    work('feed', 'feed_us', 1),
  ];
}

/**
 * How many bridges' worth of work is done: partitions are shared out whole, and whoever has one more than the others is the
 * first to have too much. Twelve partitions on eight bridges do the work of six, on thirteen that of twelve.
 */
export function atWork({ partitions, bridges }: Pick<Setup, 'partitions' | 'bridges'>): number {
  return partitions / Math.ceil(partitions / bridges);
}

/** Steps a second that all parts can do whose cost is known. */
export function throughput(stations: readonly Station[]): number {
  return Math.min(...stations.map(({ capacity }) => capacity ?? Number.POSITIVE_INFINITY));
}

/** The part with the least to spare. */
export function limit(stations: readonly Station[]): Station | undefined {
  const most = throughput(stations);
  return stations.find(({ capacity }) => capacity === most);
}

/** What a step takes on average besides its agent's time, as far as the costs are known. */
export function added(costs: Costs, stations: readonly Station[]): number {
  const commits = (2 * (costs.commit_us.value ?? 0)) / 1000;
  return stations.reduce((sum, { stay_ms }) => sum + stay_ms, commits);
}

/** Places that are each held for so long. */
function capacityOf(places: number, held_ms: number): number {
  return (places * 1000) / held_ms;
}

type Work = {
  readonly name: StationName;
  readonly service_us: number | null;
  readonly servers: number;
  readonly rate: number;
};

function worked({ name, service_us, servers, rate }: Work): Station {
  if (service_us === null) return { name, capacity: null, stay_ms: 0 };
  const service_ms = service_us / 1000;
  const wait = meanWait(Math.max(1, Math.floor(servers)), (rate * service_us) / 1e6);
  return { name, capacity: (servers * 1e6) / service_us, stay_ms: service_ms * (1 + wait) };
}
