import type { Payload, Result } from './payload.ts';
import type { Place, Store } from './store.ts';

export type WorkloadId =
  | 'W1'
  | 'W2'
  | 'W3'
  | 'W4'
  | 'W5'
  | 'W6'
  | 'W7'
  | 'W8'
  | 'W9'
  | 'W10'
  | 'W11'
  | 'W12'
  | 'W13'
  | 'W14'
  | 'W15'
  | 'W16'
  | 'W17'
  | 'W18'
  | 'W19'
  | 'start'
  | 'subscribers'
  | 'attack';

/** One system under test: a file of that name in `systems/`, exporting it as `system`. */
export interface System {
  readonly name: string;
  /** Where it can keep its state, its home first. */
  readonly stores: readonly [Store, ...Store[]];
  /** What survives a power cut, per store, in the words of that store's own setting. */
  readonly durability: Partial<Record<Store, string>>;
  /** The settings it runs with, and whose advice they are. */
  readonly settings: string;
  /** What a reader has to know to read its figures right. */
  readonly notes: readonly string[];
  /** Workloads it has no notion of, each with the reason. */
  readonly without: Partial<Record<WorkloadId, string>>;
  /** The share of a workload's tasks it is given on a store where the full number would take minutes; a rate stays a rate. */
  readonly share?: Partial<Record<Store, number>>;
  open(place: Place): Promise<Session>;
}

/**
 * One engine or worker with its client, in this process. A method that is missing is a workload the system
 * has no notion of. Nothing is worked on before the first method that asks for results, so that `enqueue`
 * alone measures acceptance.
 */
export interface Session {
  /** Warms up what is new with every session although the process is warm, such as threads of its own. */
  warm?(quick: boolean): Promise<void>;
  /** One bulk submit, resolved when all of it is durable. */
  enqueue?(tasks: readonly Payload[]): Promise<void>;
  /** Starts the worker and resolves when `count` results are stored. */
  drain?(count: number): Promise<void>;
  /** Stops working until the next method that asks for results. */
  rest?(): Promise<void>;
  /** One task: submit, and resolve once its result is stored and readable by the caller. */
  run?(task: Payload): Promise<Result>;
  /** One task: milliseconds from before the submit until its handler starts. */
  startLatency?(task: Payload): Promise<number>;
  /** Three tasks, each taking the result of the one before. */
  chain?(task: Payload): Promise<Result>;
  /** `width` tasks side by side and one that joins their results. */
  fanOut?(tasks: readonly Payload[]): Promise<Result>;
  /** One graph of that many tasks, submitted as a whole, resolved when it has finished. */
  graph?(size: number): Promise<void>;
  /**
   * Puts history into the store: tasks that have finished, and tasks that wait and may not run. Done by another
   * process or by the store itself, so that the memory of this one stays the engine's.
   */
  fill?(amounts: { readonly finished: number; readonly waiting: number }): Promise<void>;
  /** Leaves a server alone for so many milliseconds, and tells what it costs meanwhile. */
  idle?(ms: number): Promise<IdleReport>;
  /** Puts an engine of its own under load, kills it with -9 `kills` times, and counts what came of it. */
  crash?(kills: number): Promise<CrashReport>;
  /** One task as a caller outside has it: submit and result over HTTP. */
  request?(task: Payload): Promise<Result>;
  /** The same over one WebSocket. */
  requestOverSocket?(task: Payload): Promise<Result>;
  /** Puts subscribers on a server, runs so many tasks, and tells how late they hear of them and what they cost. */
  subscribers?(tasks: number): Promise<SubscriberReport>;
  /** Floods a server with nonsense for so many seconds, and tells how a good client fares meanwhile. */
  attack?(seconds: number): Promise<AttackReport>;
  /** Calls a pool of four agents, two of them ill, 1,000 times a second for so many seconds. */
  pool?(seconds: number): Promise<PoolReport>;
  /** Puts so many tasks behind limits, and tells what that costs others. */
  limits?(tasks: number): Promise<LimitsReport>;
  /** Runs so many tasks whose calls leave through Kafka, and tells what becomes of them with more bridges and slow agents. */
  distributed?(tasks: number): Promise<DistributedReport>;
  /** Makes so many calls in each dialect, in turns. */
  dialects?(calls: number): Promise<DialectReport>;
  /** Calls of an agent, and the same through another zone, in turn. */
  zone?(calls: number): Promise<ZoneReport>;
  /** Plays a league of so many players. */
  league?(players: number): Promise<LeagueReport>;
  /** Translates so many calls of an agent in each dialect, both ways. */
  translation?(calls: number): Promise<TranslationReport>;
  /** Starts the program so many times, each beside a bare Node. */
  startUp?(rounds: number): Promise<StartReport>;
  close(): Promise<void>;
}

/** Milliseconds from the start of a process to its end, each sample beside the others. */
export interface StartReport {
  readonly bare_ms: readonly number[];
  readonly version_ms: readonly number[];
  /** A workflow of three tasks over an agent that is a child process, on a store of its own. */
  readonly run_ms: readonly number[];
}

export interface IdleReport {
  readonly resident_bytes: number;
  /** Of one core, 0 to 1. */
  readonly core_share: number;
}

export interface PoolReport {
  /** Milliseconds of each call that was made without any system around it, and of each task from submit to result. */
  readonly direct_ms: readonly number[];
  readonly task_ms: readonly number[];
  /** The same of the seconds in which the machine's host gave the processors to others. */
  readonly disturbed: { readonly direct_ms: readonly number[]; readonly task_ms: readonly number[] };
  /** Of all tasks that were submitted after the breakers had opened. */
  readonly failed: number;
}

export interface LimitsReport {
  /** The rate of a free provider beside one that is held to 10 calls a second, over its rate alone: while the tasks of that one find their line, and once they stand in it. */
  readonly arriving_share: number;
  readonly beside_share: number;
  /** Of a core: before there are any, while all of the tasks wait and none may run, and while ten a second do. */
  readonly idle_core_share: number;
  readonly waiting_core_share: number;
  readonly parked_core_share: number;
  /** Where the engine has the slots, and where the protocol has. */
  readonly keys: KeyShares;
  readonly keys_of_protocol: KeyShares;
}

/** Tasks done by the key that got least, over those by the key that got most: before and after a restart of the engine. */
export interface KeyShares {
  readonly slowest_share: number;
  readonly restarted_share: number;
}

export interface DistributedReport {
  /** Tasks a second: a queue that is there already, and 100 in flight from submit to result. */
  readonly drained: number;
  readonly single: number;
  /** The same of an engine that makes its calls itself, right before. */
  readonly local_drained: number;
  readonly local_single: number;
  /** One task after another, from submit to result. */
  readonly task_ms: readonly number[];
  /** Microseconds of a core for each task of the queue, by process. */
  readonly cpu_us: Readonly<Record<string, number>>;
  /** Tasks a second with so many bridges, whose agents take 100 ms. */
  readonly by_bridges: Readonly<Record<number, number>>;
  /** A second bridge under load, from the start of its process and from when it said that it takes tasks. */
  readonly share_after_start_ms: number;
  readonly share_after_ready_ms: number;
  /** p50 of tasks whose agent is quick, alone and with tasks of a slow one in the same partition. */
  readonly alone_ms: number;
  readonly beside_slow_ms: number;
}

/** Microseconds of a translation by dialect and direction, in each round. */
export type TranslationReport = Readonly<
  Record<string, { readonly request: readonly number[]; readonly response: readonly number[] }>
>;

/** Milliseconds of each call, directly and through the zone. */
export type ZoneReport = { readonly direct: readonly number[]; readonly zone: readonly number[] };

/** Microseconds of a call by dialect, in each round; `jsonrpc` is what the others are held against. */
export type DialectReport = Readonly<Record<string, readonly number[]>>;

export interface LeagueReport {
  readonly seconds: number;
  readonly matches: number;
  /** What the manager heard and said, answers included. */
  readonly manager_messages: number;
  /** The most memory that each process held. */
  readonly bytes: { readonly managing: number; readonly judging: number; readonly playing: number };
}

export interface AttackReport {
  /** A task from submit to result, before the flood. */
  readonly quiet_p99_ms: number;
  /** One call that does no work, and a task, during the flood. */
  readonly call_p99_ms: number;
  readonly task_p50_ms: number;
  readonly task_p99_ms: number;
  readonly bad_per_second: number;
  /** The longest that one of the attacks waited for its error. */
  readonly refusal_ms: number;
  /** A server that is started with a YAML bomb, until it has ended. */
  readonly bomb_ms: number;
}

export interface SubscriberReport {
  /** Memory of the server's process before anybody came, with everybody there, and after the load. */
  readonly idle_mb: number;
  readonly subscribed_mb: number;
  readonly loaded_mb: number;
  /** From the commit of an event to its arrival, while tasks come at a pace. */
  readonly p50_ms: number;
  readonly p99_ms: number;
  /** How fast events arrive when all tasks come at once. */
  readonly delivered_per_second: number;
}

export interface CrashReport {
  readonly lost: number;
  readonly recorded_twice: number;
  /** From each kill to the first new completion after it. */
  readonly recovery_ms: readonly number[];
}
