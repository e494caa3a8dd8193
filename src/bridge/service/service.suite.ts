import {
  AGENT_METHOD,
  AGENT_PROTOCOL,
  agentDefaults,
  agentProviderId,
  taskRetryOf,
} from '../../core/agent.ts';
import { type AttemptName, correlationId } from '../../core/attempt-name.ts';
import type { JsonObject } from '../../core/json.ts';
import type { OutgoingCall } from '../../core/ports/dispatch.ts';
import type { LogFields, Logger } from '../../core/ports/logger.ts';
import { systemClock, systemRandom, systemTimers } from '../../embedded/system.ts';
import { TestProvider } from '../../engine/testing/provider.suite.ts';
import { testSchemas } from '../../engine/testing/schemas.suite.ts';
import { cipher } from '../../engine/testing/world.suite.ts';
import { Pools } from '../../router/pools.ts';
import type { Delivery, Message } from '../broker.ts';
import { InProcessBroker, type InProcessOptions } from '../in-process/broker.ts';
import { InProcessWorld } from '../in-process/world.ts';
import { type AgentTask, writeAgentTask } from '../messages/agent-task.ts';
import { readUpdates, writeControl } from '../messages/news.ts';
import { Arrivals, text } from '../suite/harness.suite.ts';
import { defaultGroups, defaultTopics, dispatchTopics } from '../topics.ts';
import { type BridgeObserver, noBridgeObserver } from './observer.ts';
import type { BridgeOptions, BridgeParts, Callee, Directory } from './parts.ts';
import { BridgeService } from './service.ts';

export { cipher } from '../../engine/testing/world.suite.ts';

export const topics = defaultTopics;
const groups = defaultGroups;
export const bridgeGroup = groups.bridges;

const defaults: BridgeOptions = {
  ...{ topics, group: groups.bridges },
  ...{ concurrency: 8, most_messages: 1000, most_bytes: 1_000_000 },
};

export type ServiceOptions = {
  readonly options?: Partial<BridgeOptions>;
  readonly parts?: Partial<BridgeParts>;
  readonly callee?: Partial<Callee>;
  readonly broker?: InProcessOptions;
};

export type Line = { readonly level: string; readonly message: string; readonly fields: LogFields };

/** A broker, bridges on it, and somebody who reads what they tell. */
export class BridgeWorld {
  readonly world = new InProcessWorld();
  readonly client = new InProcessBroker(this.world);
  readonly results = new Arrivals<JsonObject>();
  readonly letters = new Arrivals<JsonObject>();
  readonly kept = new Arrivals<JsonObject>();
  readonly news = new Arrivals<JsonObject>();
  readonly log: Line[] = [];
  readonly observed: string[] = [];
  readonly #ends: (() => Promise<void>)[] = [];

  /** Everything is there, and somebody listens. */
  static async open(partitions = 3): Promise<BridgeWorld> {
    const world = new BridgeWorld();
    await world.client.ensure([
      ...dispatchTopics(topics, groups, partitions),
      { name: topics.dead_letters, kind: 'work', groups: ['people'], partitions: 1 },
    ]);
    const read = (topic: string, group: string, into: Arrivals<JsonObject>) =>
      world.client.consume({ topic, group, most_unacknowledged: 1000 }, (deliveries) => {
        for (const delivery of deliveries) delivery.ack();
        into.add(deliveries.map(json));
      });
    await read(topics.results, groups.engines, world.results);
    await read(topics.kept, groups.engines, world.kept);
    await read(topics.dead_letters, 'people', world.letters);
    await world.client.subscribe(topics.updates, (news) => {
      for (const { value } of news) {
        const { engine, news: pieces } = readUpdates(value);
        world.news.add(pieces.map((piece) => ({ engine, ...piece }) as JsonObject));
      }
    });
    return world;
  }

  async bridge(providers: readonly TestProvider[], given: ServiceOptions = {}) {
    const broker = new InProcessBroker(this.world, given.broker);
    await broker.ensure(dispatchTopics(topics, groups, 3));
    const logger = this.#logger();
    const pools = new Pools({ clock: systemClock, timers: systemTimers, logger });
    for (const provider of providers) pools.connect(provider);
    const service = new BridgeService({
      ...{ name: `bridge-${this.#ends.length + 1}`, broker, router: pools, logger, cipher },
      ...{ clock: systemClock, timers: systemTimers, random: systemRandom(), schemas: testSchemas },
      directory: directoryOf(providers, given.callee),
      observer: this.#observer(),
      ...given.parts,
      options: { ...defaults, ...given.options },
    });
    await service.start();
    this.#ends.push(async () => {
      await service.stop(0);
      await pools.stop(0);
      await broker.close(0);
    });
    return { service, broker, pools };
  }

  send(...messages: Message[]): Promise<void> {
    return this.client.publish(topics.tasks, messages);
  }

  cancel(name: AttemptName): Promise<void> {
    return this.client.publish(topics.control, [writeControl({ ...name, kind: 'cancel', reason: null })]);
  }

  lag(): Promise<number> {
    return this.client.lag(groups.bridges, topics.tasks);
  }

  /** Resolves when the bridges have acknowledged everything. */
  async done(): Promise<void> {
    while ((await this.lag()) > 0);
  }

  async close(): Promise<void> {
    for (const end of this.#ends) await end();
    await this.client.close(0);
  }

  #logger(): Logger {
    const at =
      (level: string) =>
      (message: string, fields: LogFields = {}) =>
        void this.log.push({ level, message, fields });
    return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  }

  #observer(): BridgeObserver {
    return {
      ...noBridgeObserver,
      received: (kind) => void this.observed.push(`received ${kind}`),
      retried: (agent) => void this.observed.push(`retried ${agent}`),
      dropped: (why) => void this.observed.push(`dropped ${why}`),
      deadLetter: (code) => void this.observed.push(`dead letter ${code}`),
    };
  }
}

function json(delivery: Delivery): JsonObject {
  return JSON.parse(text(delivery)) as JsonObject;
}

/** Agents by their names, with providers `agent:<name>`; anything else by the id of its provider. */
function directoryOf(providers: readonly TestProvider[], given: Partial<Callee> = {}): Directory {
  const find = ({ agent_name, ours }: AgentTask): Callee | null => {
    const protocol = ours?.protocol ?? AGENT_PROTOCOL;
    const id = ours?.provider ?? agentProviderId(agent_name);
    if (!providers.some((provider) => provider.id === id)) return null;
    return {
      ...{ provider: id, protocol, method: ours?.method ?? AGENT_METHOD, agent: agent_name, dialect: 'test' },
      ...{ timeout_ms: 5000, keeps: true, retry: quick },
      ...given,
    };
  };
  return { find, lookFor: async (task) => find(task) };
}

const quick = taskRetryOf({
  retry_config: { ...agentDefaults.retry_config, initial_delay_ms: 1, max_delay_ms: 2 },
});

/** An agent that other executors may name. */
export function agent(name: string): TestProvider {
  return new TestProvider(agentProviderId(name), AGENT_PROTOCOL);
}

let count = 0;

export type OwnOptions = Partial<OutgoingCall> & { readonly agent?: string; readonly expires_in?: number };

/** A task as one of our engines publishes it. */
export function ownTask({ agent = 'provider-1', expires_in = 60_000, ...given }: OwnOptions = {}) {
  const task_id = given.task_id ?? `task-${++count}`;
  const name = { task_id, generation: given.generation ?? 0, attempt: given.attempt ?? 1 };
  const params = given.params ?? { text: 'hello' };
  const call: OutgoingCall = {
    ...{ method: 'echo', params, call_id: task_id, workflow_id: 'run-1', ...name },
    ...{ signal: new AbortController().signal, timeout_ms: 5000, expires_in_ms: null, secrets: [] },
    sealed: () => ({ params: JSON.stringify(params), response: null, callback: null, secrets: false }),
    ...given,
  };
  const now_ms = Date.now();
  const provider = new TestProvider(agent);
  const message = writeAgentTask(provider, call, {
    engine: 'engine-1',
    now_ms,
    expires_at_ms: now_ms + expires_in,
  });
  return { name, message, correlation_id: correlationId(name) };
}

/** A task as others write it. */
export function foreignTask(agent_name: string, given: JsonObject = {}): Message {
  const task_id = `foreign-${++count}`;
  const task = {
    ...{ run_id: 'their-run', task_id, agent_name, input_data: { text: 'hi' } },
    ...{ correlation_id: `c-${task_id}`, timestamp: '2026-01-31T12:00:00.123456', ...given },
  };
  return { key: String(task.run_id), value: JSON.stringify(task) };
}
