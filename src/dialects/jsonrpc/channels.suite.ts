import { systemClock, systemRandom, systemTimers } from '../../embedded/system.ts';
import { httpChannel } from '../../rpc/http/channel.ts';
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
  http: ({ url, headers, connections }) => httpChannel({ url, headers, connections, wall: systemClock.wall }),
  websocket: ({ url, headers }) =>
    webSocketChannel({
      url,
      get headers() {
        return headers();
      },
      timers: systemTimers,
      random: systemRandom(),
      logger,
    }),
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
  methods: ['act'],
};
