import { inFlight } from '../measure.ts';
import type { Payload, Result } from '../payload.ts';
import { loadPeer } from '../peers.ts';
import { untilCount } from '../sql.ts';
import type { Place } from '../store.ts';
import type { Session, System } from '../system.ts';
import { Countdown, untilStart, Waiters } from '../waiters.ts';
import { type Work, workAt } from '../work.ts';

type Workflow<Input> = (input: Input) => Promise<Result>;

interface Handle {
  getResult(): Promise<Result>;
}

interface Dbos {
  setConfig(config: object): void;
  launch(): Promise<void>;
  shutdown(): Promise<void>;
  registerWorkflow<Input>(workflow: Workflow<Input>, config: { name: string }): Workflow<Input>;
  registerQueue(name: string, options: object): Promise<unknown>;
  startWorkflow<Input>(
    workflow: Workflow<Input>,
    options?: { queueName: string },
  ): (input: Input) => Promise<Handle>;
  runStep(step: () => Promise<Result>, config: { name: string }): Promise<Result>;
}

interface Workflows {
  readonly task: Workflow<Payload>;
  readonly chain: Workflow<Payload>;
  readonly fanOut: Workflow<readonly Payload[]>;
}

const QUEUE = 'tasks';
const WORKER_CONCURRENCY = 100;
const POLLING_MS = 50;
const POOL = 20;

export const system: System = {
  name: 'dbos',
  stores: ['postgres'],
  durability: { postgres: 'synchronous_commit=on' },
  settings: `DBOS Transact 5.3: pool of ${POOL} connections; queue with workerConcurrency ${WORKER_CONCURRENCY}, polled every ${POLLING_MS} ms (1,000 as shipped); a task is a workflow without steps, a chain a workflow of three steps.`,
  notes: [
    'Except for W1 a workflow starts in the process that submits it, without the queue; through a queue the start waits for its next poll.',
    'W10: the single call is made by the workflow itself, without a step around it, which saves it a write.',
    'With the queue as shipped (polled every second, no concurrency limit) W1 was 641 tasks/s against 1,041 in one short comparison.',
  ],
  without: { W8: 'no bulk submit' },
  share: { postgres: 0.25 },
  open,
};

const starts = new Waiters<number>();
let handled: Countdown | undefined;
let registered: Workflows | undefined;
let work: Work = workAt({});

async function open(place: Place): Promise<Session> {
  const { url, space } = place;
  work = workAt(place);
  const { DBOS } = loadPeer<{ readonly DBOS: Dbos }>('@dbos-inc/dbos-sdk');
  registered ??= register(DBOS);
  const { task, chain, fanOut } = registered;
  const launch = async (listenQueues?: readonly string[]) => {
    const database = {
      systemDatabaseUrl: url,
      systemDatabaseSchemaName: space,
      systemDatabasePoolSize: POOL,
    };
    DBOS.setConfig({ name: 'bench', ...database, logLevel: 'error', ...(listenQueues && { listenQueues }) });
    await DBOS.launch();
  };
  await launch(['none']);
  await DBOS.registerQueue(QUEUE, {
    workerConcurrency: WORKER_CONCURRENCY,
    minPollingIntervalMs: POLLING_MS,
  });
  const run = async <Input>(workflow: Workflow<Input>, input: Input) =>
    (await DBOS.startWorkflow(workflow)(input)).getResult();

  return {
    enqueue: (tasks) =>
      inFlight(tasks.length, POOL, async (index) => {
        const input = tasks[index];
        if (input !== undefined) await DBOS.startWorkflow(task, { queueName: QUEUE })(input);
      }),
    drain: async (count) => {
      handled = new Countdown(count);
      await DBOS.shutdown();
      await launch();
      await handled.reached;
      await untilCount(url, `select count(*) from ${space}.workflow_status where status = 'SUCCESS'`, count);
    },
    run: (input) => run(task, input),
    startLatency: (input) => untilStart(starts, input.key, () => DBOS.startWorkflow(task)(input)),
    chain: (input) => run(chain, input),
    fanOut: (inputs) => run(fanOut, inputs),
    close: async () => {
      await DBOS.shutdown();
      await work.close();
    },
  };
}

/** Workflows belong to the process in DBOS: registered once, whatever database is launched later. */
function register(DBOS: Dbos): Workflows {
  const step = (task: Payload, previous?: readonly Result[]) =>
    DBOS.runStep(async () => work.handle(task, previous), { name: 'step' });
  const runTask = async (task: Payload) => {
    starts.settle(task.key, performance.now());
    handled?.tick();
    return work.handle(task);
  };
  const runChain = async (task: Payload) => step(task, [await step(task, [await step(task)])]);
  const runFanOut = async (tasks: readonly Payload[]) => {
    const results = await Promise.all(tasks.map((task) => step(task)));
    return step({ key: 'join', text: '' }, results);
  };
  return {
    task: DBOS.registerWorkflow(runTask, { name: 'task' }),
    chain: DBOS.registerWorkflow(runChain, { name: 'chain' }),
    fanOut: DBOS.registerWorkflow(runFanOut, { name: 'fanOut' }),
  };
}
