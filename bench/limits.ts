import { setTimeout as pause } from 'node:timers/promises';
import { functionProvider } from '../src/dialects/function/provider.ts';
import type { StoreOptions } from '../src/index.ts';
import type { Pools } from '../src/router/pools.ts';
import { defaultPool, defaultProvider } from '../src/router/settings.ts';
import { type Bench, PROTOCOL } from './gleitzeit.ts';
import { OTHER, openPooled } from './gleitzeit-calling.ts';
import { median, seconds } from './measure.ts';
import { handle, type Payload, payloads } from './payload.ts';
import type { KeyShares, LimitsReport } from './system.ts';

const CALL = 1000;
const FREE_TASKS = 20_000;
/** How often the two are held against each other. */
const ROUNDS = 5;
const WATCH_MS = 10_000;
/** Who stood in line for the drained provider is called one by one at first; the long line behind them, several at a time. */
const RESUMING_MS = 20_000;
const KEYS = 1000;
/** More than a key can get done while it is watched, before a restart and after it. */
const TASKS_PER_KEY = 200;
const SLOTS = 100;
/** Long enough that the slots are what everybody waits for. */
const WORK_MS = 20;
const LIMITED = idOf(PROTOCOL.name);
const tenASecond = {
  ...defaultProvider,
  limits: { concurrency: null, rate: { per_ms: 10 / 1000, burst: 10 } },
};

type Work = (key: string) => unknown;

/** Everything that is limited is in one store with what is not, and has one engine. */
export async function measureLimits(
  stores: (part: string) => StoreOptions,
  tasks: number,
): Promise<LimitsReport> {
  const rate = await measureRate(stores, tasks);
  return {
    ...rate,
    keys: await measureKeys(stores('keys'), 'engine'),
    keys_of_protocol: await measureKeys(stores('keys-of-protocol'), 'protocol'),
  };
}

/**
 * A free provider beside all the tasks of one with a limit of 10 a second: right behind them in the same queue, and again when these have come to
 * rest. It is held against one that is alone with an engine and a store of its own, in turn, since the machine may be slower for a while. Then what
 * the tasks cost: first with the limited provider drained, so that they wait and nothing else, then with its 10 calls a second.
 */
async function measureRate(stores: (part: string) => StoreOptions, tasks: number) {
  const drained: { set(is: boolean): void } = { set: () => {} };
  const crowded = await openFree(stores('rate'), (router) => {
    drained.set = (is) => void (is ? router.drain(LIMITED) : router.resume(LIMITED));
    router.connect(
      providerOf(PROTOCOL.name, () => {}),
      { settings: tenASecond },
    );
  });
  await crowded.drain();
  const idle_core_share = await watched();
  const alone = await openFree(stores('alone'));
  await alone.drain();
  const before = await alone.drain();
  await submit(crowded.bench, PROTOCOL.name, tasks);
  const arriving = await crowded.drain();
  await atRest();
  const shares: number[] = [];
  for (let round = 0; round < ROUNDS; round++) shares.push((await alone.drain()) / (await crowded.drain()));
  await alone.bench.stop();
  drained.set(true);
  const waiting_core_share = await watched();
  drained.set(false);
  await pause(RESUMING_MS);
  const parked_core_share = await watched();
  await crowded.bench.stop();
  return {
    arriving_share: before / arriving,
    beside_share: median(shares),
    ...{ idle_core_share, waiting_core_share, parked_core_share },
  };
}

/** An engine with a provider that nothing limits; `drain` tells how many seconds its tasks take. */
async function openFree(store: StoreOptions, arrange: (router: Pools) => void = () => {}) {
  let done = 0;
  const bench = await openPooled(store, (router) => {
    connect(router, OTHER.name, () => void done++);
    arrange(router);
  });
  const drain = () => {
    const until = done + FREE_TASKS;
    return seconds(async () => {
      await submit(bench, OTHER.name, FREE_TASKS);
      while (done < until) await pause(1);
    });
  };
  return { bench, drain };
}

/** Until nothing is done for what may not run now. */
async function atRest(): Promise<void> {
  for (let busy = true; busy; ) {
    const before = process.cpuUsage();
    await pause(500);
    const { user, system } = process.cpuUsage(before);
    busy = user + system > 50_000;
  }
}

/** What of a core the whole process takes, after a moment in which it comes to rest. */
async function watched(): Promise<number> {
  await pause(WATCH_MS / 2);
  const before = process.cpuUsage();
  await pause(WATCH_MS);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / WATCH_MS;
}

/**
 * 1,000 keys with one call at a time each, submitted key by key, so that a queue in order would serve the first ones only. Whose the slots
 * are is another way to the same: a key that has waited for its own place waits once more where they are the protocol's. An engine that
 * starts finds their lines in the store.
 */
async function measureKeys(store: StoreOptions, whose: 'engine' | 'protocol'): Promise<KeyShares> {
  const perKey = new Map<string, number>();
  const open = () => openKeyed(store, whose, perKey);
  const first = await open();
  await submitKeyByKey(first);
  const slowest_share = await watchKeys(perKey);
  await first.stop();
  perKey.clear();
  const second = await open();
  const restarted_share = await watchKeys(perKey);
  await second.stop();
  return { slowest_share, restarted_share };
}

function openKeyed(
  store: StoreOptions,
  whose: 'engine' | 'protocol',
  perKey: Map<string, number>,
): Promise<Bench> {
  const arrange = (router: Pools) => {
    connect(router, PROTOCOL.name, async (key) => {
      perKey.set(key, (perKey.get(key) ?? 0) + 1);
      await pause(WORK_MS);
    });
    router.configure(PROTOCOL.name, {
      ...defaultPool,
      limits: { concurrency: whose === 'protocol' ? SLOTS : null, rate: null },
      per_key: { key: 'params.key', concurrency: 1, rate: null },
    });
  };
  return openPooled(store, arrange, whose === 'engine' ? { concurrency: SLOTS } : {});
}

async function submitKeyByKey(bench: Bench): Promise<void> {
  for (let key = 0; key < KEYS; key++) {
    const [one] = payloads(`key-${key}`, 1);
    await submitAll(
      bench,
      PROTOCOL.name,
      Array.from({ length: TASKS_PER_KEY }, () => one as Payload),
    );
  }
}

/** Once every key has been served. */
async function watchKeys(perKey: Map<string, number>): Promise<number> {
  while (perKey.size < KEYS) await pause(100);
  perKey.clear();
  await pause(WATCH_MS);
  const counts = [...perKey.values()];
  return counts.length < KEYS ? 0 : Math.min(...counts) / Math.max(...counts);
}

function connect(router: Pools, protocol: string, work: Work): void {
  router.connect(providerOf(protocol, work));
}

function providerOf(protocol: string, work: Work) {
  const run = async (params: Payload) => {
    await work(params.key);
    return handle(params);
  };
  return functionProvider({ id: idOf(protocol), protocol, methods: { work: run as never } });
}

function idOf(protocol: string): string {
  return `provider of ${protocol}`;
}

async function submit(bench: Bench, protocol: string, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent += CALL) {
    await submitAll(bench, protocol, payloads(`${protocol}-${sent}`, Math.min(CALL, count - sent)));
  }
}

async function submitAll(bench: Bench, protocol: string, tasks: readonly Payload[]): Promise<void> {
  await bench.submitMany(tasks.map((params) => ({ protocol, method: 'work', params }) as never));
}
