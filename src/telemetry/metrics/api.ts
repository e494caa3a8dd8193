import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';
import { boundedLabel, OTHER } from './labels.ts';

const API_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30];

/** What the server knows of itself when somebody looks. */
export type ApiStats = {
  /** All connections, and those among them that are WebSockets or streams of events. */
  readonly connections: number;
  readonly sockets: number;
  readonly streams: number;
  /** Requests that are worked on. */
  readonly requests: number;
  readonly held_bytes: number;
  /** By HTTP status, since the start. */
  readonly refused: Readonly<Record<string, number>>;
  readonly followers: number;
  readonly events_sent: number;
};

export type ApiParts = {
  readonly registry: Registry;
  readonly isMethod: (name: string) => boolean;
  /** Null while there is no server. */
  readonly stats: () => Promise<ApiStats | null>;
};

/** Told of each call: `method` is null where none could be read, `code` is the JSON-RPC code of an error. */
export type ApiCalled = (method: string | null, ms: number, code: number | null) => void;

export function apiMetrics(parts: ApiParts): ApiCalled {
  const { registry, isMethod } = parts;
  const registers = [registry];
  const methodLabel = boundedLabel(isMethod);
  const codeLabel = boundedLabel();
  const calls = new Counter({
    name: 'gleitzeit_api_calls_total',
    help: 'Calls of the API by the code they were answered with.',
    labelNames: ['method', 'code'],
    registers,
  });
  const durations = new Histogram({
    name: 'gleitzeit_api_call_duration_seconds',
    help: 'How long calls of the API took.',
    labelNames: ['method'],
    buckets: API_SECONDS,
    registers,
  });
  serverMetrics(parts);
  return (name, ms, code) => {
    const method = name === null ? OTHER : methodLabel(name);
    calls.inc({ method, code: code === null ? 'ok' : codeLabel(String(code)) });
    durations.observe({ method }, ms / 1000);
  };
}

function serverMetrics({ registry, stats }: ApiParts): void {
  const registers = [registry];
  new Gauge({
    name: 'gleitzeit_api_connections',
    help: 'Connections open now, by what they carry.',
    labelNames: ['carrier'],
    registers,
    async collect() {
      this.reset();
      const found = await stats();
      if (found === null) return;
      const { connections, sockets, streams } = found;
      this.set({ carrier: 'websocket' }, sockets);
      this.set({ carrier: 'sse' }, streams);
      this.set({ carrier: 'http' }, Math.max(0, connections - sockets - streams));
    },
  });
  const gauge = (name: string, help: string, read: (stats: ApiStats) => number) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        const found = await stats();
        this.set(found === null ? 0 : read(found));
      },
    });
  gauge('gleitzeit_api_requests', 'Requests that are worked on.', ({ requests }) => requests);
  gauge('gleitzeit_api_held_bytes', 'Bytes of requests held in memory.', ({ held_bytes }) => held_bytes);
  gauge('gleitzeit_api_subscriptions', 'Who follows events now.', ({ followers }) => followers);
  new Counter({
    name: 'gleitzeit_api_refused_total',
    help: 'Requests refused before they reached a method.',
    labelNames: ['status'],
    registers,
    async collect() {
      this.reset();
      for (const [status, count] of Object.entries((await stats())?.refused ?? {}))
        this.inc({ status }, count);
    },
  });
  new Counter({
    name: 'gleitzeit_api_events_sent_total',
    help: 'Events sent to those who follow them.',
    registers,
    async collect() {
      this.reset();
      this.inc((await stats())?.events_sent ?? 0);
    },
  });
}
