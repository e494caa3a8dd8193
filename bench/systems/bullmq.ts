import type { Payload, Result } from '../payload.ts';
import { loadPeer } from '../peers.ts';
import type { Place } from '../store.ts';
import type { Session, System } from '../system.ts';
import { Countdown, untilStart, Waiters } from '../waiters.ts';
import { workAt } from '../work.ts';

interface Job {
  readonly name: string;
  readonly data: Payload;
  getChildrenValues(): Promise<Record<string, Result>>;
}

interface FlowNode {
  readonly name: string;
  readonly queueName: string;
  readonly data: Payload;
  readonly children?: readonly FlowNode[];
}

interface Queue {
  add(name: string, data: Payload): Promise<unknown>;
  addBulk(jobs: readonly { name: string; data: Payload }[]): Promise<unknown>;
  close(): Promise<void>;
}

interface Worker {
  on(event: 'completed', listener: (job: Job, result: Result) => void): void;
  on(event: 'error', listener: (error: Error) => void): void;
  waitUntilReady(): Promise<unknown>;
  close(): Promise<void>;
}

interface Flows {
  add(flow: FlowNode): Promise<unknown>;
  close(): Promise<void>;
}

interface Classes {
  readonly Queue: new (name: string, options: object) => Queue;
  readonly Worker: new (name: string, process: (job: Job) => Promise<Result>, options: object) => Worker;
  readonly FlowProducer: new (options: object) => Flows;
}

interface BullMQ extends Classes {
  readonly createPostgresBackend: unknown;
  withBackend(factory: unknown): Classes;
}

/** A backlog wants many slots; with more slots than waiting jobs the worker fetches one by one, so submits in flight want fewer. */
const BACKLOG_CONCURRENCY = 100;
const CONCURRENCY = 25;
/** Its guide: "between 100 and 300 is a quite standard setting" for jobs that wait for others. */
const CALLING_CONCURRENCY = 100;

export const system: System = {
  name: 'bullmq',
  stores: ['redis', 'postgres'],
  durability: { redis: 'appendfsync always', postgres: 'synchronous_commit=on' },
  settings: `BullMQ 6.7, one worker with concurrency ${CONCURRENCY}, and ${BACKLOG_CONCURRENCY} for the backlog of W1 (of 10, 25, 50 and 100 the fastest for W2 and for W1 in one short run each); ${CALLING_CONCURRENCY} in W10, the least its guide calls usual for handlers that wait for others; addBulk for many jobs; completed jobs kept (the default).`,
  notes: [
    'A result counts when the worker reports "completed", which it does after the result is in the store.',
  ],
  without: {},
  share: { postgres: 0.1 },
  open: async (place) => open(place),
};

function open(place: Place): Session {
  const bullmq = loadPeer<BullMQ>('bullmq');
  const { Queue, Worker, FlowProducer } =
    place.store === 'postgres' ? bullmq.withBackend(bullmq.createPostgresBackend) : bullmq;
  const connection = connectionTo(place);
  const name = place.space;
  const work = workAt(place);
  const concurrency = place.agent === undefined ? CONCURRENCY : CALLING_CONCURRENCY;
  const queue = new Queue(name, { connection });
  const results = new Waiters<Result>();
  const starts = new Waiters<number>();
  let completed: Countdown | undefined;
  let worker: Worker | undefined;
  let flows: Flows | undefined;

  const perform = async (job: Job) => {
    starts.settle(job.data.key, performance.now());
    return work.handle(job.data, job.name === 'join' ? Object.values(await job.getChildrenValues()) : []);
  };
  const start = async (slots = concurrency) => {
    if (worker !== undefined) return;
    worker = new Worker(name, perform, { connection, concurrency: slots });
    worker.on('error', (error) => process.stderr.write(`${error.message}\n`));
    worker.on('completed', (job, result) => {
      completed?.tick();
      results.settle(job.data.key, result);
    });
    await worker.waitUntilReady();
  };
  const runFlow = async (flow: FlowNode) => {
    await start();
    flows ??= new FlowProducer({ connection });
    const result = results.wait(flow.data.key);
    await flows.add(flow);
    return result;
  };

  return {
    enqueue: async (tasks) => void (await queue.addBulk(tasks.map((data) => ({ name: 'task', data })))),
    drain: async (count) => {
      completed = new Countdown(count);
      await start(BACKLOG_CONCURRENCY);
      await completed.reached;
    },
    run: async (task) => {
      await start();
      const result = results.wait(task.key);
      await queue.add('task', task);
      return result;
    },
    startLatency: async (task) => {
      await start();
      return untilStart(starts, task.key, () => queue.add('task', task));
    },
    chain: (task) => runFlow(chainOf(name, task)),
    fanOut: (tasks) => runFlow(fanOutOf(name, tasks)),
    close: async () => {
      await worker?.close();
      await flows?.close();
      await queue.close();
      await work.close();
    },
  };
}

/** A flow is written from its end: a parent runs when its children have. */
function chainOf(queueName: string, task: Payload): FlowNode {
  const first = { name: 'task', queueName, data: { ...task, key: `${task.key}.1` } };
  const second = { name: 'join', queueName, data: { ...task, key: `${task.key}.2` }, children: [first] };
  return { name: 'join', queueName, data: task, children: [second] };
}

function fanOutOf(queueName: string, tasks: readonly Payload[]): FlowNode {
  const children = tasks.map((data) => ({ name: 'task', queueName, data }));
  return { name: 'join', queueName, data: { key: `${tasks[0]?.key}.join`, text: '' }, children };
}

function connectionTo({ store, url }: Place): unknown {
  if (store === 'postgres') return { connectionString: url, migrate: true };
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port), maxRetriesPerRequest: null };
}
