import type { Payload, Result } from '../payload.ts';
import { loadPeer } from '../peers.ts';
import { untilCount } from '../sql.ts';
import type { Place } from '../store.ts';
import type { Session, System } from '../system.ts';
import { Countdown, untilStart, Waiters } from '../waiters.ts';
import { workAt } from '../work.ts';

interface Job {
  readonly id: string;
  readonly data: Payload;
}

interface JobResult {
  readonly id: string;
  readonly status: 'completed';
  readonly output: Result;
}

interface Boss {
  on(event: 'error', listener: (error: Error) => void): void;
  start(): Promise<unknown>;
  createQueue(name: string, options: object): Promise<void>;
  send(name: string, data: Payload): Promise<unknown>;
  insert(name: string, jobs: readonly { data: Payload }[]): Promise<unknown>;
  work(
    name: string,
    options: object,
    perform: (jobs: readonly Job[]) => Promise<JobResult[]>,
  ): Promise<unknown>;
  stop(options: object): Promise<void>;
}

interface PgBossModule {
  readonly PgBoss: new (options: object) => Boss;
}

const QUEUE = 'tasks';
const WORK = {
  batchSize: 1000,
  localConcurrency: 2,
  burstWhenBatchFull: true,
  perJobResults: true,
  pollingIntervalSeconds: 0.5,
};

const NO_WAIT = 'no way to wait for a result but to poll for it';
const NO_PASSING = 'jobs can depend on jobs, but a result is not passed on';

export const system: System = {
  name: 'pgboss',
  stores: ['postgres'],
  durability: { postgres: 'synchronous_commit=on' },
  settings:
    'pg-boss 12.35: batchSize 1000, localConcurrency 2, burstWhenBatchFull, a result per job, LISTEN/NOTIFY on, insert for many jobs.',
  notes: ['W10: drained only; the calls of a batch are made at once, 100 in flight.'],
  without: { W2: NO_WAIT, W4: NO_WAIT, W5: NO_PASSING, W6: NO_PASSING, W7: NO_PASSING },
  open,
};

async function open(place: Place): Promise<Session> {
  const { url, space } = place;
  const work = workAt(place);
  const { PgBoss } = loadPeer<PgBossModule>('pg-boss');
  const boss = new PgBoss({ connectionString: url, schema: space, useListenNotify: true, schedule: false });
  boss.on('error', (error) => process.stderr.write(`${error.message}\n`));
  await boss.start();
  await boss.createQueue(QUEUE, { notify: true });
  const starts = new Waiters<number>();
  let handled: Countdown | undefined;
  let working = false;

  const performOne = async ({ id, data }: Job): Promise<JobResult> => {
    starts.settle(data.key, performance.now());
    const output = await work.handle(data);
    handled?.tick();
    return { id, status: 'completed', output };
  };
  const perform = (jobs: readonly Job[]) => Promise.all(jobs.map(performOne));
  const start = async () => {
    if (!working) await boss.work(QUEUE, WORK, perform);
    working = true;
  };

  return {
    enqueue: async (tasks) =>
      void (await boss.insert(
        QUEUE,
        tasks.map((data) => ({ data })),
      )),
    drain: async (count) => {
      handled = new Countdown(count);
      await start();
      await handled.reached;
      await untilCount(url, `select count(*) from ${space}.job where state = 'completed'`, count);
    },
    startLatency: async (task) => {
      await start();
      return untilStart(starts, task.key, () => boss.send(QUEUE, task));
    },
    close: async () => {
      await boss.stop({ graceful: true, timeout: 5000 });
      await work.close();
    },
  };
}
