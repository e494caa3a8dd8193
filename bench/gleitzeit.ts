import { createGleitzeit, type Gleitzeit, protocol, type StoreOptions } from '../src/index.ts';
import { handle, type Payload, type Result } from './payload.ts';

const result = {
  type: 'object',
  properties: { key: { type: 'string' }, length: { type: 'integer' } },
  required: ['key', 'length'],
} as const;

/** Schemas are on, as users have them. */
export const PROTOCOL = protocol({
  name: 'bench/v1',
  methods: {
    work: {
      params: {
        type: 'object',
        properties: {
          key: { type: 'string' },
          text: { type: 'string' },
          previous: { type: 'array', items: result },
        },
        required: ['key', 'text'],
        additionalProperties: false,
      },
      returns: result,
    },
  },
});

export const STEP = { protocol: 'bench/v1', method: 'work' } as const;

/** Nobody provides it: its tasks are accepted and wait. */
const nobody = protocol({ name: 'nobody/v1', methods: { wait: { params: { key: { type: 'string' } } } } });

export type Bench = Gleitzeit<typeof PROTOCOL | typeof nobody>;

export function openBench(store: StoreOptions, onStart: (key: string) => void): Promise<Bench> {
  return createGleitzeit({
    store,
    protocols: [PROTOCOL, nobody],
    providers: [
      {
        id: 'no-op',
        protocol: 'bench/v1',
        methods: {
          work: (params): Result => {
            onStart(params.key);
            return handle(params as Payload, params.previous as readonly Result[] | undefined);
          },
        },
      },
    ],
  });
}

/** Counts calls, so that the store is asked for completions only when there can be enough of them. */
export class Progress {
  #handled = 0;

  handled(): void {
    this.#handled++;
  }

  /** Starts the work, and resolves when so many more tasks have completed, as the store tells it. */
  async completed(bench: Pick<Bench, 'stats'>, count: number, start: () => Promise<unknown>): Promise<void> {
    const goal = this.#handled + count;
    const before = (await bench.stats()).tasks.completed ?? 0;
    await start();
    for (;;) {
      if (this.#handled >= goal) {
        const { completed = 0 } = (await bench.stats()).tasks;
        if (completed - before >= count) return;
      }
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }
}
