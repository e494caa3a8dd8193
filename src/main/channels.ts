import { fileURLToPath } from 'node:url';
import { GleitzeitError } from '../core/errors.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { ChannelFactories } from '../dialects/registry.ts';
import { systemClock, systemRandom, systemTimers } from '../embedded/system.ts';
import type { Channel } from '../rpc/channel.ts';
import type { GrpcChannel } from '../rpc/grpc/grpc.ts';
import type { WebClient } from '../rpc/http/client.ts';
import { addressGuard } from '../rpc/network/guard.ts';
import { programs } from '../rpc/program/programs.ts';
import { stdioChannel } from '../rpc/stdio/channel.ts';
import type { GroupNotes } from '../rpc/stdio/process-group.ts';
import { packageFile } from './package-file.ts';
import { providerTls, type TlsFiles } from './provider-tls.ts';
import { zoneLine } from './zone-line.ts';

export type ChannelSurroundings = {
  readonly logger: Logger;
  /** Where programs run that were not told where: beside the configuration that names them. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What may be called besides public addresses and what the configuration names. */
  readonly allow?: readonly string[];
  /** Hears of the programs that run. */
  readonly notes?: GroupNotes;
};

/** The carriers of this process. */
export function channelFactories({
  logger,
  folder,
  environment,
  allow = [],
  notes,
}: ChannelSurroundings): ChannelFactories {
  const timers = systemTimers;
  return {
    http: ({ tls, ...target }) => {
      const options = { ...target, ...tlsOf(tls, logger), wall: () => systemClock.wall(), timers };
      return lazyChannel(async () => (await import('../rpc/http/channel.ts')).httpChannel(options));
    },
    web: ({ tls, ...target }) => {
      const options = { ...target, ...tlsOf(tls, logger), guard: addressGuard({ allow }) };
      return lazyClient(async () => (await import('../rpc/http/client.ts')).webClient(options));
    },
    grpc: ({ url, tls, ...target }) => {
      const options = { ...target, url: new URL(url), ...tlsOf(tls, logger), clock: systemClock };
      return lazyGrpc(async () => (await import('../rpc/grpc/channel.ts')).grpcChannel(options));
    },
    websocket: ({ tls, ...target }) => {
      const options = { ...target, ...tlsOf(tls, logger), timers, random: systemRandom(), logger };
      return lazyChannel(async () => (await import('../rpc/websocket/channel.ts')).webSocketChannel(options));
    },
    post: ({ url, tls }) => {
      const options = tlsOf(tls, logger);
      return async (request) => (await import('../rpc/http/post.ts')).postTo(new URL(url), options)(request);
    },
    programs: () =>
      programs({ folder, environment, packaged: packagedFile, logger, clock: systemClock, timers, notes }),
    zone: (target) => zoneLine(target, logger),
    stdio: ({ cwd, env, ...target }) =>
      stdioChannel({
        ...target,
        cwd: cwd ?? folder,
        env: env(),
        environment,
        logger,
        clock: systemClock,
        timers,
        notes,
      }),
  };
}

/** The HTTP client weighs several megabytes: what carries calls is loaded with the first one, where there is one. */
class Lazy<Carrier extends { close(): Promise<void> }> {
  readonly #load: () => Promise<Carrier>;
  #opening: Promise<Carrier> | null = null;
  #closed = false;
  /** Null until it is there. */
  carrier: Carrier | null = null;

  constructor(load: () => Promise<Carrier>) {
    this.#load = load;
  }

  open(): Promise<Carrier> {
    if (this.#closed) return Promise.reject(new GleitzeitError('GLZ2002', 'the channel is closed'));
    this.#opening ??= this.#load().then((carrier) => {
      this.carrier = carrier;
      return carrier;
    });
    return this.#opening;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await (await this.#opening)?.close();
  }
}

function lazyChannel(load: () => Promise<Channel>): Channel {
  const lazy = new Lazy(load);
  return {
    call: async (call) => (lazy.carrier ?? (await lazy.open())).call(call),
    notify: async (message) => (lazy.carrier ?? (await lazy.open())).notify(message),
    close: () => lazy.close(),
  };
}

function lazyGrpc(load: () => Promise<GrpcChannel>): GrpcChannel {
  const lazy = new Lazy(load);
  return {
    call: async (call) => (lazy.carrier ?? (await lazy.open())).call(call),
    check: async (signal) => (lazy.carrier ?? (await lazy.open())).check(signal),
    close: () => lazy.close(),
  };
}

function lazyClient(load: () => Promise<WebClient>): WebClient {
  const lazy = new Lazy(load);
  return {
    request: async (request) => (lazy.carrier ?? (await lazy.open())).request(request),
    stream: async (request) => (lazy.carrier ?? (await lazy.open())).stream(request),
    close: () => lazy.close(),
  };
}

function tlsOf(files: TlsFiles | null, logger: Logger) {
  return files === null ? {} : { tls: providerTls(files, logger) };
}

function packagedFile(path: string): string {
  return fileURLToPath(packageFile(path));
}
