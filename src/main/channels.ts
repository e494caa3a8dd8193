import type { Logger } from '../core/ports/logger.ts';
import type { ChannelFactories } from '../dialects/registry.ts';
import { systemClock, systemRandom, systemTimers } from '../embedded/system.ts';
import type { Channel } from '../rpc/channel.ts';
import { stdioChannel } from '../rpc/stdio/channel.ts';
import type { GroupNotes } from '../rpc/stdio/process-group.ts';
import { providerTls, type TlsFiles } from './provider-tls.ts';

export type ChannelSurroundings = {
  readonly logger: Logger;
  /** Where programs run that were not told where: beside the configuration that names them. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Hears of the programs that run. */
  readonly notes?: GroupNotes;
};

/** The carriers of this process. */
export function channelFactories({
  logger,
  folder,
  environment,
  notes,
}: ChannelSurroundings): ChannelFactories {
  const timers = systemTimers;
  return {
    http: ({ tls, ...target }) => {
      const options = { ...target, ...tlsOf(tls, logger), wall: () => systemClock.wall() };
      return lazyChannel(async () => (await import('../rpc/http/channel.ts')).httpChannel(options));
    },
    websocket: ({ tls, ...target }) => {
      const options = { ...target, ...tlsOf(tls, logger), timers, random: systemRandom(), logger };
      return lazyChannel(async () => (await import('../rpc/websocket/channel.ts')).webSocketChannel(options));
    },
    post: ({ url, tls }) => {
      const options = tlsOf(tls, logger);
      return async (request) => (await import('../rpc/http/post.ts')).postTo(new URL(url), options)(request);
    },
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
function lazyChannel(load: () => Promise<Channel>): Channel {
  let channel: Channel | null = null;
  let opening: Promise<Channel> | null = null;
  const open = async () => {
    channel = await load();
    return channel;
  };
  const opened = () => {
    opening ??= open();
    return opening;
  };
  return {
    call: async (call) => (channel ?? (await opened())).call(call),
    notify: async (message) => (channel ?? (await opened())).notify(message),
    close: async () => (await opening)?.close(),
  };
}

function tlsOf(files: TlsFiles | null, logger: Logger) {
  return files === null ? {} : { tls: providerTls(files, logger) };
}
