import { fileURLToPath } from 'node:url';
import { systemClock, systemRandom, systemTimers } from '../../embedded/system.ts';
import { readTls } from '../../main/provider-tls.ts';
import { zoneLine } from '../../main/zone-line.ts';
import { grpcChannel } from '../../rpc/grpc/channel.ts';
import { httpChannel } from '../../rpc/http/channel.ts';
import { webClient } from '../../rpc/http/client.ts';
import { postTo } from '../../rpc/http/post.ts';
import { addressGuard } from '../../rpc/network/guard.ts';
import { programs } from '../../rpc/program/programs.ts';
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
  http: ({ tls: _, ...target }) => httpChannel({ ...target, wall: systemClock.wall, timers: systemTimers }),
  web: ({ tls: _, ...target }) => webClient({ ...target, guard: addressGuard() }),
  grpc: ({ url, tls, ...target }) =>
    grpcChannel({
      ...target,
      url: new URL(url),
      ...(tls === null ? {} : { tls: () => readTls(tls) }),
      clock: systemClock,
    }),
  websocket: ({ tls: _, ...target }) =>
    webSocketChannel({
      ...target,
      timers: systemTimers,
      random: systemRandom(),
      logger,
    }),
  post: ({ url }) => postTo(new URL(url)),
  programs: () =>
    programs({
      folder: process.cwd(),
      environment: process.env,
      packaged: (path) => fileURLToPath(new URL(`../../../${path}`, import.meta.url)),
      logger,
      clock: systemClock,
      timers: systemTimers,
    }),
  zone: (target) => zoneLine(target, logger),
  stdio: ({ cwd, env, ...target }) =>
    stdioChannel({
      ...target,
      cwd: cwd ?? undefined,
      env: env(),
      environment: process.env,
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
