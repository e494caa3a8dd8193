import { systemClock, systemRandom, systemTimers } from '../../embedded/system.ts';
import { httpChannel } from '../../rpc/http/channel.ts';
import { postTo } from '../../rpc/http/post.ts';
import { stdioChannel } from '../../rpc/stdio/channel.ts';
import { webSocketChannel } from '../../rpc/websocket/channel.ts';
import { lineLogger } from '../../telemetry/logger.ts';
import type { ChannelFactories, ProviderParts } from '../provider-type.ts';

const logger = lineLogger(
  'silent',
  () => {},
  () => new Date(),
);

/** The real carriers, as the composition root makes them. */
export const realChannels: ChannelFactories = {
  http: ({ tls: _, ...target }) => httpChannel({ ...target, wall: systemClock.wall }),
  websocket: ({ tls: _, ...target }) =>
    webSocketChannel({
      ...target,
      timers: systemTimers,
      random: systemRandom(),
      logger,
    }),
  post: ({ url }) => postTo(new URL(url)),
  stdio: ({ command, cwd, env, framing, limits }) =>
    stdioChannel({
      command,
      cwd: cwd ?? undefined,
      env: env(),
      environment: process.env,
      framing,
      limits,
      logger,
      clock: systemClock,
      timers: systemTimers,
    }),
};

export const realParts: ProviderParts = {
  channels: realChannels,
  secrets: (name) => `value-of-${name}`,
  timers: systemTimers,
  clock: systemClock,
  methods: ['act'],
};
