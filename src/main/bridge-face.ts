import { type Config, listenerLimits } from '../config.ts';
import type { Logger } from '../core/ports/logger.ts';
import { systemClock, systemRandom, systemTimers } from '../embedded/system.ts';
import { createListener } from '../rpc/listener/listener.ts';
import type { GetRoute, PlainAnswer } from '../rpc/listener/route.ts';
import { authenticator } from '../server/access/access.ts';
import { Tickets } from '../server/access/tickets.ts';
import type { BridgeMetrics } from '../telemetry/bridge-metrics.ts';
import type { Opened } from './opened.ts';

export type BridgeFaceParts = {
  readonly config: Config;
  readonly logger: Logger;
  readonly opened: Opened;
  readonly metrics: BridgeMetrics | null;
  /** Whether calls that are published now would be taken and made. */
  readonly ready: () => boolean;
};

/** What a bridge is asked by those who watch over it; null where it has no port. */
export async function openBridgeFace(parts: BridgeFaceParts): Promise<string | null> {
  const { config, logger, opened } = parts;
  const { port, host } = config.bridge;
  if (port === undefined) return null;
  const { limits, allowed_hosts, allowed_origins } = config.server;
  const tickets = new Tickets({ clock: systemClock, random: systemRandom() });
  const authenticate = authenticator(() => config.server.keys, tickets);
  const listener = createListener({
    ...{ on: { host, port }, limits: listenerLimits(limits), allowed_hosts, allowed_origins, logger },
    ...{ clock: systemClock, timers: systemTimers },
    ...(authenticate === undefined ? {} : { authenticate }),
  });
  for (const route of routes(parts)) listener.mount(route);
  opened.add(async (deadline_ms) => {
    await listener.quiet();
    await listener.stop(deadline_ms);
  });
  return (await listener.start()).url;
}

function routes({ metrics, ready }: BridgeFaceParts): GetRoute[] {
  const open: GetRoute[] = [
    { kind: 'get', path: '/health', access: 'open', answer: () => json(200, { status: 'ok' }) },
    {
      ...{ kind: 'get', path: '/ready', access: 'open', when_quiet: 'refused' },
      answer: () => (ready() ? json(200, { status: 'ready' }) : json(503, { status: 'unavailable' })),
    },
  ];
  if (metrics === null) return open;
  const answer = async () => ({ status: 200, type: metrics.contentType, body: await metrics.text() });
  return [...open, { kind: 'get', path: '/metrics', access: 'viewer', when_quiet: 'served', answer }];
}

function json(status: number, body: object): PlainAnswer {
  return { status, type: 'application/json', body: JSON.stringify(body) };
}
