import { type BridgeWeather, bridgeWeatherOf } from './bridge-weather.ts';
import { Dice } from './dice.ts';

/** What kind of world a seed makes: how many engines, how fast things are, how much goes wrong. Times in milliseconds. */
export type Weather = {
  readonly exclusive: boolean;
  /** Nothing goes wrong: what is checked then is that nothing is late. */
  readonly fair: boolean;
  readonly engines: number;
  readonly concurrency: number;
  readonly lease_ttl_ms: number;
  /** How long a process or its way to the store may hang. */
  readonly hang_ms: number;
  readonly poll_ms: number;
  readonly keep_ms: number;
  /** How long things go wrong; then the world is given time to come to rest. */
  readonly chaos_ms: number;
  readonly operations: number;
  readonly commit_ms: number;
  readonly network_ms: number;
  /** Chances, each time it could happen. */
  readonly crash: number;
  readonly commit_refused: number;
  readonly answer_lost: number;
  /** The engine is told that a commit failed, and it takes effect later: a server goes on without its client. */
  readonly late_effect: number;
  readonly read_fails: number;
  readonly reply_lost: number;
  readonly hint_dropped: number;
  readonly hint_repeated: number;
  readonly hint_late: number;
  readonly payloads_left_out: number;
  readonly no_provider: number;
  /** Calls that an engine makes of each protocol at a time; the rest waits in line. Null for any number. */
  readonly places: number | null;
  /** How often in all. */
  readonly partitions: number;
  readonly disk_full: number;
  readonly pauses: number;
  readonly clock_jumps: number;
  readonly stops: number;
  /** Queues that are paused or let go on, besides what clients do anyway. */
  readonly queue_pauses: number;
  /** The chance that whoever pauses a queue, or lets it go on, does not hear that it is done. */
  readonly pause_unheard: number;
  readonly poison: boolean;
  readonly clock_drift: number;
  /** Null where all calls are made by the engines. */
  readonly bridge: BridgeWeather | null;
};

function weatherOf(dice: Dice): Omit<Weather, 'bridge'> {
  const weather = anyWeather(dice);
  const concurrency = dice.pick([1, 4, 8]);
  const some = !weather.fair && dice.chance(0.15) ? { ...weather, ...forgetful, concurrency } : weather;
  const places = dice.pick([null, null, null, 1, 1, 2, 4]);
  return dice.chance(0.06) ? { ...some, ...unheardPauses, places: null } : { ...some, places };
}

const noTrouble = {
  crash: 0,
  commit_refused: 0,
  answer_lost: 0,
  late_effect: 0,
  read_fails: 0,
  reply_lost: 0,
  hint_dropped: 0,
  hint_repeated: 0,
  hint_late: 0,
  payloads_left_out: 0,
  no_provider: 0,
  partitions: 0,
  disk_full: 0,
  pauses: 0,
  clock_jumps: 0,
  stops: 0,
  poison: false,
};

/** One busy engine that often does not hear what became of its commits. */
const forgetful = {
  engines: 1,
  operations: 60,
  chaos_ms: 6000,
  commit_ms: 1,
  network_ms: 1,
  hang_ms: 100,
  crash: 0,
  answer_lost: 0.25,
  commit_refused: 0.05,
  partitions: 0,
  disk_full: 0,
  poison: false,
};

/** One engine with few places whose commits often fail: who is on the way to a line may be called past. */
const fewPlaces = {
  ...noTrouble,
  exclusive: true,
  fair: false,
  engines: 1,
  concurrency: 8,
  // What is done each third of it must not be what brings them back.
  lease_ttl_ms: 3_600_000,
  operations: 40,
  chaos_ms: 12_000,
  hang_ms: 100,
  commit_refused: 0.25,
};

/** By draws of its own: all other worlds are what they would be anyway. */
export function weatherOfSeed(seed: number): Weather {
  const weather = weatherOf(new Dice(seed, 'weather'));
  const dice = new Dice(seed, 'few places');
  if (dice.chance(0.08)) return { ...weather, ...fewPlaces, places: dice.pick([1, 2]), bridge: null };
  return { ...weather, bridge: bridgeWeatherOf(seed, weather.fair) };
}

/** All is well but for one thing, which nobody may notice by chance because of something else. */
const unheardPauses = {
  ...noTrouble,
  exclusive: true,
  fair: false,
  engines: 1,
  operations: 60,
  chaos_ms: 12_000,
  hang_ms: 100,
  queue_pauses: 8,
  pause_unheard: 0.6,
};

function anyWeather(dice: Dice): Omit<Weather, 'places' | 'bridge'> {
  const exclusive = dice.chance(0.45);
  const fair = dice.chance(0.2);
  const storm = dice.pick([0.3, 1, 1, 2]);
  const shared = fair ? { ...noTrouble, clock_jumps: dice.whole(0, 3) } : trouble(dice, storm);
  // Without other engines a lease has no end, and what is done each third of it must not be what keeps things moving.
  const seldom = 3_600_000;
  const lease_ttl_ms = exclusive || fair ? dice.pick([1500, seldom]) : dice.pick([300, 600, 1500, 3000]);
  return {
    ...shared,
    exclusive,
    fair,
    queue_pauses: 0,
    pause_unheard: 0,
    engines: exclusive ? 1 : dice.whole(1, 3),
    concurrency: dice.pick([1, 2, 3, 5, 8]),
    lease_ttl_ms,
    hang_ms: exclusive ? dice.pick([500, 3000]) : Math.min(9000, lease_ttl_ms * 3),
    // In fair weather nobody may depend on looking around now and then.
    poll_ms: fair ? seldom : dice.pick([100, 400, 1000]),
    keep_ms: dice.chance(0.08) ? dice.whole(1000, 20_000) : 30 * 24 * 3_600_000,
    chaos_ms: dice.between(2000, 12_000),
    operations: dice.pick([10, 20, 40, 60]),
    commit_ms: dice.pick([0.2, 1, 3, 15]),
    network_ms: dice.pick([0.2, 1, 5, 30]),
    clock_drift: dice.chance(0.5) ? 0 : dice.between(-0.02, 0.02),
  };
}

function trouble(dice: Dice, storm: number): typeof noTrouble {
  const sometimes = (probability: number) => (dice.chance(0.5) ? probability * storm : 0);
  return {
    crash: sometimes(dice.pick([0.002, 0.006, 0.02])),
    commit_refused: sometimes(0.03),
    answer_lost: sometimes(dice.pick([0.03, 0.12])),
    late_effect: sometimes(dice.pick([0.02, 0.1])),
    read_fails: sometimes(0.05),
    reply_lost: sometimes(0.05),
    hint_dropped: sometimes(0.2),
    hint_repeated: sometimes(0.1),
    hint_late: sometimes(0.1),
    payloads_left_out: sometimes(0.2),
    no_provider: sometimes(0.03),
    partitions: dice.chance(0.4) ? dice.whole(1, 3) : 0,
    disk_full: dice.chance(0.25) ? dice.whole(1, 2) : 0,
    pauses: dice.chance(0.4) ? dice.whole(1, 3) : 0,
    clock_jumps: dice.chance(0.5) ? dice.whole(1, 4) : 0,
    stops: dice.chance(0.3) ? dice.whole(1, 3) : 0,
    poison: dice.chance(0.3),
  };
}
