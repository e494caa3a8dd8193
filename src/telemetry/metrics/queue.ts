import { Gauge, type Registry } from '@prometheus-io/client';
import type { Clock } from '../../core/ports/clock.ts';
import type { QueueStats } from '../../core/ports/store.ts';

/** So long one reading of the store serves: however many look, it is counted once. */
const CACHED_MS = 5000;

export type QueueParts = {
  readonly registry: Registry;
  readonly clock: Clock;
  readonly stats: () => Promise<QueueStats>;
  readonly protocolLabel: (name: string) => string;
};

/** What lies in the store, read when somebody looks. Left out of the answer while the store does not tell. */
export function queueMetrics({ registry, clock, stats, protocolLabel }: QueueParts): void {
  const read = cached(stats, clock);
  const registers = [registry];
  new Gauge({
    name: 'gleitzeit_tasks',
    help: 'Tasks in the store by status, those of other engines included.',
    labelNames: ['status'],
    registers,
    async collect() {
      this.reset();
      for (const [status, count] of Object.entries((await read())?.tasks ?? {})) this.set({ status }, count);
    },
  });
  new Gauge({
    name: 'gleitzeit_workflows',
    help: 'Runs of workflows in the store by status.',
    labelNames: ['status'],
    registers,
    async collect() {
      this.reset();
      for (const [status, count] of Object.entries((await read())?.runs ?? {})) this.set({ status }, count);
    },
  });
  new Gauge({
    name: 'gleitzeit_queue_depth',
    help: 'Tasks that are ready and wait for a free slot.',
    labelNames: ['protocol', 'priority'],
    registers,
    async collect() {
      this.reset();
      for (const { protocol, priority, count } of (await read())?.queued ?? [])
        this.inc({ protocol: protocolLabel(protocol), priority }, count);
    },
  });
}

function cached(stats: () => Promise<QueueStats>, clock: Clock): () => Promise<QueueStats | null> {
  let last: { readonly at: number; readonly stats: Promise<QueueStats | null> } | null = null;
  return () => {
    const at = clock.monotonic();
    if (last === null || at - last.at >= CACHED_MS) last = { at, stats: stats().catch(() => null) };
    return last.stats;
  };
}
