import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Provider } from '../../core/ports/provider.ts';
import { parseProtocol } from '../../core/protocol.ts';
import { systemClock, systemRandom, systemTimers } from '../../embedded/system.ts';
import { defaultOptions, Engine } from '../../engine/engine.ts';
import { createProtocols } from '../../registry/protocols.ts';
import { dispatchByWay } from '../../router/dispatch-by-way.ts';
import { localDispatch } from '../../router/local-dispatch.ts';
import { Pools } from '../../router/pools.ts';
import type { SharedState } from '../../router/shared-state.ts';
import { createCipher } from '../../store/cipher.ts';
import { hashText } from '../../store/hash.ts';
import { openSqliteStore } from '../../store/sqlite/store.ts';
import { withFields } from '../../telemetry/logger.ts';
import type { Broker, Delivery } from '../broker.ts';
import { InProcessBroker } from '../in-process/broker.ts';
import { InProcessWorld } from '../in-process/world.ts';
import { type OwnResult, writeOwnResult } from '../messages/agent-result.ts';
import { type AgentTask, type OwnTask, readAgentTask } from '../messages/agent-task.ts';
import { defaultGroups, defaultTopics, dispatchTopics } from '../topics.ts';
import { BrokerDispatch } from './broker-dispatch.ts';
import { type ExecutorObserver, noExecutorObserver } from './observer.ts';
import type { ExecutorParts } from './parts.ts';

export const cipher = createCipher(() => [Buffer.alloc(32, 7)]);

type Line = readonly [level: string, message: string, fields: unknown];

/** What is logged, to be looked at. */
export function heardLogger() {
  const lines: Line[] = [];
  const at = (level: string) => (message: string, fields?: unknown) =>
    void lines.push([level, message, fields]);
  const logger = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  return { lines, logger: withFields(logger, {}) };
}

export function executorParts(broker: Broker, fields: Partial<ExecutorParts> = {}): ExecutorParts {
  return {
    name: 'engine-1',
    broker,
    cipher,
    clock: systemClock,
    timers: systemTimers,
    logger: heardLogger().logger,
    observer: noExecutorObserver,
    options: {
      topics: defaultTopics,
      groups: defaultGroups,
      partitions: 3,
      wait_ms: 60_000,
      most_unacknowledged: 100,
    },
    ...fields,
  };
}

/** A bridge in the hands of the test: what came to it, and what it says. */
export class HandBridge {
  readonly tasks: AgentTask[] = [];
  readonly #broker: Broker;
  #wake: () => void = () => {};

  constructor(broker: Broker) {
    this.#broker = broker;
  }

  async start(): Promise<void> {
    const { tasks, control } = defaultTopics;
    await this.#broker.ensure(dispatchTopics(defaultTopics, defaultGroups, 3));
    const how = { topic: tasks, group: defaultGroups.bridges, most_unacknowledged: 1000 };
    await this.#broker.consume(how, (deliveries) => {
      for (const delivery of deliveries) this.#took(delivery);
    });
    await this.#broker.subscribe(control, (news) => {
      this.cancelled.push(...news.map(({ key }) => key));
      this.#wake();
    });
  }

  readonly cancelled: string[] = [];

  #took(delivery: Delivery): void {
    this.tasks.push(readAgentTask(delivery.value));
    delivery.ack();
    this.#wake();
  }

  /** Resolves when so many have come, or were cancelled. */
  async until(holds: (bridge: HandBridge) => boolean): Promise<void> {
    while (!holds(this))
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
  }

  async task(index = 0): Promise<AgentTask & { readonly ours: OwnTask }> {
    await this.until(({ tasks }) => tasks.length > index);
    const task = this.tasks[index];
    if (task?.ours === null || task === undefined) throw new Error('it is not ours');
    return { ...task, ours: task.ours };
  }

  /** Answers as a bridge of ours does. */
  async answer(
    task: AgentTask & { readonly ours: OwnTask },
    answer: OwnResult['answer'],
    { secret = false, times = 1 } = {},
  ): Promise<void> {
    const { name, provider, protocol, method, secrets } = task.ours;
    const called = { protocol, method, secrets };
    const result = { name, run_id: task.run_id, provider, answer, took_ms: 5, called };
    const message = writeOwnResult({ ...result, now_ms: Date.now(), secret }, cipher);
    await this.say(
      defaultTopics.results,
      Array.from({ length: times }, () => message),
    );
  }

  say(topic: string, messages: Parameters<Broker['publish']>[1]): Promise<void> {
    return this.#broker.publish(topic, messages);
  }
}

/** From now on everything on the topic is kept for `valuesOn`. */
export function keepFor(broker: Broker, topic: string): Promise<void> {
  return broker.ensure([{ name: topic, kind: 'work', groups: [`reader of ${topic}`] }]);
}

/** A place in the store that engines share. */
export function stateIn({ store, engine }: Pick<Site, 'store' | 'engine'>): SharedState {
  const collection = 'dispatch';
  return {
    read: (name) => store.reads.document(collection, name),
    write: (key, text, expect) => engine.putDocument({ collection, key, text, expect }),
  };
}

/** Dead letters, and whatever else stands on a topic. */
export async function valuesOn(broker: Broker, topic: string, count: number): Promise<unknown[]> {
  const values: unknown[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const how = { topic, group: `reader of ${topic}`, most_unacknowledged: 1000 };
  const consumer = await broker.consume(how, (deliveries) => {
    for (const { value, ack } of deliveries) {
      values.push(JSON.parse(new TextDecoder().decode(value)));
      ack();
    }
    if (values.length >= count) resolve();
  });
  await promise;
  await consumer.stop(0);
  return values;
}

const definition = {
  name: 'echo/v1',
  version: 'v1',
  methods: {
    echo: { params: { type: 'object' } },
    hush: {
      params: { type: 'object', properties: { word: { type: 'string', 'x-secret': true } } },
      returns: { type: 'object', properties: { word: { type: 'string', 'x-secret': true } } },
    },
  },
} as const;

/** An engine on a store in a file whose calls leave through a broker inside the process. */
export async function openSite(
  options: { world?: InProcessWorld; folder?: string; observer?: ExecutorObserver } = {},
) {
  const world = options.world ?? new InProcessWorld();
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'gleitzeit-executor-')));
  const broker = new InProcessBroker(world);
  const { lines, logger } = heardLogger();
  const observer = options.observer ?? noExecutorObserver;
  const parts = executorParts(broker, { logger, observer });
  const dispatch = new BrokerDispatch(parts);
  const path = join(folder, 'store.db');
  const store = await openSqliteStore({ path, clock: systemClock, logger, same_thread: true });
  const protocols = createProtocols();
  protocols.register(parseProtocol(definition));
  const pools = new Pools({ clock: systemClock, timers: systemTimers, logger });
  const engine = new Engine({
    ...{ store, schemas: protocols, router: pools, dispatch: dispatchByWay(localDispatch, dispatch) },
    ...{ cipher, clock: systemClock, timers: systemTimers, random: systemRandom(), logger, hash: hashText },
    options: defaultOptions,
  });
  pools.connect(awayProvider);
  await engine.start();
  const close = async () => {
    await engine.stop(5000);
    dispatch.close();
    await broker.close(1000);
    await pools.stop(1000);
    await store.close();
  };
  const remove = () => rm(folder, { recursive: true, force: true });
  return { world, folder, broker, parts, dispatch, store, engine, pools, lines, close, remove };
}

export type Site = Awaited<ReturnType<typeof openSite>>;

const awayProvider: Provider = {
  id: 'echo-1',
  protocol: 'echo/v1',
  via: 'bridge',
  hasMethod: () => true,
  call: () => Promise.reject(new Error('it is made elsewhere')),
};
