import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Provider } from '../../src/core/ports/provider.ts';
import type { AttemptRecord } from '../../src/core/records.ts';
import { actProto, protoFolder, startService } from '../../src/dialects/grpc/testing/service.suite.ts';
import { realParts } from '../../src/dialects/jsonrpc/channels.suite.ts';
import { startHttpPeer, startWebSocketPeer } from '../../src/dialects/jsonrpc/peers.suite.ts';
import { createProvider } from '../../src/dialects/registry.ts';
import { startEngine } from '../../src/dialects/testing/engine.suite.ts';
import { readFaults } from '../../src/faults/spec.ts';
import { channelFactories } from '../../src/main/channels.ts';
import { openFaultyWay } from '../../src/main/faulty-channels.ts';
import { defaultProvider } from '../../src/router/settings.ts';
import { lineLogger } from '../../src/telemetry/logger.ts';
import { type ChannelName, TIMEOUT_S } from './cases.ts';
import { type DialectName, dialectPeers, type Peer } from './dialect-peers.ts';
import { startStreamingPeer } from './streaming-peer.ts';

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** An echo agent over that channel, as a configuration names it. */
async function startPeer(channel: ChannelName | DialectName): Promise<Peer> {
  if (Object.hasOwn(dialectPeers, channel)) return dialectPeers[channel as DialectName]();
  const program = (name: string) => [process.execPath, file(name)];
  const stop = async () => {};
  if (channel === 'stdio')
    return { type: 'jsonrpc-stdio', config: { command: program('./echo-agent.ts') }, stop };
  if (channel === 'program')
    return { type: 'process', config: { command: program('./echo-program.ts') }, stop };
  if (channel === 'grpc') {
    const service = await startService({ reflection: false });
    const { url } = service;
    const methods = { act: 'act.v1.Act/Act' };
    const config = { url, methods, proto: [actProto], include: [protoFolder] };
    return { type: 'grpc', config, stop: service.stop };
  }
  if (channel === 'http events' || channel === 'http lines') {
    const { url, stop: end } = await startStreamingPeer(channel === 'http events' ? 'events' : 'lines');
    return { type: 'jsonrpc-http', config: { url }, stop: end };
  }
  const http = channel === 'http';
  const peer = await (http ? startHttpPeer() : startWebSocketPeer());
  return { type: http ? 'jsonrpc-http' : 'jsonrpc-ws', config: { url: peer.url }, stop: peer.stop };
}

export type Tried = {
  readonly status: string;
  readonly result: string | null;
  readonly error: { readonly message: string; readonly data: object } | null;
  readonly attempts: readonly Pick<AttemptRecord, 'provider' | 'error'>[];
  readonly took_ms: number;
  /** Lines of the log that tell of faults. */
  readonly told: readonly string[];
};

/** Long enough that half of its answer still names its call. */
export const VALUE = 'hello '.repeat(20);

const task = {
  protocol: 'act/v1',
  method: 'act',
  params: { do: 'echo', value: VALUE },
  timeout: TIMEOUT_S,
  retry_config: { max_attempts: 2, initial_delay: 0.001, jitter: 0 },
};

export type Trial = {
  readonly channel: ChannelName | DialectName;
  readonly spec: string;
  readonly seed: number;
  /** What the task says besides. */
  readonly task?: object;
  /** Another provider, without faults, that is asked only where the first is not or has failed. */
  readonly other?: Provider;
};

const TICK_MS = 20;

/** The time until it is stopped, without that in which a busy machine left this process no turn: that is nobody's lateness. */
function startWatch(): () => number {
  const from = performance.now();
  let last = from;
  let lost = 0;
  const tick = () => {
    const now = performance.now();
    lost += Math.max(0, now - last - TICK_MS);
    last = now;
  };
  const timer = setInterval(tick, TICK_MS).unref();
  return () => {
    clearInterval(timer);
    tick();
    return last - from - lost;
  };
}

/** One task against one agent with faults on the way. Nothing of it is left. */
export async function tryTask({ channel, spec, seed, task: more = {}, other }: Trial): Promise<Tried> {
  const peer = await startPeer(channel);
  const told: string[] = [];
  const ready = Promise.withResolvers<void>();
  const hear = (line: string) => {
    if (line.includes('a fault was made')) told.push(line);
    if (line.includes('ready')) ready.resolve();
  };
  const logger = lineLogger('debug', hear, () => new Date());
  const way = openFaultyWay({ spec: readFaults(spec), seed }, logger);
  const surroundings = { logger: way.logger, folder: tmpdir(), environment: process.env };
  const channels = way.over(channelFactories(surroundings));
  const { type, config } = peer;
  const parts = { ...realParts, channels };
  const opened = createProvider({ id: 'echo-1', protocol: 'act/v1', type, config }, parts);
  const provider: Provider = peer.as?.(opened) ?? opened;
  const { engine, pools, store, stop } = await startEngine();
  try {
    pools.connect(provider);
    if (other !== undefined) pools.connect(other, { settings: { ...defaultProvider, tier: 1 } });
    // How long a program takes to start is not what is tried here.
    provider.warm?.();
    if (channel === 'stdio') await ready.promise;
    const stopWatch = startWatch();
    const { tasks } = await engine.submit({ ...task, ...more });
    const task_id = tasks[0]?.[1] ?? '';
    const outcome = await engine.result(task_id, 20_000);
    const took_ms = stopWatch();
    const record = await store.reads.task(task_id);
    const { status = '', result = null, error = null } = outcome ?? {};
    return { status, result, error, attempts: record?.task.attempts ?? [], took_ms, told };
  } finally {
    await stop();
    way.close();
    await peer.stop();
  }
}
