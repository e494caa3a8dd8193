import { setTimeout as pause } from 'node:timers/promises';
import { inFlight } from '../measure.ts';
import type { Payload, Result } from '../payload.ts';
import { loadPeer } from '../peers.ts';
import type { Place } from '../store.ts';
import type { Session, System } from '../system.ts';
import { Countdown, untilStart, Waiters } from '../waiters.ts';
import { workAt } from '../work.ts';

interface Backend {
  countWorkflowRuns(): Promise<{ readonly completed: number }>;
  stop(): Promise<void>;
}

interface Handle {
  resultPollIntervalMs: number;
  result(): Promise<Result>;
}

interface Step {
  run(config: { name: string }, work: () => Promise<Result>): Promise<Result>;
}

interface Workflow<Input> {
  run(input: Input): Promise<Handle>;
}

interface Client {
  defineWorkflow<Input>(
    spec: { name: string },
    workflow: (context: { input: Input; step: Step }) => Promise<Result>,
  ): Workflow<Input>;
  newWorker(options: { concurrency: number }): { start(): Promise<void>; stop(): Promise<void> };
}

interface Core {
  readonly OpenWorkflow: new (options: { backend: Backend }) => Client;
}

interface Sqlite {
  readonly BackendSqlite: { connect(path: string, options: object): Backend };
}

interface Postgres {
  readonly BackendPostgres: { connect(url: string, options: object): Promise<Backend> };
}

const CONCURRENCY = 100;
const RESULT_POLL_MS = 5;

export const system: System = {
  name: 'openworkflow',
  stores: ['sqlite', 'postgres'],
  durability: { sqlite: 'FULL', postgres: 'synchronous_commit=on' },
  settings: `openworkflow 0.10.1: worker concurrency ${CONCURRENCY}; the caller looks for the result every ${RESULT_POLL_MS} ms (1,000 as shipped, and not an option: set on the handle); a task is a workflow without steps, a chain a workflow of three steps.`,
  notes: [
    'An idle worker polls every 50 to 1,000 ms, which is its start latency.',
    'W10: the single call is made by the workflow itself, without a step around it, which saves it a write.',
  ],
  without: { W8: 'no bulk submit' },
  share: { sqlite: 0.25, postgres: 0.25 },
  open,
};

async function open(place: Place): Promise<Session> {
  const { OpenWorkflow } = loadPeer<Core>('openworkflow');
  const backend = await connect(place);
  const work = workAt(place);
  const client = new OpenWorkflow({ backend });
  const starts = new Waiters<number>();
  let handled: Countdown | undefined;
  let worker: ReturnType<Client['newWorker']> | undefined;

  const task = client.defineWorkflow<Payload>({ name: 'task' }, async ({ input }) => {
    starts.settle(input.key, performance.now());
    handled?.tick();
    return work.handle(input);
  });
  const chain = client.defineWorkflow<Payload>({ name: 'chain' }, async ({ input, step }) => {
    const first = await step.run({ name: 'first' }, async () => work.handle(input));
    const second = await step.run({ name: 'second' }, async () => work.handle(input, [first]));
    return step.run({ name: 'third' }, async () => work.handle(input, [second]));
  });
  const fanOut = client.defineWorkflow<readonly Payload[]>({ name: 'fanOut' }, async ({ input, step }) => {
    const each = (one: Payload) => step.run({ name: one.key }, async () => work.handle(one));
    const results = await Promise.all(input.map(each));
    return step.run({ name: 'join' }, async () => work.handle({ key: 'join', text: '' }, results));
  });
  const start = async () => {
    if (worker !== undefined) return;
    worker = client.newWorker({ concurrency: CONCURRENCY });
    await worker.start();
  };
  const run = async <Input>(workflow: Workflow<Input>, input: Input) => {
    await start();
    const handle = await workflow.run(input);
    handle.resultPollIntervalMs = RESULT_POLL_MS;
    return handle.result();
  };

  return {
    enqueue: (tasks) =>
      inFlight(tasks.length, CONCURRENCY, async (index) => {
        const input = tasks[index];
        if (input !== undefined) await task.run(input);
      }),
    drain: async (count) => {
      handled = new Countdown(count);
      await start();
      await handled.reached;
      while ((await backend.countWorkflowRuns()).completed < count) await pause(RESULT_POLL_MS);
    },
    run: (input) => run(task, input),
    startLatency: async (input) => {
      await start();
      return untilStart(starts, input.key, () => task.run(input));
    },
    chain: (input) => run(chain, input),
    fanOut: (inputs) => run(fanOut, inputs),
    close: async () => {
      await worker?.stop();
      await backend.stop();
      await work.close();
    },
  };
}

async function connect({ store, url, space }: Place): Promise<Backend> {
  const options = { namespaceId: space };
  return store === 'sqlite'
    ? loadPeer<Sqlite>('openworkflow/sqlite').BackendSqlite.connect(url, options)
    : loadPeer<Postgres>('openworkflow/postgres').BackendPostgres.connect(url, options);
}
