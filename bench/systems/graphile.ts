import type { Payload } from '../payload.ts';
import { loadPeer } from '../peers.ts';
import { untilCount } from '../sql.ts';
import type { Place } from '../store.ts';
import type { Session, System } from '../system.ts';
import { Countdown, untilStart, Waiters } from '../waiters.ts';
import { workAt } from '../work.ts';

interface Runner {
  stop(): Promise<void>;
}

interface Utilities {
  migrate(): Promise<void>;
  addJob(identifier: string, payload: Payload): Promise<unknown>;
  addJobs(jobs: readonly { identifier: string; payload: Payload }[]): Promise<unknown>;
  release(): Promise<void>;
}

interface Graphile {
  readonly Logger: new (factory: () => () => void) => unknown;
  makeWorkerUtils(options: object): Promise<Utilities>;
  run(options: object): Promise<Runner>;
}

/** The configuration the project's performance page measures with. */
const BATCHED = {
  concurrentJobs: 24,
  maxPoolSize: 25,
  localQueue: { size: 500 },
  completeJobBatchDelay: 0,
  failJobBatchDelay: 0,
};

/** As many jobs at a time as there are calls in flight. */
const CALLING = { ...BATCHED, concurrentJobs: 100 };

const NO_RESULTS = 'a finished job is deleted: no result to read or to pass on';

export const system: System = {
  name: 'graphile',
  stores: ['postgres'],
  durability: { postgres: 'synchronous_commit=on, keeps nothing' },
  settings:
    'graphile-worker 0.18 as on its performance page: concurrentJobs 24, maxPoolSize 25, localQueue 500, completeJobBatchDelay 0; addJobs for many jobs.',
  notes: [
    'Finished jobs are deleted, so it writes neither results nor history.',
    `W10: drained only; concurrentJobs ${CALLING.concurrentJobs}.`,
  ],
  without: { W2: NO_RESULTS, W4: NO_RESULTS, W5: NO_RESULTS, W6: NO_RESULTS, W7: NO_RESULTS },
  open,
};

async function open(place: Place): Promise<Session> {
  const { url, space } = place;
  const work = workAt(place);
  const { Logger, makeWorkerUtils, run } = loadPeer<Graphile>('graphile-worker');
  const shared = { connectionString: url, schema: space, logger: new Logger(() => () => {}) };
  const utilities = await makeWorkerUtils(shared);
  await utilities.migrate();
  const starts = new Waiters<number>();
  let handled: Countdown | undefined;
  let runner: Runner | undefined;

  const task = async (payload: Payload) => {
    starts.settle(payload.key, performance.now());
    await work.handle(payload);
    handled?.tick();
  };
  const start = async () => {
    runner ??= await run({
      ...shared,
      noHandleSignals: true,
      taskList: { task },
      preset: { worker: place.agent === undefined ? BATCHED : CALLING },
    });
  };

  return {
    enqueue: async (tasks) =>
      void (await utilities.addJobs(tasks.map((payload) => ({ identifier: 'task', payload })))),
    drain: async (count) => {
      handled = new Countdown(count);
      await start();
      await handled.reached;
      await untilCount(url, `select count(*) from ${space}._private_jobs`, 0);
    },
    startLatency: async (payload) => {
      await start();
      return untilStart(starts, payload.key, () => utilities.addJob('task', payload));
    },
    close: async () => {
      await runner?.stop();
      await utilities.release();
      await work.close();
    },
  };
}
