import { connect } from 'node:net';
import { createGleitzeit, protocol, type StoreOptions } from '../../src/index.ts';
import {
  type Accepted,
  type FromEngine,
  onLines,
  type Submission,
  sendLine,
  type ToEngine,
} from './lines.ts';

/**
 * The process that is killed: an engine whose submissions come from, and whose calls go to, a process that lives on.
 * It keeps no record of its own.
 */
const [, , socketPath = '', storeText = ''] = process.argv;
const socket = connect(socketPath);
const say = (message: FromEngine) => sendLine(socket, message);
const calls = new Map<number, (result: number) => void>();
let lastCall = 0;

const chaos = protocol({
  name: 'chaos/v1',
  methods: {
    step: {
      params: { n: { type: 'integer', required: true }, before: { type: 'integer', default: 0 } },
      returns: { type: 'object', properties: { value: { type: 'integer' } }, required: ['value'] },
    },
  },
});

const gleitzeit = await createGleitzeit({
  store: JSON.parse(storeText) as StoreOptions,
  protocols: [chaos],
  concurrency: 200,
  providers: [
    {
      id: 'outside',
      protocol: 'chaos/v1',
      methods: {
        step: async ({ n, before }, { task_id, attempt }) => {
          const id = ++lastCall;
          const { promise, resolve } = Promise.withResolvers<number>();
          calls.set(id, resolve);
          say({ kind: 'execute', id, task_id, attempt, n });
          return { value: (await promise) + before };
        },
      },
    },
  ],
});

onLines(socket, (message: ToEngine) => {
  if (message.kind === 'submit') void accept(message.id, message.work);
  else {
    calls.get(message.id)?.(message.result);
    calls.delete(message.id);
  }
});

const retry_config = { max_attempts: 50, initial_delay: '10ms' } as const;

async function accept(id: number, work: readonly Submission[]): Promise<void> {
  try {
    say({ kind: 'accepted', id, tasks: await Promise.all(work.map(submit)) });
  } catch (thrown) {
    say({ kind: 'refused', id, error: String(thrown) });
  }
}

async function submit({ key, n, length }: Submission): Promise<Accepted> {
  const options = { idempotency_key: key };
  const step = { protocol: 'chaos/v1', method: 'step', retry_config } as const;
  if (length === 1) {
    const { task_id } = await gleitzeit.submit({ ...step, params: { n } }, options);
    return { key, task_ids: [task_id] };
  }
  const tasks = Array.from({ length }, (_, index) => ({
    ...step,
    id: `step-${index}`,
    params: index === 0 ? { n } : ({ n, before: `\${step-${index - 1}.result.value}` } as const),
  }));
  const run = await gleitzeit.submit({ name: 'chain', tasks }, options);
  return { key, task_ids: Object.values(run.tasks) };
}

process.on('SIGTERM', () => {
  void gleitzeit.stop({ deadline_ms: 5000 }).then(() => process.exit(0));
});

const events = gleitzeit.events({ events: ['task:completed'] });
say({ kind: 'ready' });
for await (const _ of events) {
  say({ kind: 'completed' });
  break;
}
